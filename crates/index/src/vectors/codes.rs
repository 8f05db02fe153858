//! Sign codes: one bit per component of every vector, held in memory for a fast search among
//! millions of vectors.
//!
//! They are stored beside the vectors in blocks, in the order of creation, so that a process reads
//! only the blocks that are new to it. Small blocks are merged, which rewrites each code only a few
//! times.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use rusqlite::{Connection, params};

use precedent_core::error::Result;

/// The number of codes of a full block, which is no longer merged: about a megabyte.
const FULL_BLOCK: usize = 16_384;
/// The number of small blocks that triggers a merge.
const MAX_SMALL_BLOCKS: usize = 64;
/// The document id of a removed code.
const TOMBSTONE: u32 = u32::MAX;
/// The number of candidates by Hamming distance per result; a more precise score reorders them.
const SHORTLIST_FACTOR: usize = 8;

pub(super) const SCHEMA: &str = "
    CREATE TABLE blocks (
        last  INTEGER PRIMARY KEY, -- the generation that wrote it
        first INTEGER NOT NULL,    -- the first generation in it; 0: replaces everything
        rows  INTEGER NOT NULL,
        data  BLOB NOT NULL        -- little endian: row ids of chunks (u32) and of their documents (u32; 2^32 - 1:
                                   -- removed), codes (dimensions / 8 bytes each)
    ) STRICT;";

/// A code with the row ids of its chunk and document.
pub(super) struct CodeRow {
    pub(super) chunk: u32,
    pub(super) document: u32,
    pub(super) words: Vec<u64>,
}

/// Appends a block to the table: removed chunks, then new ones. Call it at most once per
/// generation.
pub(super) fn append(
    connection: &Connection,
    generation: i64,
    width: usize,
    removals: &[u32],
    additions: Vec<CodeRow>,
) -> Result<()> {
    write(connection, generation, generation, &BlockChange::new(width, removals, additions))?;
    let mut small_blocks: Vec<(i64, i64)> = Vec::new();
    {
        let mut statement =
            connection.prepare_cached("SELECT last, first, rows FROM blocks ORDER BY last DESC")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if row.get::<_, usize>(2)? >= FULL_BLOCK {
                break;
            }
            small_blocks.push((row.get(0)?, row.get(1)?));
        }
    }
    if small_blocks.len() < MAX_SMALL_BLOCKS {
        return Ok(());
    }
    let first = small_blocks.last().map_or(0, |(_, first)| *first);
    let oldest = small_blocks.last().map_or(0, |(last, _)| *last);
    let change = BlockChange::merge(&read_changes(connection, oldest - 1, width)?.1, width);
    connection.execute("DELETE FROM blocks WHERE last >= ?1", [oldest])?;
    write(connection, generation, first, &change)
}

/// Rewrites all blocks from the codes in the chunks table, and returns the last generation used.
pub(super) fn rebuild(connection: &Connection, generation: i64, width: usize) -> Result<i64> {
    connection.execute("DELETE FROM blocks", [])?;
    let mut statement = connection.prepare(
        "SELECT id, document_id, code FROM chunks WHERE code IS NOT NULL AND part >= 0 ORDER BY id",
    )?;
    let mut rows = statement.query([])?;
    let (mut block, mut last) = (Vec::with_capacity(FULL_BLOCK), generation);
    while let Some(row) = rows.next()? {
        let code = row.get_ref(2)?.as_blob().unwrap_or_default();
        if code.len() != width * 8 {
            continue;
        }
        let words = code.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
        block.push(CodeRow { chunk: row.get(0)?, document: row.get(1)?, words });
        if block.len() == FULL_BLOCK {
            last += 1;
            write(connection, last, 0, &BlockChange::new(width, &[], std::mem::take(&mut block)))?;
        }
    }
    last += 1;
    write(connection, last, 0, &BlockChange::new(width, &[], block))?;
    Ok(last)
}

fn write(connection: &Connection, last: i64, first: i64, change: &BlockChange) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO blocks (last, first, rows, data) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![
            last,
            first,
            change.removals.len() + change.block.chunks.len(),
            change.bytes()
        ])?;
    Ok(())
}

/// Returns the changes after a generation, in order, and whether they replace all earlier ones.
fn read_changes(
    connection: &Connection,
    generation: i64,
    width: usize,
) -> Result<(bool, Vec<BlockChange>)> {
    let mut statement = connection
        .prepare_cached("SELECT first, rows, data FROM blocks WHERE last > ?1 ORDER BY last")?;
    let mut rows = statement.query([generation])?;
    let (mut replaces_all, mut changes) = (false, Vec::new());
    while let Some(row) = rows.next()? {
        // A merged block may contain known and new changes.
        replaces_all |= row.get::<_, i64>(0)? <= generation;
        changes.extend(BlockChange::parse(
            row.get_ref(2)?.as_blob().unwrap_or_default(),
            row.get(1)?,
            width,
        ));
    }
    Ok((replaces_all, changes))
}

struct BlockChange {
    removals: Vec<u32>,
    block: CodeBlock,
}

impl BlockChange {
    fn new(width: usize, removals: &[u32], mut additions: Vec<CodeRow>) -> Self {
        additions.sort_unstable_by_key(|c| c.chunk);
        let mut removals = removals.to_vec();
        removals.sort_unstable();
        let mut block = CodeBlock::default();
        for code in additions {
            debug_assert_eq!(code.words.len(), width);
            block.chunks.push(code.chunk);
            block.documents.push(code.document);
            block.words.extend(code.words);
        }
        Self { removals, block }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for id in self.removals.iter().chain(&self.block.chunks) {
            out.extend(id.to_le_bytes());
        }
        for id in self.removals.iter().map(|_| &TOMBSTONE).chain(&self.block.documents) {
            out.extend(id.to_le_bytes());
        }
        for word in &self.block.words {
            out.extend(word.to_le_bytes());
        }
        out
    }

    /// Parses a block; returns `None` if its length does not match the number of rows.
    fn parse(data: &[u8], rows: usize, width: usize) -> Option<Self> {
        let (ids, rest) = data.split_at_checked(rows * 4)?;
        let (documents, codes) = rest.split_at_checked(rows * 4)?;
        let numbers = |bytes: &[u8]| -> Vec<u32> {
            bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
        };
        let (mut ids, mut documents) = (numbers(ids), numbers(documents));
        let removal_count = documents.iter().take_while(|d| **d == TOMBSTONE).count();
        let words: Vec<u64> =
            codes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
        let chunks = ids.split_off(removal_count);
        if words.len() != chunks.len() * width {
            return None;
        }
        Some(Self {
            removals: ids,
            block: CodeBlock { chunks, documents: documents.split_off(removal_count), words },
        })
    }

    /// Merges consecutive changes into one.
    fn merge(changes: &[Self], width: usize) -> Self {
        let mut removals = Vec::new();
        let mut positions: HashMap<u32, (usize, usize)> = HashMap::new();
        for (n, change) in changes.iter().enumerate() {
            // Codes added by these changes are dropped; earlier codes must be removed.
            removals.extend(change.removals.iter().filter(|id| positions.remove(id).is_none()));
            positions
                .extend(change.block.chunks.iter().enumerate().map(|(row, id)| (*id, (n, row))));
        }
        let additions = positions.into_iter().map(|(chunk, (n, row))| {
            let block = &changes[n].block;
            let words = block.words[row * width..(row + 1) * width].to_vec();
            CodeRow { chunk, document: block.documents[row], words }
        });
        Self::new(width, &removals, additions.collect())
    }
}

/// The codes of one block, in the order of their chunks.
#[derive(Clone, Default)]
struct CodeBlock {
    chunks: Vec<u32>,
    documents: Vec<u32>,
    words: Vec<u64>,
}

/// The codes of all vectors as of one generation. A newer state shares the unchanged blocks.
#[derive(Clone)]
pub(super) struct Codes {
    pub(super) generation: i64,
    width: usize,
    blocks: Vec<Arc<CodeBlock>>,
    count: usize,
}

/// The position of a code: block and row.
type CodePosition = (u32, u32);

impl Codes {
    /// Returns the empty state before the first generation.
    pub(super) fn empty(width: usize) -> Self {
        Self { generation: 0, width, blocks: Vec::new(), count: 0 }
    }

    pub(super) fn advance_to(&self, connection: &Connection, generation: i64) -> Result<Self> {
        let (replaces_all, mut changes) = read_changes(connection, self.generation, self.width)?;
        let mut codes = if replaces_all && self.generation > 0 {
            changes = read_changes(connection, 0, self.width)?.1;
            Self::empty(self.width)
        } else {
            self.clone()
        };
        for change in changes {
            codes.apply(change);
        }
        codes.generation = generation;
        Ok(codes)
    }

    fn apply(&mut self, change: BlockChange) {
        for id in change.removals {
            let find_row = |block: &CodeBlock| {
                let bounds = block.chunks.first().zip(block.chunks.last());
                if !bounds.is_some_and(|(first, last)| (*first..=*last).contains(&id)) {
                    return None;
                }
                let row = block.chunks.binary_search(&id).ok();
                row.filter(|row| block.documents[*row] != TOMBSTONE)
            };
            let position =
                self.blocks.iter().enumerate().find_map(|(n, block)| Some((n, find_row(block)?)));
            if let Some((n, row)) = position {
                Arc::make_mut(&mut self.blocks[n]).documents[row] = TOMBSTONE;
                self.count -= 1;
            }
        }
        if !change.block.chunks.is_empty() {
            self.count += change.block.chunks.len();
            self.blocks.push(Arc::new(change.block));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Returns the chunks of the documents in `filter`, ascending.
    pub(super) fn chunks_of(&self, filter: &FixedBitSet) -> Vec<i64> {
        let rows = self.blocks.iter().flat_map(|p| p.chunks.iter().zip(&p.documents));
        let mut chunks: Vec<i64> = rows
            .filter(|(_, document)| **document != TOMBSTONE && filter.contains(**document as usize))
            .map(|(chunk, _)| i64::from(*chunk))
            .collect();
        chunks.sort_unstable();
        chunks
    }

    /// Returns at most `n` approximate nearest chunks of a vector, unordered: a shortlist by
    /// Hamming distance, reduced by the dot product of the unrounded query with the signs.
    pub(super) fn nearest(
        &self,
        query: &[f32],
        filter: Option<&FixedBitSet>,
        n: usize,
    ) -> Vec<i64> {
        let mut positions = self.shortlist(&signs(query), filter, n * SHORTLIST_FACTOR);
        if positions.len() > n {
            let dots = Planes::new(query).dots(positions.iter().map(|p| self.code(*p)));
            let mut scores: Vec<(i32, CodePosition)> = dots.into_iter().zip(positions).collect();
            scores.select_nth_unstable_by(n, |a, b| {
                b.0.cmp(&a.0).then_with(|| self.chunk(a.1).cmp(&self.chunk(b.1)))
            });
            positions = scores.into_iter().take(n).map(|(_, position)| position).collect();
        }
        positions.into_iter().map(|position| i64::from(self.chunk(position))).collect()
    }

    fn chunk(&self, (block, row): CodePosition) -> u32 {
        self.blocks[block as usize].chunks[row as usize]
    }

    fn code(&self, (block, row): CodePosition) -> &[u64] {
        let start = row as usize * self.width;
        &self.blocks[block as usize].words[start..start + self.width]
    }

    /// Returns all codes within the smallest Hamming distance that includes at least `n` codes.
    fn shortlist(
        &self,
        query: &[u64],
        filter: Option<&FixedBitSet>,
        n: usize,
    ) -> Vec<CodePosition> {
        let cutoff = Cutoff::new(self.width * 64, n);
        let scan = |(index, block): (usize, &Arc<CodeBlock>)| {
            let mut hits: Vec<(u16, u32)> = Vec::new();
            let cutoff_distance = cutoff.current();
            for_each_near(&block.words, query, cutoff_distance, |row, distance| {
                let document = block.documents[row as usize];
                if document != TOMBSTONE && filter.is_none_or(|a| a.contains(document as usize)) {
                    hits.push((distance, row));
                }
            });
            cutoff.add(&hits);
            hits.into_iter()
                .map(|(distance, row)| (distance, (index as u32, row)))
                .collect::<Vec<_>>()
        };
        let candidates: Vec<Vec<(u16, CodePosition)>> = if self.count < 4 * FULL_BLOCK {
            self.blocks.iter().enumerate().map(scan).collect()
        } else {
            self.blocks.par_iter().enumerate().map(scan).collect()
        };
        let cutoff_distance = cutoff.current();
        candidates
            .into_iter()
            .flatten()
            .filter(|(distance, _)| *distance <= cutoff_distance)
            .map(|(_, position)| position)
            .collect()
    }
}

/// The distance within which enough codes were found. It only decreases, and its final value does
/// not depend on the order of the codes.
struct Cutoff {
    target: usize,
    current: AtomicU32,
    counts: Mutex<Vec<usize>>,
}

impl Cutoff {
    fn new(bits: usize, target: usize) -> Self {
        Self { target, current: AtomicU32::new(u32::MAX), counts: Mutex::new(vec![0; bits + 1]) }
    }

    fn current(&self) -> u16 {
        u16::try_from(self.current.load(Ordering::Relaxed)).unwrap_or(u16::MAX)
    }

    fn add(&self, hits: &[(u16, u32)]) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (distance, _) in hits {
            counts[usize::from(*distance)] += 1;
        }
        let mut sum = 0;
        for (distance, count) in (0_u32..).zip(counts.iter()) {
            sum += count;
            if sum >= self.target {
                self.current.fetch_min(distance, Ordering::Relaxed);
                break;
            }
        }
    }
}

/// Returns one bit per component, set if it is positive.
pub(super) fn signs(vector: &[f32]) -> Vec<u64> {
    vector
        .chunks(64)
        .map(|c| c.iter().enumerate().fold(0, |w, (i, x)| w | (u64::from(*x > 0.0) << i)))
        .collect()
}

/// The number of bits per component of a query that is compared with sign codes. The rounding error
/// is far below that of the codes.
const PLANES: usize = 6;

/// A vector in bit planes: each component is a two's-complement number, with all bits of one value
/// side by side. Its dot product with a sign code is twice the dot product with the set bits, less
/// a constant sum, so bits are counted without multiplication (Gao, Long,
/// "RaBitQ: Quantizing High-Dimensional Vectors with a Theoretical Error Bound for Approximate
/// Nearest Neighbor Search", SIGMOD 2024, section 3.3.2).
struct Planes {
    /// Planes, each word with 64 components.
    words: Vec<[u64; PLANES]>,
}

impl Planes {
    fn new(query: &[f32]) -> Self {
        let max_component = query.iter().fold(f32::MIN_POSITIVE, |m, x| m.max(x.abs()));
        let max_value = f32::from((1_u8 << (PLANES - 1)) - 1);
        let plane = |components: &[f32]| {
            let mut planes = [0; PLANES];
            for (i, x) in components.iter().enumerate() {
                let value = (x / max_component * max_value).round() as i8;
                for (bit, plane) in planes.iter_mut().enumerate() {
                    *plane |= u64::from(value >> bit & 1 == 1) << i;
                }
            }
            planes
        };
        Self { words: query.chunks(64).map(plane).collect() }
    }

    /// Returns the dot product of each code, in an arbitrary unit.
    fn dots<'a>(&self, codes: impl Iterator<Item = &'a [u64]>) -> Vec<i32> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("popcnt") {
            #[allow(unsafe_code, reason = "calling a function compiled for a CPU feature")]
            // SAFETY: the feature was detected.
            return unsafe { self.dots_popcnt(codes) };
        }
        self.dots_scalar(codes)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt")]
    fn dots_popcnt<'a>(&self, codes: impl Iterator<Item = &'a [u64]>) -> Vec<i32> {
        self.dots_scalar(codes)
    }

    #[inline(always)]
    fn dots_scalar<'a>(&self, codes: impl Iterator<Item = &'a [u64]>) -> Vec<i32> {
        let mut dots = Vec::with_capacity(codes.size_hint().0);
        for code in codes {
            let mut counts = [0_u32; PLANES];
            for (word, planes) in code.iter().zip(&self.words) {
                for (count, plane) in counts.iter_mut().zip(planes) {
                    *count += (word & plane).count_ones();
                }
            }
            let value = |(bit, count): (usize, &u32)| {
                let sum = count.cast_signed() << bit;
                if bit + 1 == PLANES { -sum } else { sum }
            };
            dots.push(counts.iter().enumerate().map(value).sum());
        }
        dots
    }
}

/// Calls `visit` with the row and the distance of each code within `limit` of the query.
fn for_each_near(words: &[u64], query: &[u64], limit: u16, visit: impl FnMut(u32, u16)) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        #[allow(unsafe_code, reason = "calling a function compiled for a CPU feature")]
        // SAFETY: the feature was detected.
        return unsafe { for_each_near_popcnt(words, query, limit, visit) };
    }
    for_each_near_scalar(words, query, limit, visit);
}

/// Counts bits with an instruction that baseline x86-64 lacks; without it, this takes five times as
/// long.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn for_each_near_popcnt(words: &[u64], query: &[u64], limit: u16, visit: impl FnMut(u32, u16)) {
    for_each_near_scalar(words, query, limit, visit);
}

#[inline(always)]
fn for_each_near_scalar(words: &[u64], query: &[u64], limit: u16, mut visit: impl FnMut(u32, u16)) {
    let limit = u32::from(limit);
    let mut visit_near = |row: u32, distance: u32| {
        if distance <= limit {
            visit(row, distance as u16);
        }
    };
    // The built-in model has six words; a constant length lets the compiler unroll the loop.
    if let Ok(query) = <&[u64; 6]>::try_from(query) {
        for (row, code) in (0_u32..).zip(words.as_chunks::<6>().0) {
            visit_near(row, code.iter().zip(query).map(|(a, b)| (a ^ b).count_ones()).sum());
        }
        return;
    }
    for (row, code) in (0_u32..).zip(words.chunks_exact(query.len().max(1))) {
        visit_near(row, code.iter().zip(query).map(|(a, b)| (a ^ b).count_ones()).sum());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(chunk: u32, word: u64) -> CodeRow {
        CodeRow { chunk, document: chunk * 10, words: vec![word] }
    }

    fn live_codes(codes: &Codes) -> Vec<(u32, u64)> {
        let mut rows: Vec<(u32, u64)> = codes
            .blocks
            .iter()
            .flat_map(|p| {
                (0..p.chunks.len())
                    .filter(|i| p.documents[*i] != TOMBSTONE)
                    .map(|i| (p.chunks[i], p.words[i]))
            })
            .collect();
        rows.sort_unstable();
        assert_eq!(rows.len(), codes.len());
        rows
    }

    proptest::proptest! {
        /// Readers that apply each change, several at once, or all at the end have the same codes.
        #[test]
        fn readers_agree_after_any_changes(
            steps in proptest::collection::vec((proptest::collection::vec(0_u32..40, 0..6), proptest::bool::ANY), 1..300),
            reads in proptest::collection::vec(proptest::bool::ANY, 300),
        ) {
            let connection = Connection::open_in_memory().unwrap();
            connection.execute_batch(SCHEMA).unwrap();
            let mut expected_codes: std::collections::BTreeMap<u32, u64> = Default::default();
            let (mut eager_reader, mut lazy_reader) = (Codes::empty(1), Codes::empty(1));
            let mut generation = 0;
            for (i, (ids, is_addition)) in steps.iter().enumerate() {
                generation += 1;
                let ids: std::collections::BTreeSet<u32> = ids.iter().copied().collect();
                if *is_addition {
                    let new_ids = ids.iter().filter(|id| !expected_codes.contains_key(id)).copied().collect::<Vec<_>>();
                    let rows = new_ids.iter().map(|id| code(*id, i as u64)).collect();
                    append(&connection, generation, 1, &[], rows).unwrap();
                    expected_codes.extend(new_ids.iter().map(|id| (*id, i as u64)));
                } else {
                    let removals: Vec<u32> = ids.into_iter().filter(|id| expected_codes.remove(id).is_some()).collect();
                    append(&connection, generation, 1, &removals, Vec::new()).unwrap();
                }
                eager_reader = eager_reader.advance_to(&connection, generation).unwrap();
                if reads[i] {
                    lazy_reader = lazy_reader.advance_to(&connection, generation).unwrap();
                }
            }
            let expected: Vec<(u32, u64)> = expected_codes.into_iter().collect();
            proptest::prop_assert_eq!(live_codes(&eager_reader), expected.clone());
            proptest::prop_assert_eq!(live_codes(&lazy_reader.advance_to(&connection, generation).unwrap()), expected.clone());
            proptest::prop_assert_eq!(live_codes(&Codes::empty(1).advance_to(&connection, generation).unwrap()), expected);
            let blocks: usize = connection.query_row("SELECT count(*) FROM blocks", [], |r| r.get(0)).unwrap();
            proptest::prop_assert!(blocks <= MAX_SMALL_BLOCKS);
        }

        /// The dot product equals the sum of the rounded components whose bit is set.
        #[test]
        fn plane_dots_equal_multiplication(
            query in proptest::collection::vec(-1.0_f32..1.0, 128),
            code in proptest::collection::vec(proptest::num::u64::ANY, 2),
        ) {
            let max_component = query.iter().fold(f32::MIN_POSITIVE, |m, x| m.max(x.abs()));
            let is_set = |i: usize| code[i / 64] >> (i % 64) & 1 == 1;
            let expected: i32 = (0..query.len()).filter(|i| is_set(*i)).map(|i| (query[i] / max_component * 31.0).round() as i32).sum();
            let dots = Planes::new(&query).dots(std::iter::once(&code[..]));
            proptest::prop_assert_eq!(dots, [expected]);
        }

        /// The shortlist is the same for any split of the codes into blocks.
        #[test]
        fn shortlist_equals_a_full_sort(words in proptest::collection::vec(0_u64..4096, 1..200), n in 1_usize..50, block_size in 1_usize..60) {
            let mut codes = Codes::empty(1);
            for (p, words) in words.chunks(block_size).enumerate() {
                let rows = words.iter().enumerate().map(|(i, w)| code((p * block_size + i) as u32, *w)).collect();
                codes.apply(BlockChange::new(1, &[], rows));
            }
            let mut distances: Vec<u32> = words.iter().map(|w| (w ^ 77).count_ones()).collect();
            distances.sort_unstable();
            let last = distances[n.min(distances.len()) - 1];
            let mut expected: Vec<u32> = (0..).zip(&words).filter(|(_, w)| (*w ^ 77).count_ones() <= last).map(|(i, _)| i).collect();
            if words.len() < n {
                expected = (0..words.len() as u32).collect();
            }
            let mut chunks: Vec<u32> = codes.shortlist(&[77], None, n).into_iter().map(|p| codes.chunk(p)).collect();
            chunks.sort_unstable();
            proptest::prop_assert_eq!(chunks, expected);
        }
    }
}
