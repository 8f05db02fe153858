//! Names that a model recognizes. The model was trained on English, so a phrase with the form of a
//! full name is read again in an English sentence. The form of names corrects where a name begins
//! and ends. A single word that names software is no person.

use std::ops::Range;

use super::{
    KnownNames,
    facts::pattern,
    lines::{Lines, Manner, line_prefix},
    names, network, words,
};
use precedent_core::error::Result;

/// A name that a model recognized in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognition {
    /// True for a person, false for a place.
    pub is_person: bool,
    /// The bytes of the text.
    pub range: Range<usize>,
    /// The probability, 0..1.
    pub score: f32,
}

/// A model that recognizes names, with the frequencies of words.
pub trait NameReader {
    /// Returns the names in a text, in order.
    ///
    /// # Errors
    /// Those of the model.
    fn names(&mut self, text: &str) -> Result<Vec<Recognition>>;

    /// Returns whether all words of a name are common in the casebook, as a product's are.
    ///
    /// # Errors
    /// Those of the index.
    fn is_common(&mut self, name: &str) -> Result<bool>;
}

/// The minimum score of a recognized person of one word, and of a place. Two words are surer
/// (docs/decisions/0003).
const SURE_SCORE: f32 = 0.8;
/// The minimum score of a place behind a preposition.
const LIKELY_SCORE: f32 = 0.65;
/// The sentence in which a phrase is read again, before and after it.
const FRAME: (&str, &str) = ("I spoke to ", " yesterday.\n");
/// The maximum number of phrases of a text; a window of the model takes 8 ms.
const MOST_PHRASES: usize = 240;

impl KnownNames {
    /// Adds the names that a model recognizes in a text.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn read(&mut self, text: &str, reader: &mut dyn NameReader) -> Result<()> {
        let lines = Lines::of(text);
        let mut passage = String::new();
        // The offset of each sentence in the passage and in the text.
        let mut places: Vec<(usize, usize)> = Vec::new();
        for sentence in sentences(text, &lines) {
            let content = &text[sentence.clone()];
            if self.is_new(content) && self.may_name(content, reader)? {
                places.push((passage.len(), sentence.start));
                passage.push_str(content);
                passage.push('\n');
            }
        }
        for name in reader.names(&passage)? {
            let next = places.partition_point(|(from, _)| *from <= name.range.start);
            let Some((from, to)) = next.checked_sub(1).map(|at| places[at]) else { continue };
            if places.get(next).is_some_and(|(next, _)| name.range.end >= *next) {
                continue;
            }
            let range = name.range.start - from + to..name.range.end - from + to;
            if name.is_person {
                for person in people_in(text, range) {
                    self.add_person(text, person, name.score, reader)?;
                }
            } else {
                self.add_place(text, range, name.score, reader)?;
            }
        }
        self.read_phrases(text, &lines, reader)
    }

    /// Returns whether a sentence has a word that may be an unknown name: one with a capital that is
    /// no ordinary word, or one in a script without capitals.
    fn may_name(&self, sentence: &str, reader: &mut dyn NameReader) -> Result<bool> {
        for word in pattern("name_word").find_iter(sentence).map(|m| m.as_str()) {
            let is_known = || self.people.iter().any(|name| name.split(' ').any(|w| w == word));
            let is_caseless = word.to_lowercase() == word.to_uppercase();
            if (is_plain(word) || is_caseless) && !is_known() && !reader.is_common(word)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether a sentence or phrase is read for the first time.
    fn is_new(&mut self, text: &str) -> bool {
        let text = text.trim();
        !text.is_empty() && self.texts.insert(text.to_owned())
    }

    fn add_person(
        &mut self,
        text: &str,
        range: Range<usize>,
        score: f32,
        reader: &mut dyn NameReader,
    ) -> Result<()> {
        let name = &text[range.clone()];
        let is_single = !name.contains([' ', '\u{a0}', '-']);
        let is_thing =
            is_single && (score < SURE_SCORE || words::is_ordinary(name) || is_thing(text, &range));
        if !is_thing && names::is_full_name(name) && !reader.is_common(name)? {
            self.people.push(name.to_owned());
        }
        Ok(())
    }

    fn add_place(
        &mut self,
        text: &str,
        range: Range<usize>,
        score: f32,
        reader: &mut dyn NameReader,
    ) -> Result<()> {
        let name = &text[range.clone()];
        let is_capital = name.chars().any(|c| c.is_alphabetic() && !c.is_lowercase());
        let is_thing = !is_capital
            || words::is_ordinary(name)
            || names::is_no_name(name)
            || network::is_software(name);
        let is_there = score >= SURE_SCORE
            || score >= LIKELY_SCORE
                && pattern("before_a_place").is_match(line_prefix(text, range.start));
        if is_there && !is_thing && !reader.is_common(name)? {
            let rest = pattern("rest_of_address").find(&text[range.end..]).map_or(0, |m| m.end());
            self.places.push(text[range.start..range.end + rest].to_owned());
        }
        Ok(())
    }

    /// Reads the phrases that have the form of a full name in a sentence of their own.
    fn read_phrases(
        &mut self,
        text: &str,
        lines: &Lines,
        reader: &mut dyn NameReader,
    ) -> Result<()> {
        let mut phrases: Vec<&str> = Vec::new();
        for phrase_match in pattern("phrase").find_iter(text) {
            let phrase = phrase_match.as_str();
            let is_part = text[..phrase_match.start()]
                .ends_with(['.', '/', '\\', '_', '$', '@', '#'])
                || text[phrase_match.end()..].starts_with(['/', '\\', '_', '(', '=']);
            if is_part || lines.manner(phrase_match.start()) == Manner::Code {
                continue;
            }
            // "Vertreter Uwe Stolle" begins with a noun.
            let rest = phrase.split_once([' ', '\u{a0}']).map(|(_, rest)| rest);
            for phrase in
                [Some(phrase), rest.filter(|rest| names::is_whole(rest))].into_iter().flatten()
            {
                let is_known = self.people.iter().any(|name| name == phrase);
                if !is_known
                    && has_two_names(phrase)
                    && self.is_new(phrase)
                    && !reader.is_common(phrase)?
                {
                    phrases.push(phrase);
                }
            }
        }
        phrases.truncate(MOST_PHRASES);
        // A line for each phrase, in which the model reads it.
        let lines = phrases.iter().map(|phrase| format!("{}{phrase}{}", FRAME.0, FRAME.1));
        let framed_text: String = lines.collect();
        let names = reader.names(&framed_text)?;
        let mut from = 0;
        for phrase in phrases {
            let place = from + FRAME.0.len()..from + FRAME.0.len() + phrase.len();
            from = place.end + FRAME.1.len();
            let within =
                |n: &&Recognition| place.start <= n.range.start && n.range.end <= place.end;
            let parts: Vec<&Recognition> = names.iter().filter(within).collect();
            let (Some(first), Some(last)) = (parts.first(), parts.last()) else { continue };
            // A surname may be a town's.
            let name = &framed_text[first.range.start..last.range.end];
            if parts.iter().any(|n| n.is_person && n.score >= SURE_SCORE)
                && names::is_whole(name)
                && names::is_full_name(name)
                && !reader.is_common(name)?
            {
                self.people.push(name.to_owned());
            }
        }
        Ok(())
    }
}

/// Returns the sentences in the prose of a text.
fn sentences(text: &str, lines: &Lines) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let end = from + line.len();
        // A row of a table is no sentence; the phrases in it are read.
        if lines.is_prose(from) && !line.trim_start().starts_with('|') {
            for stop in pattern("sentence_end").find_iter(line) {
                let next = end - line.len() + stop.end();
                out.push(from..next);
                from = next;
            }
            out.push(from..from + text[from..end].trim_end().len());
        }
        from = end;
    }
    out
}

/// Returns whether a capitalized word can be a part of a name.
fn is_plain(word: &str) -> bool {
    names::is_full_name(word) && !words::is_ordinary(word) && !network::is_software(word)
}

/// Returns whether at least two words of a phrase can be parts of a name.
fn has_two_names(phrase: &str) -> bool {
    phrase.split([' ', '\u{a0}']).filter(|word| word.len() > 1 && is_plain(word)).count() >= 2
}

/// Returns the names in a range that a model took for one, completed and without other words.
fn people_in(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let name_text = &text[range.clone()];
    // "Mbeki, Sipho" is one person, "Laura Bianchi, Marco Esposito" are two.
    let is_list = name_text.split(", ").any(names::is_whole);
    let parts: Vec<&str> = if is_list { name_text.split(", ").collect() } else { vec![name_text] };
    let mut at = range.start;
    let mut people = Vec::new();
    for part in parts {
        let start = at;
        at += part.len() + 2;
        let end = pattern("name_start")
            .find(&text[start..])
            .map_or(start + part.len(), |m| start + m.end());
        // A following word that is in the position of names, but none, ends the name.
        let mut name = &text[start..end];
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

/// Returns whether a word in this place names a thing, as software is named.
fn is_thing(text: &str, range: &Range<usize>) -> bool {
    network::is_software(&text[range.clone()])
        || pattern("before_a_thing").is_match(line_prefix(text, range.start))
        || pattern("after_a_thing").is_match(&text[range.end..])
        || is_command(text, &text[range.clone()].to_lowercase())
}

/// Returns whether a word in small letters begins a command or is a folder of a system: `claude`.
fn is_command(text: &str, lower: &str) -> bool {
    text.match_indices(lower).any(|(at, _)| {
        let folder = text[..at].strip_suffix('/').and_then(|path| path.rsplit('/').next());
        let is_home = folder.is_some_and(|folder| matches!(folder, "home" | "Users" | ""));
        text[..at].ends_with('`') || folder.is_some() && !is_home
    })
}
