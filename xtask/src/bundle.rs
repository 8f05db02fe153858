//! `cargo xtask bundle`: packages of the product, including the ONNX runtime and the model.

use crate::build::{self, RELEASE, Scope};
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;
use crate::{process, runtime, system, terminal, ui};
use std::path::{Path, PathBuf};
use xshell::cmd;

/// The settings of this system's packages in `src-tauri/`, and the default formats.
const SYSTEM_FORMATS: (&str, &[&str]) = if cfg!(target_os = "macos") {
    ("bundle/macos.json", &["app", "dmg"])
} else if cfg!(windows) {
    ("bundle/windows.json", &["msi"])
} else {
    ("bundle/linux.json", &["deb"])
};

/// Builds the packages with Tauri's bundler; returns their paths.
pub fn bundle(ws: &Workspace, formats: &[String]) -> Result<Vec<PathBuf>> {
    let (settings, default) = SYSTEM_FORMATS;
    let formats = if formats.is_empty() { default.join(",") } else { formats.join(",") };
    terminal::step(&format!("Packages: {formats}"));
    terminal::note(&build::estimate(ws, Scope::Window, RELEASE));
    ws.start_log("bundle");
    system::ensure(ws, &[&system::COMPILER, &system::NODE, &system::WINDOW, &system::PYTHON])?;
    ui::build(ws)?;
    let library = runtime::install(ws)?
        .ok_or_else(|| Failure::new("a package needs the ONNX runtime", runtime::MANUAL_REMEDY))?;
    build::build(ws, Scope::Window, RELEASE, &["precedent", "precedent-desktop"])?;
    stage(ws, &library)?;

    let tauri = ws.root.join("ui/node_modules/@tauri-apps/cli/tauri.js");
    let _dir = ws.sh.push_dir("src-tauri");
    let command = cmd!(ws.sh, "node {tauri} bundle --ci --config {settings} --bundles {formats}");
    let packages = finished_packages(&process::run(ws, command)?);
    if packages.is_empty() {
        return Err(Failure::new("the bundler listed no packages", ws.log().display().to_string()));
    }
    packages.iter().for_each(|package| terminal::success(&ws.relative_display(package)));
    Ok(packages)
}

/// Copies the packages' contents other than the window's program, under the names in their
/// settings.
fn stage(ws: &Workspace, library: &Path) -> Result<()> {
    let stage_dir = ws.root.join("src-tauri/staged");
    ws.sh.remove_path(&stage_dir)?;
    runtime::copy_into(ws, Some(library), &stage_dir)?;
    let version = process::read_output(cmd!(ws.sh, "rustc -vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let program = format!("precedent-{host}{}", std::env::consts::EXE_SUFFIX);
    std::fs::copy(ws.executable(RELEASE, "precedent"), stage_dir.join(program))?;
    let licenses = stage_dir.join("licenses");
    for (from, to) in [
        ("LICENSE-MIT", "LICENSE-MIT"),
        ("LICENSE-APACHE", "LICENSE-APACHE"),
        ("assets/fonts/LICENSE", "fonts.txt"),
    ] {
        ws.sh.copy_file(from, licenses.join(to))?;
    }
    for name in runtime::LICENSE_FILES {
        ws.sh.copy_file(library.with_file_name(name), licenses.join("onnxruntime").join(name))?;
    }
    let (python, notices) = (system::python().unwrap_or("python3"), licenses.join("libraries.txt"));
    process::run(ws, cmd!(ws.sh, "{python} packaging/notices.py {notices}"))?;
    Ok(())
}

/// Parses the packages at the end of the bundler's output: `   /path/x.deb (68.34 MiB)`.
fn finished_packages(output: &str) -> Vec<PathBuf> {
    let lines =
        output.lines().map(str::trim).skip_while(|line| !line.starts_with("Finished ")).skip(1);
    let paths = lines.map(|line| line.rsplit_once(" (").map_or(line, |(path, _)| path));
    paths.map(PathBuf::from).filter(|path| path.is_absolute()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundle_config_lists_the_staged_files() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src-tauri");
        let read_file = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
        for (file, library) in [
            ("linux.json", r#""staged/libonnxruntime.so": "libonnxruntime.so""#),
            // On macOS, libraries among the frameworks are signed with the rest.
            ("macos.json", r#""frameworks": ["staged/libonnxruntime.dylib"]"#),
            ("windows.json", r#""staged/onnxruntime.dll": "onnxruntime.dll""#),
        ] {
            let settings = read_file(&format!("bundle/{file}"));
            let staged_names =
                [r#""staged/models": "models""#, r#""externalBin": ["staged/precedent"]"#, library];
            assert!(staged_names.iter().all(|name| settings.contains(name)), "{file}");
        }
        let settings: serde_json::Value =
            serde_json::from_str(&read_file("bundle/macos.json")).unwrap();
        let entitlements = settings["bundle"]["macOS"]["entitlements"].as_str().unwrap();
        assert!(root.join(entitlements).is_file(), "{entitlements}");
    }

    #[test]
    #[cfg(unix)]
    fn packages_are_parsed_from_the_output() {
        let output = "    Bundling P_0.1.0_amd64.deb (/t/P_0.1.0_amd64.deb)\n    Finished 2 bundles at:\n        \
            /t/deb/P_0.1.0_amd64.deb (68.34 MiB)\n        /t/rpm/P-0.1.0-1.x86_64.rpm\n\n";
        assert_eq!(
            finished_packages(output),
            [Path::new("/t/deb/P_0.1.0_amd64.deb"), Path::new("/t/rpm/P-0.1.0-1.x86_64.rpm")]
        );
    }
}
