//! Tests of the documentation: its commands parse and work, and quoted output and generated pages
//! are current.

use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::{model, support::TestEnv};

/// A code block: the info string of its fence, and its content.
type Block = (String, String);

/// Returns the pages with their code blocks.
fn pages() -> Vec<(PathBuf, Vec<Block>)> {
    let root = model::root();
    let mut files: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
        .iter()
        .map(|name| root.join(name))
        .collect();
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
        .into_iter()
        .map(|path| (path.clone(), blocks(&std::fs::read_to_string(&path).unwrap())))
        .collect()
}

fn blocks(text: &str) -> Vec<Block> {
    let mut out = Vec::new();
    let mut current: Option<Block> = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(word))) => {
                current = Some((word.into_string(), String::new()));
            }
            Event::Text(text) => {
                if let Some((_, content)) = &mut current {
                    content.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => out.extend(current.take()),
            _ => {}
        }
    }
    out
}

/// Returns the commands in a block: the lines of `sh`, and the lines after `$` in `console`.
fn commands((word, content): &Block) -> Vec<String> {
    let joined = content.replace("\\\n", " ");
    let lines = joined.lines().map(str::trim);
    match word.as_str() {
        "sh" => lines.filter(|l| !l.is_empty() && !l.starts_with('#')).map(str::to_owned).collect(),
        "console" => lines.filter_map(|l| l.strip_prefix("$ ")).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Returns the arguments of each call of `precedent` in a shell line.
fn calls(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars().chain([' ']) {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, c) if c.is_whitespace() || "|&;".contains(c) => {
                commands.last_mut().unwrap().extend(word.take());
                if !c.is_whitespace() {
                    commands.push(Vec::new());
                }
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    commands.last_mut().unwrap().extend(word.take());
    commands
        .into_iter()
        .filter_map(|words| {
            let start = words.iter().position(|w| !w.contains('=') || w.starts_with('-'))?;
            if words[start] != "precedent" {
                return None;
            }
            let end =
                words.iter().position(|w| w == "<" || w == ">" || w == ">>").unwrap_or(words.len());
            Some(words[start + 1..end].to_vec())
        })
        .collect()
}

#[test]
fn lines_are_parsed_like_a_shell() {
    assert_eq!(
        calls(
            "gh auth token | precedent login git.acme.example < t.txt && X=1 precedent search \"two # words\" 'a \"b\"' -- # why"
        ),
        [vec!["login", "git.acme.example"], vec!["search", "two # words", "a \"b\"", "--"]]
    );
    assert_eq!(calls("precedent show acme/app#12"), [vec!["show", "acme/app#12"]]);
    assert!(calls("cargo xtask start").is_empty());
    let block = (
        "console".to_owned(),
        "$ precedent status\nCasebook\n$ precedent \\\n    doctor\n".to_owned(),
    );
    assert_eq!(commands(&block), ["precedent status", "precedent      doctor"]);
}

#[test]
fn documented_commands_parse() {
    let env = TestEnv::new();
    let mut count = 0;
    for (path, blocks) in pages() {
        for line in blocks.iter().flat_map(commands) {
            for call in calls(&line) {
                count += 1;
                // With `--help`, the arguments are parsed, but nothing runs.
                let mut words: Vec<&str> = call.iter().map(String::as_str).collect();
                let end = words.iter().position(|w| *w == "--").unwrap_or(words.len());
                words.insert(end, "--help");
                let run = env.run(&words);
                assert_eq!(run.code, Some(0), "{}: {line}\n{}", path.display(), run.err);
            }
        }
    }
    assert!(count > 80, "only {count} commands were found");
}

#[test]
fn documented_commands_work_on_the_sample() {
    let env = TestEnv::new();
    env.ok(&["import", "sample"]);
    let folder = env.path("");
    for (path, blocks) in pages() {
        // Commands run in page order: a brief is written before it is read.
        for line in blocks.iter().filter(|(word, _)| word == "sh").flat_map(commands) {
            for call in calls(&line) {
                let words: Vec<&str> = call.iter().map(String::as_str).collect();
                let needs_only_the_sample = !matches!(
                    words[0],
                    "source" | "sync" | "login" | "config" | "eval" | "import" | "verdict"
                ) && !line.contains("acme/")
                    && !line.contains("--into");
                if !needs_only_the_sample {
                    continue;
                }
                let run = env.command(&words).current_dir(&folder).output().unwrap();
                let err = String::from_utf8_lossy(&run.stderr);
                assert!(run.status.success(), "{}: {line}\n{err}", path.display());
            }
        }
    }
}

/// Replaces the numbers of a line, and trims it.
fn mask_numbers(line: &str) -> String {
    let mut out = String::new();
    for c in line.trim().chars() {
        match (c.is_ascii_digit(), out.ends_with('N')) {
            (true, true) => {}
            (true, false) => out.push('N'),
            (false, _) => out.push(c),
        }
    }
    out
}

#[test]
fn readme_output_is_current() {
    let Some(runtime) = model::runtime() else { return };
    let env = TestEnv::new();
    let run = |words: &[&str]| {
        model::run_with_model(&env, &runtime, &model::root().join("models"), words)
    };
    assert_eq!(run(&["import", "sample"]).code, Some(0));
    let text = std::fs::read_to_string(model::root().join("README.md")).unwrap();
    let quotes: Vec<Block> =
        blocks(&text).into_iter().filter(|(word, _)| word == "console").collect();
    assert_eq!(quotes.len(), 3, "the README quotes three commands");
    for block in quotes {
        let call = calls(&commands(&block)[0]).remove(0);
        let folder = env.path("").display().to_string();
        let words: Vec<String> = call
            .iter()
            .map(|w| if w.ends_with(".html") { format!("{folder}{w}") } else { w.clone() })
            .collect();
        let run = run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(run.code, Some(0), "{}", run.err);
        let output_lines: Vec<String> = format!("{}{}", run.out, run.err)
            .replace(&folder, "")
            .lines()
            .map(mask_numbers)
            .collect();
        for line in block.1.lines().filter(|l| !l.starts_with("$ ")) {
            let pattern = mask_numbers(line);
            assert!(
                output_lines.iter().any(|p| p.contains(&pattern)),
                "{line}\nis not in\n{}",
                output_lines.join("\n")
            );
        }
    }
}

#[test]
fn command_reference_is_current() {
    let file = model::root().join("docs/reference/command-line.md");
    let page = TestEnv::new().ok(&["man", "--markdown"]).out;
    let current =
        std::fs::read_to_string(Path::new(&file)).unwrap_or_default().replace("\r\n", "\n");
    assert!(current == page, "run precedent man --markdown > docs/reference/command-line.md");
}

#[test]
fn every_setting_is_documented() {
    let page = std::fs::read_to_string(model::root().join("docs/reference/settings.md")).unwrap();
    for key in precedent_engine::config::KEYS {
        assert!(
            page.contains(&format!("| `{}` |", key.name)),
            "{} is not in docs/reference/settings.md",
            key.name
        );
    }
}
