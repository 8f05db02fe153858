//! `cargo xtask test`: everything that must pass before a change goes in.

use crate::fail::{Fail, Result, tail};
use crate::place::Place;
use crate::say::{self, Say};
use crate::shell::{Run, on_path};
use crate::summary::{Count, summaries};
use crate::system::{self, Consent, Need};
use crate::{Options, agents, docs, front, licences, python, runtime, tidy};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A named step.
struct Step {
    name: &'static str,
    about: &'static str,
    /// Without these, well ended, it cannot run.
    needs: &'static [&'static str],
    /// These come first, but it runs without them too.
    wants: &'static [&'static str],
    run: fn(&mut Checks) -> Result<Outcome>,
}

/// The spelling checker, from PyPI, where none is installed.
const TYPOS: &str = "typos==1.52.0";

/// How a step ended.
enum Outcome {
    /// Well; a few words on it.
    Passed(String),
    /// Not done, for this reason.
    Skipped(String),
}

const STEPS: &[Step] = &[
    Step { name: "fmt", about: "Rust is formatted", needs: &[], wants: &[], run: |checks| checks.fmt() },
    Step {
        name: "licences",
        about: "licences and sources of all dependencies",
        needs: &[],
        wants: &[],
        run: |checks| licences::check(&checks.place).map(Outcome::Passed),
    },
    Step { name: "typos", about: "spelling", needs: &[], wants: &[], run: Checks::typos },
    Step {
        name: "words",
        about: "no registry hosts, no paths of one machine",
        needs: &[],
        wants: &[],
        run: |checks| {
            Ok(tidy::words(&checks.place)?
                .map_or_else(|| Outcome::Skipped("this is no git checkout".into()), Outcome::Passed))
        },
    },
    Step {
        name: "docs",
        about: "links, sentences, promises and charts of the documentation",
        needs: &[],
        wants: &[],
        run: |checks| {
            Ok(docs::check(&checks.place)?
                .map_or_else(|| Outcome::Skipped("this is no git checkout".into()), Outcome::Passed))
        },
    },
    Step {
        name: "migrations",
        about: "numbered without gaps, append-only",
        needs: &[],
        wants: &[],
        run: |checks| tidy::migrations(&checks.place).map(Outcome::Passed),
    },
    Step { name: "ui-install", about: "npm ci", needs: &[], wants: &[], run: Checks::ui_install },
    Step {
        name: "ui-check",
        about: "types and templates of the front end",
        needs: &["ui-install"],
        wants: &[],
        run: |checks| checks.npm(&["run", "check"]),
    },
    Step {
        name: "ui-test",
        about: "tests of the front end",
        needs: &["ui-install"],
        wants: &[],
        run: |checks| checks.runner(front::npm(&checks.place, &["test"])),
    },
    Step {
        name: "ui-build",
        about: "the front end is built",
        needs: &["ui-install"],
        wants: &[],
        run: |checks| checks.npm(&["run", "build"]),
    },
    Step {
        name: "runtime",
        about: "the ONNX runtime, for the tests",
        needs: &[],
        wants: &[],
        run: Checks::runtime,
    },
    Step {
        name: "libraries",
        about: "the system's libraries for the window",
        needs: &[],
        wants: &[],
        run: Checks::libraries,
    },
    Step {
        name: "servers",
        about: "real trackers for the tests: Redmine, git",
        needs: &[],
        wants: &[],
        run: Checks::servers,
    },
    Step {
        name: "clippy",
        about: "lints, warnings are errors",
        needs: &["ui-build", "libraries"],
        wants: &[],
        run: Checks::clippy,
    },
    Step {
        name: "rustdoc",
        about: "documentation of the crates, warnings are errors",
        needs: &["ui-build", "libraries"],
        wants: &[],
        run: Checks::rustdoc,
    },
    Step {
        name: "test",
        about: "tests of the engine and the command line",
        needs: &[],
        wants: &["runtime", "libraries", "servers"],
        run: Checks::engine,
    },
    Step {
        name: "mcp",
        about: "the server for agents, asked by the protocol's own clients",
        needs: &[],
        wants: &["libraries"],
        run: Checks::mcp,
    },
    Step {
        name: "doctest",
        about: "examples in the documentation",
        needs: &[],
        wants: &["runtime", "libraries"],
        run: Checks::doctest,
    },
    Step {
        name: "window",
        about: "the real window, driven",
        needs: &["ui-build", "libraries"],
        wants: &["runtime"],
        run: Checks::window,
    },
];

/// The steps with a word on each.
pub fn list() {
    for step in STEPS {
        println!("{:<11} {}", step.name, step.about);
    }
}

/// The steps of `--fast`.
const FAST: &[&str] =
    &["fmt", "typos", "words", "docs", "migrations", "ui-install", "ui-check", "ui-test", "test"];

/// What the steps share.
struct Checks {
    place: Place,
    consent: Consent,
    verbose: bool,
    /// Of the tests, those that stand beside the code alone.
    fast: bool,
    library: Option<PathBuf>,
    log: PathBuf,
    /// Why the window cannot be built or driven here.
    without_window: Option<String>,
    summaries: Vec<String>,
    count: Count,
}

/// One line of the closing table.
struct Line {
    name: &'static str,
    time: Duration,
    end: End,
}

enum End {
    Passed,
    Failed,
    Skipped(String),
}

/// Runs the steps, or those that were asked for with what they need.
pub fn run(place: &Place, options: &Options) -> Result<()> {
    let chosen = if options.fast { FAST.to_vec() } else { choose(&options.only)? };
    // A name that is none would let nothing be skipped, and nobody would see why.
    choose(&options.may_skip)?;
    let mut checks = Checks {
        place: place.clone(),
        consent: Consent { yes: options.yes },
        verbose: options.verbose,
        fast: options.fast,
        library: None,
        log: PathBuf::new(),
        without_window: None,
        summaries: Vec::new(),
        count: Count::default(),
    };
    let mut say = Say::default();
    let mut lines: Vec<Line> = Vec::new();
    let started = Instant::now();
    for step in STEPS.iter().filter(|step| chosen.contains(&step.name)) {
        say.step(&format!("{} — {}", step.name, step.about));
        let begun = Instant::now();
        checks.log = place.target.join("xtask").join(format!("{}.log", step.name));
        // Left over from the last time.
        let _ = std::fs::remove_file(&checks.log);
        // What a step needs and did not get is its end too; what it could do without, its own code decides.
        let broken =
            lines.iter().find(|line| matches!(line.end, End::Failed) && step.needs.contains(&line.name));
        let result = match broken {
            Some(line) => Err(Fail::new(format!("not run, because {} failed", line.name), "")),
            None => (step.run)(&mut checks),
        };
        let time = begun.elapsed();
        let end = match result {
            Ok(Outcome::Passed(words)) => {
                let words = if words.is_empty() { String::new() } else { format!("{words}, ") };
                say::done(&format!("{words}{}", say::time(time)));
                End::Passed
            }
            Ok(Outcome::Skipped(why))
                if options.strict && !options.may_skip.iter().any(|s| s == step.name) =>
            {
                say::warn(&format!("SKIPPED: {why}"));
                anstream::eprintln!("   \x1b[31m✗\x1b[0m {} may not be skipped here", step.name);
                End::Failed
            }
            Ok(Outcome::Skipped(why)) => {
                say::warn(&format!("SKIPPED: {why}"));
                End::Skipped(why)
            }
            Err(fail) => {
                anstream::eprintln!("{fail}");
                if checks.log.exists() {
                    say::note(&format!("all of its output: {}", place.short(&checks.log)));
                }
                anstream::eprintln!("   \x1b[31m✗\x1b[0m {} failed, {}", step.name, say::time(time));
                End::Failed
            }
        };
        lines.push(Line { name: step.name, time, end });
    }
    close(&checks, &lines, started.elapsed())
}

/// The table, the runners' own closing lines, and the sum.
fn close(checks: &Checks, lines: &[Line], time: Duration) -> Result<()> {
    println!();
    for line in lines {
        let time = say::time(line.time);
        match &line.end {
            End::Passed => anstream::println!("\x1b[32m✓\x1b[0m {:<11} {time:>12}", line.name),
            End::Failed => anstream::println!("\x1b[31m✗\x1b[0m {:<11} {time:>12}  FAILED", line.name),
            End::Skipped(why) => {
                let why = why.lines().next().unwrap_or_default();
                anstream::println!("\x1b[33m-\x1b[0m {:<11} {time:>12}  SKIPPED: {why}", line.name);
            }
        }
    }
    anstream::println!("  {:<11} {:>12}\n", "all", say::time(time));
    for summary in &checks.summaries {
        println!("{summary}");
    }
    println!("{}", checks.count);
    let failed: Vec<&str> =
        lines.iter().filter(|line| matches!(line.end, End::Failed)).map(|line| line.name).collect();
    if failed.is_empty() {
        return Ok(());
    }
    let again = failed.iter().map(|name| format!(" --only {name}")).collect::<String>();
    Err(Fail::new(
        format!("{} of {} steps failed: {}", failed.len(), lines.len(), failed.join(", ")),
        format!("Run them again with: cargo xtask test{again}"),
    ))
}

/// The names of the steps to run: all, or the given ones with all that they need.
fn choose(only: &[String]) -> Result<Vec<&'static str>> {
    if only.is_empty() {
        return Ok(STEPS.iter().map(|step| step.name).collect());
    }
    let mut chosen: Vec<&'static str> = Vec::new();
    let mut open: Vec<&str> = only.iter().map(String::as_str).collect();
    while let Some(name) = open.pop() {
        let step = STEPS.iter().find(|step| step.name == name).ok_or_else(|| {
            let names = STEPS.iter().map(|step| step.name).collect::<Vec<_>>().join(", ");
            Fail::new(format!("there is no step {name}"), format!("The steps are: {names}"))
        })?;
        if !chosen.contains(&step.name) {
            chosen.push(step.name);
            open.extend(step.needs.iter().chain(step.wants));
        }
    }
    Ok(chosen)
}

impl Checks {
    /// A command as the checks run it.
    fn prepare(&self, run: Run) -> Run {
        let mut run =
            run.dir_if_none(&self.place.root).log(&self.log).env("CARGO_TERM_PROGRESS_WHEN", "never");
        // No test may rewrite what it is compared with.
        run = run.env("INSTA_UPDATE", "no");
        if std::env::var_os("CI").is_some() {
            run = run.env("CARGO_INCREMENTAL", "0");
        }
        match &self.library {
            Some(library) => run.env(runtime::VARIABLE, library),
            None => run,
        }
    }

    /// Runs a command quietly. A failure shows the end of its output.
    fn quiet(&self, tool: &str, run: Run) -> Result<Outcome> {
        let run = self.prepare(run).stream(self.verbose);
        let finished = run.finish()?;
        if finished.ok {
            return Ok(Outcome::Passed(String::new()));
        }
        let (what, remedy) = crate::fail::explain(tool, &finished.output)
            .unwrap_or_else(|| (format!("`{}` failed", run.line()), String::new()));
        let mut fail = Fail::new(what, remedy);
        if !self.verbose {
            fail.output = tail(&finished.output, 200);
        }
        Err(fail)
    }

    fn cargo(&mut self, args: &[&str]) -> Result<Outcome> {
        self.quiet("cargo", Run::cargo().args(args))
    }

    /// Runs a test runner in the open, and keeps its closing lines.
    fn runner(&mut self, run: Run) -> Result<Outcome> {
        let run = self.prepare(run).stream(true).limit(TESTS_END);
        let finished = run.finish()?;
        let found = summaries(&finished.output);
        let mut count = Count::default();
        for (line, one) in found {
            count.add(one);
            // Executables without tests say nothing worth repeating.
            if one != Count::default() {
                self.summaries.push(line);
            }
        }
        // A runner that broke off without counting a failure has failed all the same.
        if !finished.ok && count.failed == 0 {
            count.failed = 1;
            self.summaries.push(format!("`{}` broke off", run.line()));
        }
        self.count.add(count);
        if finished.ok {
            Ok(Outcome::Passed(count.to_string()))
        } else {
            Err(Fail::new(format!("`{}` failed: {count}", run.line()), ""))
        }
    }

    /// cargo's own test runner: first the build, quietly, then the tests, in the open.
    fn tests(&mut self, args: &[&str]) -> Result<Outcome> {
        if !args.contains(&"--doc") {
            self.build(&[args, &["--no-run"]].concat())?;
        }
        self.runner(Run::cargo().args(args).arg("--no-fail-fast"))
    }

    fn build(&mut self, args: &[&str]) -> Result<()> {
        let begun = Instant::now();
        if let Err(fail) = self.cargo(args) {
            self.count.failed += 1;
            self.summaries.push(format!("`cargo {}` broke off", args.join(" ")));
            return Err(fail);
        }
        say::note(&format!("built, {}", say::time(begun.elapsed())));
        Ok(())
    }

    fn fmt(&mut self) -> Result<Outcome> {
        // The names of the files are enough: the remedy is one command.
        self.cargo(&["fmt", "--all", "--check", "--", "-l"])
            .map_err(|fail| Fail { remedy: "Run: cargo fmt --all".into(), ..fail })
    }

    fn typos(&mut self) -> Result<Outcome> {
        if on_path("typos") {
            return self.quiet("typos", Run::new("typos"));
        }
        let Some(python) = python::python() else {
            return Ok(Outcome::Skipped(
                "there is neither typos (cargo install typos-cli) nor Python here".into(),
            ));
        };
        let quiet = |tool: &str, run: Run| self.quiet(tool, run).map(drop);
        match python::install(&self.place, python, TYPOS, "typos", quiet) {
            Ok(typos) => self.quiet("typos", Run::new(typos)),
            Err(fail) => {
                anstream::eprintln!("{fail}");
                Ok(Outcome::Skipped(fail.what))
            }
        }
    }

    fn ui_install(&mut self) -> Result<Outcome> {
        system::ensure(Need::Node, self.consent, self.verbose)?;
        let stale = front::install(&self.place, self.verbose)?;
        Ok(Outcome::Passed(if stale { "installed" } else { "up to date" }.into()))
    }

    fn npm(&mut self, args: &[&str]) -> Result<Outcome> {
        self.quiet("npm", front::npm(&self.place, args))
    }

    fn runtime(&mut self) -> Result<Outcome> {
        let found = runtime::install(&self.place, self.consent, self.verbose)?;
        found.tell(&self.place);
        match found.path() {
            Some(path) => {
                self.library = Some(path.to_owned());
                Ok(Outcome::Passed(String::new()))
            }
            None => Ok(Outcome::Skipped("no ONNX runtime is known here for this system".into())),
        }
    }

    fn libraries(&mut self) -> Result<Outcome> {
        match system::ensure(Need::Window, self.consent, self.verbose) {
            Ok(()) => Ok(Outcome::Passed(String::new())),
            Err(fail) => {
                anstream::eprintln!("{fail}");
                self.without_window = Some(fail.what.clone());
                Ok(Outcome::Skipped(fail.what))
            }
        }
    }

    fn servers(&mut self) -> Result<Outcome> {
        match system::ensure(Need::Servers, self.consent, self.verbose) {
            Ok(()) => Ok(Outcome::Passed(String::new())),
            Err(fail) => {
                anstream::eprintln!("{fail}");
                Ok(Outcome::Skipped(fail.what))
            }
        }
    }

    fn clippy(&mut self) -> Result<Outcome> {
        let deny = ["--all-targets", "--locked", "--", "-D", "warnings"];
        if let Some(why) = self.without_window.clone() {
            say::warn(&format!("SKIPPED: the lints of the window ({why})"));
            return self.cargo(&[&["clippy"], &deny[..]].concat());
        }
        self.cargo(&[&["clippy", "--workspace"], &deny[..]].concat())
    }

    fn rustdoc(&mut self) -> Result<Outcome> {
        // With the features of the lints, so that nothing is read twice.
        let workspace: &[&str] = if self.without_window.is_some() { &[] } else { &["--workspace"] };
        let run = Run::cargo().args(["doc", "--no-deps", "--locked"]).args(workspace);
        self.quiet("cargo", run.env("RUSTDOCFLAGS", "-D warnings"))
    }

    fn engine(&mut self) -> Result<Outcome> {
        let has_nextest = Run::cargo().args(["nextest", "--version"]).works();
        if self.fast {
            // The window is a program and no library, so that its tests, and what it needs, are not among these.
            return match has_nextest {
                true => self.runner(Run::cargo().args(WITH_WINDOW).args(["--lib", "--no-fail-fast"])),
                false => self.tests(&["test", "--workspace", "--locked", "--lib"]),
            };
        }
        if !has_nextest {
            return self.tests(WITHOUT_NEXTEST);
        }
        self.build_tests()?;
        if self.without_window.is_some() {
            return self.runner(Run::cargo().args(["nextest", "run", "--locked", "--no-fail-fast"]));
        }
        let others = ["--no-fail-fast", "-E", "not package(precedent-desktop)"];
        self.runner(Run::cargo().args(WITH_WINDOW).args(others))
    }

    /// Builds the tests of the engine and the command line, and with them the command line itself.
    fn build_tests(&mut self) -> Result<()> {
        if !Run::cargo().args(["nextest", "--version"]).works() {
            return self.build(&[WITHOUT_NEXTEST, &["--no-run"]].concat());
        }
        if self.without_window.is_some() {
            return self.build(&["nextest", "run", "--locked", "--no-run"]);
        }
        // Built together with the window, whose step then finds everything built with the same features.
        self.build(&[WITH_WINDOW, &["--no-run"]].concat())
    }

    fn mcp(&mut self) -> Result<Outcome> {
        let Some(python) = python::python() else {
            return Ok(Outcome::Skipped("there is no Python here".into()));
        };
        // As the tests build it: another choice of packages would build everything again.
        self.build_tests()?;
        let binary =
            self.place.target.join("debug").join(format!("precedent{}", std::env::consts::EXE_SUFFIX));
        let folder = self.place.target.join("xtask").join("mcp-casebook");
        // Notes and verdicts of the last time would be in the way.
        let _ = std::fs::remove_dir_all(&folder);
        let (binary, casebook) = (binary.display().to_string(), folder.display().to_string());
        let prepare = |run: Run| {
            let none = self.place.target.join("xtask").join("no-settings.toml");
            self.prepare(run).env("PRECEDENT_EMBEDDER", "hashed").env("PRECEDENT_CONFIG", none)
        };
        let quiet = |tool: &str, run: Run| self.quiet(tool, prepare(run)).map(drop);
        quiet("precedent", Run::new(&binary).args(["--casebook", &casebook, "import", "sample"]))?;
        let python = python::install(&self.place, python, agents::SDK, "python", quiet)?;
        quiet("python", Run::new(python).args(["tests/mcp/client.py", &binary, &casebook]))?;
        say::note("the official Python SDK lists and calls every tool, gets progress and cancels");
        if !on_path("npx") {
            say::warn("SKIPPED: the official inspector (there is no npx)");
            return Ok(Outcome::Passed("the Python SDK alone".into()));
        }
        let server = [binary, "--casebook".to_owned(), casebook, "mcp".to_owned()];
        let tools = agents::inspect(&server, prepare)?;
        Ok(Outcome::Passed(format!("{tools} tools")))
    }

    fn doctest(&mut self) -> Result<Outcome> {
        let doc = ["test", "--locked", "--doc"];
        if self.without_window.is_some() {
            return self.tests(&doc);
        }
        // With the features that the other tests were built with, so that nothing is built twice.
        self.tests(&[&doc[..], &["--workspace"]].concat())
    }

    fn window(&mut self) -> Result<Outcome> {
        if let Some(why) = &self.without_window {
            return Ok(Outcome::Skipped(why.clone()));
        }
        if !cfg!(target_os = "linux") {
            return Ok(Outcome::Skipped("the window is driven on Linux alone".into()));
        }
        for need in [Need::Driver, Need::Tray] {
            if let Err(fail) = system::ensure(need, self.consent, self.verbose) {
                anstream::eprintln!("{fail}");
                return Ok(Outcome::Skipped(fail.what));
            }
        }
        let nextest = Run::cargo().args(["nextest", "--version"]).works();
        let cargo: Vec<&str> = if nextest {
            // One window at a time: they share the screen and the keyboard focus.
            [&["cargo"], WITH_WINDOW, &["--no-fail-fast", "-j1", "-E", "package(precedent-desktop)"]].concat()
        } else {
            self.build(&["test", "-p", "precedent-desktop", "--locked", "--no-run"])?;
            vec!["cargo", "test", "-p", "precedent-desktop", "--locked", "--no-fail-fast"]
        };
        let screen = ["-a", "-s", "-screen 0 1280x900x24 -nolisten tcp", "dbus-run-session", "--"];
        // Where everything is there, a test that cannot open the window has failed.
        let run = Run::new("xvfb-run").env("PRECEDENT_WINDOW_TESTS", "required");
        self.runner(run.args(screen).args(cargo).limit(WINDOW_ENDS))
    }
}

/// When a run of tests hangs: about three times what all of them, and those of the window, take on two cores once they are built.
const TESTS_END: Duration = Duration::from_secs(60 * 60);
const WINDOW_ENDS: Duration = Duration::from_secs(20 * 60);
/// All tests, the window's among them.
const WITH_WINDOW: &[&str] = &["nextest", "run", "--workspace", "--locked"];
/// The engine's and the command line's tests with cargo's own runner.
const WITHOUT_NEXTEST: &[&str] = &["test", "--locked", "--lib", "--bins", "--tests"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_need_is_an_earlier_step() {
        for (index, step) in STEPS.iter().enumerate() {
            for need in step.needs.iter().chain(step.wants) {
                assert!(
                    STEPS[..index].iter().any(|earlier| earlier.name == *need),
                    "{} needs {need}",
                    step.name
                );
            }
        }
    }

    #[test]
    fn a_chosen_step_brings_what_it_needs() {
        let all = choose(&[]).unwrap();
        assert!(FAST.iter().all(|name| all.contains(name)));
        assert_eq!(all.len(), STEPS.len());
        let mut chosen = choose(&["window".into()]).unwrap();
        chosen.sort_unstable();
        assert_eq!(chosen, ["libraries", "runtime", "ui-build", "ui-install", "window"]);
        assert!(choose(&["nothing".into()]).unwrap_err().what.contains("nothing"));
    }
}
