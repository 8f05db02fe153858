//! The locations of the casebook, the ONNX runtime and the built-in model.

use std::path::{Path, PathBuf};

use precedent_engine::{OpenOptions, config::Settings};
use tauri::{App, Manager as _};

/// Returns the options for opening the casebook, from the arguments, the environment and the files
/// next to the program, and the settings file if it contains an error.
pub fn find(app: &App, args: &crate::Args) -> tauri::Result<(OpenOptions, Option<PathBuf>)> {
    let (folder, invalid_settings) = match &args.casebook {
        Some(folder) => (std::path::absolute(folder)?, None),
        // The command line has the same default, so both open the same casebook.
        None => {
            let (settings, file_with_error) = read_settings(app)?;
            let folder = match settings.casebook {
                Some(folder) => folder,
                None => app.path().local_data_dir()?.join("precedent").join("casebook"),
            };
            (folder, file_with_error)
        }
    };
    let executable = std::env::current_exe()?;
    let mut options = OpenOptions::new(folder).installed_at(
        &executable.canonicalize().unwrap_or(executable),
        args.onnxruntime.clone(),
        args.models.clone(),
    );
    options.secrets = precedent_host::secrets();
    options.proxy = precedent_host::proxy();
    options.hub = precedent_host::hub();
    let options = match app.path().resource_dir() {
        Ok(resources) => with_bundled_paths(options, &resources),
        // The program may run outside a package.
        Err(_) => options,
    };
    Ok((options, invalid_settings))
}

/// Reads the user's valid settings; also returns the file if it contains an error.
///
/// The window reports the error and the casebook in use.
fn read_settings(app: &App) -> tauri::Result<(Settings, Option<PathBuf>)> {
    let file = precedent_host::config_file(app.path().config_dir().ok());
    match precedent_host::settings(file.as_deref()) {
        Ok((settings, error)) => Ok((settings, error.and(file))),
        Err(error) => Err(std::io::Error::other(error.to_hint().to_string()).into()),
    }
}

/// Adds the paths of a package whose resources are separate from the program, as on macOS.
fn with_bundled_paths(mut options: OpenOptions, resources: &Path) -> OpenOptions {
    let library =
        format!("{}onnxruntime{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    options.runtime.push(resources.join(library));
    options.models.push(resources.join("models"));
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requested_paths_precede_bundled_resources() {
        let library = Path::new("/requested/lib.so");
        let options = OpenOptions::new("/casebook").installed_at(
            Path::new("/opt/precedent/bin/precedent-desktop"),
            Some(library.into()),
            None,
        );
        let options = with_bundled_paths(options, Path::new("/resources"));
        assert_eq!(options.runtime.first().unwrap(), library);
        assert!(options.runtime.last().unwrap().starts_with("/resources"));
        assert!(options.models.contains(&"/opt/precedent/lib/Precedent/models".into()));
        assert_eq!(options.models.last().unwrap(), Path::new("/resources/models"));
    }
}
