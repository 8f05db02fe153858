//! `cargo xtask start`: from a fresh clone to the product on the screen.

use crate::fail::{Fail, Result};
use crate::place::{Place, Profile};
use crate::runtime;
use crate::say::{self, Say};
use crate::shell::{Run, quote};
use crate::system::{self, Consent, Need};
use crate::{Options, front};
use std::path::Path;
use std::time::Duration;

/// A report from the sample that somebody wrote without knowing that it was known.
const REPORT: &str = "Primary went read-only at 4 am, pg_wal 412 GB. PANIC: could not write to file pg_wal/xlogtemp.1187: No space left on device. The reason is a logical slot fw_pipe_countries. It is active, but restart_lsn is from eleven days ago.";

/// What a newcomer is shown on the command line: how it was solved before, and whether a new report is a duplicate. `{key}`
/// is the first hit of the search before, `{report}` the report.
const TOUR: &[&[&str]] = &[
    &["import", "sample"],
    &["search", "replication slot fills the disk", "-L", "5"],
    &["show", "{key}"],
    &["duplicates", "--body", "{report}", "--include-closed", "-L", "3"],
];

/// The variable that names the folder of the models to the product.
const MODELS: &str = "PRECEDENT_MODELS";

/// A full build takes about this much.
const ROOM: u64 = 3 << 30;

/// Does it all.
pub fn start(place: &Place, options: &Options) -> Result<()> {
    let mut say = Say::default();
    let consent = Consent { yes: options.yes };
    let window = !options.cli && has_display();
    if !options.cli && !window {
        say::note(
            "No display here (neither DISPLAY nor WAYLAND_DISPLAY is set): the same on the command line.",
        );
    }

    say.step("What this machine must have");
    system::ensure(Need::Compiler, consent, options.verbose)?;
    if window {
        system::ensure(Need::Node, consent, options.verbose)?;
        system::ensure(Need::Window, consent, options.verbose)?;
        say::done("C compiler, WebKitGTK, Node and npm");
    } else {
        say::done("C compiler");
    }
    if let Some(free) = place.free_space()
        && free < ROOM
    {
        let gib = free as f64 / f64::from(1 << 30);
        say::warn(&format!(
            "only {gib:.1} GB free for {}: a full build takes about 3 GB",
            place.target.display()
        ));
    }

    if window {
        say.step("Front end");
        let installed = front::install(place, options.verbose)?;
        let built = front::build(place, options.verbose)?;
        say::done(if installed || built { "built" } else { "up to date" });
    }

    say.step("ONNX runtime, for search by meaning");
    let library = runtime(place, consent, options.verbose)?;

    say.step("Build");
    let time = build(place, Profile::Quick, window, options.verbose)?;
    if let Some(library) = &library {
        runtime::place_beside(library, &place.built(Profile::Quick))?;
    }
    runtime::place_model_beside(&place.root, &place.built(Profile::Quick))?;
    say::done(&say::time(time));

    let casebook = place.target.join("sample-casebook");
    if window {
        open(place, &mut say, &casebook, library.as_deref())
    } else {
        tour(place, &mut say, &casebook, library.as_deref())
    }
}

/// Builds the optimised executables: the command line, and the window too if it is wanted.
pub fn build(place: &Place, profile: Profile, window: bool, verbose: bool) -> Result<Duration> {
    let mut build = Run::cargo()
        .args(["build", "--profile", profile.name(), "--locked", "-p", "precedent", "--bin", "precedent"])
        .dir(&place.root);
    if window {
        build = build.args(["-p", "precedent-desktop", "--bin", "precedent-desktop"]);
    }
    say::note(&format!("{} (the first time, this takes some minutes)", build.line()));
    let log = place.target.join("xtask").join("build.log");
    // Left over from the last time.
    let _ = std::fs::remove_file(&log);
    let build = build.env("CARGO_TERM_PROGRESS_WHEN", "never").log(&log).stream(verbose);
    let finished = build.must("cargo").map_err(|mut fail| {
        if fail.remedy.is_empty() {
            fail.remedy = format!("All of its output: {}", place.short(&log));
        }
        fail
    })?;
    Ok(finished.time)
}

/// Installs the runtime. Without a network the product works without it; a wrong file is never passed over.
fn runtime(place: &Place, consent: Consent, verbose: bool) -> Result<Option<std::path::PathBuf>> {
    match runtime::install(place, consent, verbose) {
        Ok(runtime) => {
            runtime.tell(place);
            Ok(runtime.path().map(Path::to_owned))
        }
        Err(fail) if fail.stops => Err(fail),
        Err(fail) => {
            anstream::eprintln!("{fail}");
            say::warn(&runtime::off("going on without the ONNX runtime"));
            Ok(None)
        }
    }
}

fn has_display() -> bool {
    if !cfg!(target_os = "linux") {
        return cfg!(any(target_os = "macos", windows));
    }
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

fn product(place: &Place, name: &str, library: Option<&Path>) -> Run {
    let mut run = Run::new(place.executable(Profile::Quick, name)).dir(&place.root);
    // A target folder elsewhere has no models beside it.
    if std::env::var_os(MODELS).is_none() {
        run = run.env(MODELS, place.root.join("models"));
    }
    match library {
        Some(library) => run.env(runtime::VARIABLE, library),
        None => run,
    }
}

fn open(place: &Place, say: &mut Say, casebook: &Path, library: Option<&Path>) -> Result<()> {
    say.step("The window, with the sample casebook");
    let executable = place.short(&place.executable(Profile::Quick, "precedent-desktop"));
    say::note(&format!("{executable} --casebook {} --sample", place.short(casebook)));
    say::note(&format!("For your own casebook later: {executable}"));
    let run = product(place, "precedent-desktop", library).arg("--casebook").arg(casebook).arg("--sample");
    if run.attached()? {
        return Ok(());
    }
    Err(Fail::new(
        "the window ended with an error",
        "Its own message is above. `cargo xtask start --cli` shows the same on the command line.",
    ))
}

fn tour(place: &Place, say: &mut Say, casebook: &Path, library: Option<&Path>) -> Result<()> {
    say.step("The sample casebook, on the command line");
    let executable = place.short(&place.executable(Profile::Quick, "precedent"));
    let shown = place.short(casebook);
    let mut key = String::new();
    for words in TOUR {
        let args: Vec<String> =
            words.iter().map(|word| word.replace("{key}", &key).replace("{report}", REPORT)).collect();
        let typed = args.iter().map(|arg| quote(arg)).collect::<Vec<_>>().join(" ");
        anstream::println!("\n\x1b[1m$ {executable} --casebook {} {typed}\x1b[0m", quote(&shown));
        let run = || product(place, "precedent", library).arg("--casebook").arg(casebook).args(&args);
        if !run().attached()? {
            return Err(Fail::new(format!("`precedent {typed}` failed"), "Its own message is above."));
        }
        if args[0] == "search" && key.is_empty() {
            let json = run().arg("--json=key").stdout()?;
            key = first_key(&json).ok_or_else(|| {
                Fail::new("the search found nothing in the sample", format!("Delete {shown} and try again."))
            })?;
        }
    }
    anstream::println!();
    say::done(&format!("more: {executable} --help"));
    Ok(())
}

/// The first text called `key` in the JSON that a search prints, wherever it is.
fn first_key(json: &str) -> Option<String> {
    fn walk(value: &serde_json::Value) -> Option<String> {
        match value {
            serde_json::Value::Array(items) => items.iter().find_map(walk),
            serde_json::Value::Object(fields) => match fields.get("key") {
                Some(serde_json::Value::String(key)) => Some(key.clone()),
                _ => fields.values().find_map(walk),
            },
            _ => None,
        }
    }
    // One document, or one on each line.
    json.lines()
        .find_map(|line| walk(&serde_json::from_str(line).ok()?))
        .or_else(|| walk(&serde_json::from_str(json).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_is_found() {
        assert_eq!(first_key(r#"[{"key":"a/b#1"},{"key":"a/b#2"}]"#).as_deref(), Some("a/b#1"));
        assert_eq!(
            first_key("{\n \"hits\": [\n {\"score\": 1, \"document\": {\"key\": \"a/b#7\"}}\n ]\n}")
                .as_deref(),
            Some("a/b#7")
        );
        assert_eq!(first_key("{\"key\":\"a/b#3\"}\n{\"key\":\"a/b#4\"}\n").as_deref(), Some("a/b#3"));
        assert_eq!(first_key("[]"), None);
    }

    #[test]
    fn the_tour_begins_with_the_import() {
        assert_eq!(TOUR[0], ["import", "sample"]);
    }
}
