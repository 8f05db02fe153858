//! `cargo xtask bench`: each measurement of docs/performance.md by one command.

use crate::Options;
use crate::fail::{Fail, Result};
use crate::place::{Place, Profile};
use crate::python::python;
use crate::runtime;
use crate::say::{self, Say};
use crate::shell::Run;
use crate::system::{self, Consent, Need};
use std::path::{Path, PathBuf};

/// What a measurement works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wants {
    /// What the repository has.
    Nothing,
    /// A casebook with vectors.
    Casebook,
    /// The exported items of rust-lang/rust: `issues.jsonl.zst` and `comments.jsonl.zst`.
    Archive,
    /// Both; a casebook is made of the archive where none is named.
    Both,
}

/// A measurement.
struct Bench {
    name: &'static str,
    /// The target in `benches/`.
    target: &'static str,
    wants: Wants,
    about: &'static str,
}

const BENCHES: [Bench; 9] = [
    Bench { name: "parts", target: "parts", wants: Wants::Nothing, about: "text preparation" },
    Bench { name: "embed", target: "embed", wants: Wants::Nothing, about: "the model" },
    Bench { name: "logs", target: "logs", wants: Wants::Nothing, about: "a log of 2 GB" },
    Bench {
        name: "import",
        target: "import",
        wants: Wants::Nothing,
        about: "exports, as JSON Lines and CSV",
    },
    Bench {
        name: "command",
        target: "command",
        wants: Wants::Casebook,
        about: "questions as whole processes",
    },
    Bench { name: "search", target: "search", wants: Wants::Casebook, about: "questions to a casebook" },
    Bench {
        name: "sync",
        target: "sync",
        wants: Wants::Archive,
        about: "a first sync, and one without news",
    },
    Bench { name: "scale", target: "scale", wants: Wants::Both, about: "as a casebook grows" },
    Bench {
        name: "peers",
        target: "scale",
        wants: Wants::Both,
        about: "SQLite, PostgreSQL and LanceDB beside it",
    },
];

/// The items of the comparison with others: all of the archive.
const ITEMS: &str = "30650";

/// Runs the measurement that is named; lists them where none is.
pub fn bench(place: &Place, options: &Options) -> Result<()> {
    let Some(name) = &options.name else {
        for bench in &BENCHES {
            println!("{:8} {}", bench.name, bench.about);
        }
        return Ok(());
    };
    let Some(bench) = BENCHES.iter().find(|bench| bench.name == name) else {
        return Err(Fail::new(format!("there is no measurement {name}"), "cargo xtask bench lists them."));
    };
    let consent = Consent { yes: options.yes };
    let mut say = Say::default();
    say.step("What this machine must have");
    system::ensure(Need::Compiler, consent, options.verbose)?;
    let library = runtime::install(place, consent, options.verbose)?;
    library.tell(place);
    let into = folder(options.into.as_deref(), &place.target.join("bench"))?;
    let mut run = Run::cargo().args(["bench", "--locked", "--bench", bench.target]).dir(&place.root);
    if let Some(path) = library.path() {
        run = run.env("PRECEDENT_ONNXRUNTIME", path);
    }
    if let Some(beside) = &options.beside {
        run = run.env("PRECEDENT_BESIDE", std::path::absolute(beside)?);
    }
    let archive = match bench.wants {
        Wants::Archive | Wants::Both => Some(archive(options)?),
        _ => None,
    };
    if let Some(archive) = &archive {
        run = run.env("PRECEDENT_ARCHIVE", archive).env("PRECEDENT_SCALE", &into);
    }
    if matches!(bench.wants, Wants::Casebook | Wants::Both) {
        let casebook = match (&options.casebook, &archive) {
            (Some(named), _) => std::path::absolute(named)?,
            (None, Some(archive)) => casebook_of(place, &mut say, archive, &into, library.path(), options)?,
            (None, None) => {
                return Err(Fail::new(
                    format!("{name} wants a casebook"),
                    format!("cargo xtask bench {name} --casebook DIR"),
                ));
            }
        };
        run = run.env("PRECEDENT_CASEBOOK", casebook);
    }
    let items = options.items.as_deref().unwrap_or(ITEMS);
    if name == "peers" {
        run = run.env("PRECEDENT_ITEMS", items).env("PRECEDENT_PEERS", "1");
    } else if let Some(items) = &options.items {
        run = run.env("PRECEDENT_ITEMS", items);
    }
    say.step(&format!("Measure: {}", bench.about));
    attached(&run)?;
    match (name.as_str(), &archive) {
        ("peers", Some(archive)) => peers(place, &mut say, archive, &into.join(items).join("peers"), options),
        _ => Ok(()),
    }
}

/// The folder with the exported items.
fn archive(options: &Options) -> Result<PathBuf> {
    let wanted =
        "Name the folder with issues.jsonl.zst and comments.jsonl.zst of rust-lang/rust: --archive FOLDER";
    let named = options.archive.as_deref().ok_or_else(|| Fail::new("an archive is wanted", wanted))?;
    let archive = std::path::absolute(named)?;
    match archive.join("issues.jsonl.zst").is_file() {
        true => Ok(archive),
        false => Err(Fail::new(format!("{} has no issues.jsonl.zst", archive.display()), wanted)),
    }
}

/// A casebook of the archive, with its vectors: made once, and gone on with where it was interrupted.
fn casebook_of(
    place: &Place,
    say: &mut Say,
    archive: &Path,
    into: &Path,
    library: Option<&Path>,
    options: &Options,
) -> Result<PathBuf> {
    say.step("A casebook of the archive, with its vectors");
    say::note("the first time, this takes about half an hour; an interrupted one is gone on with");
    let built = crate::start::build(place, Profile::Quick, false, options.verbose)?;
    say::done(&format!("built in {}", say::time(built)));
    let casebook = into.join("casebook");
    let program = Run::new(place.executable(Profile::Quick, "precedent"));
    let mut import = program.arg("--casebook").arg(&casebook).args(["import", "github"]).arg(archive);
    import = import.args(["--source", "rust-lang/rust"]).env("PRECEDENT_MODELS", place.root.join("models"));
    if let Some(library) = library {
        import = import.env("PRECEDENT_ONNXRUNTIME", library);
    }
    attached(&import)?;
    Ok(casebook)
}

/// The others, with the archive, the vectors and the questions that the bench has left.
fn peers(place: &Place, say: &mut Say, archive: &Path, left: &Path, options: &Options) -> Result<()> {
    say.step("The others");
    let Some(python) = python() else {
        return Err(Fail::new(
            "Python is missing",
            "Install Python 3.11 or later, and run the command again.",
        ));
    };
    let scripts = place.root.join("benches/peers");
    let venv = place.target.join("peers");
    let own = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !own.is_file() {
        Run::new(python).args(["-m", "venv"]).arg(&venv).stream(options.verbose).must("python")?;
    }
    let install =
        Run::new(&own).args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
    install.arg(scripts.join("requirements.txt")).stream(options.verbose).must("pip")?;
    attached(&Run::new(&own).arg(scripts.join("run.py")).arg(archive).arg(left))
}

/// Runs a program that writes to the terminal itself.
fn attached(run: &Run) -> Result<()> {
    say::note(&run.line());
    match run.attached()? {
        true => Ok(()),
        false => Err(Fail::new(format!("{} failed", run.line()), "What it wrote above says why.")),
    }
}

fn folder(named: Option<&str>, usual: &Path) -> Result<PathBuf> {
    let folder = named.map_or_else(|| Ok(usual.to_owned()), std::path::absolute)?;
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}
