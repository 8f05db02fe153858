//! Numbered, append-only schema migrations. A casebook with content is copied before an upgrade.

use std::{fs, path::Path};

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

use precedent_core::error::{Code, Error, Result};

/// All migrations, in order. A released file is never changed.
const SCRIPTS: &[&str] = &[
    include_str!("../../../migrations/0001_casebook.sql"),
    include_str!("../../../migrations/0002_triage.sql"),
    include_str!("../../../migrations/0003_sync.sql"),
    include_str!("../../../migrations/0004_notes.sql"),
    include_str!("../../../migrations/0005_backlog.sql"),
    include_str!("../../../migrations/0006_models.sql"),
    include_str!("../../../migrations/0007_counts.sql"),
    include_str!("../../../migrations/0008_own_order.sql"),
    include_str!("../../../migrations/0009_order_and_checks.sql"),
    include_str!("../../../migrations/0010_trust.sql"),
    include_str!("../../../migrations/0011_bands.sql"),
    include_str!("../../../migrations/0012_newest_change.sql"),
    include_str!("../../../migrations/0013_backgrounds.sql"),
    include_str!("../../../migrations/0014_guests.sql"),
    include_str!("../../../migrations/0015_evidence.sql"),
    include_str!("../../../migrations/0016_releases.sql"),
    include_str!("../../../migrations/0017_project_references.sql"),
];
/// The schema version: the number of migrations.
pub(super) const VERSION: i64 = SCRIPTS.len() as i64;

fn migrations() -> Migrations<'static> {
    Migrations::new(SCRIPTS.iter().copied().map(M::up).collect())
}

/// The SQLite `application_id` of casebooks: "prec".
pub(super) const APPLICATION_ID: i64 = 0x7072_6563;

/// Returns whether a database is a casebook of this version's schema.
pub(super) fn is_current(connection: &Connection) -> Result<bool> {
    let number = |query: &str| connection.query_row(query, [], |r| r.get::<_, i64>(0));
    Ok(number("PRAGMA user_version")? == VERSION
        && number("PRAGMA application_id")? == APPLICATION_ID)
}

pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |r| r.get(0))?;
    let application: i64 = connection.query_row("PRAGMA application_id", [], |r| r.get(0))?;
    if version > VERSION {
        return Err(Error::new(
            Code::NewerCasebook,
            format!(
                "this casebook was written by a newer version of Precedent (schema {version}, \
                 this version supports {VERSION})"
            ),
        )
        .with_hint("Install the newer version, or open another casebook.")
        .with_command(None, "--casebook DIR"));
    }
    if application != APPLICATION_ID && (version > 0 || application != 0) {
        return Err(Error::new(Code::Corrupt, format!("{} is not a casebook", path.display()))
            .with_hint("Choose another folder.")
            .with_command(None, "--casebook DIR"));
    }
    if version == VERSION {
        return Ok(());
    }
    let copy = |version| path.with_extension(format!("before-{version}.db"));
    if version > 0 {
        keep_copy(connection, &copy(VERSION))
            .map_err(|e| e.context("keeping a copy before the upgrade"))?;
    }
    create(connection)?;
    // Copies from earlier upgrades waste space, but one that stays is harmless.
    (1..VERSION).for_each(|earlier_version| drop(fs::remove_file(copy(earlier_version))));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))
            .map_err(|e| Error::io(path, e))?;
    }
    Ok(())
}

/// Copies the database to a file that only this user can read. Replaces the copy of an interrupted
/// upgrade, which has the same state or is incomplete.
fn keep_copy(connection: &Connection, copy: &Path) -> Result<()> {
    let partial_copy = copy.with_extension("part");
    for leftover in [&partial_copy, copy] {
        match fs::remove_file(leftover) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(leftover, e));
            }
            _ => {}
        }
    }
    super::file::create_private(&partial_copy)?;
    connection.execute("VACUUM INTO ?1", [super::file::path_value(&partial_copy)])?;
    fs::rename(&partial_copy, copy).map_err(|e| Error::io(copy, e))
}

/// Marks a database as a casebook and upgrades it to this version's schema.
pub(super) fn create(connection: &mut Connection) -> Result<()> {
    // Set first: without it, the tables of a killed process would look like another program's.
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    upgrade(connection)
}

/// Runs the pending migrations of a database without keeping a copy.
pub(super) fn upgrade(connection: &mut Connection) -> Result<()> {
    migrations().to_latest(connection).map_err(migration_error)
}

fn migration_error(error: rusqlite_migration::Error) -> Error {
    match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => Error::from(err),
        error => Error::new(Code::Internal, format!("migrating the casebook: {error}")),
    }
}

pub(super) fn objects_of(version: i64) -> Result<Vec<Object>> {
    let mut connection = Connection::open_in_memory()?;
    let version = usize::try_from(version).unwrap_or_default();
    migrations().to_version(&mut connection, version).map_err(migration_error)?;
    Ok(objects(&connection)?)
}

/// A schema object, such as a table or an index: its kind, name and SQL.
pub(super) type Object = (String, String, Option<String>);

pub(super) fn objects(connection: &Connection) -> rusqlite::Result<Vec<Object>> {
    let mut statement =
        connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")?;
    let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_valid_and_complete() {
        migrations().validate().unwrap();
        let mut connection = Connection::open_in_memory().unwrap();
        migrations().to_latest(&mut connection).unwrap();
        let version: i64 = connection.query_row("PRAGMA user_version", [], |r| r.get(0)).unwrap();
        assert_eq!(version, VERSION);
    }

    #[test]
    fn older_casebook_is_migrated_after_a_copy() {
        let schema = |path: &Path| -> Vec<String> {
            let connection = Connection::open(path).unwrap();
            let mut statement = connection
                .prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql")
                .unwrap();
            let rows = statement.query_map([], |r| r.get(0)).unwrap();
            rows.collect::<rusqlite::Result<_>>().unwrap()
        };
        let folder = tempfile::tempdir().unwrap();
        let new_path = folder.path().join("fresh.db");
        drop(super::super::Store::open(&new_path).unwrap());
        for version in 1..SCRIPTS.len() {
            let old_path = folder.path().join(format!("{version}.db"));
            let mut connection = Connection::open(&old_path).unwrap();
            let first_migrations: Vec<M<'_>> =
                SCRIPTS[..version].iter().copied().map(M::up).collect();
            Migrations::new(first_migrations).to_latest(&mut connection).unwrap();
            connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
            connection
                .execute(
                    "INSERT INTO sources (key, kind, added_at) VALUES ('acme/app', 'github', 1)",
                    [],
                )
                .unwrap();
            drop(connection);
            let earlier_copy = old_path.with_extension("before-1.db");
            fs::write(&earlier_copy, "the copy of an earlier upgrade").unwrap();
            let store = super::super::Store::open(&old_path).unwrap();
            assert_eq!(store.read(|r| r.sources()).unwrap().len(), 1);
            assert!(!earlier_copy.exists(), "only the copy before the last upgrade is kept");
            assert_eq!(schema(&old_path), schema(&new_path));
            assert!(old_path.with_extension(format!("before-{VERSION}.db")).exists());
        }
    }

    #[test]
    fn newer_casebook_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("precedent.db");
        drop(super::super::Store::open(&path).unwrap());
        Connection::open(&path).unwrap().pragma_update(None, "user_version", VERSION + 1).unwrap();
        let error = super::super::Store::open(&path).unwrap_err();
        assert_eq!(error.code(), Code::NewerCasebook);
        // The same in a folder that cannot be written.
        let lock = folder.path().join("precedent.db.lock");
        fs::remove_file(&lock).unwrap();
        fs::create_dir(&lock).unwrap();
        let error = super::super::Store::open(&path).unwrap_err();
        assert_eq!(error.code(), Code::NewerCasebook);
    }

    #[test]
    fn another_programs_database_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("precedent.db");
        Connection::open(&path).unwrap().pragma_update(None, "application_id", 77).unwrap();
        assert_eq!(super::super::Store::open(&path).unwrap_err().code(), Code::Corrupt);
        fs::write(&path, "not a database, but long enough to be read as a database header")
            .unwrap();
        assert_eq!(super::super::Store::open(&path).unwrap_err().code(), Code::Corrupt);
    }
}
