//! A real archive, grown to any number of items by generated ones.
//!
//! A generated item is based on a real one: it keeps its shape (blocks, code, comments, labels,
//! times), while half of its sentences, code blocks and title come from other items. New words
//! appear at the rate of Heaps' law for the archive, `V(n) = K · n^β`: the share of new words after
//! the n-th is `β · V(n₀) / n₀ · (n / n₀)^(β − 1)`. The same seed gives the same archive.

use std::{
    collections::{HashMap, HashSet},
    fs::File,
    io::{BufRead as _, BufReader, BufWriter, Write as _},
    path::Path,
};

use fastrand::Rng;
use rayon::prelude::*;
use serde_json::{Value, json};

/// The seconds between two generated items.
const ITEM_INTERVAL: i64 = 290;
/// The factor by which an item's number is multiplied in its comments' ids.
const COMMENT_ID_FACTOR: u64 = 10_000;
/// The number of items generated per batch.
const BATCH: u64 = 4096;

/// A real item, split into the parts from which others are generated.
struct Item {
    line: String,
    number: u64,
    title: String,
    body: Vec<Piece>,
    shape: Value,
    created_at: i64,
    comments: Vec<Comment>,
}

struct Comment {
    line: String,
    body: Vec<Piece>,
    user: Value,
    association: Value,
    delay: i64,
}

/// A sentence of prose, or a block of code.
enum Piece {
    Sentence(String),
    Code(String),
}

/// A real archive, split into parts.
pub struct Archive {
    items: Vec<Item>,
    sentences: Vec<(u32, u32, u32)>,
    code: Vec<(u32, u32, u32)>,
    /// Number of words and of distinct words, and the exponent of Heaps' law.
    words: f64,
    distinct_words: f64,
    exponent: f64,
    last_created_at: i64,
}

impl Archive {
    /// Reads `issues.jsonl.zst` and `comments.jsonl.zst` of a folder.
    pub fn load(folder: &Path) -> Self {
        let lines = |name: &str| {
            let file = File::open(folder.join(name)).unwrap();
            BufReader::new(zstd::Decoder::new(file).unwrap()).lines().map(Result::unwrap)
        };
        let mut items: Vec<Item> = lines("issues.jsonl.zst")
            .filter(|l| l.contains("/repos/rust-lang/rust/"))
            .map(|line| {
                let mut shape: Value = serde_json::from_str(&line).unwrap();
                let title = shape["title"].as_str().unwrap_or_default().to_owned();
                let body = split_pieces(shape["body"].as_str().unwrap_or_default());
                shape.as_object_mut().unwrap().remove("body");
                let created_at = epoch_seconds(&shape["created_at"]);
                let number = shape["number"].as_u64().unwrap();
                Item { line, number, title, body, shape, created_at, comments: Vec::new() }
            })
            .collect();
        items.sort_by_key(|i| i.number);
        items.dedup_by_key(|i| i.number);
        let index_by_number: HashMap<u64, usize> =
            items.iter().enumerate().map(|(index, item)| (item.number, index)).collect();
        for line in lines("comments.jsonl.zst") {
            let comment: Value = serde_json::from_str(&line).unwrap();
            let number =
                comment["issue_url"].as_str().unwrap().rsplit('/').next().unwrap().parse().unwrap();
            let Some(index) = index_by_number.get(&number) else { continue };
            let item = &mut items[*index];
            item.comments.push(Comment {
                body: split_pieces(comment["body"].as_str().unwrap_or_default()),
                user: comment["user"].clone(),
                association: comment["author_association"].clone(),
                delay: (epoch_seconds(&comment["created_at"]) - item.created_at).max(1),
                line,
            });
        }
        let (mut sentences, mut code) = (Vec::new(), Vec::new());
        let mut vocabulary: HashSet<String> = HashSet::new();
        let (mut words, mut half_counts) = (0_u64, (0, 0));
        for (i, item) in items.iter().enumerate() {
            if i == items.len() / 2 {
                half_counts = (words, vocabulary.len());
            }
            let texts = std::iter::once(&item.body).chain(item.comments.iter().map(|c| &c.body));
            for (t, text) in texts.enumerate() {
                for (p, piece) in text.iter().enumerate() {
                    let place = (i as u32, t as u32, p as u32);
                    let text = match piece {
                        Piece::Sentence(text) => {
                            sentences.push(place);
                            text
                        }
                        Piece::Code(text) => {
                            code.push(place);
                            text
                        }
                    };
                    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty())
                    {
                        words += 1;
                        if !vocabulary.contains(word) {
                            vocabulary.insert(word.to_owned());
                        }
                    }
                }
            }
        }
        let exponent = (vocabulary.len() as f64 / half_counts.1 as f64).ln()
            / (words as f64 / half_counts.0 as f64).ln();
        let last_created_at = items.iter().map(|i| i.created_at).max().unwrap();
        Self {
            items,
            sentences,
            code,
            words: words as f64,
            distinct_words: vocabulary.len() as f64,
            exponent,
            last_created_at,
        }
    }

    /// Returns the number of the last real item.
    pub fn last_real_number(&self) -> u64 {
        self.items.last().map_or(0, |i| i.number)
    }

    /// Returns a summary of the archive's vocabulary.
    pub fn vocabulary_summary(&self) -> String {
        format!(
            "{:.0} words, {:.0} distinct, Heaps' exponent {:.3}",
            self.words, self.distinct_words, self.exponent
        )
    }

    /// Writes an archive of `count` items into a folder; returns its number of comments.
    pub fn write(&self, folder: &Path, count: u64, seed: u64) -> u64 {
        std::fs::create_dir_all(folder).unwrap();
        let create = |name: &str| {
            let file = BufWriter::with_capacity(1 << 20, File::create(folder.join(name)).unwrap());
            zstd::Encoder::new(file, 1).unwrap()
        };
        let (mut issues, mut comments) = (create("issues.jsonl.zst"), create("comments.jsonl.zst"));
        let mut comment_count = 0;
        let real_items: Vec<&Item> = self.items.iter().take(count as usize).collect();
        for item in &real_items {
            writeln!(issues, "{}", item.line).unwrap();
            for comment in &item.comments {
                writeln!(comments, "{}", comment.line).unwrap();
                comment_count += 1;
            }
        }
        let first = self.last_real_number() + 1;
        let end = first + count - real_items.len() as u64;
        let mut number = first;
        while number < end {
            let batch: Vec<(String, String, u64)> = (number..end.min(number + BATCH))
                .into_par_iter()
                .map(|n| self.item(n, seed))
                .collect();
            number += BATCH;
            for (issue, thread, n) in batch {
                issues.write_all(issue.as_bytes()).unwrap();
                comments.write_all(thread.as_bytes()).unwrap();
                comment_count += n;
            }
        }
        for file in [issues, comments] {
            file.finish().unwrap().flush().unwrap();
        }
        comment_count
    }

    /// Returns a generated item, its comments, and their number.
    fn item(&self, number: u64, seed: u64) -> (String, String, u64) {
        let base = &self.items[base_index(number, self.items.len() as u64, seed) as usize];
        let mut rng = Rng::with_seed(mix(number, seed ^ 1));
        let generated = number - self.last_real_number();
        // The growth factor is the number of words before this item, relative to the real archive.
        let growth = 1.0 + generated as f64 / self.items.len() as f64;
        let new_word_share =
            self.exponent * self.distinct_words / self.words * growth.powf(self.exponent - 1.0);
        let mut text = TextGenerator {
            archive: self,
            rng: &mut rng,
            number,
            new_word_share,
            replacements: HashMap::new(),
        };
        let title = text.title(&base.title);
        let body = text.body(&base.body);
        let created_at = self.last_created_at + generated as i64 * ITEM_INTERVAL;
        let format_time = |t: i64| jiff::Timestamp::from_second(t).unwrap().to_string();
        let shift = |value: &Value| match epoch_seconds(value) {
            0 => Value::Null,
            t => format_time(created_at + (t - base.created_at).clamp(0, 400 * 86_400)).into(),
        };
        let mut issue = base.shape.clone();
        let url = format!("https://api.github.com/repos/rust-lang/rust/issues/{number}");
        issue["url"] = url.clone().into();
        issue["comments_url"] = format!("{url}/comments").into();
        issue["html_url"] = format!("https://github.com/rust-lang/rust/issues/{number}").into();
        issue["id"] = (100_000_000 + number).into();
        issue["number"] = number.into();
        issue["title"] = title.into();
        issue["body"] = body.into();
        for time in ["created_at", "updated_at", "closed_at"] {
            issue[time] = shift(&base.shape[time]);
        }
        if let Some(merged_at) = base.shape["pull_request"].get("merged_at") {
            issue["pull_request"]["merged_at"] = shift(merged_at);
        }
        let mut thread = String::new();
        for (i, comment) in base.comments.iter().enumerate() {
            let id = number * COMMENT_ID_FACTOR + i as u64;
            let comment_time = format_time(created_at + comment.delay.min(400 * 86_400));
            let comment = json!({
                "url": format!("https://api.github.com/repos/rust-lang/rust/issues/comments/{id}"),
                "html_url": format!("https://github.com/rust-lang/rust/issues/{number}#issuecomment-{id}"),
                "issue_url": url,
                "id": id,
                "user": comment.user,
                "created_at": comment_time,
                "updated_at": comment_time,
                "body": text.body(&comment.body),
                "author_association": comment.association,
                "reactions": {"total_count": 0, "+1": 0, "-1": 0, "laugh": 0, "hooray": 0, "confused": 0, "heart": 0},
                "performed_via_github_app": null,
            });
            thread.push_str(&comment.to_string());
            thread.push('\n');
        }
        (format!("{issue}\n"), thread, base.comments.len() as u64)
    }

    fn piece(&self, (item, text, piece): (u32, u32, u32)) -> &str {
        let item = &self.items[item as usize];
        let text = if text == 0 { &item.body } else { &item.comments[text as usize - 1].body };
        match &text[piece as usize] {
            Piece::Sentence(text) | Piece::Code(text) => text,
        }
    }
}

/// Returns the index of the real item on which a generated item is based.
pub fn base_index(number: u64, real_items: u64, seed: u64) -> u64 {
    mix(number, seed) % real_items
}

/// Applies the finalizer of `SplitMix64` (Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014).
pub fn mix(a: u64, b: u64) -> u64 {
    let mut z =
        a.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(b.wrapping_mul(0xD1B5_4A32_D192_ED03));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A generator of the texts of one item.
struct TextGenerator<'a> {
    archive: &'a Archive,
    rng: &'a mut Rng,
    number: u64,
    /// The share of new words.
    new_word_share: f64,
    /// Replacements of words within this item, for consistent names.
    replacements: HashMap<String, String>,
}

impl TextGenerator<'_> {
    fn title(&mut self, base: &str) -> String {
        let other_title = &self.archive.items[self.rng.usize(..self.archive.items.len())].title;
        let (base_words, other_words): (Vec<&str>, Vec<&str>) =
            (base.split_whitespace().collect(), other_title.split_whitespace().collect());
        let half = |words: &[&str]| words.len().div_ceil(2);
        let title = if self.rng.bool() {
            [
                &base_words[..half(&base_words)],
                &other_words[other_words.len() - other_words.len() / 2..],
            ]
            .concat()
            .join(" ")
        } else {
            [
                &other_words[..half(&other_words)],
                &base_words[base_words.len() - base_words.len() / 2..],
            ]
            .concat()
            .join(" ")
        };
        self.replace_words(&title)
    }

    fn body(&mut self, pieces: &[Piece]) -> String {
        let mut out = String::new();
        for piece in pieces {
            let (original, pool) = match piece {
                Piece::Sentence(original) => (original, &self.archive.sentences),
                Piece::Code(original) => (original, &self.archive.code),
            };
            let text = if self.rng.bool() {
                original
            } else {
                self.archive.piece(pool[self.rng.usize(..pool.len())])
            };
            let text = text.to_owned();
            out.push_str(&self.replace_words(&text));
        }
        out
    }

    /// Replaces words with new ones at this item's rate, and references with random item numbers.
    fn replace_words(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        let mut rest = text;
        while let Some(start) = rest.find(char::is_alphanumeric) {
            let (before, word) = rest.split_at(start);
            out.push_str(before);
            let end = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
            let (word, after) = word.split_at(end);
            rest = after;
            let is_reference = ["#", "issues/", "pull/"].iter().any(|m| out.ends_with(m));
            if is_reference && word.len() <= 6 && word.bytes().all(|b| b.is_ascii_digit()) {
                out.push_str(&self.rng.u64(1..self.number).to_string());
            } else if let Some(replacement) = self.replacements.get(word) {
                out.push_str(replacement);
            } else if self.rng.f64() < self.new_word_share {
                let new_word = random_word(self.rng);
                out.push_str(&new_word);
                self.replacements.insert(word.to_owned(), new_word);
            } else {
                out.push_str(word);
            }
        }
        out.push_str(rest);
        out
    }
}

/// Returns a random word of three to five syllables.
fn random_word(rng: &mut Rng) -> String {
    const HEADS: &[u8] = b"bcdfghjklmnprstvwz";
    const TAILS: &[u8] = b"aeiou";
    let mut word = String::new();
    for _ in 0..rng.usize(3..6) {
        word.push(HEADS[rng.usize(..HEADS.len())] as char);
        word.push(TAILS[rng.usize(..TAILS.len())] as char);
        if rng.u8(..3) == 0 {
            word.push(HEADS[rng.usize(..HEADS.len())] as char);
        }
    }
    word
}

/// Converts a time to seconds since the epoch; 0 if it is absent.
fn epoch_seconds(value: &Value) -> i64 {
    value.as_str().and_then(|t| t.parse::<jiff::Timestamp>().ok()).map_or(0, |t| t.as_second())
}

/// Splits a Markdown text into sentences and code blocks, without loss.
fn split_pieces(text: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let (mut code, mut in_code) = (String::new(), false);
    for line in text.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```");
        if in_code || is_fence {
            code.push_str(line);
            if in_code && is_fence {
                out.push(Piece::Code(std::mem::take(&mut code)));
            }
            in_code ^= is_fence;
            continue;
        }
        let mut rest = line;
        while let Some(end) = rest.find(". ").filter(|end| end + 2 < rest.len()) {
            let (sentence, after) = rest.split_at(end + 2);
            out.push(Piece::Sentence(sentence.to_owned()));
            rest = after;
        }
        if rest.trim().is_empty() {
            // Blank lines stay with the previous piece.
            match out.last_mut() {
                Some(Piece::Sentence(last) | Piece::Code(last)) => last.push_str(rest),
                None => out.push(Piece::Sentence(rest.to_owned())),
            }
        } else {
            out.push(Piece::Sentence(rest.to_owned()));
        }
    }
    if !code.is_empty() {
        out.push(Piece::Code(code));
    }
    out
}
