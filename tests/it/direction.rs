//! Tests of dependencies that the compiler does not check: a crate's modules form no cycles, and
//! some calls stay in one module.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use syn::visit::{self, Visit};

/// A module's path below its crate.
type Module = Vec<String>;

fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut out = vec![root.join("cli"), root.join("src-tauri/src"), root.join("xtask/src")];
    for entry in std::fs::read_dir(root.join("crates")).unwrap() {
        out.push(entry.unwrap().path().join("src"));
    }
    out.sort();
    out
}

fn collect_sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

fn module(file: &Path, root: &Path) -> Module {
    let relative_path = file.strip_prefix(root).unwrap().with_extension("");
    let mut parts: Module =
        relative_path.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

/// The paths that a file uses, without those of unit tests.
#[derive(Default)]
struct Paths {
    paths: Vec<Module>,
    /// Imported names with their full paths.
    names: BTreeMap<String, Module>,
}

impl Paths {
    fn add_tree(&mut self, tree: &syn::UseTree, mut prefix: Module) {
        match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.add_tree(&path.tree, prefix);
            }
            syn::UseTree::Name(name) => {
                if name.ident != "self" {
                    prefix.push(name.ident.to_string());
                }
                self.add_name(prefix.last().cloned(), prefix);
            }
            syn::UseTree::Rename(rename) => {
                if rename.ident != "self" {
                    prefix.push(rename.ident.to_string());
                }
                self.add_name(Some(rename.rename.to_string()), prefix);
            }
            syn::UseTree::Glob(_) => self.paths.push(prefix),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|t| self.add_tree(t, prefix.clone()))
            }
        }
    }

    fn add_name(&mut self, name: Option<String>, path: Module) {
        self.paths.push(path.clone());
        if let Some(name) = name {
            self.names.insert(name, path);
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_test = |a: &syn::Attribute| {
            a.path().is_ident("cfg")
                && matches!(&a.meta, syn::Meta::List(l) if l.tokens.to_string() == "test")
        };
        if !item.attrs.iter().any(is_test) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_tree(&item.tree, Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.paths.push(path.segments.iter().map(|s| s.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }
}

/// Returns the modules that each module of a crate uses.
fn uses(root: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut files = Vec::new();
    collect_sources(root, &mut files);
    let mut modules: BTreeMap<Module, Paths> = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let file_syntax =
            syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let mut paths = Paths::default();
        paths.visit_file(&file_syntax);
        modules.insert(module(&file, root), paths);
    }
    let mut out = BTreeMap::new();
    for (from, paths) in &modules {
        let targets = paths.paths.iter().filter_map(|p| resolve(&modules, from, p, 0));
        out.insert(from.clone(), targets.filter(|to| to != from).collect());
    }
    out
}

/// Returns the module that a path leads to, following re-exports.
fn resolve(
    modules: &BTreeMap<Module, Paths>,
    from: &Module,
    path: &[String],
    depth: u8,
) -> Option<Module> {
    let mut current = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "super" | "self" => from.clone(),
        first => {
            let child = [from.as_slice(), &[first.to_owned()]].concat();
            if modules.contains_key(&child) {
                from.clone()
            } else {
                // Replace an imported name with its full path.
                let target =
                    modules[from].names.get(first).filter(|m| m.len() > 1 || m[0] != first)?;
                let path = [target.as_slice(), &path[1..]].concat();
                return (depth < 8).then(|| resolve(modules, from, &path, depth + 1))?;
            }
        }
    };
    for (index, part) in path.iter().enumerate() {
        match part.as_str() {
            "crate" | "self" => {}
            "super" => drop(current.pop()),
            name => {
                let child = [current.as_slice(), &[name.to_owned()]].concat();
                if modules.contains_key(&child) {
                    current = child;
                } else if let Some(target) = modules.get(&current)?.names.get(name)
                    && depth < 8
                {
                    let rest = [target.as_slice(), &path[index + 1..]].concat();
                    return resolve(modules, &current, &rest, depth + 1).or(Some(current));
                } else {
                    return Some(current);
                }
            }
        }
    }
    Some(current)
}

/// Returns the cycles between sibling modules, each with its submodules.
fn cycles(uses: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<String> {
    let mut edges: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (from, targets) in uses {
        for to in targets {
            let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
            if common < from.len() && common < to.len() {
                edges.entry(from[..=common].to_vec()).or_default().insert(to[..=common].to_vec());
            }
        }
    }
    let reachable = |start: &Module| {
        let (mut visited, mut queue) = (BTreeSet::new(), vec![start]);
        while let Some(current) = queue.pop() {
            for to in edges.get(current).into_iter().flatten() {
                if visited.insert(to) {
                    queue.push(to);
                }
            }
        }
        visited
    };
    let members: Vec<&Module> = edges.keys().filter(|m| reachable(m).contains(m)).collect();
    let mut out = BTreeSet::new();
    for member in &members {
        let cycle: Vec<String> = members
            .iter()
            .filter(|o| reachable(member).contains(*o) && reachable(o).contains(member))
            .map(|o| o.join("::"))
            .collect();
        out.insert(cycle.join(" <-> "));
    }
    out.into_iter().collect()
}

#[test]
fn modules_form_no_cycles() {
    let (mut cycles, mut edges) = (Vec::new(), 0);
    for root in crates() {
        let uses = uses(&root);
        edges += uses.values().map(BTreeSet::len).sum::<usize>();
        let name = root.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().display().to_string();
        cycles.extend(self::cycles(&uses).into_iter().map(|c| format!("{name}: {c}")));
    }
    assert!(edges > 400, "only {edges} uses were found");
    assert!(cycles.is_empty(), "cycles:\n{}", cycles.join("\n"));
}

/// Checks that only these files use the environment, the terminal, unsafe code and some crates.
#[test]
fn restricted_calls_stay_in_their_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let mut files = Vec::new();
    collect_sources(&root, &mut files);
    for file in files {
        let name = file.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let text = std::fs::read_to_string(&file).unwrap();
        for (word, allowed) in [
            ("std::env", &["host/"][..]),
            ("println!", &["redact/tests/"]),
            ("tantivy::", &["index/src/fulltext/", "core/src/error.rs"]),
            ("sqlite_vec::", &["index/src/vectors/schema.rs"]),
            ("rusqlite::", &["store/", "index/src/vectors/", "core/src/error.rs"]),
            ("reqwest::", &["trackers/src/http.rs", "trackers/src/http/"]),
            (
                "process::Command",
                &["trackers/src/tracker/wiki_git.rs", "trackers/src/sync/wiki.rs", "host/"],
            ),
            ("fastembed::", &["index/src/embed/"]),
            ("spawn_blocking", &["core/src/task.rs"]),
            (
                "unsafe {",
                &[
                    "index/src/vectors/schema.rs",
                    "index/src/vectors/codes.rs",
                    "core/src/memory.rs",
                ],
            ),
        ] {
            assert!(
                !text.contains(word) || allowed.iter().any(|path| name.starts_with(path)),
                "{name} uses {word}"
            );
        }
    }
}
