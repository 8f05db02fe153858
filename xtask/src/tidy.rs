//! Small checks on the tracked files: no hosts of package registries, no paths of somebody's machine, migrations in order.

use crate::fail::{Fail, Result};
use crate::place::Place;
use crate::shell::Run;

/// Hosts that belong into the settings of a package client, not into this repository. In two halves, so that this file
/// does not name them either.
const HOSTS: &[[&str; 2]] = &[
    ["registry.", "npmjs.org"],
    ["registry.", "yarnpkg.com"],
    ["files.", "pythonhosted.org"],
    ["pypi.", "org/simple"],
    ["static.", "crates.io"],
    ["index.", "crates.io"],
    ["deb.", "debian.org"],
    ["proxy.", "golang.org"],
];

/// A folder of the machines on which this was built.
const FOLDER: &str = concat!("/", "work", "/");

/// Texts that are kept as their authors wrote them, and lock files, whose sources the licence check holds.
const EXEMPT: &[&str] =
    &["Cargo.lock", "ui/package-lock.json", "samples/ferrywire/", "tests/fixtures/", "tests/data/"];

/// Looks through every tracked text file. `None` if this is no git checkout.
pub fn words(place: &Place) -> Result<Option<String>> {
    let Some(files) = tracked(place) else { return Ok(None) };
    let mut found = Vec::new();
    let mut count = 0;
    for file in files.iter().filter(|file| !EXEMPT.iter().any(|exempt| file.starts_with(exempt))) {
        let Ok(bytes) = std::fs::read(place.root.join(file)) else { continue };
        if bytes.iter().take(8000).any(|byte| *byte == 0) {
            continue;
        }
        count += 1;
        for (index, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            if let Some(what) = offence(line) {
                found.push(format!("{file}:{}: {what}", index + 1));
            }
        }
    }
    if found.is_empty() {
        return Ok(Some(format!("{count} files")));
    }
    Err(Fail::new(
        format!("{} places name a registry's host or a folder of one machine", found.len()),
        "Take them out.",
    )
    .with_output(&found.join("\n")))
}

fn offence(line: &str) -> Option<String> {
    let lower = line.to_lowercase();
    for [left, right] in HOSTS {
        let host = format!("{left}{right}");
        if lower.contains(&host) {
            return Some(format!("the host {host}"));
        }
    }
    let inside = |c: char| c.is_alphanumeric() || "_.-~*}])".contains(c);
    line.match_indices(FOLDER)
        .any(|(at, _)| !line[..at].chars().next_back().is_some_and(inside))
        .then(|| format!("a path below {FOLDER}"))
}

/// Migrations are numbered from 1 without gaps, and none of those that were released has changed.
pub fn migrations(place: &Place) -> Result<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(place.root.join("migrations"))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let mut wrong = misnumbered(&names);
    let git = |args: &[&str]| Run::new("git").args(args).dir(&place.root).stdout().ok();
    if let Some(tag) = git(&["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]) {
        let changes = git(&["diff", "--name-status", "--no-renames", tag.trim(), "--", "migrations"])
            .unwrap_or_default();
        for change in changes.lines().filter(|change| !change.starts_with('A')) {
            wrong.push(format!("changed since {}: {change}", tag.trim()));
        }
    }
    if wrong.is_empty() {
        return Ok(format!("{} migrations", names.len()));
    }
    Err(Fail::new(
        "migrations are append-only",
        "A released migration stays as it is: add another one with the next number.",
    )
    .with_output(&wrong.join("\n")))
}

fn misnumbered(names: &[String]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut expected = 0;
    for name in names.iter().filter(|name| !name.starts_with('.')) {
        expected += 1;
        let number = name.split_once('_').filter(|(number, rest)| number.len() == 4 && rest.len() > 4);
        match number.and_then(|(number, _)| number.parse::<u32>().ok()) {
            Some(number) if number == expected && name.ends_with(".sql") => {}
            _ => wrong.push(format!("{name}: expected {expected:04}_….sql")),
        }
    }
    if expected == 0 {
        wrong.push("there is no migration".into());
    }
    wrong
}

/// The files of the tree that are tracked or could be: those that git does not ignore. `None` if this is no git checkout.
pub fn listed(place: &Place) -> Option<Vec<String>> {
    let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Run::new("git").args(args).dir(&place.root).stdout().ok()?;
    Some(output.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn tracked(place: &Place) -> Option<Vec<String>> {
    let output = Run::new("git").args(["ls-files", "-z"]).dir(&place.root).stdout().ok()?;
    Some(output.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offences_are_found() {
        let path = format!("cd {FOLDER}main");
        assert!(offence(&path).is_some());
        assert!(offence(&format!("\"{FOLDER}x\"")).is_some());
        assert!(offence(FOLDER).is_some());
        assert_eq!(offence(&format!("models/pipeline{FOLDER}")), None);
        assert_eq!(offence(&format!("..{FOLDER}x")), None);
        let host = HOSTS[0].concat();
        assert!(offence(&format!("https://{host}/svelte")).is_some());
        assert!(offence(&host.to_uppercase()).is_some());
        assert_eq!(offence("from crates.io, through cargo"), None);
    }

    #[test]
    fn gaps_and_doubles_in_migrations_are_found() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(misnumbered(&names(&["0001_casebook.sql", "0002_pages.sql"])).is_empty());
        assert_eq!(misnumbered(&names(&["0001_a.sql", "0003_b.sql"])).len(), 1);
        assert_eq!(misnumbered(&names(&["0001_a.sql", "0001_b.sql"])).len(), 1);
        assert_eq!(misnumbered(&names(&["1_a.sql"])).len(), 1);
        assert_eq!(misnumbered(&names(&["0001_a.txt"])).len(), 1);
        assert_eq!(misnumbered(&names(&[])).len(), 1);
    }
}
