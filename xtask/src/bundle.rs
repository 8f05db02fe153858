//! `cargo xtask bundle`: packages of the product, with the ONNX runtime and the model inside.

use crate::fail::{Fail, Result};
use crate::place::{Place, Profile};
use crate::say::{self, Say};
use crate::shell::Run;
use crate::system::{self, Consent, Need};
use crate::{Options, front, notices, runtime, start};
use std::path::{Path, PathBuf};

/// The settings of this system's packages below `src-tauri/`, and what is made where nothing else is asked for.
const SYSTEM: (&str, &[&str]) = if cfg!(target_os = "macos") {
    ("bundle/macos.json", &["app", "dmg"])
} else if cfg!(windows) {
    ("bundle/windows.json", &["msi"])
} else {
    ("bundle/linux.json", &["deb"])
};

/// Makes them; where they are.
pub fn bundle(place: &Place, options: &Options) -> Result<Vec<PathBuf>> {
    let mut say = Say::default();
    let consent = Consent { yes: options.yes };

    say.step("What this machine must have");
    system::ensure(Need::Compiler, consent, options.verbose)?;
    system::ensure(Need::Node, consent, options.verbose)?;
    system::ensure(Need::Window, consent, options.verbose)?;
    system::ensure(Need::Tray, consent, options.verbose)?;
    say::done("C compiler, the window's libraries, Node and npm");

    say.step("Front end");
    let installed = front::install(place, options.verbose)?;
    let built = front::build(place, options.verbose)?;
    say::done(if installed || built { "built" } else { "up to date" });

    say.step("ONNX runtime");
    let found = runtime::install(place, consent, options.verbose)?;
    found.tell(place);
    let Some(library) = found.path() else {
        return Err(Fail::new(
            "a package holds the ONNX runtime, and none is known for this system",
            format!("Name the library of its own release: {}=/path/to/{}", runtime::VARIABLE, runtime::NAME),
        ));
    };

    say.step("Build");
    say::done(&say::time(start::build(place, Profile::Release, true, options.verbose)?));

    say.step("What goes inside");
    let terms = runtime::terms(library, place, consent, options.verbose)?;
    let staged = place.root.join("src-tauri/staged");
    stage(place, &staged, library, &terms)?;
    say::done(&place.short(&staged));

    say.step("Packages");
    let (settings, usual) = SYSTEM;
    let formats: Vec<&str> = if options.formats.is_empty() {
        usual.to_vec()
    } else {
        options.formats.iter().map(String::as_str).collect()
    };
    let cli = front::dir(place).join("node_modules/@tauri-apps/cli/tauri.js");
    let made = Run::new("node")
        .arg(cli)
        .args(["bundle", "--ci", "--config", settings, "--bundles", &formats.join(",")])
        .dir(&place.root.join("src-tauri"))
        .stream(options.verbose)
        .must("tauri")?;
    let made = finished(&made.output);
    if made.is_empty() {
        return Err(Fail::new("the bundler ended well, but named no package", ""));
    }
    for package in &made {
        say::done(&place.short(package));
    }
    Ok(made)
}

/// Lays out what the packages hold besides the window's program, in the names that the settings of each system have.
fn stage(place: &Place, staged: &Path, library: &Path, terms: &[PathBuf]) -> Result<()> {
    if staged.exists() {
        std::fs::remove_dir_all(staged)?;
    }
    let models = staged.join("models/builtin");
    copy_files(&place.root.join("models/builtin"), &models)?;
    std::fs::copy(library, staged.join(runtime::NAME))?;
    let host = Run::new("rustc").arg("-vV").stdout()?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let program = place.executable(Profile::Release, "precedent");
    std::fs::copy(&program, staged.join(format!("precedent-{host}{}", std::env::consts::EXE_SUFFIX)))?;

    let licenses = staged.join("licenses");
    std::fs::create_dir_all(licenses.join("onnxruntime"))?;
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        std::fs::copy(place.root.join(name), licenses.join(name))?;
    }
    std::fs::copy(place.root.join("assets/fonts/LICENSE"), licenses.join("fonts.txt"))?;
    for file in terms {
        std::fs::copy(file, licenses.join("onnxruntime").join(file.file_name().unwrap_or_default()))?;
    }
    std::fs::write(licenses.join("libraries.txt"), notices::text(place)?)?;
    Ok(())
}

fn copy_files(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        if path.is_file() {
            std::fs::copy(&path, to.join(path.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}

/// The packages that the bundler names when it is done: `        /path/x.deb (68.34 MiB)`.
fn finished(output: &str) -> Vec<PathBuf> {
    output
        .lines()
        .skip_while(|line| !line.trim_start().starts_with("Finished "))
        .skip(1)
        .filter_map(|line| {
            let line = line.trim();
            let path =
                line.rsplit_once(" (").filter(|(_, size)| size.ends_with(')')).map_or(line, |(p, _)| p);
            (!path.is_empty()).then(|| PathBuf::from(path)).filter(|path| path.is_absolute())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn the_packages_are_read_from_what_the_bundler_says() {
        let output = "    Bundling P_0.1.0_amd64.deb (/t/P_0.1.0_amd64.deb)\n    Finished 2 bundles at:\n        \
            /t/deb/P_0.1.0_amd64.deb (68.34 MiB)\n        /t/rpm/P-0.1.0-1.x86_64.rpm\n\n";
        assert_eq!(
            finished(output),
            [Path::new("/t/deb/P_0.1.0_amd64.deb"), Path::new("/t/rpm/P-0.1.0-1.x86_64.rpm")]
        );
        assert!(finished("error: nothing").is_empty());
    }

    #[test]
    fn every_system_has_its_settings_and_they_name_what_is_staged() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src-tauri/bundle");
        for (file, library) in [
            ("linux.json", "libonnxruntime.so"),
            ("macos.json", "libonnxruntime.dylib"),
            ("windows.json", "onnxruntime.dll"),
        ] {
            let settings = std::fs::read_to_string(root.join(file)).unwrap();
            let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
            let bundle = &settings["bundle"];
            // On macOS a library belongs to the frameworks, where it is signed with the rest.
            if file == "macos.json" {
                assert_eq!(bundle["macOS"]["frameworks"][0], format!("staged/{library}"), "{file}");
                let entitlements = bundle["macOS"]["entitlements"].as_str().unwrap();
                assert!(root.join("..").join(entitlements).is_file(), "{entitlements}");
            } else {
                assert_eq!(bundle["resources"][format!("staged/{library}")], library, "{file}");
            }
            assert_eq!(bundle["resources"]["staged/models"], "models", "{file}");
            assert_eq!(bundle["externalBin"][0], "staged/precedent", "{file}");
        }
    }
}
