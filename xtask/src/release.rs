//! `cargo xtask release`: everything that a release consists of, from the version that stands in `Cargo.toml`.
//!
//! `--set VERSION` begins one: it writes the version and closes the changelog's section. Without it the packages, the list of
//! parts (SBOM), the templates for package managers and the sums are made, and each file is signed by the command in
//! `PRECEDENT_SIGN`. `--tag` sets the tag last.

use crate::fail::{Fail, Result};
use crate::place::Place;
use crate::say::{self, Say};
use crate::shell::{Run, on_path};
use crate::{Options, bundle, runtime};
use std::path::{Path, PathBuf};

/// The variable that holds the command which signs a file; the file's path comes last.
const SIGN: &str = "PRECEDENT_SIGN";
/// The variable that holds the address below which the files of the release can be fetched.
const ADDRESS: &str = "PRECEDENT_RELEASE_URL";
/// Templates for package managers; `@VERSION@`, `@URL@` and `@SHA256:ending@` are filled in.
const TEMPLATES: &str = "packaging";
/// The heading of the changelog below which changes are collected.
const OPEN: &str = "## [Unreleased]";

/// Begins a release, or makes its files.
pub fn release(place: &Place, options: &Options) -> Result<()> {
    match &options.set {
        Some(version) => begin(place, version),
        None => make(place, options),
    }
}

/// Writes the version into the one place where it stands, and closes the changelog's section.
fn begin(place: &Place, version: &str) -> Result<()> {
    let mut say = Say::default();
    say.step(&format!("Version {version}"));
    if !is_version(version) {
        return Err(Fail::new(format!("{version} is no version"), "Write it as 1.2.3 or 1.2.3-rc.1."));
    }
    let manifest = place.root.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest)?;
    let old =
        version_in(&text).ok_or_else(|| Fail::new("Cargo.toml has no [workspace.package] version", ""))?;
    let changes = place.root.join("CHANGELOG.md");
    let closed = close_section(&std::fs::read_to_string(&changes)?, version, &today())?;
    std::fs::write(
        &manifest,
        text.replacen(&format!("version = \"{old}\""), &format!("version = \"{version}\""), 1),
    )?;
    std::fs::write(&changes, closed)?;
    Run::cargo().args(["update", "--workspace", "--offline"]).dir(&place.root).must("cargo")?;
    say::done(&format!("Cargo.toml, Cargo.lock and CHANGELOG.md, from {old} to {version}"));
    say::note("Look at the changes, commit them, then: cargo xtask release --tag");
    Ok(())
}

/// Makes every file of the release that this system can make.
fn make(place: &Place, options: &Options) -> Result<()> {
    let version = version_in(&std::fs::read_to_string(place.root.join("Cargo.toml"))?)
        .ok_or_else(|| Fail::new("Cargo.toml has no [workspace.package] version", ""))?;
    let mut say = Say::default();
    say.step(&format!("Is {version} ready?"));
    let notes =
        section(&std::fs::read_to_string(place.root.join("CHANGELOG.md"))?, &version).ok_or_else(|| {
            Fail::new(
                format!("CHANGELOG.md has no section of {version}"),
                format!("Begin the release first: cargo xtask release --set {version}"),
            )
        })?;
    ready(place, &version, options.tag)?;
    say::done("the changelog has it, and the tag is free");

    let made = bundle::bundle(place, options)?;
    let folder = place.target.join("release").join("dist").join(&version);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let mut files = Vec::new();
    for package in made.iter().filter(|p| p.is_file()) {
        files.push(copied(package, &folder)?);
    }
    say.step("What it is made of (SBOM)");
    files.push(sbom(place, &folder, &version)?);
    say::done("CycloneDX, of every library that is linked in");
    std::fs::write(folder.join("NOTES.md"), notes)?;
    say.step("Templates for package managers");
    match std::env::var(ADDRESS) {
        Ok(address) if !address.is_empty() => {
            let filled = templates(place, &folder, &version, &address, &files)?;
            say::done(&format!("{filled} files"));
        }
        _ => say::warn(&format!("left out: {ADDRESS} names no address of the files")),
    }
    say.step("Sums and signatures");
    let sums = sums(&folder, &files)?;
    files.push(sums);
    sign(&files)?;
    if options.tag {
        say.step("Tag");
        let tag = format!("v{version}");
        Run::new("git").args(["tag", "--annotate", &tag, "--message", &tag]).dir(&place.root).must("git")?;
        say::done(&format!("{tag}; push it with: git push origin {tag}"));
    }
    println!("{}", folder.display());
    Ok(())
}

/// No tag of this version may be elsewhere, and what is tagged must be committed.
fn ready(place: &Place, version: &str, tag: bool) -> Result<()> {
    let git = |args: &[&str]| Run::new("git").args(args).dir(&place.root).stdout();
    let of = |name: &str| git(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]).ok();
    let (there, here) = (of(&format!("v{version}")), of("HEAD"));
    if there.is_some() && (tag || there != here) {
        return Err(Fail::new(
            format!("v{version} is a tag already"),
            "A released version is not made again: choose the next number with --set.",
        ));
    }
    if tag && !git(&["status", "--porcelain"])?.trim().is_empty() {
        return Err(Fail::new(
            "something is not committed",
            "Commit it, or put it away: `git status` shows what.",
        ));
    }
    Ok(())
}

fn copied(file: &Path, folder: &Path) -> Result<PathBuf> {
    let name = file.file_name().unwrap_or_default();
    // Blanks in names are trouble in addresses.
    let to = folder.join(name.to_string_lossy().replace(' ', "-"));
    std::fs::copy(file, &to)?;
    Ok(to)
}

/// The list of parts, by cargo's own tool for it.
fn sbom(place: &Place, folder: &Path, version: &str) -> Result<PathBuf> {
    let name = format!("precedent-{version}.cdx");
    let run =
        Run::cargo().args(["cyclonedx", "--format", "json", "--override-filename", &name]).dir(&place.root);
    if !Run::cargo().args(["cyclonedx", "--version"]).works() {
        return Err(Fail::new(
            "cargo-cyclonedx is missing",
            "Install it: cargo install cargo-cyclonedx --locked",
        ));
    }
    run.must("cargo")?;
    let name = format!("{name}.json");
    // It writes one beside each manifest; the command line's holds all that is linked into it, the window's the rest.
    for other in ["crates", "."] {
        for entry in std::fs::read_dir(place.root.join(other))?.flatten() {
            let stray = entry.path().join(&name);
            if stray.is_file() && !entry.path().ends_with("src-tauri") {
                std::fs::remove_file(stray)?;
            }
        }
    }
    let window = place.root.join("src-tauri").join(&name);
    if window.is_file() {
        std::fs::rename(&window, folder.join(format!("precedent-desktop-{version}.cdx.json")))?;
    }
    let to = folder.join(&name);
    std::fs::rename(place.root.join(&name), &to)?;
    Ok(to)
}

/// Fills the templates in. Those that want a file that was not made here are left out.
fn templates(place: &Place, folder: &Path, version: &str, address: &str, files: &[PathBuf]) -> Result<usize> {
    let mut filled = 0;
    for template in below(&place.root.join(TEMPLATES))? {
        let text = std::fs::read_to_string(&template)?;
        let Some(text) = fill(&text, version, address.trim_end_matches('/'), files)? else {
            say::warn(&format!("{} wants a package of another system", place.short(&template)));
            continue;
        };
        let inside = template.strip_prefix(place.root.join(TEMPLATES)).unwrap_or(&template);
        let to = folder.join(TEMPLATES).join(inside);
        std::fs::create_dir_all(to.parent().unwrap_or(folder))?;
        std::fs::write(to, text)?;
        filled += 1;
    }
    Ok(filled)
}

/// A template with what stands for the version, the address, and names and sums of files; none where a file is not there.
fn fill(text: &str, version: &str, address: &str, files: &[PathBuf]) -> Result<Option<String>> {
    let mut out = text.replace("@VERSION@", version).replace("@URL@", address);
    for (mark, sum) in [("@FILE:", false), ("@SHA256:", true)] {
        while let Some(at) = out.find(mark) {
            let rest = &out[at + mark.len()..];
            let ending = rest.split('@').next().unwrap_or_default().to_owned();
            let name = |f: &PathBuf| f.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(file) = files.iter().find(|f| name(f).ends_with(&ending)) else { return Ok(None) };
            let value = if sum { runtime::digest(file)? } else { name(file) };
            out = out.replace(&format!("{mark}{ending}@"), &value);
        }
    }
    Ok(Some(out))
}

fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            out.extend(below(&path)?);
        } else if path.extension().is_none_or(|e| e != "md") {
            out.push(path);
        }
    }
    out.sort();
    Ok(out)
}

/// `SHA256SUMS`, as `sha256sum --check` reads it.
fn sums(folder: &Path, files: &[PathBuf]) -> Result<PathBuf> {
    let mut lines = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        lines.push(format!("{}  {name}\n", runtime::digest(file)?));
    }
    lines.sort_by(|a, b| a[66..].cmp(&b[66..]));
    let to = folder.join("SHA256SUMS");
    std::fs::write(&to, lines.concat())?;
    Ok(to)
}

fn sign(files: &[PathBuf]) -> Result<()> {
    let command = std::env::var(SIGN).unwrap_or_default();
    let mut words = command.split_whitespace();
    let Some(program) = words.next() else {
        say::warn(&format!("not signed: {SIGN} names no command"));
        return Ok(());
    };
    if !Path::new(program).is_file() && !on_path(program) {
        return Err(Fail::new(
            format!("{SIGN} names {program}, which is not there"),
            "Correct it, or unset it.",
        ));
    }
    let words: Vec<&str> = words.collect();
    for file in files {
        Run::new(program).args(&words).arg(file).must(program)?;
    }
    say::done(&format!("{} files, by {program}", files.len()));
    Ok(())
}

/// Semantic versions as releases have them: three numbers, and what comes before one.
fn is_version(text: &str) -> bool {
    let (numbers, before) = text.split_once('-').map_or((text, None), |(n, b)| (n, Some(b)));
    let number = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    let word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric());
    numbers.split('.').count() == 3
        && numbers.split('.').all(number)
        && before.is_none_or(|b| b.split('.').all(word))
}

/// The version of the workspace.
fn version_in(manifest: &str) -> Option<String> {
    let toml: toml::Table = toml::from_str(manifest).ok()?;
    Some(toml.get("workspace")?.get("package")?.get("version")?.as_str()?.to_owned())
}

/// The changelog with what was collected under this version.
fn close_section(text: &str, version: &str, date: &str) -> Result<String> {
    if text.contains(&format!("## [{version}]")) {
        return Err(Fail::new(
            format!("CHANGELOG.md has a section of {version} already"),
            "Choose another version.",
        ));
    }
    let collected = section(text, "Unreleased").unwrap_or_default();
    if collected.trim().is_empty() {
        return Err(Fail::new(
            "CHANGELOG.md has nothing below [Unreleased]",
            "Say there what a user can see of this version.",
        ));
    }
    Ok(text.replacen(OPEN, &format!("{OPEN}\n\n## [{version}] - {date}"), 1))
}

/// What stands below the heading of a version.
fn section(text: &str, version: &str) -> Option<String> {
    let heading = format!("## [{version}]");
    let mut lines = text.lines().skip_while(|line| !line.starts_with(&heading));
    lines.next()?;
    let lines: Vec<&str> = lines.take_while(|line| !line.starts_with("## [")).collect();
    Some(format!("{}\n", lines.join("\n").trim()))
}

/// Today in UTC, as 2026-01-31.
fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGES: &str = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-01-01\n\n- The first.\n";

    #[test]
    fn versions_are_told_from_other_words() {
        for good in ["0.2.0", "1.0.0-rc.1", "10.20.30"] {
            assert!(is_version(good), "{good}");
        }
        for bad in ["0.2", "v0.2.0", "0.2.0-", "00.2.0", "0.2.x", "0.2.0-rc 1", ""] {
            assert!(!is_version(bad), "{bad}");
        }
    }

    #[test]
    fn what_was_collected_stands_under_the_version_and_a_new_section_is_open() {
        let closed = close_section(CHANGES, "0.2.0", "2026-02-03").unwrap();
        assert_eq!(section(&closed, "0.2.0").unwrap(), "### Added\n\n- A thing.\n");
        assert_eq!(section(&closed, "Unreleased").unwrap(), "\n");
        assert_eq!(section(&closed, "0.1.0").unwrap(), "- The first.\n");
        assert!(closed.contains("## [0.2.0] - 2026-02-03"));
        assert!(close_section(&closed, "0.3.0", "x").is_err(), "nothing was collected");
        assert!(close_section(CHANGES, "0.1.0", "x").is_err(), "there is one already");
    }

    #[test]
    fn templates_are_filled_with_names_and_sums() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("Precedent_0.2.0_amd64.deb");
        std::fs::write(&file, "abc").unwrap();
        let filled = fill(
            "@VERSION@ @URL@/@FILE:.deb@ @SHA256:.deb@",
            "0.2.0",
            "https://h.example/r",
            std::slice::from_ref(&file),
        );
        assert_eq!(
            filled.unwrap().unwrap(),
            "0.2.0 https://h.example/r/Precedent_0.2.0_amd64.deb ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(fill("@SHA256:.msi@", "0.2.0", "u", &[file]).unwrap(), None);
    }

    #[test]
    fn sums_are_in_the_order_of_names() {
        let dir = tempfile::tempdir().unwrap();
        let files: Vec<PathBuf> = ["b", "a"].iter().map(|n| dir.path().join(n)).collect();
        for file in &files {
            std::fs::write(file, "abc").unwrap();
        }
        let text = std::fs::read_to_string(sums(dir.path(), &files).unwrap()).unwrap();
        let names: Vec<&str> = text.lines().map(|l| l.split("  ").nth(1).unwrap()).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn the_version_stands_in_one_place() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
        assert_eq!(version_in(&manifest).unwrap(), env!("CARGO_PKG_VERSION"));
        for file in ["src-tauri/tauri.conf.json", "ui/package.json"] {
            let text = std::fs::read_to_string(root.join(file)).unwrap();
            let json: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(json.get("version").is_none(), "{file} has a version of its own");
        }
    }
}
