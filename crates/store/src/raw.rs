//! Raw records, compressed with a dictionary that was trained on the first of their kind.

use std::{collections::HashMap, sync::Arc};

use rusqlite::{Connection, OptionalExtension as _, params};
use zstd::{
    bulk::{Compressor, Decompressor},
    dict::{DecoderDictionary, EncoderDictionary},
    zstd_safe::get_frame_content_size,
};

use super::{Reader, Writer, damaged};
use precedent_core::{
    error::{Code, Error, Result},
    model::Raw,
    task::Task,
};

/// Favours speed: the dictionary does most of the work.
const LEVEL: i32 = 3;
/// Size of a dictionary, in bytes (zstd's own default is 112,640; records are small).
const DICTIONARY_BYTES: usize = 65_536;
/// Fewer samples than this do not make a dictionary.
const MIN_SAMPLES: usize = 200;
/// A record is never larger than this when unpacked.
const MAX_UNPACKED: usize = 256 * 1024 * 1024;
/// Records that unpack to more than this many times what they take up are no tracker's …
const MAX_RATIO: u64 = 200;
/// … unless there are few of them, in bytes.
const RATIO_FROM: u64 = 64 * 1024 * 1024;
/// Records that are packed anew between two reads of the table.
const REPACKED: usize = 256;
/// Records that a new dictionary is trained from.
const SAMPLED: usize = 2_000;

/// Which records a dictionary is for.
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

/// Packs records of one kind; cheap to clone, usable from several threads.
#[derive(Clone)]
pub struct RawPacker {
    dictionary: Option<(i64, Arc<EncoderDictionary<'static>>)>,
}

impl RawPacker {
    /// Whether the casebook has a dictionary for this kind.
    pub fn has_dictionary(&self) -> bool {
        self.dictionary.is_some()
    }

    /// What packs many records on one thread. Making one costs more than packing a record.
    ///
    /// # Errors
    /// [`Code::Internal`] if zstd fails.
    pub fn worker(&self) -> Result<RawWorker<'_>> {
        let compressor = match &self.dictionary {
            None => Compressor::new(LEVEL),
            Some((_, dictionary)) => Compressor::with_prepared_dictionary(dictionary),
        };
        let compressor = compressor.map_err(|e| failed(&e))?;
        Ok(RawWorker { dictionary: self.dictionary.as_ref().map(|d| d.0), compressor })
    }
}

/// Packs records of one kind, one after the other.
pub struct RawWorker<'a> {
    dictionary: Option<i64>,
    compressor: Compressor<'a>,
}

impl RawWorker<'_> {
    /// The record, compressed, with the dictionary's id.
    ///
    /// # Errors
    /// [`Code::Internal`] if zstd fails.
    pub fn pack(&mut self, raw: &Raw) -> Result<Packed> {
        let data = self.compressor.compress(&raw.bytes).map_err(|e| failed(&e))?;
        Ok(Packed { dictionary: self.dictionary, data })
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::new(Code::Internal, format!("compressing a record: {error}"))
}

/// A compressed record.
#[derive(Debug)]
pub struct Packed {
    pub(super) dictionary: Option<i64>,
    pub(super) data: Vec<u8>,
}

impl Reader<'_> {
    /// Packs with the dictionary of this kind, if there is one yet.
    ///
    /// # Errors
    /// Those of the database.
    pub fn raw_packer(&self, kind: RawKind) -> Result<RawPacker> {
        let found: Option<(i64, Vec<u8>)> = self
            .transaction
            .query_row("SELECT id, data FROM raw_dictionaries WHERE kind = ?1", [kind.as_str()], |r| {
                Ok((r.get(0)?, r.get(1)?))
            })
            .optional()?;
        Ok(RawPacker {
            dictionary: found.map(|(id, data)| (id, Arc::new(EncoderDictionary::copy(&data, LEVEL)))),
        })
    }

    /// The record that a document came from.
    ///
    /// # Errors
    /// Those of the database; [`Code::Corrupt`] if it cannot be unpacked.
    pub fn document_raw(&self, document: i64) -> Result<Option<Vec<u8>>> {
        self.unpacked(RawKind::Document, document)
    }

    fn unpacked(&self, kind: RawKind, id: i64) -> Result<Option<Vec<u8>>> {
        let name = kind.as_str();
        let found: Option<(Vec<u8>, Option<Vec<u8>>)> = self
            .transaction
            .prepare_cached(&format!(
                "SELECT r.data, d.data FROM {name}_raw r LEFT JOIN raw_dictionaries d ON d.id = r.dictionary_id
                 WHERE r.{name}_id = ?1"
            ))?
            .query_row([id], |r| Ok((r.get(0)?, r.get(1)?)))
            .optional()?;
        let Some((data, dictionary)) = found else { return Ok(None) };
        let mut unpack = Decompressor::with_dictionary(&dictionary.unwrap_or_default())
            .map_err(|e| Error::new(Code::Internal, format!("unpacking a record: {e}")))?;
        let size = get_frame_content_size(&data).ok().flatten().and_then(|size| usize::try_from(size).ok());
        let size = size.unwrap_or(MAX_UNPACKED).min(MAX_UNPACKED);
        unpack.decompress(&data, size).map(Some).map_err(|_| damaged("a raw record"))
    }

    /// Returns how many removals may have left something behind.
    pub(super) fn residue(&self) -> Result<i64> {
        Ok(self.transaction.query_row("SELECT residue FROM casebook", [], |r| r.get(0))?)
    }
}

impl Writer<'_> {
    /// Keeps the record that a document or comment came from, in place of the one before.
    pub(super) fn keep_raw(&self, kind: RawKind, id: i64, raw: &Packed) -> Result<()> {
        let kind = kind.as_str();
        self.transaction
            .prepare_cached(&format!(
                "INSERT INTO {kind}_raw ({kind}_id, dictionary_id, data) VALUES (?1, ?2, ?3)
                 ON CONFLICT ({kind}_id) DO UPDATE SET dictionary_id = excluded.dictionary_id, data = excluded.data"
            ))?
            .execute(params![id, raw.dictionary, raw.data])?;
        Ok(())
    }

    /// Trains and keeps a dictionary from the first records of a kind, unless there is one.
    ///
    /// # Errors
    /// Those of the database.
    pub fn train_dictionary<'r>(&self, kind: RawKind, samples: impl Iterator<Item = &'r Raw>) -> Result<()> {
        let have: bool = self.transaction.query_row(
            "SELECT EXISTS (SELECT 1 FROM raw_dictionaries WHERE kind = ?1)",
            [kind.as_str()],
            |r| r.get(0),
        )?;
        if have {
            return Ok(());
        }
        let samples: Vec<&[u8]> = samples.map(|r| r.bytes.as_slice()).collect();
        if samples.len() < MIN_SAMPLES {
            return Ok(());
        }
        // Samples that are too alike make training fail; records are then packed without a dictionary.
        if let Ok(data) = zstd::dict::from_samples(&samples, DICTIONARY_BYTES) {
            self.keep_dictionary(kind, &data)?;
        }
        Ok(())
    }

    /// Keeps a dictionary under a number that no other one had: another process may still pack with that one.
    fn keep_dictionary(&self, kind: RawKind, data: &[u8]) -> Result<()> {
        self.transaction.execute(
            "INSERT INTO raw_dictionaries (id, kind, data) VALUES (abs(random() % 1099511627776) + 1, ?1, ?2)",
            params![kind.as_str(), data],
        )?;
        Ok(())
    }

    /// Replaces the dictionaries by such as hold words of what is here alone, and packs all records with them.
    ///
    /// # Errors
    /// Those of the database; [`Code::Cancelled`].
    pub fn renew_dictionaries(&self, task: &Task) -> Result<()> {
        for kind in [RawKind::Document, RawKind::Comment] {
            let name = kind.as_str();
            let before = format!("{name} before");
            let renamed = self
                .transaction
                .execute("UPDATE raw_dictionaries SET kind = ?2 WHERE kind = ?1", params![name, before])?;
            if renamed == 0 {
                continue;
            }
            let mut statement =
                self.transaction.prepare(&format!("SELECT {name}_id FROM {name}_raw ORDER BY 1"))?;
            let ids: Vec<i64> = statement.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
            let mut samples = Vec::new();
            for id in ids.iter().step_by(ids.len().div_ceil(SAMPLED).max(1)) {
                task.check()?;
                // One that cannot be unpacked is no sample.
                samples.extend(self.unpacked(kind, *id).ok().flatten().map(Raw::new));
            }
            self.train_dictionary(kind, samples.iter())?;
            let packer = self.raw_packer(kind)?;
            let how = Repack { packer: Some(&packer), largest: MAX_UNPACKED, foreign: false };
            repack(self.transaction, kind, &how, task)?;
            self.transaction.execute("DELETE FROM raw_dictionaries WHERE kind = ?1", [before])?;
        }
        Ok(())
    }

    /// Returns a record packed anew, if what it was packed with is no longer here.
    ///
    /// # Errors
    /// Those of the database.
    pub fn packed_anew(&self, kind: RawKind, packed: &Packed, raw: &Raw) -> Result<Option<Packed>> {
        let Some(dictionary) = packed.dictionary else { return Ok(None) };
        let here: bool = self
            .transaction
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM raw_dictionaries WHERE id = ?1)")?
            .query_row([dictionary], |r| r.get(0))?;
        if here { Ok(None) } else { self.raw_packer(kind)?.worker()?.pack(raw).map(Some) }
    }

    /// Notes that words of what was removed may be left in dictionaries and free pages.
    pub(super) fn note_residue(&self) -> Result<()> {
        self.transaction.execute("UPDATE casebook SET residue = residue + 1", [])?;
        Ok(())
    }

    /// Notes that nothing is left, unless something was removed since this number was read.
    pub(super) fn clear_residue(&self, seen: i64) -> Result<()> {
        self.transaction.execute("UPDATE casebook SET residue = 0 WHERE residue = ?1", [seen])?;
        Ok(())
    }
}

/// How records that are here are packed anew.
pub(super) struct Repack<'a> {
    /// What packs them; without, they stay as they are if they can be unpacked.
    pub(super) packer: Option<&'a RawPacker>,
    /// The size of the largest record, in bytes.
    pub(super) largest: usize,
    /// Whether they came from elsewhere: then their sizes are bounded all together.
    pub(super) foreign: bool,
}

/// Unpacks all records of a kind and packs them anew. Those that cannot be unpacked are taken out; returns how many.
pub(super) fn repack(c: &Connection, kind: RawKind, how: &Repack<'_>, task: &Task) -> Result<u64> {
    let name = kind.as_str();
    let mut packer = how.packer.map(RawPacker::worker).transpose()?;
    let mut dictionaries: HashMap<Option<i64>, DecoderDictionary<'static>> = HashMap::new();
    dictionaries.insert(None, DecoderDictionary::copy(&[]));
    let mut statement = c.prepare("SELECT id, data FROM main.raw_dictionaries")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        dictionaries.insert(Some(row.get(0)?), DecoderDictionary::copy(&row.get::<_, Vec<u8>>(1)?));
    }
    // What the packed records say of their size is asked first: nothing is unpacked of a file that would not end.
    let (mut packed, mut unpacked) = (0_u64, 0_u64);
    let mut read = c.prepare(&format!(
        "SELECT {name}_id, dictionary_id, data FROM main.{name}_raw WHERE {name}_id > ?1 ORDER BY 1 LIMIT {REPACKED}"
    ))?;
    let mut write =
        c.prepare(&format!("UPDATE main.{name}_raw SET dictionary_id = ?2, data = ?3 WHERE {name}_id = ?1"))?;
    let mut remove = c.prepare(&format!("DELETE FROM main.{name}_raw WHERE {name}_id = ?1"))?;
    let (mut last, mut removed) = (i64::MIN, 0);
    // The foreign key of what is packed for here would point at nothing in the copy.
    c.pragma_update(None, "defer_foreign_keys", true)?;
    loop {
        let rows =
            read.query_map([last], |r| Ok((r.get(0)?, r.get(1)?, r.get_ref(2)?.as_blob()?.to_vec())))?;
        let rows: Vec<(i64, Option<i64>, Vec<u8>)> = rows.collect::<rusqlite::Result<_>>()?;
        let Some((end, ..)) = rows.last() else { return Ok(removed) };
        last = *end;
        for (id, dictionary, data) in &rows {
            task.check()?;
            let size =
                get_frame_content_size(data).ok().flatten().and_then(|size| usize::try_from(size).ok());
            let size = size.filter(|size| *size <= how.largest);
            packed += data.len() as u64;
            unpacked += size.unwrap_or(0) as u64;
            if how.foreign && unpacked > RATIO_FROM.max(packed.saturating_mul(MAX_RATIO)) {
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
                (None, _) => removed += remove.execute([id])? as u64,
                (Some(_), None) => {}
                (Some(bytes), Some(packer)) => {
                    let packed = packer.pack(&Raw { bytes, ..Raw::default() })?;
                    write.execute(params![id, packed.dictionary, packed.data])?;
                }
            }
        }
    }
}
