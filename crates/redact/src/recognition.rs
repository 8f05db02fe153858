//! Recognition of names by a model.
//!
//! The model was trained on English, so a phrase that looks like a full name is read again in an
//! English sentence. Rules about the form of names correct the boundaries of a recognized name.

use std::ops::Range;

use super::{
    KnownNames,
    data::{is_listed, pattern},
    lines::{Line, LineKind, Lines, line_prefix},
    names, network, value,
};
use precedent_core::error::Result;

/// A name that a model recognized in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognition {
    /// True for a person, false for a place.
    pub is_person: bool,
    /// The byte range in the text.
    pub range: Range<usize>,
    /// The probability, from 0 to 1.
    pub score: f32,
}

/// A model that recognizes names, combined with the frequencies of words.
pub trait NameReader {
    /// Returns the names in a text, in order.
    ///
    /// # Errors
    /// Returns any error from the model.
    fn names(&mut self, text: &str) -> Result<Vec<Recognition>>;

    /// Returns whether all words of a name are common in the casebook, like those of a product.
    ///
    /// # Errors
    /// Returns any error from the index.
    fn is_common(&mut self, name: &str) -> Result<bool>;
}

/// The minimum score of a place and of a person named by one word (docs/decisions/0003).
const CERTAIN_SCORE: f32 = 0.8;
/// The minimum score of a place after a preposition.
const LIKELY_SCORE: f32 = 0.65;
/// The text before and after a phrase that is read again.
const CONTEXT: (&str, &str) = ("I spoke to ", " yesterday.\n");
/// The maximum number of phrases in a text; the model takes 8 ms per window.
const MAX_PHRASES: usize = 240;

impl KnownNames {
    /// Adds the names that a model recognizes in a text.
    ///
    /// # Errors
    /// Returns any error from the reader.
    pub fn recognize(&mut self, text: &str, reader: &mut dyn NameReader) -> Result<()> {
        let lines = Lines::new(text);
        let mut passage = String::new();
        for sentence in sentences(&lines) {
            if self.is_new(sentence) && self.has_unknown_name(sentence, reader)? {
                passage.push_str(sentence);
                passage.push('\n');
            }
        }
        for name in reader.names(&passage)? {
            let ranges =
                if name.is_person { split_people(&passage, name.range) } else { vec![name.range] };
            for range in ranges {
                let content = &passage[range.clone()];
                let (prefix, suffix) = (line_prefix(&passage, range.start), &passage[range.end..]);
                let is_name = if name.is_person {
                    is_person(content, name.score, prefix, suffix) && !is_command(text, content)
                } else {
                    is_place(content, name.score, prefix)
                };
                let rest = pattern("rest_of_address").find(suffix).map_or("", |m| m.as_str());
                match is_name && !reader.is_common(content)? {
                    true if name.is_person => self.people.push(content.to_owned()),
                    true => self.places.push(format!("{content}{rest}")),
                    false => {}
                }
            }
        }
        self.read_phrases(text, &lines, reader)
    }

    /// Returns whether a sentence has an uncommon word that may be an unknown name.
    fn has_unknown_name(&self, sentence: &str, reader: &mut dyn NameReader) -> Result<bool> {
        for word in pattern("name_word").find_iter(sentence).map(|m| m.as_str()) {
            let is_known = || self.people.iter().any(|name| name.split(' ').any(|w| w == word));
            if is_candidate(word) && !is_known() && !reader.is_common(word)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether a sentence or phrase is new, and remembers it.
    fn is_new(&mut self, text: &str) -> bool {
        let text = text.trim();
        !text.is_empty() && self.texts.insert(text.to_owned())
    }

    /// Reads each phrase that looks like a full name again, in a sentence of its own.
    fn read_phrases(
        &mut self,
        text: &str,
        lines: &Lines<'_>,
        reader: &mut dyn NameReader,
    ) -> Result<()> {
        let mut phrases: Vec<&str> = Vec::new();
        for m in pattern("phrase").find_iter(text) {
            let is_identifier = text[..m.start()].ends_with(['.', '/', '\\', '_', '$', '@', '#'])
                || text[m.end()..].starts_with(['/', '\\', '_', '(', '=']);
            if is_identifier || lines.kind(m.start()) == LineKind::Code {
                continue;
            }
            // "Vertreter Uwe Stolle" starts with a noun.
            let rest = m.as_str().split_once([' ', '\u{a0}']).map(|(_, rest)| rest);
            let rest = rest.filter(|rest| names::has_several_words(rest));
            for phrase in [Some(m.as_str()), rest].into_iter().flatten() {
                let is_known = self.people.iter().any(|name| name == phrase);
                let words = phrase.split([' ', '\u{a0}']);
                let has_two_names =
                    words.filter(|word| word.len() > 1 && is_name_word(word)).count() >= 2;
                if !is_known && has_two_names && self.is_new(phrase) && !reader.is_common(phrase)? {
                    phrases.push(phrase);
                }
            }
        }
        phrases.truncate(MAX_PHRASES);
        let sentences = phrases.iter().map(|phrase| format!("{}{phrase}{}", CONTEXT.0, CONTEXT.1));
        let passage: String = sentences.collect();
        let names = reader.names(&passage)?;
        let mut offset = 0;
        for phrase in phrases {
            let start = offset + CONTEXT.0.len();
            let end = start + phrase.len();
            offset = end + CONTEXT.1.len();
            let is_in_phrase = |n: &&Recognition| start <= n.range.start && n.range.end <= end;
            let parts: Vec<&Recognition> = names.iter().filter(is_in_phrase).collect();
            let (Some(first), Some(last)) = (parts.first(), parts.last()) else { continue };
            // A surname may also be the name of a town.
            let name = &passage[first.range.start..last.range.end];
            if parts.iter().any(|n| n.is_person && n.score >= CERTAIN_SCORE)
                && names::has_several_words(name)
                && names::is_full_name(name)
                && !reader.is_common(name)?
            {
                self.people.push(name.to_owned());
            }
        }
        Ok(())
    }
}

/// Returns the sentences in the prose of a text, without table rows.
fn sentences<'a>(lines: &'a Lines<'a>) -> impl Iterator<Item = &'a str> {
    let is_prose =
        |line: &&Line<'_>| line.kind == LineKind::Prose && !line.content.starts_with('|');
    lines.0.iter().filter(is_prose).flat_map(|line| {
        let ends = pattern("sentence_end").find_iter(line.content).map(|m| m.end());
        let ends = ends.chain([line.content.len()]);
        ends.scan(0, |start, end| Some(&line.content[std::mem::replace(start, end)..end]))
    })
}

/// Returns whether a capitalized word can be part of a name.
fn is_name_word(word: &str) -> bool {
    names::is_full_name(word) && !value::is_ordinary(word) && !network::is_software(word)
}

/// Returns whether a word may be a name: a word in a script without case, or a capitalized word that
/// is neither an abbreviation nor usual at the start of a sentence.
fn is_candidate(word: &str) -> bool {
    let is_listed = || is_listed("sentence_words", &word.to_lowercase().replace('’', "'"));
    match word.to_uppercase() == word {
        true => word.to_lowercase() == word,
        false => is_name_word(word) && !is_listed(),
    }
}

/// Splits a range that a model recognized as one name into people, and completes their names.
fn split_people(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let name_text = &text[range.clone()];
    // "Mbeki, Sipho" is one person, "Laura Bianchi, Marco Esposito" are two.
    let is_list = name_text.split(", ").any(names::has_several_words);
    let parts: Vec<&str> = if is_list { name_text.split(", ").collect() } else { vec![name_text] };
    let mut offset = range.start;
    let mut people = Vec::new();
    for part in parts {
        let start = offset;
        offset += part.len() + 2;
        let mut name = pattern("name_start").find(&text[start..]).map_or(part, |m| m.as_str());
        // A following word that is not a name ends the name.
        while let Some((rest, last)) = name.rsplit_once([' ', '\u{a0}', '-'])
            && name.len() > part.len()
            && !names::is_name(last)
        {
            name = rest;
        }
        people.push(start..start + name.trim_end().len());
    }
    people
}

/// Returns whether a recognized name is the name of a person rather than of software.
fn is_person(name: &str, score: f32, prefix: &str, suffix: &str) -> bool {
    let is_software = !name.contains([' ', '\u{a0}', '-'])
        && (score < CERTAIN_SCORE
            || value::is_ordinary(name)
            || pattern("before_a_thing").is_match(prefix)
            || pattern("after_a_thing").is_match(suffix));
    !is_software && names::is_full_name(name) && name.split([' ', '\u{a0}', '-']).any(is_candidate)
}

/// Returns whether a recognized place is really a place.
fn is_place(name: &str, score: f32, prefix: &str) -> bool {
    let has_capital = name.chars().any(|c| c.is_alphabetic() && !c.is_lowercase());
    let is_not_name = |word: &str| is_listed("no_people", &word.to_lowercase());
    let is_likely = score >= LIKELY_SCORE && pattern("before_a_place").is_match(prefix);
    (score >= CERTAIN_SCORE || is_likely)
        && has_capital
        && !value::is_ordinary(name)
        && !name.split(' ').any(is_not_name)
        && !network::is_software(name)
}

/// Returns whether a word occurs in lower case as a command or a folder: `claude`.
fn is_command(text: &str, name: &str) -> bool {
    let lower = name.to_lowercase();
    text.match_indices(&lower).any(|(offset, _)| {
        let folder = text[..offset].strip_suffix('/').and_then(|path| path.rsplit('/').next());
        text[..offset].ends_with('`')
            || folder.is_some_and(|folder| !matches!(folder, "home" | "Users" | ""))
    })
}
