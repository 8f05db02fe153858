//! A casebook as it was when a copy was made of it.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{Casebook, DATABASE, OpenOptions, make_private};
use crate::{
    error::{Code, Error, Result},
    files::Workplace,
    model::Restored,
    store::{self, FileLock},
    sync,
    task::{Task, blocking},
};

/// How long what is nearly done elsewhere is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(25);
/// What is held while other processes write much, with what they are at then.
const LOCKS: [(&str, &str); 3] = [
    ("import.lock", "importing a casebook into this one"),
    ("text.lock", "indexing this casebook"),
    ("vectors.lock", "indexing this casebook"),
];

impl Casebook {
    /// Puts a copy that [`Casebook::backup`] made in the place of a casebook's database; a casebook is made where there is none.
    /// The copy is checked first, what was there is kept beside it, and who has the casebook open sees the one state or the
    /// other. The indexes are brought up to date by the next update.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] for a file that is no sound copy, [`Code::NewerCasebook`], [`Code::Busy`] while another process
    /// syncs, imports or indexes, [`Code::Io`], [`Code::Cancelled`]. Nothing has changed then.
    pub async fn restore(options: OpenOptions, file: &Path, task: &Task) -> Result<Restored> {
        let (file, task) = (file.to_owned(), task.clone());
        blocking(move || restore(&options, &file, &task)).await
    }
}

fn restore(options: &OpenOptions, file: &Path, task: &Task) -> Result<Restored> {
    let folder = &options.folder;
    let database = folder.join(DATABASE);
    let same =
        |a: &Path, b: &Path| matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b);
    if same(file, &database) {
        return Err(Error::invalid(format!("{} is this casebook's own database", file.display()))
            .with_hint("Name a copy of it, as `precedent backup` writes it."));
    }
    if let Err(error) = fs::metadata(file) {
        return Err(Error::io(file, error));
    }
    make_private(folder)?;
    let place = Workplace::within(folder)?;
    let copy = place.path("copy.db");
    let contents = store::read_copy(file, &copy)?;
    task.check()?;
    let mut locks = Vec::new();
    for (name, at) in LOCKS {
        locks.push(hold(folder, name, at)?);
    }
    for name in sync::locks(folder) {
        locks.push(hold(folder, &name, "syncing this casebook")?);
    }
    locks.push(hold(folder, &format!("{DATABASE}.lock"), "opening this casebook")?);
    let kept = free_name(&database, &(options.clock)().strftime("%Y-%m-%dT%H-%M-%SZ").to_string());
    let replaced = store::put_in_place(&copy, &database, &kept)?;
    Ok(Restored {
        file: file.display().to_string(),
        casebook: folder.display().to_string(),
        kept: replaced.then(|| kept.display().to_string()),
        contents,
    })
}

fn hold(folder: &Path, name: &str, at: &str) -> Result<FileLock> {
    let began = Instant::now();
    loop {
        if let Some(lock) = FileLock::try_take(folder, name)? {
            return Ok(lock);
        }
        if began.elapsed() >= PATIENCE {
            return Err(Error::new(Code::Busy, format!("another process is {at}"))
                .with_hint("Wait until it has finished, or stop it, then try again. Nothing was changed."));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

/// A name for what is kept that nothing has.
fn free_name(database: &Path, moment: &str) -> PathBuf {
    let name = |n: u32| match n {
        0 => database.with_extension(format!("before-restore-{moment}.db")),
        n => database.with_extension(format!("before-restore-{moment}-{n}.db")),
    };
    (0..).map(name).find(|p| !p.exists()).unwrap_or_else(|| name(0))
}
