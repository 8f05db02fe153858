//! Checks of the documentation: links lead somewhere, sentences are short, the README fits one screen, promises name tests that
//! exist, charts say what the tables say.

use crate::charts;
use crate::fail::{Fail, Result};
use crate::pages::Page;
use crate::place::Place;
use crate::tidy;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// The most words of the sentence in the middle of a page: a rule of this project.
const MEDIAN: usize = 20;
/// The most words of any sentence that a reader of the product meets.
const LONGEST: usize = 40;
/// One screen: the lines of a README without pictures, and its columns.
const SCREEN: (usize, usize) = (60, 100);
/// Texts that are samples, or the record of what was decided, may have longer sentences.
const RECORDS: &[&str] =
    &["docs/decisions/", "models/", "samples/", "benches/", "CHANGELOG.md", "docs/gallery.md"];
/// Samples of what trackers hold.
const EXEMPT: &[&str] =
    &["samples/ferrywire/", "tests/fixtures/", "tests/data/", "tests/fuzz/seeds/", "ui/node_modules/"];
/// Where promises stand.
const PROMISES: &str = "docs/trust.md";
/// The page that lists every schema, and their folder.
const SCHEMAS: (&str, &str) = ("docs/reference/json.md", "docs/schema");

/// Looks at every page. `None` if this is no git checkout.
pub fn check(place: &Place) -> Result<Option<String>> {
    let Some(files) = tidy::listed(place) else { return Ok(None) };
    let files: Vec<String> = files.into_iter().filter(|f| !EXEMPT.iter().any(|e| f.starts_with(e))).collect();
    let mut pages = BTreeMap::new();
    for file in files.iter().filter(|f| f.ends_with(".md")) {
        // One that was deleted and is tracked still.
        if let Ok(text) = std::fs::read_to_string(place.root.join(file)) {
            pages.insert(file.clone(), (Page::read(&text), text));
        }
    }
    let mut wrong = Vec::new();
    for (file, (page, _)) in &pages {
        wrong.extend(dead(file, page, &pages, &place.root));
        wrong.extend(unreadable(file, page));
    }
    wrong.extend(mentions(place, &files));
    if let Some((_, text)) = pages.get("README.md") {
        wrong.extend(beyond_the_screen(text));
    }
    if let Some((page, _)) = pages.get(PROMISES) {
        wrong.extend(unheld(page, &tests(place, &files)));
    }
    if let Some((page, _)) = pages.get(SCHEMAS.0) {
        wrong.extend(unlisted(page, &place.root.join(SCHEMAS.1))?);
    }
    wrong.extend(
        charts::stale(place)?
            .into_iter()
            .map(|c| format!("docs/charts/{c} is not current: cargo xtask charts")),
    );
    if wrong.is_empty() {
        return Ok(Some(format!("{} pages", pages.len())));
    }
    let fail = Fail::new(
        format!("{} things are wrong with the documentation", wrong.len()),
        "Each line says where and what.",
    );
    Err(Fail { output: wrong.join("\n"), ..fail })
}

/// Links of a page that lead nowhere.
fn dead(file: &str, page: &Page, pages: &BTreeMap<String, (Page, String)>, root: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for link in &page.links {
        if link.contains("://") || link.starts_with("mailto:") {
            continue;
        }
        let (path, anchor) = link.split_once('#').map_or((link.as_str(), None), |(p, a)| (p, Some(a)));
        let target = if path.is_empty() { Some(PathBuf::from(file)) } else { beside(file, path) };
        let Some(target) = target.filter(|t| root.join(t).exists()) else {
            wrong.push(format!("{file}: {link} leads nowhere"));
            continue;
        };
        let there = pages.get(target.to_string_lossy().as_ref());
        if let (Some(anchor), Some((there, _))) = (anchor, there)
            && !there.anchors.iter().any(|a| a == anchor)
        {
            wrong.push(format!("{file}: {link}: that page has no heading #{anchor}"));
        }
    }
    wrong
}

/// A path that stands in a file, from the top of the tree; none where it leads out of it.
fn beside(file: &str, path: &str) -> Option<PathBuf> {
    let mut out = Path::new(file).parent()?.to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            Component::Normal(name) => out.push(name),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(out)
}

fn unreadable(file: &str, page: &Page) -> Vec<String> {
    let mut wrong = Vec::new();
    if page.median() > MEDIAN {
        wrong.push(format!(
            "{file}: half of its sentences have {} words and more; {MEDIAN} is the most",
            page.median()
        ));
    }
    if RECORDS.iter().any(|r| file.starts_with(r)) {
        return wrong;
    }
    for (words, begin) in page.sentences.iter().filter(|(words, _)| *words > LONGEST) {
        wrong.push(format!("{file}: a sentence of {words} words: \"{begin} …\"; {LONGEST} is the most"));
    }
    wrong
}

/// Pages that code and settings name, and that are not there.
fn mentions(place: &Place, files: &[String]) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in files.iter().filter(|f| ![".md", ".snap", "xtask/src/docs.rs"].iter().any(|e| f.ends_with(e)))
    {
        let Ok(text) = std::fs::read_to_string(place.root.join(file)) else { continue };
        for (line, named) in
            text.lines().enumerate().flat_map(|(n, l)| named(l).into_iter().map(move |p| (n + 1, p)))
        {
            if !place.root.join(&named).exists() {
                wrong.push(format!("{file}:{line}: {named} is not there"));
            }
        }
    }
    wrong
}

/// Pages below `docs/` that a line names.
fn named(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in line.match_indices("docs/") {
        let before = line[..at].chars().next_back();
        // Another site's folder of that name.
        if before.is_some_and(|c| c.is_alphanumeric() || "/.-_".contains(c)) {
            continue;
        }
        let path: String =
            line[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || "/.-_".contains(*c)).collect();
        if let Some(end) = path.find(".md") {
            out.push(path[..end + 3].to_owned());
        }
    }
    out
}

/// Lines and columns of a README beyond one screen. Pictures count for nothing.
fn beyond_the_screen(text: &str) -> Vec<String> {
    let (most, columns) = SCREEN;
    let mut inside = false;
    let mut lines = 0;
    let mut wrong = Vec::new();
    for (at, line) in text.lines().enumerate() {
        inside |= line.contains("<picture");
        if !inside && !line.starts_with("![") {
            lines += 1;
            let width = line.chars().count();
            if width > columns {
                wrong.push(format!("README.md:{}: {width} columns; {columns} is the most", at + 1));
            }
        }
        inside &= !line.contains("</picture>");
    }
    if lines > most {
        wrong.push(format!("README.md has {lines} lines without pictures; one screen is {most}"));
    }
    wrong
}

/// Names of functions in files that hold tests, and those files.
fn tests(place: &Place, files: &[String]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in files.iter().filter(|f| f.ends_with(".rs")) {
        let Ok(text) = std::fs::read_to_string(place.root.join(file)) else { continue };
        names.insert(file.clone());
        names.extend(file.strip_prefix("tests/it/").map(str::to_owned));
        for line in text.lines() {
            let line = line.trim_start().trim_start_matches("async ");
            let name = line.strip_prefix("fn ").and_then(|l| l.split(['(', '<']).next());
            names.extend(name.map(str::to_owned));
        }
    }
    names
}

/// Tests and files of tests that a page names and that are not there.
fn unheld(page: &Page, tests: &BTreeSet<String>) -> Vec<String> {
    let is_test = |code: &str| {
        code.ends_with(".rs")
            || (code.matches('_').count() >= 2
                && code.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'))
    };
    let gone = page.codes.iter().filter(|code| is_test(code) && !tests.contains(*code));
    gone.map(|code| format!("{PROMISES}: there is no test {code}")).collect()
}

/// Schemas that the page about them does not link.
fn unlisted(page: &Page, folder: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".json") && !page.links.iter().any(|l| l.ends_with(&format!("/{name}"))) {
            wrong.push(format!("{}: {}/{name} is not listed", SCHEMAS.0, SCHEMAS.1));
        }
    }
    wrong.sort();
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(files: &[(&str, &str)]) -> (tempfile::TempDir, BTreeMap<String, (Page, String)>) {
        let dir = tempfile::tempdir().unwrap();
        let mut pages = BTreeMap::new();
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
            pages.insert((*name).to_owned(), (Page::read(text), (*text).to_owned()));
        }
        (dir, pages)
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found_and_a_good_one_is_not() {
        let (dir, pages) = place(&[
            (
                "a.md",
                "[1](docs/b.md) [2](docs/b.md#two-words) [3](docs/none.md) [4](docs/b.md#three) [5](../out.md) [6](https://x.example/y)",
            ),
            ("docs/b.md", "# B\n\n## Two words\n\n[back](../a.md) [here](#b) [no](#c)"),
        ]);
        let wrong = |file: &str| dead(file, &pages[file].0, &pages, dir.path());
        assert_eq!(
            wrong("a.md"),
            [
                "a.md: docs/none.md leads nowhere",
                "a.md: docs/b.md#three: that page has no heading #three",
                "a.md: ../out.md leads nowhere"
            ]
        );
        assert_eq!(wrong("docs/b.md"), ["docs/b.md: #c: that page has no heading #c"]);
    }

    #[test]
    fn long_sentences_are_found_and_records_may_have_one() {
        let long = format!("{}end.", "word ".repeat(41));
        let page = Page::read(&format!("Short one. Another short one. A third.\n\n{long}"));
        assert_eq!(unreadable("README.md", &page).len(), 1);
        assert!(unreadable("docs/decisions/0001.md", &page).is_empty());
        assert_eq!(
            unreadable("docs/decisions/0001.md", &Page::read(&long)).len(),
            1,
            "the median holds for all"
        );
    }

    #[test]
    fn the_screen_has_lines_and_columns() {
        let picture = "<picture>\n<source srcset=\"x\">\n</picture>\n";
        let fits = format!("{picture}{}", "line\n".repeat(SCREEN.0));
        assert!(beyond_the_screen(&fits).is_empty());
        assert_eq!(beyond_the_screen(&format!("{fits}more\n")).len(), 1);
        assert_eq!(beyond_the_screen(&"é".repeat(SCREEN.1 + 1)).len(), 1);
        assert!(beyond_the_screen(&"é".repeat(SCREEN.1)).is_empty());
    }

    #[test]
    fn pages_that_code_names_are_found_and_other_sites_are_not() {
        let line = "see docs/x-y.md, (docs/a/b.md#c) https://h.example/docs/z.md and \"docs/schema\"";
        assert_eq!(named(line), ["docs/x-y.md", "docs/a/b.md"]);
    }

    #[test]
    fn a_promise_without_its_test_is_found() {
        let page = Page::read(
            "| `sync.rs`, `a_token_is_kept` | `none.rs`, `nobody_wrote_this` | `precedent sync` |\n|---|---|---|\n",
        );
        let tests = BTreeSet::from(["sync.rs".to_owned(), "a_token_is_kept".to_owned()]);
        assert_eq!(
            unheld(&page, &tests),
            ["docs/trust.md: there is no test none.rs", "docs/trust.md: there is no test nobody_wrote_this"]
        );
    }
}
