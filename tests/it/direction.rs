//! The direction of imports: no module of the engine reaches upward, and there is no circle.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Each module with what it may import. `error`, `model` and `task` are everybody's.
const MAY: &[(&str, &[&str])] = &[
    ("door", &[]),
    ("error", &["door"]),
    ("files", &[]),
    ("share", &[]),
    ("memory", &[]),
    ("model", &[]),
    ("task", &[]),
    ("samples", &[]),
    ("text", &[]),
    ("config", &["text"]),
    ("secrets", &["door"]),
    ("http", &["door", "secrets"]),
    ("tracker", &["door", "http", "secrets", "text"]),
    ("embed", &["text"]),
    ("store", &["text"]),
    ("index", &["embed", "store", "text"]),
    ("search", &["index", "store", "text"]),
    ("sync", &["http", "secrets", "tracker", "store"]),
    ("duplicates", &["search", "index", "share", "store", "text"]),
    ("troubleshoot", &["search", "index", "store", "text"]),
    ("notes", &["embed", "search", "index", "store", "text"]),
    ("brief", &["duplicates", "troubleshoot", "notes", "search", "index", "store", "text"]),
    ("portable", &["files", "store"]),
    ("doctor", &["index", "embed", "store"]),
    (
        "casebook",
        &[
            "doctor",
            "files",
            "portable",
            "http",
            "secrets",
            "samples",
            "tracker",
            "sync",
            "brief",
            "duplicates",
            "troubleshoot",
            "notes",
            "search",
            "index",
            "embed",
            "store",
            "text",
        ],
    ),
];
const EVERYBODY: &[&str] = &["error", "model", "task", "Error", "Code", "Result", "Task"];

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The modules that a file names through `crate::`, with groups unfolded.
fn imports(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code: String =
        text.lines().filter(|l| !l.trim_start().starts_with("//")).map(|l| format!("{l}\n")).collect();
    let mut out = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let (mut depth, mut name) = (1, String::new());
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 1 => out.push(std::mem::take(&mut name)),
                    c if depth == 1 && !c.is_whitespace() => name.push(c),
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
            out.push(name);
        } else {
            out.push(rest.to_owned());
        }
    }
    let first =
        |n: &str| n.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default().to_owned();
    out.iter().map(|n| first(n)).filter(|n| !n.is_empty()).collect()
}

#[test]
fn imports_run_downward_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let may: BTreeMap<&str, &[&str]> = MAY.iter().copied().collect();
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut checked = 0;
    for file in files {
        let module = file
            .strip_prefix(&root)
            .unwrap()
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_string_lossy()
            .into_owned();
        let module = module.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let allowed =
            may.get(module).unwrap_or_else(|| panic!("{module} has no place in the direction of imports"));
        for import in imports(&std::fs::read_to_string(&file).unwrap()) {
            let fine = import == module
                || EVERYBODY.contains(&import.as_str())
                || allowed.contains(&import.as_str());
            assert!(fine, "{} imports {import}, which is not below {module}", file.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} imports were read: the test no longer sees them");
}

#[test]
fn the_order_has_no_circle() {
    for (place, (module, below)) in MAY.iter().enumerate() {
        for name in *below {
            let at = MAY.iter().position(|(m, _)| m == name).unwrap();
            assert!(at < place, "{module} is listed before {name}, which it imports");
        }
    }
}

/// The engine has no terminal, window, environment or home; sqlite-vec and tantivy have one home each.
#[test]
fn what_has_a_home_is_used_nowhere_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    for file in files {
        let name = file.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        for (word, homes) in [
            ("std::env", &[][..]),
            ("println!", &[]),
            (
                "tantivy::",
                &[
                    "index/fulltext/mod.rs",
                    "index/fulltext/best.rs",
                    "index/fulltext/query.rs",
                    "index/fulltext/read_only.rs",
                    "index/fulltext/schema.rs",
                    "index/fulltext/similar.rs",
                    "index/fulltext/write.rs",
                    "error.rs",
                ],
            ),
            ("sqlite_vec::", &["index/vectors/schema.rs"]),
            ("reqwest::", &["http.rs", "http/download.rs"]),
            ("process::Command", &["tracker/wiki_git.rs"]),
            ("fastembed::", &["embed/onnx.rs", "embed/catalog.rs"]),
            ("spawn_blocking", &["task.rs"]),
            ("unsafe {", &["index/vectors/schema.rs", "index/vectors/codes.rs", "memory.rs"]),
        ] {
            assert!(!text.contains(word) || homes.contains(&name.as_str()), "{name} uses {word}");
        }
    }
}
