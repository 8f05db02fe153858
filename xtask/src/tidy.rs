//! Small checks on the files that git tracks: registries' hosts, paths of one machine, migrations.

use crate::failure::{Failure, Result};
use crate::process;
use crate::workspace::Workspace;
use xshell::cmd;

/// Hosts that belong into the settings of a package client, and a folder of the machines on which
/// this was built where no other folder precedes it. In halves, so that this file matches none.
const OFFENCES: &str = concat!(
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
/// Texts kept as their authors wrote them, and lock files, whose sources `licences` checks.
const EXEMPT: [&str; 5] =
    ["Cargo.lock", "ui/package-lock.json", "samples/ferrywire", "tests/fixtures", "tests/data"];

/// Looks for registries' hosts and paths of one machine in every tracked text file.
pub fn check_words(ws: &Workspace) -> Result<String> {
    let exempt = EXEMPT.map(|path| format!(":!{path}"));
    match process::read_output(cmd!(ws.sh, "git grep -nIiE -e {OFFENCES} -- . {exempt...}")) {
        Ok(matches) => {
            let remedy = "Remove them: they belong into the settings of one machine.";
            Err(Failure::new("lines name a registry's host or a folder of one machine", remedy)
                .with_output(&matches))
        }
        // Without a match git grep fails, as it does outside of a checkout.
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
    let mut wrong = numbering_errors(&names);
    if let Ok(tag) =
        process::read_output(cmd!(ws.sh, "git describe --tags --abbrev=0 --match v[0-9]*"))
    {
        let args = ["diff", "--name-status", "--no-renames", &tag, "--", "migrations"];
        let changes = process::read_output(cmd!(ws.sh, "git {args...}"))?;
        let changes = changes.lines().filter(|change| !change.starts_with('A'));
        wrong.extend(changes.map(|change| format!("changed since {tag}: {change}")));
    }
    if wrong.is_empty() {
        return Ok(format!("{} migrations", names.len()));
    }
    let remedy = "Leave a released migration as it is and add one with the next number.";
    Err(Failure::new("migrations are append-only", remedy).with_output(&wrong.join("\n")))
}

fn numbering_errors(names: &[String]) -> Vec<String> {
    let prefixes = names.iter().zip(1..).map(|(name, number)| (name, format!("{number:04}_")));
    let wrong =
        prefixes.filter(|(name, start)| !(name.starts_with(start) && name.ends_with(".sql")));
    wrong.map(|(name, start)| format!("{name}: expected {start}….sql")).collect()
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
            process::succeeds(cmd!(ws.sh, "git grep --no-index -nIiE -e {OFFENCES}"))
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
        let wrong = |names: [&str; 2]| numbering_errors(&names.map(str::to_owned)).len();
        assert_eq!(wrong(["0001_casebook.sql", "0002_pages.sql"]), 0);
        assert_eq!(wrong(["0001_a.sql", "0003_b.sql"]), 1);
    }
}
