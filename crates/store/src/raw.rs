//! Raw records, compressed with a dictionary that was trained on the first of their kind.

use std::sync::Arc;

use rusqlite::{OptionalExtension as _, params};
use zstd::{bulk::Compressor, dict::EncoderDictionary};

use super::{Reader, Writer, damaged};
use precedent_core::{
    error::{Code, Error, Result},
    model::Raw,
};

/// Favours speed: the dictionary does most of the work.
const LEVEL: i32 = 3;
/// Size of a dictionary, in bytes (zstd's own default is 112,640; records are small).
const DICTIONARY_BYTES: usize = 65_536;
/// Fewer samples than this do not make a dictionary.
const MIN_SAMPLES: usize = 200;
/// A record is never larger than this when unpacked.
const MAX_UNPACKED: usize = 256 * 1024 * 1024;

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
        let found: Option<(Vec<u8>, Option<Vec<u8>>)> = self
            .transaction
            .query_row(
                "SELECT r.data, d.data FROM document_raw r LEFT JOIN raw_dictionaries d ON d.id = r.dictionary_id
                 WHERE r.document_id = ?1",
                [document],
                |r| Ok((r.get(0)?, r.get(1)?)),
            )
            .optional()?;
        let Some((data, dictionary)) = found else { return Ok(None) };
        let mut unpack = zstd::bulk::Decompressor::with_dictionary(&dictionary.unwrap_or_default())
            .map_err(|e| Error::new(Code::Internal, format!("unpacking a record: {e}")))?;
        let size = zstd::bulk::Decompressor::upper_bound(&data).unwrap_or(MAX_UNPACKED).min(MAX_UNPACKED);
        unpack.decompress(&data, size).map(Some).map_err(|_| damaged("a raw record"))
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
            self.transaction.execute(
                "INSERT INTO raw_dictionaries (kind, data) VALUES (?1, ?2)",
                params![kind.as_str(), data],
            )?;
        }
        Ok(())
    }
}
