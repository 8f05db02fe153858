//! The terms of every library that is linked into the product, as its authors wrote them.

use crate::fail::{Fail, Result};
use crate::place::Place;
use crate::shell::Run;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// The crates that end up in what is installed.
const PROGRAMS: [&str; 2] = ["precedent", "precedent-desktop"];

/// A library.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Library {
    name: String,
    licence: String,
    /// The texts that lie in its folder.
    texts: Vec<String>,
}

/// All of them with their texts, each text once.
pub fn text(place: &Place) -> Result<String> {
    let host = Run::new("rustc").arg("-vV").stdout()?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let metadata = Run::cargo()
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", host])
        .dir(&place.root)
        .stdout()?;
    let mut libraries = crates(&json(&metadata)?)?;
    let ui = place.root.join("ui");
    libraries.extend(packages(&json(&std::fs::read_to_string(ui.join("package-lock.json"))?)?, &ui)?);
    libraries.sort();
    Ok(written(&libraries))
}

fn json(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| Fail::new(format!("not JSON: {error}"), ""))
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// What the programs are linked from: not what only builds or tests them.
fn crates(metadata: &Value) -> Result<Vec<Library>> {
    let packages: BTreeMap<&str, &Value> =
        list(&metadata["packages"]).iter().filter_map(|p| Some((p["id"].as_str()?, p))).collect();
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).iter().filter_map(|n| Some((n["id"].as_str()?, n))).collect();
    let mut open: Vec<&str> = packages
        .iter()
        .filter(|(_, package)| {
            package["source"].is_null()
                && package["name"].as_str().is_some_and(|name| PROGRAMS.contains(&name))
        })
        .map(|(id, _)| *id)
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dependency in nodes.get(id).map(|node| list(&node["deps"])).unwrap_or_default() {
            let linked = list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            open.extend(dependency["pkg"].as_str().filter(|_| linked));
        }
    }
    let mut libraries = Vec::new();
    for package in seen.iter().filter_map(|id| packages.get(id)).filter(|p| !p["source"].is_null()) {
        let manifest = string(&package["manifest_path"]);
        libraries.push(Library {
            name: format!("{} {}", string(&package["name"]), string(&package["version"])),
            licence: string(&package["license"]),
            texts: texts(Path::new(&manifest).parent().unwrap_or(Path::new("")))?,
        });
    }
    Ok(libraries)
}

/// What npm installs for the window itself.
fn packages(lock: &Value, ui: &Path) -> Result<Vec<Library>> {
    let mut libraries = Vec::new();
    for (path, package) in lock["packages"].as_object().into_iter().flatten() {
        // The compiler's own runtime is in the window too, though npm counts it among the tools.
        let tool = package["dev"].as_bool() == Some(true) && path != "node_modules/svelte";
        if path.is_empty() || tool {
            continue;
        }
        libraries.push(Library {
            name: format!("{} {}", path.trim_start_matches("node_modules/"), string(&package["version"])),
            licence: string(&package["license"]),
            texts: texts(&ui.join(path))?,
        });
    }
    Ok(libraries)
}

/// The terms that lie in a folder.
fn texts(folder: &Path) -> Result<Vec<String>> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut texts = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let terms = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT"];
        if path.is_file() && terms.iter().any(|start| name.starts_with(start)) {
            texts.push(String::from_utf8_lossy(&std::fs::read(&path)?).replace('\r', "").trim().to_owned());
        }
    }
    texts.sort();
    Ok(texts)
}

fn written(libraries: &[Library]) -> String {
    let mut out = String::from("What is linked into Precedent, and under which terms.\n\n");
    let mut by_text: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for library in libraries {
        let _ = writeln!(out, "{}: {}", library.name, library.licence);
        for text in &library.texts {
            by_text.entry(text).or_default().push(&library.name);
        }
    }
    let mut texts: Vec<_> = by_text.into_iter().collect();
    texts.sort_by(|a, b| a.1.cmp(&b.1));
    for (text, names) in texts {
        let _ = write!(out, "\n{}\n{}:\n\n{text}\n", "=".repeat(80), names.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_linked_is_listed_and_what_only_builds_is_not() {
        let package = |name: &str, source: Option<&str>| {
            json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT", "source": source,
                "manifest_path": "/nowhere/Cargo.toml"})
        };
        let dep = |name: &str, kind: Option<&str>| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let registry = Some("registry");
        let metadata = json!({
            "packages": [package("precedent", None), package("linked", registry), package("below", registry),
                package("builds", registry), package("tests", registry)],
            "resolve": {"nodes": [
                {"id": "precedent", "deps": [dep("linked", None), dep("builds", Some("build")), dep("tests", Some("dev"))]},
                {"id": "linked", "deps": [dep("below", None)]},
            ]},
        });
        let names: Vec<String> = crates(&metadata).unwrap().into_iter().map(|library| library.name).collect();
        assert_eq!(names, ["below 1.0.0", "linked 1.0.0"]);
    }

    #[test]
    fn a_text_that_many_share_is_there_once() {
        let library =
            |name: &str| Library { name: name.into(), licence: "MIT".into(), texts: vec!["Be kind.".into()] };
        let out = written(&[library("a 1"), library("b 2")]);
        assert_eq!(out.matches("Be kind.").count(), 1);
        assert!(out.contains("a 1: MIT\nb 2: MIT\n") && out.contains("\na 1, b 2:\n"), "{out}");
    }
}
