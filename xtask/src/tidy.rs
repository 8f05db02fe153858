//! Checks of tracked files: registry hosts, machine-specific paths, migrations.

use crate::failure::{Failure, Result};
use crate::process;
use crate::workspace::Workspace;
use xshell::cmd;

/// Registry hosts, which belong in a package client's settings, and absolute paths below the build
/// machines' work folder. Split, so that this file does not match.
const FORBIDDEN: &str = concat!(
    r"registry\.(npm",
    r"js\.org|yarn",
    r"pkg\.com)|files\.python",
    r"hosted\.org|pypi\.org/",
    r"simple|(static|index)\.crates",
    r"\.io|deb\.debian",
    r"\.org|proxy\.golang",
    r"\.org|(^|[^])}[:alnum:]_.*~-])/",
    "work/"
);
/// Texts that are kept as written, and lock files (the `licenses` check covers the registries they
/// name).
const EXEMPT: [&str; 5] =
    ["Cargo.lock", "ui/package-lock.json", "samples/ferrywire", "tests/fixtures", "tests/data"];

/// Checks that no tracked text file contains a registry host or a machine-specific path.
pub fn check_machine_specific_text(ws: &Workspace) -> Result<String> {
    let exempt = EXEMPT.map(|path| format!(":!{path}"));
    match process::read_output(cmd!(ws.sh, "git grep -nIiE -e {FORBIDDEN} -- . {exempt...}")) {
        Ok(matches) => {
            let remedy = "Remove them: they belong in local settings.";
            Err(Failure::new(
                "tracked files contain registry hosts or machine-specific paths",
                remedy,
            )
            .with_output(&matches))
        }
        // git grep fails without a match, but also outside a checkout.
        Err(_) => process::read_output(cmd!(ws.sh, "git rev-parse HEAD")).map(|_| String::new()),
    }
}

/// Checks that migrations are numbered from 1 and that no released one has changed.
pub fn check_migrations(ws: &Workspace) -> Result<String> {
    let paths = ws.sh.read_dir("migrations")?;
    let names: Vec<String> = paths
        .iter()
        .map(|path| path.file_name().unwrap_or_default().display().to_string())
        .collect();
    let mut errors = numbering_errors(&names);
    if let Ok(tag) =
        process::read_output(cmd!(ws.sh, "git describe --tags --abbrev=0 --match v[0-9]*"))
    {
        let args = ["diff", "--name-status", "--no-renames", &tag, "--", "migrations"];
        let changes = process::read_output(cmd!(ws.sh, "git {args...}"))?;
        let changes = changes.lines().filter(|change| !change.starts_with('A'));
        errors.extend(changes.map(|change| format!("changed since {tag}: {change}")));
    }
    if errors.is_empty() {
        return Ok(format!("{} migrations", names.len()));
    }
    let remedy = "Leave a released migration unchanged and add one with the next number.";
    Err(Failure::new("migrations are append-only", remedy).with_output(&errors.join("\n")))
}

fn numbering_errors(names: &[String]) -> Vec<String> {
    let prefixes = names.iter().zip(1..).map(|(name, number)| (name, format!("{number:04}_")));
    let errors =
        prefixes.filter(|(name, prefix)| !(name.starts_with(prefix) && name.ends_with(".sql")));
    errors.map(|(name, prefix)| format!("{name}: expected {prefix}….sql")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_specific_hosts_and_folders_are_found() {
        let (ws, dir) = (Workspace::open(false, false).unwrap(), tempfile::tempdir().unwrap());
        let finds = |line: String| {
            std::fs::write(dir.path().join("page"), line).unwrap();
            let _inside = ws.sh.push_dir(dir.path());
            process::succeeds(cmd!(ws.sh, "git grep --no-index -nIiE -e {FORBIDDEN}"))
        };
        let (folder, host) = (concat!("/", "work/main"), concat!("REGISTRY.", "npmjs.org"));
        assert!(
            finds(format!("cd {folder}")) && finds(format!("\"{folder}\"")) && finds(host.into())
        );
        assert!(!finds(format!("models{folder}")) && !finds(format!("..{folder}")));
        assert!(!finds("from crates.io, through cargo".into()));
    }

    #[test]
    fn migration_gaps_and_duplicates_are_found() {
        let count = |names: [&str; 2]| numbering_errors(&names.map(str::to_owned)).len();
        assert_eq!(count(["0001_casebook.sql", "0002_pages.sql"]), 0);
        assert_eq!(count(["0001_a.sql", "0003_b.sql"]), 1);
    }
}
