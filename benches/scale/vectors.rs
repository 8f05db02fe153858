//! Vectors for a grown archive: real vectors, shifted by the distances of real neighbors.
//!
//! A model would take a day for five million passages. A passage of a generated item gets the
//! vector of a passage of the same part of its base item, shifted in the direction between two
//! other real vectors, by the distance of a random real vector to its nearest neighbor. A passage
//! of a real item keeps its vector.

use std::{
    collections::HashMap,
    path::Path,
    time::{Duration, Instant},
};

use fastrand::Rng;
use precedent_index::{
    embed::{ModelInfo, normalize},
    update::chunks::EMBED_BATCH,
    vectors::{NearestChunk, PendingChunk, TITLE_PART, Vectors, path},
};
use rayon::prelude::*;
use rusqlite::{Connection, OpenFlags};

use super::grow::{base_index, mix};

/// The number of vectors whose nearest neighbors are searched for.
const SAMPLE_SIZE: usize = 2_000;
/// The number of vectors generated per batch.
const BATCH: usize = 64 * EMBED_BATCH;

/// The indices of the vectors of one item.
#[derive(Default)]
struct ItemVectors {
    title: Vec<u32>,
    body: Vec<u32>,
    comments: Vec<u32>,
}

/// The vectors of a real casebook.
pub struct RealVectors {
    dimensions: usize,
    components: Vec<i8>,
    by_hash: HashMap<[u8; 16], u32>,
    /// The vectors of items, ordered by the items' numbers.
    items: Vec<(u64, ItemVectors)>,
    /// The distances of a sample to their nearest neighbors, ascending.
    nearest_distances: Vec<f32>,
}

impl RealVectors {
    /// Reads this model's vectors from a casebook.
    pub fn load(casebook: &Path, info: &ModelInfo) -> Self {
        let folder = casebook.join("vectors");
        // Opening the vectors registers sqlite-vec for this process.
        drop(Vectors::open(&folder, info).unwrap());
        let open = |path: &Path| {
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
        };
        let (store, vectors) = (open(&casebook.join("precedent.db")), open(&path(&folder, info)));
        let mut numbers: HashMap<i64, u64> = HashMap::new();
        let mut statement =
            store.prepare("SELECT id, number FROM documents WHERE number IS NOT NULL").unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            numbers.insert(row.get(0).unwrap(), row.get(1).unwrap());
        }
        let mut embeddings: HashMap<i64, Vec<u8>> = HashMap::new();
        let mut statement = vectors.prepare("SELECT chunk_id, embedding FROM embeddings").unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            embeddings.insert(row.get(0).unwrap(), row.get(1).unwrap());
        }
        let (mut components, mut by_hash) = (Vec::new(), HashMap::new());
        let mut items: HashMap<u64, ItemVectors> = HashMap::new();
        let mut statement = vectors
            .prepare(
                "SELECT id, document_id, part, hash, code FROM chunks WHERE code IS NOT NULL ORDER BY id",
            )
            .unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let (id, document, part): (i64, i64, i64) =
                (row.get(0).unwrap(), row.get(1).unwrap(), row.get(2).unwrap());
            let Some(number) = numbers.get(&document) else { continue };
            let vector = if part == TITLE_PART {
                row.get(4).unwrap()
            } else {
                embeddings.remove(&id).unwrap()
            };
            let index = (components.len() / info.dimensions) as u32;
            components.extend(vector.iter().map(|x| x.cast_signed()));
            by_hash.insert(row.get(3).unwrap(), index);
            let item = items.entry(*number).or_default();
            match part {
                TITLE_PART => item.title.push(index),
                0 => item.body.push(index),
                _ => item.comments.push(index),
            }
        }
        let mut items: Vec<_> = items.into_iter().collect();
        items.sort_by_key(|(number, _)| *number);
        let mut real = Self {
            dimensions: info.dimensions,
            components,
            by_hash,
            items,
            nearest_distances: Vec::new(),
        };
        real.nearest_distances = real.measure_nearest_distances();
        real
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.components.len() / self.dimensions
    }

    /// Returns the 5%, 50% and 95% quantiles of the distance to the nearest neighbor.
    pub fn distance_quantiles(&self) -> [f32; 3] {
        [0.05, 0.5, 0.95].map(|share| {
            self.nearest_distances[(self.nearest_distances.len() as f64 * share) as usize]
        })
    }

    fn row(&self, index: u32) -> &[i8] {
        &self.components[index as usize * self.dimensions..][..self.dimensions]
    }

    fn unit(&self, index: u32) -> Vec<f32> {
        let mut vector: Vec<f32> = self.row(index).iter().map(|x| f32::from(*x)).collect();
        normalize(&mut vector);
        vector
    }

    fn measure_nearest_distances(&self) -> Vec<f32> {
        let length =
            |row: &[i8]| row.iter().map(|x| i32::from(*x) * i32::from(*x)).sum::<i32>() as f32;
        let lengths: Vec<f32> =
            self.components.par_chunks(self.dimensions).map(|r| length(r).sqrt()).collect();
        let step = (self.len() / SAMPLE_SIZE).max(1);
        let mut distances: Vec<f32> = (0..self.len())
            .step_by(step)
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|i| {
                let query = self.row(i as u32);
                let mut max_cosine = -1.0_f32;
                for (j, row) in self.components.chunks(self.dimensions).enumerate() {
                    let dot: i32 =
                        query.iter().zip(row).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
                    if j != i {
                        max_cosine = max_cosine.max(dot as f32 / (lengths[i] * lengths[j]));
                    }
                }
                (2.0 - 2.0 * max_cosine).max(0.0).sqrt()
            })
            .collect();
        distances.sort_by(f32::total_cmp);
        distances
    }

    /// Returns a unit vector similar to a real one.
    fn shift_vector(&self, index: u32, rng: &mut Rng) -> Vec<f32> {
        let random_vector = |rng: &mut Rng| self.unit(rng.u32(..self.len() as u32));
        let (mut vector, a, b) = (self.unit(index), random_vector(rng), random_vector(rng));
        let mut direction: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
        normalize(&mut direction);
        let distance = self.nearest_distances[rng.usize(..self.nearest_distances.len())];
        vector.iter_mut().zip(&direction).for_each(|(x, w)| *x += distance * w);
        normalize(&mut vector);
        vector
    }

    /// Returns vectors for queries, similar to real ones.
    pub fn query_vectors(&self, count: usize, seed: u64) -> Vec<Vec<f32>> {
        let mut rng = Rng::with_seed(seed ^ 0x5EED);
        (0..count).map(|_| self.shift_vector(rng.u32(..self.len() as u32), &mut rng)).collect()
    }

    fn vector_for(
        &self,
        number: u64,
        last_real_number: u64,
        seed: u64,
        chunk: &PendingChunk,
    ) -> Vec<f32> {
        if let Some(index) = self.by_hash.get(&chunk.plan.hash) {
            return self.unit(*index);
        }
        let item = if number > last_real_number {
            &self.items[base_index(number, self.items.len() as u64, seed) as usize].1
        } else {
            &self.items[number as usize % self.items.len()].1
        };
        let mut rng = Rng::with_seed(mix(chunk.id.cast_unsigned(), seed ^ 2));
        let part = match chunk.plan.part {
            TITLE_PART => &item.title,
            0 => &item.body,
            _ => &item.comments,
        };
        let index = match part.len() {
            0 => rng.u32(..self.len() as u32),
            n => part[rng.usize(..n)],
        };
        self.shift_vector(index, &mut rng)
    }

    /// Stores a vector for every passage without one; `numbers` returns the item numbers of
    /// documents. Returns the number of vectors, and the time to list the passages and store the
    /// vectors.
    pub fn fill(
        &self,
        vectors: &Vectors,
        numbers: &dyn Fn(&[i64]) -> Vec<Option<u64>>,
        last_real_number: u64,
        seed: u64,
    ) -> (u64, Duration) {
        let (mut count, mut elapsed) = (0, Duration::ZERO);
        loop {
            let start = Instant::now();
            let chunks = vectors.pending_chunks(BATCH).unwrap();
            elapsed += start.elapsed();
            if chunks.is_empty() {
                return (count, elapsed);
            }
            let documents: Vec<i64> = chunks.iter().map(|p| p.document).collect();
            let numbers = numbers(&documents);
            let embeddings: Vec<(PendingChunk, Vec<f32>)> = chunks
                .into_par_iter()
                .zip(numbers)
                .map(|(p, number)| {
                    let number = number.unwrap_or(1);
                    let vector = self.vector_for(number, last_real_number, seed, &p);
                    (p, vector)
                })
                .collect();
            count += embeddings.len() as u64;
            let start = Instant::now();
            embeddings.chunks(EMBED_BATCH).for_each(|batch| vectors.put(batch).unwrap());
            elapsed += start.elapsed();
        }
    }
}

/// Returns the number of expected passages that were found.
pub fn recall_count(expected: &[NearestChunk], actual: &[NearestChunk]) -> usize {
    expected.iter().filter(|w| actual.iter().any(|h| h.chunk == w.chunk)).count()
}

/// Returns the item number and vector of every passage, ordered by id.
pub fn passages(casebook: &Path, info: &ModelInfo) -> Vec<(u32, Vec<f32>)> {
    let open =
        |path: &Path| Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let (store, vectors) =
        (open(&casebook.join("precedent.db")), open(&path(&casebook.join("vectors"), info)));
    let mut number = store.prepare("SELECT number FROM documents WHERE id = ?1").unwrap();
    let mut statement = vectors
        .prepare(
            "SELECT c.document_id, v.embedding FROM chunks c JOIN embeddings v ON v.chunk_id = c.id
             WHERE c.part >= 0 ORDER BY c.id",
        )
        .unwrap();
    let rows =
        statement.query_map([], |r| Ok((r.get::<_, i64>(0)?, r.get::<_, Vec<u8>>(1)?))).unwrap();
    rows.map(Result::unwrap)
        .map(|(document, vector)| {
            let mut vector: Vec<f32> = vector.iter().map(|x| f32::from(x.cast_signed())).collect();
            normalize(&mut vector);
            (number.query_row([document], |r| r.get(0)).unwrap(), vector)
        })
        .collect()
}
