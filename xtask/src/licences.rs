//! Licences and sources of everything that the product is built from, held against `deny.toml`.

use crate::fail::{Fail, Result};
use crate::place::Place;
use crate::shell::Run;
use serde_json::Value;
use spdx::{Expression, Licensee, ParseMode};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What may be used.
struct Policy {
    allow: Vec<Licensee>,
    exceptions: BTreeMap<String, Vec<Licensee>>,
    registries: BTreeSet<String>,
    used: BTreeSet<String>,
}

impl Policy {
    fn read(text: &str) -> Result<Self> {
        let bad = |what: String| Fail::new(format!("deny.toml: {what}"), "");
        let toml: toml::Table = toml::from_str(text).map_err(|error| bad(error.to_string()))?;
        let licences = toml
            .get("licenses")
            .and_then(toml::Value::as_table)
            .ok_or_else(|| bad("no [licenses]".into()))?;
        let list = |value: Option<&toml::Value>, what: &str| -> Result<Vec<Licensee>> {
            let names =
                value.and_then(toml::Value::as_array).ok_or_else(|| bad(format!("no list {what}")))?;
            names
                .iter()
                .map(|name| {
                    let name = name.as_str().unwrap_or_default();
                    Licensee::parse(name).map_err(|error| bad(format!("{name} is no licence: {error}")))
                })
                .collect()
        };
        let mut exceptions = BTreeMap::new();
        for entry in licences.get("exceptions").and_then(toml::Value::as_array).into_iter().flatten() {
            let name = entry
                .get("crate")
                .and_then(toml::Value::as_str)
                .ok_or_else(|| bad("an exception names no crate".into()))?;
            exceptions.insert(name.to_owned(), list(entry.get("allow"), "allow of an exception")?);
        }
        let registries = toml
            .get("sources")
            .and_then(|sources| sources.get("allow-registry"))
            .and_then(toml::Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(toml::Value::as_str)
            .map(|url| format!("registry+{url}"))
            .collect();
        Ok(Self {
            allow: list(licences.get("allow"), "allow")?,
            exceptions,
            registries,
            used: BTreeSet::new(),
        })
    }

    /// Why a package may not be used; `None` if it may.
    fn objection(&mut self, name: &str, licence: Option<&str>) -> Option<String> {
        let Some(licence) = licence else { return Some("declares no licence".into()) };
        let expression = match Expression::parse_mode(licence, ParseMode::LAX) {
            Ok(expression) => expression,
            Err(error) => return Some(format!("{licence}: {}", error.reason)),
        };
        if expression.evaluate(|wanted| self.allow.iter().any(|allowed| allowed.satisfies(wanted))) {
            return None;
        }
        if let Some(more) = self.exceptions.get(name)
            && expression
                .evaluate(|wanted| self.allow.iter().chain(more).any(|allowed| allowed.satisfies(wanted)))
        {
            self.used.insert(name.to_owned());
            return None;
        }
        Some(format!("{licence} is not allowed"))
    }
}

/// Checks all crates of the lock file, for all systems, and the npm packages that end up in the product.
/// Returns what was checked, in words.
pub fn check(place: &Place) -> Result<String> {
    let mut policy = Policy::read(&std::fs::read_to_string(place.root.join("deny.toml"))?)?;
    let metadata = Run::cargo()
        .args(["metadata", "--locked", "--all-features", "--format-version", "1"])
        .dir(&place.root)
        .stdout()
        .map_err(|fail| match crate::fail::explain("cargo", &fail.output) {
            Some((what, remedy)) => Fail { what, remedy, ..fail },
            None => fail,
        })?;
    let json = |text: &str| -> Result<Value> {
        serde_json::from_str(text).map_err(|error| Fail::new(format!("not JSON: {error}"), ""))
    };
    let (crates, mut offenders) = check_crates(&json(&metadata)?, &place.root, &mut policy);
    for name in policy.exceptions.keys() {
        if !policy.used.contains(name) {
            offenders.push(format!("deny.toml: the exception for {name} is not needed any more"));
        }
    }
    let mut said = format!("{crates} crates");
    let lock = place.root.join("ui/package-lock.json");
    if lock.is_file() {
        let (packages, more) = check_npm(&json(&std::fs::read_to_string(lock)?)?, &mut policy);
        offenders.extend(more);
        said.push_str(&format!(" and {packages} npm packages"));
    }
    if offenders.is_empty() {
        Ok(said)
    } else {
        Err(Fail::new(
            format!("{} of {said}: licence or source not allowed", offenders.len()),
            "Take another package, or change deny.toml and say why in the commit.",
        )
        .with_output(&offenders.join("\n")))
    }
}

fn check_crates(metadata: &Value, root: &Path, policy: &mut Policy) -> (usize, Vec<String>) {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut offenders = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or("?");
        let label = format!("{name} {}", package["version"].as_str().unwrap_or("?"));
        match package["source"].as_str() {
            Some(source) if policy.registries.contains(source) => {}
            Some(source) => offenders.push(format!("{label}: comes from {source}")),
            None => {
                let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
                if !manifest.starts_with(root) {
                    offenders
                        .push(format!("{label}: comes from {}, outside this workspace", manifest.display()));
                }
            }
        }
        if let Some(objection) = policy.objection(name, package["license"].as_str()) {
            offenders.push(format!("{label}: {objection}"));
        }
    }
    (packages.len(), offenders)
}

fn check_npm(lock: &Value, policy: &mut Policy) -> (usize, Vec<String>) {
    let mut offenders = Vec::new();
    let mut count = 0;
    for (path, package) in lock["packages"].as_object().into_iter().flatten() {
        // What is only needed to build stays out of the product; its source counts all the same.
        let own = path.is_empty();
        if let Some(from) = package["resolved"].as_str()
            && !from.starts_with(concat!("https://registry.", "npmjs.org/"))
        {
            offenders.push(format!("{path}: comes from {from}"));
        }
        if own || package["dev"].as_bool() == Some(true) {
            continue;
        }
        count += 1;
        let name = path.rsplit("node_modules/").next().unwrap_or(path);
        if let Some(objection) = policy.objection(&format!("npm:{name}"), package["license"].as_str()) {
            offenders.push(format!("npm {name}: {objection}"));
        }
    }
    (count, offenders)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = r#"
[licenses]
allow = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0", "Zlib"]
exceptions = [{ crate = "selectors", allow = ["MPL-2.0"] }]
[sources]
allow-registry = ["https://github.com/rust-lang/crates.io-index"]
"#;

    fn objection(name: &str, licence: &str) -> Option<String> {
        Policy::read(DENY).unwrap().objection(name, Some(licence))
    }

    #[test]
    fn expressions_are_weighed() {
        for licence in [
            "MIT",
            "MIT OR GPL-3.0-only",
            "MIT/Apache-2.0",
            "Apache-2.0 / MIT / MPL-2.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
            "zlib-acknowledgement OR MIT",
        ] {
            assert_eq!(objection("x", licence), None, "{licence}");
        }
        for licence in
            ["GPL-3.0-only", "MIT AND GPL-2.0-only", "MPL-2.0", "LicenseRef-ours", "no licence at all"]
        {
            assert!(objection("x", licence).is_some(), "{licence}");
        }
        assert_eq!(Policy::read(DENY).unwrap().objection("x", None).as_deref(), Some("declares no licence"));
    }

    #[test]
    fn an_exception_holds_for_its_crate_alone() {
        assert_eq!(objection("selectors", "MPL-2.0"), None);
        assert!(objection("selectors", "GPL-3.0-only").is_some());
        assert!(objection("another", "MPL-2.0").is_some());
    }

    #[test]
    fn sources_outside_the_list_are_found() {
        let metadata = serde_json::json!({ "packages": [
            { "name": "a", "version": "1.0.0", "license": "MIT", "source": "registry+https://github.com/rust-lang/crates.io-index", "manifest_path": "/r/a/Cargo.toml" },
            { "name": "b", "version": "1.0.0", "license": "MIT", "source": "git+https://example.invalid/b", "manifest_path": "/r/b/Cargo.toml" },
            { "name": "c", "version": "1.0.0", "license": "MIT", "source": null, "manifest_path": "/here/c/Cargo.toml" },
            { "name": "d", "version": "1.0.0", "license": "MIT", "source": null, "manifest_path": "/elsewhere/d/Cargo.toml" },
        ]});
        let (count, offenders) =
            check_crates(&metadata, Path::new("/here"), &mut Policy::read(DENY).unwrap());
        assert_eq!(count, 4);
        assert_eq!(offenders.len(), 2, "{offenders:?}");
        assert!(offenders[0].starts_with("b 1.0.0: comes from git+"));
        assert!(offenders[1].starts_with("d 1.0.0: comes from /elsewhere"));
    }

    #[test]
    fn npm_packages_in_the_product_are_weighed() {
        let lock = serde_json::json!({ "packages": {
            "": { "name": "ui", "license": "MIT" },
            "node_modules/good": { "license": "MIT" },
            "node_modules/good/node_modules/bad": { "license": "GPL-3.0-only" },
            "node_modules/tool": { "license": "MPL-2.0", "dev": true, "resolved": "https://mirror.invalid/tool.tgz" },
        }});
        let (count, offenders) = check_npm(&lock, &mut Policy::read(DENY).unwrap());
        assert_eq!(count, 2);
        assert_eq!(offenders.len(), 2, "{offenders:?}");
        assert!(offenders.iter().any(|line| line.starts_with("npm bad: GPL")));
        assert!(offenders.iter().any(|line| line.contains("mirror.invalid")));
    }
}
