//! Checks the licenses and sources of all dependencies against `deny.toml`, as `cargo deny` does on
//! CI.

use crate::failure::{Failure, Result};
use crate::process;
use crate::workspace::Workspace;
use serde_json::{Map, Value};
use spdx::{Expression, Licensee, ParseMode};
use std::path::Path;
use xshell::cmd;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";
const NPM: &str = concat!("https://registry.", "npmjs.org/");

/// The licenses that `deny.toml` allows, for all crates or for one.
struct Policy(Vec<(Option<String>, Licensee)>);

impl Policy {
    /// Parses the lines of `[licenses]`, each with a name or an exception.
    fn parse(text: &str) -> Self {
        let mut licenses_by_crate = Vec::new();
        let section = text.split("[licenses]").nth(1).and_then(|rest| rest.split("\n[").next());
        for line in section.unwrap_or_default().lines().map(str::trim) {
            let names: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
            let crate_name = line.starts_with("{ crate =").then(|| names[0].to_owned());
            if crate_name.is_some() || line.starts_with('"') {
                let licenses = names.iter().filter_map(|name| Licensee::parse(name).ok());
                licenses_by_crate.extend(licenses.map(|license| (crate_name.clone(), license)));
            }
        }
        Self(licenses_by_crate)
    }

    /// Returns the reason why a package is not allowed, if any.
    fn objection(&self, name: &str, license: &str) -> Option<String> {
        let Ok(expression) = Expression::parse_mode(license, ParseMode::LAX) else {
            return Some(format!("{name}: unknown license: {license:?}"));
        };
        let applies = |restriction: &Option<String>| {
            restriction.as_ref().is_none_or(|restriction| restriction == name)
        };
        let is_allowed = expression.evaluate(|requirement| {
            self.0.iter().any(|(crate_name, licensee)| {
                applies(crate_name) && licensee.satisfies(requirement)
            })
        });
        (!is_allowed).then(|| format!("{name}: {license} is not allowed"))
    }
}

/// Checks the crates of the lock file for all systems, and the npm packages of the product.
pub fn check(ws: &Workspace) -> Result<String> {
    let policy = Policy::parse(&std::fs::read_to_string(ws.root.join("deny.toml"))?);
    let (crates, packages) = (metadata(ws)?, npm_lock(ws)?);
    let exceptions = unused_exceptions(&crates, &policy);
    let objections =
        [check_crates(&crates, &ws.root, &policy), check_npm(&packages, &policy), exceptions]
            .concat();
    if objections.is_empty() {
        return Ok(format!("{} crates, {} npm packages", crates.len(), packages.len()));
    }
    let summary = format!("{} licenses or sources are not allowed", objections.len());
    let remedy = "Use another package, or change deny.toml and give the reason in the commit.";
    Err(Failure::new(summary, remedy).with_output(&objections.join("\n")))
}

fn metadata(ws: &Workspace) -> Result<Vec<Value>> {
    let args = ["--locked", "--all-features", "--format-version", "1"];
    let mut json: Value =
        serde_json::from_str(&process::read_output(cmd!(ws.sh, "cargo metadata {args...}"))?)?;
    Ok(json["packages"].as_array_mut().map(std::mem::take).unwrap_or_default())
}

/// Returns the npm packages by their folders in `ui/`.
fn npm_lock(ws: &Workspace) -> Result<Map<String, Value>> {
    let text = std::fs::read_to_string(ws.root.join("ui/package-lock.json"))?;
    let mut json: Value = serde_json::from_str(&text)?;
    let mut packages = json["packages"].as_object_mut().map(std::mem::take).unwrap_or_default();
    packages.remove("");
    Ok(packages)
}

fn text<'a>(package: &'a Value, field: &str) -> &'a str {
    package[field].as_str().unwrap_or_default()
}

fn check_crates(packages: &[Value], root: &Path, policy: &Policy) -> Vec<String> {
    let check = |package: &Value| {
        let name = text(package, "name");
        let (source, manifest) = (text(package, "source"), text(package, "manifest_path"));
        // A path must not lead outside the workspace.
        let is_workspace_crate = source.is_empty() && Path::new(manifest).starts_with(root);
        let source_objection = (source != CRATES_IO && !is_workspace_crate)
            .then(|| format!("{name}: comes from {source}{manifest}"));
        source_objection.or_else(|| policy.objection(name, text(package, "license")))
    };
    packages.iter().filter_map(check).collect()
}

/// Returns an objection to each exception that no crate needs.
fn unused_exceptions(packages: &[Value], policy: &Policy) -> Vec<String> {
    let needs_exception = |name: &str| {
        let mut crates = packages.iter().filter(|package| text(package, "name") == name);
        // No exception applies to an empty name.
        crates.any(|package| policy.objection("", text(package, "license")).is_some())
    };
    let names = policy.0.iter().filter_map(|(crate_name, _)| crate_name.as_deref());
    let unused_names = names.filter(|name| !needs_exception(name));
    unused_names.map(|name| format!("deny.toml: the exception for {name} is not needed")).collect()
}

fn check_npm(packages: &Map<String, Value>, policy: &Policy) -> Vec<String> {
    let check = |(path, package): (&String, &Value)| {
        let source = text(package, "resolved");
        if !source.is_empty() && !source.starts_with(NPM) {
            return Some(format!("npm {path}: comes from {source}"));
        }
        // Development tools are not part of the product.
        let is_tool = package["dev"].as_bool() == Some(true);
        if is_tool { None } else { policy.objection(path, text(package, "license")) }
    };
    packages.iter().filter_map(check).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn policy() -> Policy {
        Policy::parse(
            "[licenses]\nallow = [\n    \"MIT\",\n    \"Apache-2.0\",\n    \"Unicode-3.0\",\n]\n\
             exceptions = [\n    { crate = \"selectors\", allow = [\"MPL-2.0\"] },\n]\n[sources]\n\"GPL-3.0\"\n",
        )
    }

    #[test]
    fn expressions_are_evaluated() {
        for license in
            ["MIT", "MIT OR GPL-3.0-only", "MIT/Apache-2.0", "(MIT OR Zlib) AND Unicode-3.0"]
        {
            assert_eq!(policy().objection("x", license), None, "{license}");
        }
        for license in ["MIT AND GPL-2.0-only", "MPL-2.0", "no license", ""] {
            assert!(policy().objection("x", license).is_some(), "{license}");
        }
        assert_eq!(policy().objection("selectors", "MPL-2.0"), None);
    }

    #[test]
    fn disallowed_sources_and_licenses_are_found() {
        let crates = [
            json!({ "name": "a", "license": "MIT", "source": CRATES_IO }),
            json!({ "name": "b", "license": "MIT", "source": "git+https://example.invalid/b" }),
            json!({ "name": "c", "license": "MIT", "source": null, "manifest_path": "/here/c/Cargo.toml" }),
            json!({ "name": "d", "license": "MIT", "source": null, "manifest_path": "/there/d/Cargo.toml" }),
        ];
        let objections = check_crates(&crates, Path::new("/here"), &policy()).concat();
        assert!(
            objections.contains("b: comes from git") && objections.contains("d: comes from /there")
        );
        assert!(!objections.contains("a:") && !objections.contains("c:"), "{objections}");
        let mpl = [json!({ "name": "selectors", "license": "MPL-2.0" })];
        assert!(unused_exceptions(&mpl, &policy()).is_empty());
        assert_eq!(unused_exceptions(&crates, &policy()).len(), 1);
        let packages = json!({
            "node_modules/good/node_modules/bad": { "license": "GPL-3.0-only" },
            "node_modules/tool": { "license": "MPL-2.0", "dev": true },
            "node_modules/mirrored": { "license": "MIT", "resolved": "https://mirror.invalid/t" },
        });
        assert_eq!(check_npm(packages.as_object().unwrap(), &policy()).len(), 2);
    }
}
