//! `cargo xtask release`: the release files that this system can build. `cargo release` sets the
//! version and the tag; `packaging/finish.sh` adds checksums, templates and signatures.

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;
use crate::{bundle, process, system, terminal};
use std::path::Path;
use xshell::cmd;

/// Builds packages, a bundle for MCP clients, SBOMs and notes in `target/release/dist/VERSION`.
pub fn release(ws: &Workspace, formats: &[String]) -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let notes = section(&ws.sh.read_file("CHANGELOG.md")?, version).ok_or_else(|| {
        let remedy = "Start the release first; see docs/develop/release.md";
        Failure::new(format!("CHANGELOG.md has no section for {version}"), remedy)
    })?;
    process::run(ws, cmd!(ws.sh, "cargo cyclonedx --version")).map_err(|failure| Failure {
        remedy: "Install it: cargo install cargo-cyclonedx --locked".into(),
        ..failure
    })?;
    let folder = ws.target.join("release/dist").join(version);
    ws.sh.remove_path(&folder)?;
    ws.sh.create_dir(&folder)?;
    for package in bundle::bundle(ws, formats)?.iter().filter(|package| package.is_file()) {
        // Spaces in file names cause problems in URLs.
        let name = package.file_name().unwrap_or_default().to_string_lossy().replace(' ', "-");
        ws.sh.copy_file(package, folder.join(name))?;
    }
    let python = system::python().unwrap_or("python3");
    let staging_folder = ws.root.join("src-tauri/staged");
    process::run(
        ws,
        cmd!(ws.sh, "{python} packaging/mcpb.py {version} {staging_folder} {folder}"),
    )?;
    write_sboms(ws, &folder, version)?;
    ws.sh.write_file(folder.join("NOTES.md"), notes)?;
    terminal::note("Run packaging/finish.sh to add checksums, templates and signatures");
    println!("{}", folder.display());
    Ok(())
}

/// Writes the SBOMs of both programs with `cargo cyclonedx`.
fn write_sboms(ws: &Workspace, folder: &Path, version: &str) -> Result<()> {
    let name = format!("precedent-{version}.cdx");
    process::run(ws, cmd!(ws.sh, "cargo cyclonedx --format json --override-filename {name}"))?;
    // An SBOM is written next to each manifest; only the programs' SBOMs list all linked crates.
    for (dir, program) in [(".", "precedent"), ("src-tauri", "precedent-desktop")] {
        let to = folder.join(format!("{program}-{version}.cdx.json"));
        ws.sh.copy_file(format!("{dir}/{name}.json"), to)?;
    }
    let crates = ws.sh.read_dir("crates")?;
    for dir in crates.into_iter().chain([".", "src-tauri", "xtask"].map(|dir| ws.root.join(dir))) {
        ws.sh.remove_path(dir.join(format!("{name}.json")))?;
    }
    Ok(())
}

/// Returns the changelog section of a version, without its heading.
fn section(text: &str, version: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("## [{version}]"))?;
    let (_, rest) = rest.split_once('\n')?;
    Some(format!("{}\n", rest.split("\n## [").next()?.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_defined_in_one_place() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for file in ["src-tauri/tauri.conf.json", "ui/package.json"] {
            let text = std::fs::read_to_string(root.join(file)).unwrap();
            let json: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(json.get("version").is_none(), "{file} has a version of its own");
        }
    }

    #[test]
    fn section_ends_at_the_next_version() {
        let changes = "## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n- A thing.\n\n## [0.1.0] - 2026-01-01\n\n- B.\n";
        assert_eq!(section(changes, "0.2.0").as_deref(), Some("- A thing.\n"));
        assert_eq!(section(changes, "0.3.0"), None);
    }
}
