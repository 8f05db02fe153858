//! The health check of a casebook: finds problems, suggests remedies, and repairs some of them.
//! Mirrored data and verdicts are never lost: a copy is kept before a row is removed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use precedent_core::{
    error::{Code, Error, Hint, Remedy, Result},
    model::{Finding, Health, IndexReport, Severity},
    task::Task,
};
use precedent_index::{
    embed::{Engine, Fault},
    fulltext::FullText,
    update::{DerivedData, Effort, IndexedPart, remove_text},
    vectors::{self, Vectors},
};
use precedent_store as store;
use precedent_store::Store;
use precedent_trackers::sync;

/// The paths of a casebook's parts, and the options of its check.
#[derive(Debug)]
pub struct HealthCheck<'a> {
    /// The casebook folder.
    pub folder: &'a Path,
    /// The database file.
    pub database: &'a Path,
    /// The folder of the full-text index.
    pub full_text: &'a Path,
    /// The folder of the vectors.
    pub vectors: &'a Path,
    /// The embedding engine.
    pub engine: &'a Engine,
    /// The vector files of installed models, which are not reported.
    pub model_vectors: &'a [PathBuf],
    /// The number of embedding threads.
    pub workers: usize,
    /// The minimum free space on the disk, in bytes.
    pub min_free_bytes: u64,
    /// True to repair problems.
    pub repair: bool,
    /// The findings so far.
    pub findings: Vec<Finding>,
}

/// Returns whether a database lost all its data. A database that never had any has no indexes.
pub(crate) fn has_lost_data(database: &Path, full_text: &Path) -> bool {
    store::is_empty_database(database) && full_text.is_dir()
}

/// Checks that a casebook folder contains a database. If the folder cannot be read, this is
/// [`Code::Io`].
pub(crate) fn require_database(folder: &Path, database: &Path, full_text: &Path) -> Result<()> {
    match fs::metadata(database) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        // A file that cannot be read may still exist.
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => Err(Error::io(folder, e)),
        _ if !store::safety_copies(database).is_empty() || full_text.is_dir() => {
            Err(Error::not_found(format!(
                "{} is missing, although its other files exist",
                database.display()
            ))
            .with_hint(restore_hint(database)))
        }
        _ => Err(Error::not_found(format!("no casebook found in {}", folder.display()))
            .with_hint("Choose another folder, or create a casebook.")
            .with_command(Remedy::Add, CREATE_COMMANDS)),
    }
}

const CREATE_COMMANDS: &str =
    "precedent import sample, precedent import FILE or precedent source add github:owner/name";

/// Returns the hint for a database that cannot be repaired.
pub(crate) fn restore_hint(database: &Path) -> Hint {
    let copy = store::safety_copies(database)
        .pop()
        .map_or_else(String::new, |p| format!("{} is a copy. ", p.display()));
    Hint::from(format!(
        "{copy}Without a backup, move {name} and its -wal and -shm files away, add the sources again and sync. \
         With one, restore it.",
        name = database.display()
    ))
    .with_command(None, "precedent restore FILE")
}

impl HealthCheck<'_> {
    /// Checks everything, and repairs problems if requested.
    pub fn run(mut self, task: &Task) -> Result<Health> {
        require_database(self.folder, self.database, self.full_text)?;
        let mut health =
            Health { casebook: self.folder.display().to_string(), ..Health::default() };
        let mut record = |part: &str| health.checked.push(part.to_owned());
        record("permissions");
        self.check_permissions();
        record("disk");
        self.findings.extend(self.check_disk());
        record("model");
        self.findings.extend(self.check_model());
        record("database");
        let is_usable = self.check_database()?;
        self.report_copies();
        task.check()?;
        if is_usable {
            let store = Store::open(self.database)?;
            record("rows");
            let is_readable = self.check_rows(&store)?;
            self.check_orphans(&store)?;
            self.check_addresses(&store)?;
            // Indexes cannot be compared with rows that cannot be read.
            if is_readable {
                record("full_text");
                let fulltext = self.check_full_text()?;
                let indexes = DerivedData {
                    store: &store,
                    fulltext: &fulltext,
                    folder: self.folder,
                    parts: IndexedPart::All,
                };
                self.check_text_coverage(&indexes, task)?;
                record("vectors");
                self.check_vectors(&indexes, task)?;
            }
        }
        self.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        Ok(Health { findings: self.findings, ..health })
    }

    #[cfg(unix)]
    fn check_permissions(&mut self) {
        use std::os::unix::fs::PermissionsExt as _;
        let mut private_paths =
            vec![(self.folder.to_owned(), 0o700), (self.database.to_owned(), 0o600)];
        for extension in ["db-wal", "db-shm"] {
            private_paths.push((self.database.with_extension(extension), 0o600));
        }
        private_paths.extend(store::safety_copies(self.database).into_iter().map(|p| (p, 0o600)));
        for (path, required_mode) in private_paths {
            let Ok(metadata) = fs::metadata(&path) else { continue };
            let mode = metadata.permissions().mode() & 0o777;
            let (problem, reason) = if mode & 0o077 != 0 {
                (
                    "is accessible to other users of this machine",
                    "They can read reports and private notes.",
                )
            } else if mode & required_mode != required_mode {
                ("is not readable and writable by you", "Mirroring, notes and search do not work.")
            } else {
                continue;
            };
            let is_repaired = self.repair
                && fs::set_permissions(&path, fs::Permissions::from_mode(required_mode)).is_ok();
            let text = format!("{} {problem} (mode {mode:04o})", path.display());
            let finding = self.repairable("permissions", Severity::Warning, text, reason);
            self.findings.push(Finding { repaired: is_repaired, ..finding });
        }
    }

    #[cfg(not(unix))]
    fn check_permissions(&mut self) {}

    fn check_disk(&self) -> Option<Finding> {
        let free = fs4::available_space(self.folder).ok()?;
        (free < self.min_free_bytes).then(|| {
            report(
                "disk_space",
                Severity::Warning,
                format!("{} MB are free on the casebook's disk", free / 1_000_000),
                "A sync or an index update stops when the disk is full; saved data is kept.",
                Hint::from("Free some space, or move the casebook folder and open it there.")
                    .with_command(None, "--casebook DIR"),
            )
        })
    }

    fn check_model(&self) -> Option<Finding> {
        let (fault, error) = self.engine.examine().err()?;
        let id = match fault {
            Fault::RuntimeMissing => "runtime_missing",
            Fault::RuntimeUnusable => "runtime_unusable",
            Fault::ModelMissing => "model_missing",
            Fault::ModelDamaged => "model_damaged",
        };
        Some(report(
            id,
            Severity::Warning,
            error.to_string(),
            "Reports that use different words for the same problem are not found.",
            error.hint().unwrap_or("Reinstall Precedent.".into()),
        ))
    }

    /// Checks the database; returns whether it can be used.
    fn check_database(&mut self) -> Result<bool> {
        const WHY: &str = "It is the only copy of the mirrored data and your decisions.";
        let path = self.database.display();
        let mut fail = |id: &str, text: String, reason: &str, hint: Hint| {
            self.findings.push(report(id, Severity::Error, text, reason, hint));
            Ok(false)
        };
        let inspection = match store::inspect(self.database) {
            Ok(inspection) => inspection,
            Err(error) if error.code() == Code::Corrupt => {
                let text = "the database is damaged: it is not a SQLite database".to_owned();
                return fail("database_damaged", text, WHY, restore_hint(self.database));
            }
            Err(error) => {
                let hint = error.hint().unwrap_or("Check the permissions.".into());
                return fail("database_unreadable", error.to_string(), WHY, hint);
            }
        };
        let schema = inspection.schema;
        if inspection.is_newer {
            return fail(
                "newer_version",
                format!("a newer version of Precedent wrote this casebook (schema {schema})"),
                "This version cannot read it and does not change it.",
                Hint::from("Install the newer version, or open another casebook.")
                    .with_command(None, "--casebook DIR"),
            );
        }
        if has_lost_data(self.database, self.full_text) {
            let text = format!("{path} is empty: all its data is lost");
            return fail("database_emptied", text, WHY, restore_hint(self.database));
        }
        if !inspection.is_casebook {
            return fail(
                "not_a_casebook",
                format!("{path} is another program's database"),
                "It contains no Precedent data, and Precedent does not change it.",
                Hint::from("Choose another folder.").with_command(None, "--casebook DIR"),
            );
        }
        let mut damage = inspection.damage;
        if !damage.is_empty() {
            let damage_text = damage.join("; ").replace('\n', " ");
            if self.repair {
                damage = store::reindex(self.database)?;
            }
            let is_repaired = damage.is_empty();
            let mut hint = restore_hint(self.database);
            if !self.repair {
                hint = repair_hint().prepend(format!(
                    "A repair keeps a copy, then rebuilds the database indexes. If that is not enough: {}",
                    hint.text
                ));
            }
            self.findings.push(Finding {
                repairable: true,
                repaired: is_repaired,
                ..report(
                    "database_damaged",
                    Severity::Error,
                    format!("the database is damaged: {damage_text}"),
                    WHY,
                    hint,
                )
            });
            if !is_repaired {
                return Ok(false);
            }
        }
        if inspection.is_older && !self.repair {
            self.findings.push(Finding {
                repairable: true,
                ..report(
                    "older_version",
                    Severity::Notice,
                    format!("an older version of Precedent wrote this casebook (schema {schema})"),
                    "The next command upgrades it and keeps a copy next to it. Its rows and indexes are checked after that.",
                    repair_hint(),
                )
            });
            return Ok(false);
        }
        Ok(true)
    }

    fn report_copies(&mut self) {
        for path in store::safety_copies(self.database) {
            self.findings.push(report(
                "kept_copy",
                Severity::Notice,
                format!("{} is a copy of earlier data ({} kB)", path.display(), kilobytes(&path)),
                "It takes up space, but can be restored.",
                "Delete it when you no longer need it.",
            ));
        }
    }

    /// Checks for invalid values; returns whether all rows can be read now.
    fn check_rows(&mut self, store: &Store) -> Result<bool> {
        let faults = store.read(|r| r.faults())?;
        if faults.count == 0 {
            return Ok(true);
        }
        if self.repair {
            store.keep_copy(store::BEFORE_REPAIR)?;
            store.write(|w| w.repair_rows())?;
        }
        self.findings.push(self.repairable(
            "unreadable_rows",
            Severity::Error,
            format!("some rows contain unreadable values. {}", faults.sentences().join(" ")),
            "Any one of them can make every search fail.",
        ));
        Ok(self.repair)
    }

    fn check_orphans(&mut self, store: &Store) -> Result<()> {
        let (orphan_counts, unreadable_count) = store.read(|r| r.orphans())?;
        if !orphan_counts.is_empty() {
            if self.repair {
                store.keep_copy(store::BEFORE_REPAIR)?;
                store.write(|w| w.remove_orphans())?;
            }
            let tables: Vec<String> =
                orphan_counts.iter().map(|(t, n)| format!("{n} in {t}")).collect();
            self.findings.push(self.repairable(
                "orphan_rows",
                Severity::Warning,
                format!("some rows belong to deleted data: {}", tables.join(", ")),
                "They are unreachable, take up space and make counts wrong.",
            ));
        }
        if unreadable_count > 0 {
            self.findings.push(report(
                "raw_unreadable",
                Severity::Warning,
                format!("{unreadable_count} original tracker records cannot be unpacked"),
                "Search is not affected, but a later version can extract more from these records only after a sync.",
                Hint::from("Sync the source again.")
                    .with_command(Remedy::Sources, "precedent sync --full"),
            ));
        }
        Ok(())
    }

    /// Opens the full-text index and checks its files. Returns an empty index if it is damaged and
    /// not repaired.
    fn check_full_text(&mut self) -> Result<FullText> {
        let damage = match FullText::open(self.full_text) {
            Ok(fulltext) => match fulltext.damaged_files() {
                Ok(files) if files.is_empty() => return Ok(fulltext),
                Ok(files) => files.join(", "),
                Err(error) => error.to_string(),
            },
            Err(error) if FullText::is_damage(&error) => error.to_string(),
            Err(error) => return Err(error),
        }
        .replace('\n', " ");
        let fulltext = if self.repair {
            remove_text(self.folder, self.full_text)?;
            FullText::open(self.full_text)?
        } else {
            FullText::in_memory()?
        };
        self.findings.push(self.repairable(
            "full_text_damaged",
            Severity::Warning,
            format!("keyword index files are damaged: {damage}"),
            "Keyword search fails or misses documents. The index can be rebuilt from the database.",
        ));
        Ok(fulltext)
    }

    fn check_text_coverage(&mut self, indexes: &DerivedData<'_>, task: &Task) -> Result<()> {
        let is_damaged = self.findings.iter().any(|f| f.id == "full_text_damaged");
        if is_damaged && !self.repair {
            return Ok(());
        }
        let is_stale = indexes.is_text_stale()?;
        let ids: Vec<i64> =
            indexes.store.read(|r| r.live_documents())?.into_iter().map(|(id, _)| id).collect();
        let index_ids = indexes.fulltext.ids()?;
        let missing_count = ids.iter().filter(|id| index_ids.binary_search(id).is_err()).count();
        let extra_count = index_ids.iter().filter(|id| ids.binary_search(id).is_err()).count();
        if !is_stale && missing_count == 0 && extra_count == 0 {
            return Ok(());
        }
        if self.repair {
            // An index that wrongly claims to be up to date must be rebuilt.
            if !is_stale {
                indexes.reset_text()?;
            }
            indexes.update_text(Effort::Full, task, &mut IndexReport::default())?;
        }
        if is_damaged {
            return Ok(());
        }
        let (id, problem, hint) = if is_stale {
            ("full_text_stale", "the keyword index is behind the database", index_hint())
        } else {
            ("full_text_drift", "the keyword index differs from the database", repair_hint())
        };
        self.findings.push(Finding {
            hint,
            ..self.repairable(
                id,
                Severity::Warning,
                format!("{problem} (missing documents: {missing_count}, left over: {extra_count})"),
                "Keyword search misses documents or shows deleted ones.",
            )
        });
        Ok(())
    }

    fn check_vectors(&mut self, indexes: &DerivedData<'_>, task: &Task) -> Result<()> {
        // Without a usable model, which the findings already report, the vectors cannot be checked.
        let Ok(info) = self.engine.info() else { return Ok(()) };
        let active_file = vectors::path(self.vectors, &info);
        self.report_other_models(&active_file);
        if active_file.is_file()
            && let Some(damage) = vectors::integrity_errors(&active_file)
        {
            if self.repair {
                vectors::remove(self.folder, &active_file)?;
            }
            self.findings.push(self.repairable(
                    "vectors_damaged",
                    Severity::Warning,
                    format!("the vector file is damaged: {}", damage.replace('\n', " ")),
                    "Semantic search fails or misses passages. Its index can be rebuilt from the database.",
));
            if !self.repair {
                return Ok(());
            }
        }
        let vectors = Vectors::open(self.vectors, &info)?;
        let missing_count = missing_vectors(indexes, &vectors)?;
        if missing_count == 0 {
            return Ok(());
        }
        let extent = vectors.extent()?;
        let is_interrupted = vectors.count_missing_vectors()? == 0
            && (extent.embedded_chunks < extent.chunks || indexes.count_unplanned(&vectors)? > 0);
        let mut is_repaired = false;
        if self.repair {
            vectors.schedule_replanning()?;
            match indexes.update_vectors(
                &vectors,
                self.engine,
                self.workers,
                None,
                task,
                &mut IndexReport::default(),
            ) {
                Ok(_) => is_repaired = missing_vectors(indexes, &vectors)? == 0,
                // The findings already report the cause.
                Err(error) if error.code() == Code::ModelUnavailable => {}
                Err(error) => return Err(error),
            }
        }
        // An interrupted update can be continued; lost vectors need a repair.
        let hint = if is_interrupted { index_hint() } else { repair_hint() };
        self.findings.push(Finding {
            repaired: is_repaired,
            hint,
            ..self.repairable(
                "vectors_missing",
                Severity::Warning,
                format!("passages without a current vector: at least {missing_count}"),
                "Semantic search does not find them.",
            )
        });
        Ok(())
    }

    /// Reports live sources that cannot be synced because their address is invalid.
    fn check_addresses(&mut self, store: &Store) -> Result<()> {
        let remotes = store.read(|r| {
            let sources = r.sources()?.into_iter();
            let remotes =
                sources.map(|source| Ok(r.remote(source.id)?.map(|remote| (source, remote))));
            remotes.collect::<Result<Vec<_>>>()
        })?;
        for (source, remote) in remotes.into_iter().flatten() {
            let Err(error) = sync::remote_address(&source, &remote) else { continue };
            self.findings.push(report(
                "address_damaged",
                Severity::Warning,
                format!("{} cannot be synced: {error}", source.key),
                "It gets no updates. Existing data stays searchable, and other sources are synced.",
                Hint::from("Your decisions are kept. Remove it, then add it again.").with_command(
                    Remedy::Sources,
                    format!("precedent source remove {}", source.key),
                ),
            ));
        }
        Ok(())
    }

    /// Creates a finding that a repair resolves.
    fn repairable(&self, id: &str, severity: Severity, text: String, reason: &str) -> Finding {
        let finding = report(id, severity, text, reason, repair_hint());
        Finding { repairable: true, repaired: self.repair, ..finding }
    }

    /// Reports vector files of other models. They are kept, because they may have taken hours.
    fn report_other_models(&mut self, active_file: &Path) {
        let Ok(entries) = fs::read_dir(self.vectors) else { return };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
        paths.retain(|p| {
            p.extension().is_some_and(|e| e == "db")
                && p != active_file
                && !self.model_vectors.contains(p)
        });
        paths.sort();
        for path in paths {
            let (name, size) = (path.display(), kilobytes(&path));
            self.findings.push(report(
                "vectors_of_another_model",
                Severity::Notice,
                format!("{name} holds vectors of another model ({size} kB)"),
                "They are not used with the current model and take up space.",
                "Delete the file if you won't switch back to that model.",
            ));
        }
    }
}

/// Returns a lower bound on the number of passages without a vector.
fn missing_vectors(indexes: &DerivedData<'_>, vectors: &Vectors) -> Result<u64> {
    let documents = indexes.store.read(|r| r.live_documents())?;
    let extent = vectors.extent()?;
    let planned_ids = vectors.documents()?;
    // A document with a title has at least one passage.
    let unplanned_count = documents
        .iter()
        .filter(|(id, has_title)| *has_title && planned_ids.binary_search(id).is_err())
        .count();
    let count = (extent.chunks - extent.embedded_chunks)
        + vectors.count_missing_vectors()?
        + unplanned_count as u64;
    Ok(count.max(indexes.count_unplanned(vectors)?))
}

fn repair_hint() -> Hint {
    Hint::from("Repair the casebook.").with_command(Remedy::Repair, "precedent doctor --repair")
}

fn index_hint() -> Hint {
    Hint::from("Update the search index.").with_command(Remedy::Rebuild, "precedent index")
}

/// Creates a finding that a person must resolve.
fn report(
    id: &str,
    severity: Severity,
    text: String,
    reason: &str,
    hint: impl Into<Hint>,
) -> Finding {
    Finding {
        id: id.to_owned(),
        severity,
        what: text,
        why: reason.to_owned(),
        hint: hint.into(),
        repairable: false,
        repaired: false,
    }
}

fn kilobytes(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |metadata| metadata.len()).div_ceil(1000)
}
