//! System dependencies and package managers.

use crate::failure::{Failure, Result};
use crate::process::{self, is_on_path};
use crate::terminal;
use crate::workspace::Workspace;
use std::io::{BufRead as _, Write as _};
use xshell::{Shell, cmd};

/// A dependency from the system's package manager.
pub struct Dependency {
    /// The packages for each manager, in the order of [`MANAGERS`]; empty if unknown.
    packages: [&'static str; 4],
    /// The instructions for a manual installation.
    pub hint: &'static str,
    /// Returns the names of missing parts.
    find_missing: fn(&Shell) -> Vec<String>,
}

/// The package managers, with the arguments for a noninteractive installation.
const MANAGERS: [&[&str]; 4] = [
    &["apt-get", "install", "-y", "--no-install-recommends"],
    &["dnf", "install", "-y"],
    &["pacman", "-S", "--needed", "--noconfirm"],
    &["zypper", "--non-interactive", "install"],
];

/// The lowest version of Node that builds the front end.
const MIN_NODE: (u32, u32) = (20, 19);

/// A C compiler and linker.
pub const COMPILER: Dependency = Dependency {
    packages: ["gcc libc6-dev", "gcc", "gcc", "gcc"],
    hint: "Install a C compiler: gcc (Linux), `xcode-select --install` (macOS), or Visual Studio's\n\
        build tools (Windows).",
    find_missing: |_| if cfg!(unix) { missing_programs(&["cc"]) } else { Vec::new() },
};
/// The libraries of the window and its tray icon.
pub const WINDOW: Dependency = Dependency {
    packages: [
        "pkg-config libwebkit2gtk-4.1-dev libayatana-appindicator3-dev",
        "pkgconf-pkg-config webkit2gtk4.1-devel libayatana-appindicator-gtk3-devel",
        "pkgconf webkit2gtk-4.1 libayatana-appindicator",
        "pkgconf-pkg-config webkit2gtk3-devel libayatana-appindicator3-devel",
    ],
    hint: "Install the development packages of WebKitGTK 4.1 and Ayatana AppIndicator, or do\n\
        without the window: cargo xtask start --cli",
    find_missing: |sh| {
        let libraries =
            ["webkit2gtk-4.1", "gtk+-3.0", "libsoup-3.0", "dbus-1", "ayatana-appindicator3-0.1"];
        let is_installed =
            |library: &&str| process::succeeds(cmd!(sh, "pkg-config --exists {library}"));
        let linux_libraries = libraries.iter().filter(|_| cfg!(target_os = "linux"));
        linux_libraries
            .filter(|library| !is_installed(library))
            .map(|library| (*library).to_owned())
            .collect()
    },
};
/// The tools that drive the window in tests, without a display.
pub const DRIVER: Dependency = Dependency {
    packages: ["webkit2gtk-driver xvfb xauth xdotool dbus-x11 fonts-dejavu-core", "", "", ""],
    hint: "Install WebKitWebDriver, xvfb-run, xauth, xdotool, dbus-x11 and a font.",
    find_missing: |_| {
        missing_programs(&[
            "WebKitWebDriver",
            "xvfb-run",
            "xauth",
            "xdotool",
            "dbus-run-session",
            "dbus-launch",
        ])
    },
};
/// The GitHub CLI, into which a test installs the extension.
pub const GH: Dependency = Dependency {
    packages: ["gh", "gh", "github-cli", "gh"],
    hint: "Install the GitHub CLI, gh (https://cli.github.com).",
    find_missing: |_| missing_programs(&["gh"]),
};
/// Python with `venv` and `pip`.
pub const PYTHON: Dependency = Dependency {
    packages: ["python3 python3-venv", "python3", "python", "python3"],
    hint: "Install Python 3 with venv and pip (Debian, Ubuntu: python3-venv).",
    find_missing: |sh| match python() {
        None => vec!["python3".to_owned()],
        Some(python) if process::succeeds(cmd!(sh, "{python} -c 'import venv, ensurepip'")) => {
            Vec::new()
        }
        Some(_) => vec!["Python's venv and pip".to_owned()],
    },
};
/// Node and npm, for the front end.
pub const NODE: Dependency = Dependency {
    packages: ["nodejs npm", "nodejs npm", "nodejs npm", "nodejs-default npm-default"],
    hint: "Install Node 20.19 or later with npm (https://nodejs.org/en/download), or do without\n\
        the window: cargo xtask start --cli",
    find_missing: |sh| {
        let version = process::read_output(cmd!(sh, "node --version")).unwrap_or_default();
        let is_old = parse_version(&version).is_some_and(|version| version < MIN_NODE);
        let old_node = is_old.then(|| format!("Node 20.19 or later (this is {version})"));
        missing_programs(&["node", "npm"]).into_iter().chain(old_node).collect()
    },
};

/// Returns the name of Python. On Windows, `python3` may be only a link to the store.
pub fn python() -> Option<&'static str> {
    let names = if cfg!(windows) { ["python", "python3"] } else { ["python3", "python"] };
    names.into_iter().find(|name| is_on_path(name))
}

fn missing_programs(programs: &[&str]) -> Vec<String> {
    programs.iter().filter(|name| !is_on_path(name)).map(|name| (*name).to_owned()).collect()
}

/// Parses the major and minor number of `v20.20.2`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().trim_start_matches('v').split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Installs missing dependencies, after asking if somebody can answer.
pub fn ensure(ws: &Workspace, dependencies: &[&Dependency]) -> Result<()> {
    let missing = || {
        let all =
            dependencies.iter().map(|dependency| (*dependency, (dependency.find_missing)(&ws.sh)));
        all.filter(|(_, names)| !names.is_empty())
    };
    let names = || missing().flat_map(|(_, names)| names).collect::<Vec<_>>().join(", ");
    let missing_names = names();
    if missing_names.is_empty() {
        return Ok(());
    }
    let hints: Vec<&str> = missing().map(|(dependency, _)| dependency.hint).collect();
    let failure = |summary: String| Failure::new(summary, hints.join("\n"));
    let manager = MANAGERS.iter().position(|manager| is_on_path(manager[0]));
    let Some(manager) = manager.filter(|_| cfg!(target_os = "linux")) else {
        return Err(failure(format!("missing: {missing_names}")));
    };
    let packages: Vec<&str> = missing()
        .flat_map(|(dependency, _)| dependency.packages[manager].split_whitespace())
        .collect();
    if missing().any(|(dependency, _)| dependency.packages[manager].is_empty()) {
        return Err(failure(format!("missing: {missing_names}")));
    }
    let install = [MANAGERS[manager], &packages[..]].concat();
    let mut question = format!("Missing: {missing_names}. Install {}", packages.join(" "));
    if MANAGERS[manager][0] == "apt-get" {
        let simulation =
            process::read_output(cmd!(ws.sh, "apt-get install --simulate {packages...}"));
        match simulation.unwrap_or_default().matches("\nInst ").count() {
            0 => {}
            count => question += &format!(" ({count} packages with their dependencies)"),
        }
    }
    if !may_install(ws, &question)? {
        return Err(Failure::new(
            format!("missing: {missing_names}"),
            format!("Run: sudo {}", install.join(" ")),
        ));
    }
    let mut result = run_as_root(ws, &install);
    if result.is_err() && MANAGERS[manager][0] == "apt-get" {
        run_as_root(ws, &["apt-get", "update"])?;
        result = run_as_root(ws, &install);
    }
    result?;
    match names() {
        packages if packages.is_empty() => Ok(()),
        packages => {
            Err(failure(format!("still missing after `{}`: {packages}", install.join(" "))))
        }
    }
}

/// Asks whether to install; with `--yes` or without a terminal, prints the question and returns
/// `true`.
pub fn may_install(ws: &Workspace, question: &str) -> Result<bool> {
    if ws.yes || !terminal::is_interactive() {
        terminal::note(question);
        return Ok(true);
    }
    eprint!("  {question}? [Y/n] ");
    std::io::stderr().flush()?;
    let mut answer = String::new();
    // The end of the input means no.
    let length = std::io::stdin().lock().read_line(&mut answer)?;
    Ok(length > 0 && matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes"))
}

/// Runs a command as root, through `sudo` if needed.
pub fn run_as_root(ws: &Workspace, command: &[&str]) -> Result<String> {
    let env = ["DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"];
    if process::read_output(cmd!(ws.sh, "id -u")).is_ok_and(|id| id == "0") {
        return process::run(ws, cmd!(ws.sh, "env {env...} {command...}"));
    }
    // Without a person to enter the password, sudo must not wait for it.
    if terminal::is_interactive() {
        process::run_attached(cmd!(ws.sh, "sudo -v"))?;
    }
    process::run(ws, cmd!(ws.sh, "sudo -n env {env...} {command...}")).map_err(|failure| {
        let remedy = format!("{}\nRun it yourself: sudo {}", failure.remedy, command.join(" "));
        Failure { remedy, ..failure }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed() {
        assert_eq!(parse_version("v20.20.2\n"), Some((20, 20)));
        assert_eq!(parse_version("18.20.4+dfsg-1~deb12u3"), Some((18, 20)));
        assert_eq!(parse_version("none"), None);
    }
}
