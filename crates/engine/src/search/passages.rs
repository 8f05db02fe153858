//! The passages that show why a document was found, with matches marked.

use std::{collections::HashMap, ops::Range};

use precedent_core::model::{Part, Passage, Span};
use precedent_index::vectors::NearestChunk;
use precedent_store::{DocumentRow, StoredComment};
use precedent_text::{
    chunk::{self, Chunk, MAX_BODY_CHUNKS, MAX_COMMENT_CHUNKS},
    prepare::PreparedText,
    skeleton::Skeleton,
    tokens,
};

/// The maximum number of passages per document.
const MAX_PASSAGES: usize = 3;
/// The maximum length of a passage, in characters.
const MAX_LENGTH: usize = 260;
/// The maximum number of comments per document considered for passages, best first.
const MAX_COMMENTS: usize = 12;

/// The weights of the query's words.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    terms: HashMap<String, f32>,
    identifiers: Vec<String>,
    prefixes: PrefixFilter,
}

/// A filter by the first two characters of the query's terms, which rejects most words of a text
/// before they are stemmed.
#[derive(Clone, Debug)]
struct PrefixFilter([[bool; OTHER + 1]; OTHER + 1]);

/// The index of a character that is not a plain letter or digit.
const OTHER: usize = 36;

impl PrefixFilter {
    fn new<'a>(terms: impl Iterator<Item = &'a String>) -> Self {
        let mut prefixes = [[false; OTHER + 1]; OTHER + 1];
        for term in terms {
            let [first, second] = Self::indexes(term);
            prefixes[first][second] = true;
        }
        Self(prefixes)
    }

    /// Returns whether the stem of a word may be one of the terms.
    fn may_match(&self, word: &str) -> bool {
        match Self::indexes(word) {
            // An accented letter may become a plain one.
            [OTHER, _] => true,
            [first, OTHER] => self.0[first].contains(&true),
            [first, second] => self.0[first][second] || self.0[first][OTHER],
        }
    }

    /// Returns the indexes of the first two characters. Stemming keeps both, except that a y may
    /// come from an i or become one ("dying", "die").
    fn indexes(word: &str) -> [usize; 2] {
        let bytes = word.as_bytes();
        [0, 1].map(|i| match bytes.get(i).map(u8::to_ascii_lowercase) {
            Some(b'y') => usize::from(b'i' - b'a'),
            Some(letter @ b'a'..=b'z') => usize::from(letter - b'a'),
            Some(digit @ b'0'..=b'9') => 26 + usize::from(digit - b'0'),
            _ => OTHER,
        })
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self::new(std::iter::empty(), &[])
    }
}

impl Weights {
    pub(super) fn new(terms: impl Iterator<Item = (String, f32)>, identifiers: &[String]) -> Self {
        let terms: HashMap<String, f32> = terms.collect();
        Self { prefixes: PrefixFilter::new(terms.keys()), terms, identifiers: identifiers.to_vec() }
    }

    /// Returns the matching words of a text, with their weights.
    fn matches(&self, text: &str) -> Vec<(Range<usize>, String, f32)> {
        if self.terms.is_empty() {
            return Vec::new();
        }
        tokens::forms_where(text, |word| self.prefixes.may_match(word))
            .into_iter()
            .filter_map(|w| self.terms.get(&w.term).map(|weight| (w.range, w.term, *weight)))
            .collect()
    }

    /// Returns the sum of the weights of the distinct words that a text shares with the query.
    fn score(&self, text: &str) -> f32 {
        distinct_weight(&self.matches(text))
    }

    /// Splits a text into spans, with matches marked.
    pub(super) fn spans(&self, text: &str) -> Vec<Span> {
        let mut marks: Vec<Range<usize>> =
            self.matches(text).into_iter().map(|(range, ..)| range).collect();
        if !self.identifiers.is_empty() {
            let identifiers =
                tokens::identifiers(text).filter(|(_, w)| self.identifiers.contains(w));
            marks.extend(identifiers.map(|(range, _)| range));
        }
        marks.sort_by_key(|r| (r.start, std::cmp::Reverse(r.end)));
        let mut spans: Vec<Span> = Vec::new();
        let mut push = |text: &str, hit: bool| {
            if text.is_empty() {
                return;
            }
            match spans.last_mut() {
                Some(last) if last.hit == hit => last.text.push_str(text),
                _ => spans.push(Span { text: text.to_owned(), hit }),
            }
        };
        let mut end = 0;
        for mark in marks {
            if mark.end <= end {
                continue;
            }
            let start = mark.start.max(end);
            push(&text[end..start], false);
            push(&text[start..mark.end], true);
            end = mark.end;
        }
        push(&text[end..], false);
        spans
    }
}

fn distinct_weight(matches: &[(Range<usize>, String, f32)]) -> f32 {
    let mut weight_by_term: HashMap<&str, f32> = HashMap::new();
    for (_, term, weight) in matches {
        weight_by_term.insert(term, *weight);
    }
    // Sum in a fixed order: floating-point sums depend on it.
    let mut weights: Vec<f32> = weight_by_term.into_values().collect();
    weights.sort_by(f32::total_cmp);
    weights.iter().sum()
}

/// The passages of a document, with their matched words.
#[derive(Debug)]
pub(super) struct DocumentPassages {
    pub(super) items: Vec<Passage>,
    /// The query's words in the title, in lower case and as inflected there, highest weight first.
    pub(super) title_words: Vec<String>,
    /// The query's words in the best passage that the title lacks.
    pub(super) words: Vec<String>,
    /// True if the best passage is in a comment.
    pub(super) in_comment: bool,
}

struct Candidate<'a> {
    comment: Option<&'a StoredComment>,
    position: usize,
    chunk: Chunk,
    word_score: f32,
    cosine: Option<f32>,
}

/// Selects the best passages of a document, by the weights of their matching words and by cosine.
pub(super) fn select_passages<'a>(
    row: &DocumentRow,
    comments: &'a [StoredComment],
    skeleton: &Skeleton,
    weights: &Weights,
    nearest: &[NearestChunk],
) -> DocumentPassages {
    let cosine = |part: i64, ordinal: usize| {
        nearest.iter().find(|n| n.part == part && n.ordinal as usize == ordinal).map(|n| n.cosine)
    };
    let mut candidates: Vec<Candidate<'a>> = Vec::new();
    let mut add = |comment: Option<&'a StoredComment>, position: usize, chunks: Vec<Chunk>| {
        let part = comment.map_or(0, |c| c.id);
        candidates.extend(chunks.into_iter().enumerate().map(|(i, chunk)| Candidate {
            comment,
            position: position * 100 + i,
            word_score: weights.score(&chunk.text),
            cosine: cosine(part, i),
            chunk,
        }));
    };
    add(None, 0, chunk::chunks(&PreparedText::body(&row.body, skeleton), MAX_BODY_CHUNKS));
    // Comments are scored before they are prepared, so that long threads stay cheap.
    let mut ranking: Vec<(f32, usize)> = comments
        .iter()
        .enumerate()
        .filter(|(_, c)| !c.author.bot)
        .map(|(i, c)| {
            let cosine = nearest.iter().find(|n| n.part == c.id).map_or(0.0, |n| n.cosine);
            (weights.score(&c.body[..c.body.floor_char_boundary(20_000)]) + cosine * 10.0, i)
        })
        .filter(|(score, _)| *score > 0.0)
        .collect();
    ranking.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, i) in ranking.into_iter().take(MAX_COMMENTS) {
        let comment = &comments[i];
        let chunks = chunk::chunks(&PreparedText::comment(&comment.body), MAX_COMMENT_CHUNKS);
        add(Some(comment), i + 1, chunks);
    }
    // Each kind of evidence is scaled by its best value.
    let best_word_score =
        candidates.iter().map(|c| c.word_score).fold(0.0, f32::max).max(f32::MIN_POSITIVE);
    let best_cosine =
        candidates.iter().filter_map(|c| c.cosine).fold(0.0, f32::max).max(f32::MIN_POSITIVE);
    let value = |c: &Candidate<'_>| {
        c.word_score / best_word_score + c.cosine.map_or(0.0, |x| x / best_cosine)
    };
    candidates.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.position.cmp(&b.position)));
    let best_value = candidates.first().map_or(0.0, &value);
    let title_words = matched_words(&row.title, weights);
    let mut words =
        candidates.first().map(|c| matched_words(&c.chunk.text, weights)).unwrap_or_default();
    words.retain(|(term, _)| !title_words.iter().any(|(t, _)| t == term));
    let spellings =
        |words: Vec<(String, String)>| words.into_iter().map(|(_, word)| word).collect();
    let in_comment = candidates.first().is_some_and(|c| c.comment.is_some() && c.word_score > 0.0);
    let items = candidates
        .iter()
        .enumerate()
        // The first is always shown; the others only if their own score is high enough.
        .filter(|(i, c)| *i == 0 || value(c) > best_value * 0.4)
        .take(MAX_PASSAGES)
        .map(|(_, c)| make_passage(c, row, weights))
        .collect();
    DocumentPassages {
        items,
        title_words: spellings(title_words),
        words: spellings(words),
        in_comment,
    }
}

fn make_passage(candidate: &Candidate<'_>, row: &DocumentRow, weights: &Weights) -> Passage {
    let text = excerpt(&candidate.chunk.text, weights);
    let (part, anchor, author, created_at) = match candidate.comment {
        Some(c) => (Part::Comment, anchor(c), c.author.login.clone(), Some(c.created_at)),
        None => (Part::Body, "body".to_owned(), row.author.login.clone(), row.created_at),
    };
    Passage {
        part,
        anchor,
        author,
        created_at,
        spans: weights.spans(&text),
        code: candidate.chunk.code,
        cosine: candidate.cosine,
    }
}

/// Returns the anchor of a comment in its thread.
pub(crate) fn anchor(comment: &StoredComment) -> String {
    format!("comment-{}", comment.remote_id)
}

/// Returns the query's words in a text, highest weight first: each term with its lower-case form.
fn matched_words(text: &str, weights: &Weights) -> Vec<(String, String)> {
    let mut matches: Vec<(f32, String, String)> = Vec::new();
    for (range, term, weight) in weights.matches(text) {
        let spelling = text[range].to_lowercase();
        if !matches.iter().any(|(_, t, w)| *t == term || *w == spelling) {
            matches.push((weight, term, spelling));
        }
    }
    matches.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    matches.into_iter().map(|(_, term, word)| (term, word)).collect()
}

/// Returns the part of a chunk with the highest word weights, about [`MAX_LENGTH`] characters, cut
/// between words.
fn excerpt(text: &str, weights: &Weights) -> String {
    if text.chars().count() <= MAX_LENGTH {
        return text.to_owned();
    }
    let matches = weights.matches(text);
    let (mut best, mut best_start) = (0.0, 0);
    for (i, (range, ..)) in matches.iter().enumerate() {
        let end = text.ceil_char_boundary((range.start + MAX_LENGTH).min(text.len()));
        let count = matches[i..].iter().take_while(|(r, ..)| r.end <= end).count();
        let score = distinct_weight(&matches[i..i + count]);
        if score > best {
            (best, best_start) = (score, range.start);
        }
    }
    // Include some words before the first match, from the start of a line or word.
    let mut start = text.floor_char_boundary(best_start.saturating_sub(MAX_LENGTH / 4));
    if start > 0 {
        let line = text[start..best_start].rfind('\n').map(|i| start + i + 1);
        let word = text[start..best_start].find(char::is_whitespace).map(|i| start + i + 1);
        start = line.or(word).unwrap_or(start);
        start = text.ceil_char_boundary(start);
    }
    let mut end = text.floor_char_boundary((start + MAX_LENGTH).min(text.len()));
    if end < text.len()
        && let Some(space) = text[start..end].rfind(char::is_whitespace)
        && space > MAX_LENGTH / 2
    {
        end = start + space;
    }
    let mut out = String::with_capacity(end - start + 6);
    if start > 0 {
        out.push('…');
    }
    out.push_str(text[start..end].trim());
    if end < text.len() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(words: &[&str]) -> Weights {
        Weights::new(words.iter().map(|w| ((*w).to_owned(), 1.0)), &[])
    }

    #[test]
    fn excerpt_contains_the_matched_words() {
        let text =
            format!("{} the slot is broken here {}", "filler ".repeat(100), "tail ".repeat(100));
        let out = excerpt(&text, &weights(&["slot", "broken"]));
        assert!(
            out.contains("slot is broken") && out.starts_with('…') && out.ends_with('…'),
            "{out}"
        );
        assert!(out.chars().count() <= MAX_LENGTH + 2);
    }

    proptest::proptest! {
        #[test]
        fn prefix_filter_never_rejects_a_term(text in "([a-zA-Z]{1,3}(ies|ying|ed|ing|aed|y|ional|ization|'s|)|[a-zäé0-9.']{1,5}| ){1,20}") {
            for word in tokens::forms(&text) {
                proptest::prop_assert!(PrefixFilter::new(std::iter::once(&word.term)).may_match(&text[word.range.clone()]), "{} of {}", word.term, &text[word.range]);
            }
        }

        #[test]
        fn joined_spans_equal_the_text(text in "\\PC{0,200}") {
            let spans = weights(&["slot", "a"]).spans(&text);
            proptest::prop_assert_eq!(spans.iter().map(|s| s.text.as_str()).collect::<String>(), text);
        }

        #[test]
        fn excerpt_never_splits_a_character(text in "[aä表 \\n]{0,900}") {
            let out = excerpt(&text, &weights(&["ä", "a"]));
            proptest::prop_assert!(out.len() <= text.len() + 6);
        }
    }
}
