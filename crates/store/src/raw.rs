//! Raw records, compressed with a dictionary trained on the first records of their kind.

use std::{collections::HashMap, sync::Arc};

use rusqlite::{Connection, params};
use zstd::{
    bulk::{Compressor, Decompressor},
    dict::{DecoderDictionary, EncoderDictionary},
    zstd_safe::get_frame_content_size,
};

use super::{Reader, Writer, invalid_value};
use precedent_core::{
    error::{Code, Error, Result},
    model::Raw,
    task::Task,
};

/// The zstd level; a low one suffices because the dictionary does most of the work.
const LEVEL: i32 = 3;
/// The size of a dictionary in bytes (zstd's default is 112,640, but records are small).
const DICTIONARY_BYTES: usize = 65_536;
/// The minimum number of samples for training a dictionary.
const MIN_SAMPLES: usize = 200;
/// The maximum size of an unpacked record, in bytes.
const MAX_UNPACKED: usize = 256 * 1024 * 1024;
/// The maximum ratio of unpacked to packed size, applied above [`RATIO_FREE_BYTES`].
const MAX_RATIO: u64 = 200;
/// The total unpacked size in bytes up to which [`MAX_RATIO`] is not applied.
const RATIO_FREE_BYTES: u64 = 64 * 1024 * 1024;
/// The number of records that are recompressed per read of the table.
const BATCH: usize = 256;
/// The maximum number of records that a new dictionary is trained on.
const SAMPLE_SIZE: usize = 2_000;

/// The kind of records that share a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawKind {
    /// Items and pages.
    Document,
    /// Comments.
    Comment,
}

impl RawKind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Comment => "comment",
        }
    }
}

/// A compressor for records of one kind; cheap to clone, usable from several threads.
#[derive(Clone)]
pub struct RawPacker {
    dictionary: Option<(i64, Arc<EncoderDictionary<'static>>)>,
}

impl RawPacker {
    /// Returns whether the casebook has a dictionary for this kind.
    pub fn has_dictionary(&self) -> bool {
        self.dictionary.is_some()
    }

    /// Returns a worker that compresses many records on one thread. Creating one costs more than
    /// compressing a record.
    pub fn worker(&self) -> Result<RawWorker<'_>> {
        let compressor = match &self.dictionary {
            None => Compressor::new(LEVEL),
            Some((_, dictionary)) => Compressor::with_prepared_dictionary(dictionary),
        };
        let compressor = compressor.map_err(|e| zstd_error(&e))?;
        Ok(RawWorker { dictionary: self.dictionary.as_ref().map(|d| d.0), compressor })
    }
}

/// A compressor for records of one kind on one thread.
pub struct RawWorker<'a> {
    dictionary: Option<i64>,
    compressor: Compressor<'a>,
}

impl RawWorker<'_> {
    /// Compresses a record.
    pub fn pack(&mut self, raw: &Raw) -> Result<PackedRaw> {
        let data = self.compressor.compress(&raw.bytes).map_err(|e| zstd_error(&e))?;
        Ok(PackedRaw { dictionary: self.dictionary, data })
    }
}

fn zstd_error(error: &std::io::Error) -> Error {
    Error::new(Code::Internal, format!("compressing a record: {error}"))
}

/// A compressed record.
#[derive(Debug)]
pub struct PackedRaw {
    pub(super) dictionary: Option<i64>,
    pub(super) data: Vec<u8>,
}

impl Reader<'_> {
    /// Returns a packer for a kind, with its dictionary if there is one yet.
    pub fn raw_packer(&self, kind: RawKind) -> Result<RawPacker> {
        let row: Option<(i64, Vec<u8>)> = self.query_optional(
            "SELECT id, data FROM raw_dictionaries WHERE kind = ?1",
            [kind.as_str()],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )?;
        Ok(RawPacker {
            dictionary: row.map(|(id, data)| (id, Arc::new(EncoderDictionary::copy(&data, LEVEL)))),
        })
    }

    /// Returns the raw record of a document.
    pub fn document_raw(&self, document: i64) -> Result<Option<Vec<u8>>> {
        self.unpack_raw(RawKind::Document, document)
    }

    fn unpack_raw(&self, kind: RawKind, id: i64) -> Result<Option<Vec<u8>>> {
        let name = kind.as_str();
        let row: Option<(Vec<u8>, Option<Vec<u8>>)> = self.query_optional(
            &format!(
                "SELECT r.data, d.data FROM {name}_raw r
                 LEFT JOIN raw_dictionaries d ON d.id = r.dictionary_id WHERE r.{name}_id = ?1"
            ),
            [id],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )?;
        let Some((data, dictionary)) = row else { return Ok(None) };
        let mut decompressor = Decompressor::with_dictionary(&dictionary.unwrap_or_default())
            .map_err(|e| Error::new(Code::Internal, format!("unpacking a record: {e}")))?;
        let size = declared_size(&data).unwrap_or(MAX_UNPACKED).min(MAX_UNPACKED);
        decompressor.decompress(&data, size).map(Some).map_err(|_| invalid_value("a raw record"))
    }

    /// Returns the number of removals since the last purge.
    pub(super) fn residue(&self) -> Result<i64> {
        self.query_value("SELECT residue FROM casebook", [])
    }
}

impl Writer<'_> {
    /// Stores the raw record of a document or comment, replacing an earlier one.
    pub(super) fn put_raw(&self, kind: RawKind, id: i64, raw: &PackedRaw) -> Result<()> {
        let kind = kind.as_str();
        self.change(
            &format!(
                "INSERT INTO {kind}_raw ({kind}_id, dictionary_id, data) VALUES (?1, ?2, ?3)
                 ON CONFLICT ({kind}_id) DO UPDATE SET dictionary_id = excluded.dictionary_id,
                 data = excluded.data"
            ),
            params![id, raw.dictionary, raw.data],
        )
    }

    /// Trains and stores a dictionary from the first records of a kind, unless there is one.
    pub fn train_dictionary<'r>(
        &self,
        kind: RawKind,
        samples: impl Iterator<Item = &'r Raw>,
    ) -> Result<()> {
        let has_dictionary: bool = self.query_value(
            "SELECT EXISTS (SELECT 1 FROM raw_dictionaries WHERE kind = ?1)",
            [kind.as_str()],
        )?;
        if has_dictionary {
            return Ok(());
        }
        let samples: Vec<&[u8]> = samples.map(|r| r.bytes.as_slice()).collect();
        if samples.len() < MIN_SAMPLES {
            return Ok(());
        }
        // Training fails if the samples are too similar; records are then packed without one.
        let Ok(data) = zstd::dict::from_samples(&samples, DICTIONARY_BYTES) else { return Ok(()) };
        // Use a new id, because another process may still use an old dictionary.
        self.change(
            "INSERT INTO raw_dictionaries (id, kind, data)
             VALUES (abs(random() % 1099511627776) + 1, ?1, ?2)",
            params![kind.as_str(), data],
        )
    }

    /// Trains new dictionaries on the current records, and recompresses all records with them.
    pub fn renew_dictionaries(&self, task: &Task) -> Result<()> {
        for kind in [RawKind::Document, RawKind::Comment] {
            let name = kind.as_str();
            let old_kind = format!("{name} before");
            let count = self.execute(
                "UPDATE raw_dictionaries SET kind = ?2 WHERE kind = ?1",
                params![name, old_kind],
            )?;
            if count == 0 {
                continue;
            }
            let query = format!("SELECT {name}_id FROM {name}_raw ORDER BY 1");
            let ids: Vec<i64> = self.query_column(&query, [])?;
            let mut samples = Vec::new();
            for id in ids.iter().step_by(ids.len().div_ceil(SAMPLE_SIZE).max(1)) {
                task.check()?;
                samples.extend(self.unpack_raw(kind, *id).ok().flatten().map(Raw::new));
            }
            self.train_dictionary(kind, samples.iter())?;
            let packer = self.raw_packer(kind)?;
            let packer = Some(&packer);
            let options = Repack { packer, max_unpacked: MAX_UNPACKED, is_foreign: false };
            repack(self.transaction, kind, &options, task)?;
            self.execute("DELETE FROM raw_dictionaries WHERE kind = ?1", [old_kind])?;
        }
        Ok(())
    }

    /// Recompresses a record if its dictionary was removed; `None` if it is still present.
    pub fn repack(
        &self,
        kind: RawKind,
        current: &PackedRaw,
        raw: &Raw,
    ) -> Result<Option<PackedRaw>> {
        let Some(dictionary) = current.dictionary else { return Ok(None) };
        let has_dictionary: bool = self.query_value(
            "SELECT EXISTS (SELECT 1 FROM raw_dictionaries WHERE id = ?1)",
            [dictionary],
        )?;
        if has_dictionary { Ok(None) } else { self.raw_packer(kind)?.worker()?.pack(raw).map(Some) }
    }

    /// Records that dictionaries and free pages may contain words of removed data.
    pub(super) fn record_residue(&self) -> Result<()> {
        self.change("UPDATE casebook SET residue = residue + 1", [])
    }

    /// Resets the number of removals unless it changed since it was read.
    pub(super) fn clear_residue(&self, residue: i64) -> Result<()> {
        self.change("UPDATE casebook SET residue = 0 WHERE residue = ?1", [residue])
    }
}

/// Returns the unpacked size that a compressed record declares, in bytes.
fn declared_size(data: &[u8]) -> Option<usize> {
    usize::try_from(get_frame_content_size(data).ok()??).ok()
}

pub(super) struct Repack<'a> {
    /// The packer; without one, readable records stay unchanged.
    pub(super) packer: Option<&'a RawPacker>,
    /// The maximum size of an unpacked record, in bytes.
    pub(super) max_unpacked: usize,
    /// True if the records come from another casebook, so that their total size is limited.
    pub(super) is_foreign: bool,
}

/// Recompresses all records of a kind. Removes records that cannot be unpacked, and returns their
/// number.
pub(super) fn repack(
    c: &Connection,
    kind: RawKind,
    options: &Repack<'_>,
    task: &Task,
) -> Result<u64> {
    let name = kind.as_str();
    let mut packer = options.packer.map(RawPacker::worker).transpose()?;
    let mut dictionaries: HashMap<Option<i64>, DecoderDictionary<'static>> = HashMap::new();
    dictionaries.insert(None, DecoderDictionary::copy(&[]));
    let mut statement = c.prepare("SELECT id, data FROM main.raw_dictionaries")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        dictionaries.insert(Some(row.get(0)?), DecoderDictionary::copy(&row.get::<_, Vec<u8>>(1)?));
    }
    // Declared sizes are checked first, so that no decompression bomb is unpacked.
    let (mut packed_bytes, mut unpacked_bytes) = (0_u64, 0_u64);
    let mut select = c.prepare(&format!(
        "SELECT {name}_id, dictionary_id, data FROM main.{name}_raw WHERE {name}_id > ?1
         ORDER BY 1 LIMIT {BATCH}"
    ))?;
    let mut write = c.prepare(&format!(
        "UPDATE main.{name}_raw SET dictionary_id = ?2, data = ?3 WHERE {name}_id = ?1"
    ))?;
    let mut remove = c.prepare(&format!("DELETE FROM main.{name}_raw WHERE {name}_id = ?1"))?;
    let (mut last_id, mut removed_count) = (i64::MIN, 0);
    // Records packed for this casebook refer to a dictionary that the copy lacks.
    c.pragma_update(None, "defer_foreign_keys", true)?;
    loop {
        let rows = select.query_map([last_id], |r| {
            Ok((r.get(0)?, r.get(1)?, r.get_ref(2)?.as_blob()?.to_vec()))
        })?;
        let rows: Vec<(i64, Option<i64>, Vec<u8>)> = rows.collect::<rusqlite::Result<_>>()?;
        let Some((end, ..)) = rows.last() else { return Ok(removed_count) };
        last_id = *end;
        for (id, dictionary, data) in &rows {
            task.check()?;
            let size = declared_size(data).filter(|size| *size <= options.max_unpacked);
            packed_bytes += data.len() as u64;
            unpacked_bytes += size.unwrap_or(0) as u64;
            if options.is_foreign
                && unpacked_bytes > RATIO_FREE_BYTES.max(packed_bytes.saturating_mul(MAX_RATIO))
            {
                return Err(Error::invalid(format!(
                    "the records in the file would unpack to more than {MAX_RATIO} times their size"
                ))
                .with_hint("Get the file again; nothing was imported."));
            }
            let bytes = size.and_then(|size| {
                let mut unpacker =
                    Decompressor::with_prepared_dictionary(dictionaries.get(dictionary)?).ok()?;
                unpacker.decompress(data, size).ok()
            });
            match (bytes, &mut packer) {
                (None, _) => removed_count += remove.execute([id])? as u64,
                (Some(_), None) => {}
                (Some(bytes), Some(packer)) => {
                    let payload = packer.pack(&Raw { bytes, ..Raw::default() })?;
                    write.execute(params![id, payload.dictionary, payload.data])?;
                }
            }
        }
    }
}
