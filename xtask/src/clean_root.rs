//! `cargo xtask try-deb`: the package in a Debian that has never seen this program, and its window there.

use crate::Options;
use crate::fail::{Fail, Result};
use crate::place::Place;
use crate::say::{self, Say};
use crate::shell::Run;
use crate::system::{self, Consent, Need};
use std::path::PathBuf;

/// Who uses the program there: not root.
const SOMEBODY: &str = "somebody";

/// A question that shares no word with what answers it in the sample.
const QUESTION: &str = "mode:semantic storage ran out while copying";

/// Runs a command inside, with mounts that nobody else sees and that are gone with it.
const INSIDE: &str = r#"
set -eu
root=$1 archives=$2 who=$3 home=$4
shift 4
mount --make-rprivate /
mount --bind "$archives" "$root/var/cache/apt/archives"
mount -t proc proc "$root/proc"
mkdir -p "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
mount -t devpts devpts "$root/dev/pts"
# Not as the first process of all: Xvfb tells its parent that it is ready, but never that one.
chroot --userspec="$who:$who" "$root" /usr/bin/env -i -C "$home" HOME="$home" LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" || exit $?
"#;

struct Root {
    folder: PathBuf,
    archives: PathBuf,
    log: PathBuf,
    verbose: bool,
}

impl Root {
    fn run(&self, who: &str, args: &[&str]) -> Run {
        let home = if who == "root" { "/root".to_owned() } else { format!("/home/{who}") };
        Run::new("unshare")
            .args(["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", INSIDE, "sh"])
            .arg(&self.folder)
            .arg(&self.archives)
            .args([who, &home])
            .args(args)
    }

    fn must(&self, who: &str, args: &[&str]) -> Result<String> {
        let finished = self.run(who, args).log(&self.log).stream(self.verbose).finish()?;
        if finished.ok {
            return Ok(finished.output);
        }
        let what = format!("`{}` failed in the clean root", args.join(" "));
        Err(Fail::new(what, format!("All of its output: {}", self.log.display()))
            .with_output(&finished.output))
    }

    fn install(&self, packages: &[&str]) -> Result<()> {
        let install = ["apt-get", "install", "-y", "--no-install-recommends"];
        self.must("root", &[&install, packages].concat()).map(drop)
    }
}

/// Installs the package, asks the command line, drives the window.
pub fn try_deb(place: &Place, options: &Options) -> Result<()> {
    let mut say = Say::default();
    let consent = Consent { yes: options.yes };
    say.step("What this machine must have");
    if Run::new("id").arg("-u").stdout()?.trim() != "0" {
        return Err(Fail::new(
            "only root can set a system up in a folder",
            "Run it as root: sudo --preserve-env=PATH,HOME cargo xtask try-deb",
        ));
    }
    system::ensure(Need::CleanRoot, consent, options.verbose)?;
    let package = package(place)?;
    say::done(&place.short(&package));

    say.step("A clean Debian");
    let root = fresh(place, options.verbose)?;
    say::done(&place.short(&root.folder));

    say.step("The package");
    std::fs::copy(&package, root.folder.join("tmp/precedent.deb"))?;
    root.install(&["/tmp/precedent.deb"])?;
    let desktop = std::fs::read_to_string(root.folder.join("usr/share/applications/Precedent.desktop"))?;
    for line in
        ["Exec=precedent-desktop %u", "Icon=precedent-desktop", "MimeType=x-scheme-handler/precedent;"]
    {
        if !desktop.lines().any(|l| l == line) {
            return Err(Fail::new(format!("the desktop entry has no line {line}"), "").with_output(&desktop));
        }
    }
    let lacking =
        root.must("root", &["ldd", "/usr/bin/precedent-desktop", "/usr/lib/Precedent/libonnxruntime.so"])?;
    if lacking.contains("not found") {
        return Err(Fail::new("the package does not name all that it needs", "").with_output(&lacking));
    }
    say::done("installed, with all that it depends on");

    say.step("The command line there, as somebody who is not root");
    root.must("root", &["useradd", "--create-home", SOMEBODY])?;
    root.must(SOMEBODY, &["precedent", "import", "sample"])?;
    // The import may leave the vectors to a later call.
    root.must(SOMEBODY, &["precedent", "index"])?;
    let found = root.run(SOMEBODY, &["precedent", "search", QUESTION, "-L", "3", "--json=key"]).stdout()?;
    let keys = keys(&found);
    if keys.is_empty() {
        return Err(Fail::new("a search by meaning found nothing", "").with_output(&found));
    }
    say::done(&format!("“{QUESTION}” finds: {}", keys.join(", ")));

    say.step("The test that drives the window");
    let test = test_program(place, options.verbose)?;
    say::done(&place.short(&test));

    say.step("The window there");
    root.install(system::Manager::Apt.packages(Need::Driver))?;
    std::fs::copy(&test, root.folder.join("usr/local/bin/window"))?;
    // Where screens listen; only root may make it.
    root.must("root", &["install", "-d", "-m", "1777", "/tmp/.X11-unix"])?;
    let words = [
        "env",
        "PRECEDENT_WINDOW=/usr/bin/precedent-desktop",
        "PRECEDENT_WINDOW_TESTS=required",
        "PRECEDENT_SHOTS=shots",
        "xvfb-run",
        "-a",
        "-s",
        // The names of local sockets are this machine's own, where another screen may have taken them.
        "-screen 0 1280x900x24 -nolisten tcp -nolisten local",
        "dbus-run-session",
        "--",
        "window",
        "--ignored",
        "--exact",
        "--nocapture",
        "installed::the_installed_program_answers_by_meaning",
    ];
    let said = root.must(SOMEBODY, &words)?;
    if !said.contains("1 passed") {
        return Err(Fail::new("the test did not run", "").with_output(&said));
    }
    let shot = root.folder.join("home").join(SOMEBODY).join("shots/installed.png");
    let kept = place.target.join("screenshots");
    std::fs::create_dir_all(&kept)?;
    std::fs::copy(shot, kept.join("installed.png"))?;
    say::done(&format!("it opens and answers: {}", place.short(&kept.join("installed.png"))));
    Ok(())
}

/// The newest package that was made here.
fn package(place: &Place) -> Result<PathBuf> {
    let folder = place.target.join("release/bundle/deb");
    let newest = std::fs::read_dir(&folder).ok().and_then(|entries| {
        entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ext| ext == "deb"))
            .max_by_key(|path| path.metadata().and_then(|meta| meta.modified()).ok())
    });
    newest.ok_or_else(|| {
        Fail::new(format!("there is no package in {}", place.short(&folder)), "Make it: cargo xtask bundle")
    })
}

/// Builds the window's tests; where cargo put them.
fn test_program(place: &Place, verbose: bool) -> Result<PathBuf> {
    // With the features that `cargo xtask test` builds it with, so that nothing is built twice.
    let build = Run::cargo()
        .args(["test", "--workspace", "--locked", "--test", "window", "--no-run", "--message-format=json"])
        .dir(&place.root)
        .stream(verbose)
        .must("cargo")?;
    executable(&build.output).ok_or_else(|| Fail::new("cargo built no test of the window", ""))
}

/// The executable that cargo's messages name last.
fn executable(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "window")
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .next_back()
}

/// A copy of a minimal Debian of this machine's own release, which is made once.
fn fresh(place: &Place, verbose: bool) -> Result<Root> {
    let all = place.target.join("clean-root");
    let root = Root {
        folder: all.join("root"),
        archives: all.join("archives"),
        log: place.target.join("xtask/try-deb.log"),
        verbose,
    };
    let _ = std::fs::remove_file(&root.log);
    std::fs::create_dir_all(root.archives.join("partial"))?;
    let base = all.join("base");
    if !base.is_dir() {
        let sources = sources()?;
        let release = std::fs::read_to_string("/etc/os-release")?;
        let suite =
            release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME=")).unwrap_or_default();
        let Some((_, mirror)) = sources.iter().find(|(name, _)| name == suite) else {
            return Err(Fail::new("this machine's package sources hold no Debian of its own release", ""));
        };
        say::note(&format!("debootstrap --variant=minbase {suite}"));
        let unfinished = all.join("base.new");
        if unfinished.exists() {
            std::fs::remove_dir_all(&unfinished)?;
        }
        Run::new("debootstrap")
            .args(["--variant=minbase", suite])
            .arg(&unfinished)
            .arg(mirror)
            .log(&root.log)
            .stream(verbose)
            .must("debootstrap")?;
        let lines: String = sources.iter().map(|(name, uri)| format!("deb {uri} {name} main\n")).collect();
        std::fs::write(unfinished.join("etc/apt/sources.list"), lines)?;
        std::fs::rename(&unfinished, &base)?;
    }
    if root.folder.exists() {
        std::fs::remove_dir_all(&root.folder)?;
    }
    Run::new("cp").arg("-a").arg(&base).arg(&root.folder).must("cp")?;
    // What this machine resolves names with, now.
    for file in ["/etc/resolv.conf", "/etc/hosts"] {
        let _ = std::fs::copy(file, root.folder.join(&file[1..]));
    }
    root.must("root", &["apt-get", "update"])?;
    Ok(root)
}

/// Names and addresses of this machine's package sources.
fn sources() -> Result<Vec<(String, String)>> {
    let format = "$(CODENAME) $(REPO_URI) $(COMPONENT)";
    let listed =
        Run::new("apt-get").args(["indextargets", "--format", format, "Created-By: Packages"]).stdout()?;
    let mut sources: Vec<(String, String)> = listed
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            let (name, uri) = (words.next()?, words.next()?);
            (words.next() == Some("main")).then(|| (name.to_owned(), uri.to_owned()))
        })
        .collect();
    sources.sort();
    sources.dedup();
    Ok(sources)
}

/// The keys in what a search prints.
fn keys(json: &str) -> Vec<String> {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(json) else { return Vec::new() };
    let hits = value.as_array().or_else(|| value["hits"].as_array());
    hits.into_iter().flatten().filter_map(|hit| hit["key"].as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_program_is_read_from_the_messages() {
        let messages = "   Compiling x\n{\"target\":{\"name\":\"other\"},\"executable\":\"/t/other\"}\n\
            {\"target\":{\"name\":\"window\"},\"executable\":\"/t/window-1\"}\n{\"reason\":\"build-finished\"}\n";
        assert_eq!(executable(messages), Some(PathBuf::from("/t/window-1")));
        assert_eq!(executable("nothing"), None);
    }

    #[test]
    fn keys_are_found_in_both_shapes() {
        let hits = "[{\"key\":\"a/b#1\"}]";
        assert_eq!(keys(hits), ["a/b#1"]);
        assert_eq!(keys(&format!("{{\"hits\":{hits}}}")), ["a/b#1"]);
        assert!(keys("").is_empty());
    }
}
