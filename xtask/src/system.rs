//! What the system itself must provide, and its package manager.

use crate::fail::{Fail, Result};
use crate::python;
use crate::say;
use crate::shell::{Run, on_path};
use std::io::{IsTerminal as _, Write as _};

/// Something that comes from the system's package manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// C compiler and linker.
    Compiler,
    /// Headers and libraries for the window.
    Window,
    /// The library of icons in the tray, which packages name.
    Tray,
    /// What drives the real window in tests, without a display.
    Driver,
    /// Python's package client, which fetches the ONNX runtime.
    Pip,
    /// Node and npm, for the front end.
    Node,
    /// Real trackers that mirrors are tested against.
    Servers,
    /// What sets a Debian up in a folder.
    CleanRoot,
}

/// A package manager that is known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manager {
    /// Debian, Ubuntu and their kin.
    Apt,
    /// Fedora and its kin.
    Dnf,
    /// Arch and its kin.
    Pacman,
    /// openSUSE.
    Zypper,
}

/// The variable that gives consent where nobody can be asked, as `.ci/run` does.
const CONSENT: &str = "PRECEDENT_CONSENT";

/// The oldest Node that builds the front end.
pub const NODE: (u32, u32) = (20, 19);

impl Manager {
    /// The manager of this system.
    pub fn find() -> Option<Self> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        [(Self::Apt, "apt-get"), (Self::Dnf, "dnf"), (Self::Pacman, "pacman"), (Self::Zypper, "zypper")]
            .into_iter()
            .find(|(_, program)| on_path(program))
            .map(|(manager, _)| manager)
    }

    fn command(self) -> &'static [&'static str] {
        match self {
            Self::Apt => &["apt-get", "install", "-y", "--no-install-recommends"],
            Self::Dnf => &["dnf", "install", "-y"],
            Self::Pacman => &["pacman", "-S", "--needed", "--noconfirm"],
            Self::Zypper => &["zypper", "--non-interactive", "install"],
        }
    }

    /// The packages that satisfy a need; empty if they are not known for this manager.
    pub fn packages(self, need: Need) -> &'static [&'static str] {
        match (self, need) {
            (Self::Apt, Need::Compiler) => &["gcc", "libc6-dev"],
            (_, Need::Compiler) => &["gcc"],
            (Self::Apt, Need::Window) => &["pkg-config", "libwebkit2gtk-4.1-dev"],
            (Self::Dnf, Need::Window) => &["pkgconf-pkg-config", "webkit2gtk4.1-devel"],
            (Self::Pacman, Need::Window) => &["pkgconf", "webkit2gtk-4.1"],
            (Self::Zypper, Need::Window) => &["pkgconf-pkg-config", "webkit2gtk3-devel"],
            (Self::Apt, Need::Tray) => &["libayatana-appindicator3-dev"],
            (Self::Dnf, Need::Tray) => &["libayatana-appindicator-gtk3-devel"],
            (Self::Pacman, Need::Tray) => &["libayatana-appindicator"],
            (Self::Zypper, Need::Tray) => &["libayatana-appindicator3-devel"],
            (Self::Apt, Need::Driver) => {
                &["webkit2gtk-driver", "xvfb", "xauth", "xdotool", "dbus-x11", "fonts-dejavu-core"]
            }
            (Self::Apt, Need::Servers) => &["redmine", "redmine-sqlite", "puma", "git"],
            (Self::Apt, Need::CleanRoot) => &["debootstrap"],
            (_, Need::Driver | Need::Servers | Need::CleanRoot) => &[],
            (Self::Pacman, Need::Pip) => &["python", "python-pip"],
            (_, Need::Pip) => &["python3", "python3-pip"],
            (Self::Zypper, Need::Node) => &["nodejs-default", "npm-default"],
            (_, Need::Node) => &["nodejs", "npm"],
        }
    }
}

/// What is missing for a need, in words; empty if nothing is.
pub fn missing(need: Need) -> Vec<String> {
    let absent = |names: &[&str]| {
        names.iter().filter(|name| !on_path(name)).map(|name| (*name).to_owned()).collect::<Vec<_>>()
    };
    match need {
        Need::Compiler if cfg!(unix) => absent(&["cc"]),
        Need::Window if cfg!(target_os = "linux") => {
            let mut missing = absent(&["pkg-config"]);
            for library in ["webkit2gtk-4.1", "gtk+-3.0", "libsoup-3.0", "dbus-1"] {
                if !missing.is_empty() || !Run::new("pkg-config").args(["--exists", library]).works() {
                    missing.push(library.to_owned());
                }
            }
            missing
        }
        Need::Tray if cfg!(target_os = "linux") => {
            let known = Run::new("pkg-config").args(["--exists", "ayatana-appindicator3-0.1"]).works();
            if known { Vec::new() } else { vec!["ayatana-appindicator3".to_owned()] }
        }
        Need::Compiler | Need::Window | Need::Tray => Vec::new(),
        Need::Driver => {
            let mut missing = absent(&[
                "WebKitWebDriver",
                "xvfb-run",
                "xauth",
                "xdotool",
                "dbus-run-session",
                "dbus-launch",
            ]);
            let fonts = ["/usr/share/fonts", "/usr/local/share/fonts"];
            if !fonts
                .iter()
                .any(|dir| std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()))
            {
                missing.push("a font".to_owned());
            }
            missing
        }
        Need::CleanRoot => absent(&["debootstrap", "unshare", "chroot", "dpkg-deb"]),
        Need::Servers => {
            let mut missing = absent(&["git", "puma"]);
            // A package that could not be set up lies there as well.
            let set_up = match Run::new("dpkg-query").args(["-W", "-f", "${Status}", "redmine"]).stdout() {
                Ok(status) => status.trim() == "install ok installed",
                Err(_) => std::path::Path::new("/usr/share/redmine/config.ru").exists(),
            };
            if !set_up {
                missing.push("redmine".to_owned());
            }
            missing
        }
        Need::Pip => match python::python() {
            None => vec!["python3".to_owned(), "pip".to_owned()],
            Some(python) if !Run::new(python).args(["-m", "pip", "--version"]).works() => {
                vec!["pip".to_owned()]
            }
            Some(_) => Vec::new(),
        },
        Need::Node => {
            let mut missing = absent(if cfg!(windows) { &["node", "npm.cmd"] } else { &["node", "npm"] });
            if missing.is_empty()
                && let Some(version) = node_version()
                && (version.0, version.1) < NODE
            {
                missing.push(format!(
                    "node {}.{} or later (this is {}.{})",
                    NODE.0, NODE.1, version.0, version.1
                ));
            }
            missing
        }
    }
}

fn node_version() -> Option<(u32, u32)> {
    parse_version(&Run::new("node").arg("--version").stdout().ok()?)
}

/// Major and minor of the first version in a text.
pub fn parse_version(text: &str) -> Option<(u32, u32)> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let mut parts = text[start..].split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next().and_then(|minor| minor.parse().ok()).unwrap_or(0)))
}

/// Who asks: decides whether a person is asked before something is installed.
#[derive(Debug, Clone, Copy)]
pub struct Consent {
    /// `--yes` was given.
    pub yes: bool,
}

impl Consent {
    fn interactive() -> bool {
        std::env::var_os("CI").is_none() && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    fn given(self, question: &str) -> Result<bool> {
        // Silence is no consent: without a terminal somebody has to have said so before.
        let said = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if self.yes || said("CI") || said(CONSENT) {
            return Ok(true);
        }
        if !Self::interactive() {
            return Ok(false);
        }
        eprint!("   {question} [Y/n] ");
        std::io::stderr().flush()?;
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer)?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes"))
    }
}

/// Makes sure of a need: looks, installs what is missing, looks again. Says how to do it by hand where it cannot.
pub fn ensure(need: Need, consent: Consent, verbose: bool) -> Result<()> {
    let lacking = missing(need);
    if lacking.is_empty() {
        return Ok(());
    }
    let names = lacking.join(", ");
    let Some(manager) = Manager::find() else {
        return Err(Fail::new(format!("missing: {names}"), by_hand(need)));
    };
    let packages = manager.packages(need);
    if packages.is_empty() {
        return Err(Fail::new(format!("missing: {names}"), by_hand(need)));
    }
    if need == Need::Node && manager == Manager::Apt && !apt_offers_node() {
        return Err(Fail::new(
            format!("missing: {names}"),
            format!(
                "This system's own packages hold no Node {}.{} or later.\n{}",
                NODE.0,
                NODE.1,
                by_hand(need)
            ),
        ));
    }
    let install: Vec<&str> = manager.command().iter().chain(packages).copied().collect();
    let typed = format!("sudo {}", install.join(" "));
    let root = Run::new("id").arg("-u").stdout().is_ok_and(|id| id.trim() == "0");
    if !root {
        if !on_path("sudo") {
            return Err(Fail::new(format!("missing: {names}"), format!("As root: {}", install.join(" "))));
        }
        if !consent.given(&format!("Missing: {names}. Run `{typed}`?"))? {
            let remedy = format!("Install it yourself: {typed}\nOr let this command do it: --yes");
            return Err(Fail::new(format!("missing: {names}"), remedy));
        }
        // With a person there, sudo may ask for the password once; without one, it must not wait.
        let ready = if Consent::interactive() {
            Run::new("sudo").arg("-v").attached()?
        } else {
            Run::new("sudo").args(["-n", "true"]).works()
        };
        if !ready {
            return Err(Fail::new(
                format!("missing: {names}, and sudo wants a password"),
                format!("Run: {typed}"),
            ));
        }
    }
    say::note(&format!("missing: {names}; installing {}", packages.join(" ")));
    if need == Need::Servers && manager == Manager::Apt {
        // The package asks which database to use, and nobody is there to answer.
        let answers = "redmine redmine/instances/default/dbconfig-install boolean true\n\
                       redmine redmine/instances/default/database-type select sqlite3\n";
        let command = format!("printf '{answers}' | debconf-set-selections");
        let shell = if root { Run::new("sh") } else { Run::new("sudo").args(["-n", "sh"]) };
        shell.args(["-c", &command]).finish()?;
    }
    let run = |words: &[&str]| {
        let mut run = if root { Run::new("env") } else { Run::new("sudo").args(["-n", "env"]) };
        run = run.arg("DEBIAN_FRONTEND=noninteractive").arg("LC_ALL=C.UTF-8").args(words).stream(verbose);
        run.finish()
    };
    let mut finished = run(&install)?;
    if !finished.ok && manager == Manager::Apt {
        say::note("apt-get update");
        let update = run(&["apt-get", "update"])?;
        if update.ok {
            finished = run(&install)?;
        } else {
            finished.output.push_str(&update.output);
        }
    }
    if !finished.ok
        && need == Need::Servers
        && manager == Manager::Apt
        && let Some(bundler) = packaged_bundler()
    {
        say::note("dpkg --configure -a, with the Bundler of this system's packages");
        finished = run(&[&format!("BUNDLER_VERSION={bundler}"), "dpkg", "--configure", "-a"])?;
        if !finished.ok {
            // A package that is half set up would fail everything that is installed after it.
            run(&["apt-get", "remove", "-y", "redmine", "redmine-sqlite"])?;
        }
    }
    if !finished.ok {
        let (what, remedy) = crate::fail::explain("apt-get", &finished.output).unwrap_or_else(|| {
            (format!("`{}` failed", install.join(" ")), format!("Run it yourself: {typed}"))
        });
        return Err(Fail::new(what, remedy).with_output(&finished.output));
    }
    let lacking = missing(need);
    if lacking.is_empty() {
        Ok(())
    } else {
        Err(Fail::new(
            format!("still missing after `{}`: {}", install.join(" "), lacking.join(", ")),
            by_hand(need),
        ))
    }
}

/// The version of Bundler that Debian packages. The one that Ruby itself brings may be newer, and that finds no gems that are
/// packaged without a folder of their own.
fn packaged_bundler() -> Option<String> {
    let entries = std::fs::read_dir("/usr/share/rubygems-integration/all/specifications").ok()?;
    entries.flatten().find_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Some(name.strip_prefix("bundler-")?.strip_suffix(".gemspec")?.to_owned())
    })
}

fn apt_offers_node() -> bool {
    let offered = || {
        let policy = Run::new("apt-cache").args(["policy", "nodejs"]).env("LC_ALL", "C").stdout().ok()?;
        candidate(&policy).and_then(parse_version)
    };
    // Fresh containers have no lists: then only the attempt tells.
    offered().is_none_or(|version| version >= NODE)
}

/// The version that apt would install, from `apt-cache policy`.
fn candidate(policy: &str) -> Option<&str> {
    let version = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate:"))?.trim();
    (version != "(none)").then_some(version)
}

/// How a person provides it, on whatever system.
fn by_hand(need: Need) -> String {
    match need {
        Need::Compiler => "Install a C compiler: build-essential (Debian, Ubuntu), gcc (Fedora), base-devel (Arch), `xcode-select --install` (macOS).".into(),
        Need::Window => "Install pkg-config and the development files of WebKitGTK 4.1 (with GTK 3):\n  Debian, Ubuntu: libwebkit2gtk-4.1-dev    Fedora: webkit2gtk4.1-devel\n  Arch: webkit2gtk-4.1                     openSUSE: webkit2gtk3-devel\nOr do without the window: cargo xtask start --cli".into(),
        Need::Tray => "Install the development files of Ayatana's indicators (Debian, Ubuntu: libayatana-appindicator3-dev; Fedora: libayatana-appindicator-gtk3-devel;\nArch: libayatana-appindicator; openSUSE: libayatana-appindicator3-devel).".into(),
        Need::Driver => "Install WebKitWebDriver, Xvfb with xvfb-run, xauth, xdotool, dbus-run-session, dbus-launch and a font\n(Debian: webkit2gtk-driver xvfb xauth xdotool dbus-x11 fonts-dejavu-core).".into(),
        Need::Pip => "Install Python 3 with pip, or name a library that you already have: PRECEDENT_ONNXRUNTIME=/path/to/libonnxruntime.so".into(),
        Need::CleanRoot => "Install debootstrap; this is done on Debian and its kin alone.".into(),
        Need::Servers => "Install Redmine with SQLite, puma and git (Debian: redmine redmine-sqlite puma git).".into(),
        Need::Node => format!("Install Node {}.{} or later with npm (https://nodejs.org/en/download, or your version manager: nvm install 22).\nOr do without the window: cargo xtask start --cli", NODE.0, NODE.1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(parse_version("v20.20.2\n"), Some((20, 20)));
        assert_eq!(parse_version("18.20.4+dfsg-1~deb12u3"), Some((18, 20)));
        assert_eq!(parse_version("22"), Some((22, 0)));
        assert_eq!(parse_version("none"), None);
    }

    #[test]
    fn the_candidate_of_apt_is_read() {
        let policy = "nodejs:\n  Installed: (none)\n  Candidate: 18.20.4+dfsg-1~deb12u3\n  Version table:\n";
        assert_eq!(candidate(policy), Some("18.20.4+dfsg-1~deb12u3"));
        assert_eq!(candidate("webkit2gtk-driver:\n  Candidate: (none)\n"), None);
    }

    #[test]
    fn every_manager_knows_the_window() {
        for manager in [Manager::Apt, Manager::Dnf, Manager::Pacman, Manager::Zypper] {
            assert!(!manager.packages(Need::Window).is_empty());
            assert!(!manager.packages(Need::Pip).is_empty());
        }
    }
}
