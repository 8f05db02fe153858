//! Migrations: append-only, numbered, with a copy kept before one runs on a casebook that holds something.

use std::{fs, path::Path};

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

use crate::error::{Code, Error, Result};

/// Every migration there ever was, in order. A file that has been released is never changed.
const SCRIPTS: &[&str] = &[
    include_str!("../../migrations/0001_casebook.sql"),
    include_str!("../../migrations/0002_triage.sql"),
    include_str!("../../migrations/0003_sync.sql"),
    include_str!("../../migrations/0004_notes.sql"),
    include_str!("../../migrations/0005_backlog.sql"),
    include_str!("../../migrations/0006_models.sql"),
];
/// How many migrations this version knows.
#[allow(clippy::cast_possible_wrap, reason = "a handful")]
const KNOWN: i64 = SCRIPTS.len() as i64;

fn migrations() -> Migrations<'static> {
    Migrations::new(SCRIPTS.iter().copied().map(M::up).collect())
}

/// Marks the file as a casebook: "prec" (SQLite's `application_id`).
const APPLICATION_ID: i64 = 0x7072_6563;

pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |r| r.get(0))?;
    let application: i64 = connection.query_row("PRAGMA application_id", [], |r| r.get(0))?;
    if version > KNOWN {
        return Err(Error::new(
            Code::NewerCasebook,
            format!("this casebook was written by a newer version of Precedent (schema {version}, this one knows {KNOWN})"),
        )
        .with_hint("Install the newer version, or open another casebook with --casebook."));
    }
    if application != APPLICATION_ID && (version > 0 || application != 0) {
        return Err(Error::new(Code::Corrupt, format!("{} is not a casebook", path.display()))
            .with_hint("Choose another folder with --casebook."));
    }
    if version == KNOWN {
        return Ok(());
    }
    if version > 0 {
        let copy = path.with_extension(format!("before-{KNOWN}.db"));
        connection
            .execute("VACUUM INTO ?1", [copy.to_string_lossy().as_ref()])
            .map_err(|e| Error::from(e).context("keeping a copy before the upgrade"))?;
    }
    migrations().to_latest(connection).map_err(|e| match e {
        rusqlite_migration::Error::RusqliteError { err, .. } => Error::from(err),
        other => Error::new(Code::Internal, format!("migrating the casebook: {other}")),
    })?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(|e| Error::io(path, e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_valid_and_all_counted() {
        migrations().validate().unwrap();
        let mut connection = Connection::open_in_memory().unwrap();
        migrations().to_latest(&mut connection).unwrap();
        let version: i64 = connection.query_row("PRAGMA user_version", [], |r| r.get(0)).unwrap();
        assert_eq!(version, KNOWN);
    }

    #[test]
    fn an_older_casebook_is_brought_up_to_date_and_a_copy_kept() {
        let schema = |path: &Path| -> Vec<String> {
            let connection = Connection::open(path).unwrap();
            let mut statement = connection
                .prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql")
                .unwrap();
            let rows = statement.query_map([], |r| r.get(0)).unwrap();
            rows.collect::<rusqlite::Result<_>>().unwrap()
        };
        let folder = tempfile::tempdir().unwrap();
        let fresh = folder.path().join("fresh.db");
        drop(super::super::Store::open(&fresh).unwrap());
        for version in 1..SCRIPTS.len() {
            let old = folder.path().join(format!("{version}.db"));
            let mut connection = Connection::open(&old).unwrap();
            let first: Vec<M<'_>> = SCRIPTS[..version].iter().copied().map(M::up).collect();
            Migrations::new(first).to_latest(&mut connection).unwrap();
            connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
            connection
                .execute("INSERT INTO sources (key, kind, added_at) VALUES ('acme/app', 'github', 1)", [])
                .unwrap();
            drop(connection);
            let store = super::super::Store::open(&old).unwrap();
            assert_eq!(store.read(|r| r.sources()).unwrap().len(), 1);
            assert_eq!(schema(&old), schema(&fresh));
            assert!(old.with_extension(format!("before-{KNOWN}.db")).exists());
        }
    }

    #[test]
    fn a_newer_casebook_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("precedent.db");
        drop(super::super::Store::open(&path).unwrap());
        Connection::open(&path).unwrap().pragma_update(None, "user_version", KNOWN + 1).unwrap();
        let error = super::super::Store::open(&path).unwrap_err();
        assert_eq!(error.code(), Code::NewerCasebook);
    }

    #[test]
    fn another_programs_database_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("precedent.db");
        Connection::open(&path).unwrap().pragma_update(None, "application_id", 77).unwrap();
        assert_eq!(super::super::Store::open(&path).unwrap_err().code(), Code::Corrupt);
        fs::write(&path, "this is no database, only words that are long enough to be read as a header")
            .unwrap();
        assert_eq!(super::super::Store::open(&path).unwrap_err().code(), Code::Corrupt);
    }
}
