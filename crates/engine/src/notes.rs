//! Private notes. A note is stored only if a search finds no duplicate of the same kind.
//!
//! If the search fails, the note is stored anyway: a duplicate is better than a lost note.

use std::{cmp::Reverse, collections::BTreeSet};

use jiff::Timestamp;

use crate::search;
use precedent_core::{
    error::{Error, Remedy, Result},
    model::{
        IndexReport, Note, NoteAnswer, NoteChange, NoteDraft, NoteKind, NoteMatch, NoteOutcome,
        Recommendation, SimilarNotes,
    },
    task::Task,
};
use precedent_index::{
    embed::ModelInfo,
    update::{DerivedData, Effort, chunks::representations},
    vectors::Vectors,
};
use precedent_store::{NoteContent, NoteRow, Reader, content_hash};
use precedent_text::{prepare::PreparedText, skeleton::Skeleton, tokens};

/// The maximum length of a title, in characters.
const MAX_TITLE: usize = 300;
/// The maximum length of a body, in bytes.
const MAX_BODY: usize = 1_000_000;
const MAX_MATCHES: usize = 10;
/// The maximum number of returned notes that are similar only in meaning.
const MAX_RELATED: usize = 3;
/// Negations, which reverse a sentence but hardly change its embedding.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "without", "cannot", "can't", "don't", "doesn't", "isn't", "won't",
    "didn't",
];

/// The components that notes need.
pub struct Notebook<'a> {
    /// The database with its indexes.
    pub indexes: DerivedData<'a>,
    /// The vectors and their model, if there is a usable one.
    pub vectors: Option<(&'a Vectors, &'a ModelInfo)>,
    /// The function that embeds a text.
    pub embed: &'a dyn Fn(&str) -> Result<Vec<f32>>,
    /// The reason why there are no vectors, if there are none.
    pub problem: Option<&'a Error>,
}

impl Notebook<'_> {
    /// Finds the notes of a kind with the same or similar content.
    pub fn find_similar(&self, kind: NoteKind, title: &str, body: &str) -> Result<SimilarNotes> {
        let title = &*one_line(title);
        validate(title, body)?;
        let rows = self.indexes.store.read(|r| r.notes(Some(kind)))?;
        Ok(self.compare(&rows, title, body))
    }

    /// Stores a note, unless a duplicate of it exists.
    pub fn add(&self, draft: &NoteDraft, now: Timestamp, task: &Task) -> Result<NoteAnswer> {
        let title = &*one_line(&draft.title);
        validate(title, &draft.body)?;
        let tags = normalize_tags(&draft.tags);
        let similar = if draft.kind.is_checked() {
            let rows = self.indexes.store.read(|r| r.notes(Some(draft.kind)))?;
            self.compare(&rows, title, &draft.body)
        } else {
            SimilarNotes { matches: vec![], recommendation: Recommendation::Unique, warning: None }
        };
        let SimilarNotes { matches, recommendation, mut warning } = similar;
        if recommendation == Recommendation::DuplicateFound
            && !draft.force
            && let Some(duplicate) = matches.first()
        {
            let store = self.indexes.store;
            let note = store.read(|r| r.shown_note(find_note(r, &duplicate.id)?))?;
            return Ok(NoteAnswer { outcome: NoteOutcome::Duplicate, note, matches, warning });
        }
        // Connect only notes with similar wording.
        let near_threshold = self.vectors.as_ref().map_or(f32::INFINITY, |(_, model)| model.near);
        let close_matches: Vec<&NoteMatch> =
            matches.iter().filter(|m| is_close(m, near_threshold)).collect();
        let content = NoteContent { title, body: &draft.body, tags: &tags };
        let hash = content_hash(content.title, content.body);
        let result = self.indexes.store.write_durably(|w| {
            let targets = resolve_targets(w, &draft.attach)?;
            // Another process may have stored the same note in the meantime.
            if draft.kind.is_checked()
                && !draft.force
                && let Some(duplicate) =
                    w.notes(Some(draft.kind))?.into_iter().find(|n| n.content_hash == hash)
            {
                return Ok(Err(w.shown_note(duplicate)?));
            }
            let key = w.add_note(draft.kind, &content, now)?;
            targets.iter().try_for_each(|target| w.connect(&key, target, "person").map(|_| ()))?;
            close_matches.iter().try_for_each(|m| w.connect(&key, &m.id, "engine").map(|_| ()))?;
            let note = find_note(w, &key)?;
            Ok(Ok((note.document.id, w.shown_note(note)?)))
        })?;
        let (document, note) = match result {
            Ok(result) => result,
            Err(note) => {
                return Ok(NoteAnswer { outcome: NoteOutcome::Duplicate, note, matches, warning });
            }
        };
        if let Err(error) = self.index_note(document, task) {
            warning.get_or_insert(format!(
                "The note is saved, but search will find it only after the next index update: {error}"
            ));
        }
        let outcome =
            if close_matches.is_empty() { NoteOutcome::Stored } else { NoteOutcome::Connected };
        Ok(NoteAnswer { outcome, note, matches, warning })
    }

    /// Changes a note.
    pub fn edit(
        &self,
        key: &str,
        change: &NoteChange,
        now: Timestamp,
        task: &Task,
    ) -> Result<Note> {
        let (document, note) = self.indexes.store.write_durably(|w| {
            let note = find_note(w, key)?;
            let targets = resolve_targets(w, &change.attach)?;
            let old = &note.document;
            let title = &*one_line(change.title.as_deref().unwrap_or(&old.title));
            let body = change.body.as_deref().unwrap_or(&old.body);
            validate(title, body)?;
            let tags = change
                .tags
                .as_deref()
                .map_or_else(|| old.labels.iter().skip(1).cloned().collect(), normalize_tags);
            let content = NoteContent { title, body, tags: &tags };
            w.change_note(&note, &content, change.lifecycle.unwrap_or(note.lifecycle), now)?;
            targets
                .iter()
                .try_for_each(|target| w.connect(&old.key, target, "person").map(|_| ()))?;
            Ok((old.id, w.shown_note(find_note(w, key)?)?))
        })?;
        // Ignore the error: the database is updated, and the next update repairs the index.
        drop(self.index_note(document, task));
        Ok(note)
    }

    /// Removes a note.
    pub fn remove(&self, key: &str, now: Timestamp, task: &Task) -> Result<Note> {
        let note = self.indexes.store.write_durably(|w| {
            let note = find_note(w, key)?;
            let view = w.shown_note(find_note(w, key)?)?;
            w.remove_note(&note, now)?;
            Ok(view)
        })?;
        let result =
            self.indexes.update_text(Effort::WithoutMerges, task, &mut IndexReport::default());
        if let (Ok(()), Some((vectors, _))) = (result, self.vectors) {
            drop(self.indexes.plan_vectors(vectors, task));
        }
        // Ignore the error: a concurrent reader needs the log, and it is emptied later.
        drop(self.indexes.store.empty_log());
        Ok(note)
    }

    fn index_note(&self, document: i64, task: &Task) -> Result<()> {
        self.indexes.update_text(Effort::WithoutMerges, task, &mut IndexReport::default())?;
        match self.vectors {
            Some((vectors, _)) => self.indexes.embed_document(vectors, document, self.embed),
            None => Ok(()),
        }
    }

    fn compare(&self, rows: &[NoteRow], title: &str, body: &str) -> SimilarNotes {
        let hash = content_hash(title.trim(), body);
        let mut matches: Vec<NoteMatch> = Vec::new();
        let (mut same_threshold, mut warning) = (f32::INFINITY, None);
        let comparison = match self.vectors {
            Some((vectors, model)) => {
                same_threshold = model.same;
                // Similarity in meaning has a lower threshold than similarity in wording.
                let floor = model.solved.min(model.near);
                self.cosines(vectors, rows, title, body).map(|cosines| (cosines, model.near, floor))
            }
            None => Err(self.no_model()),
        };
        let (cosines, near_threshold, floor) = match comparison {
            Ok(comparison) => comparison,
            Err(error) => {
                warning = Some(format!("Compared by exact wording only: {error}"));
                (vec![0.0; rows.len()], f32::INFINITY, f32::INFINITY)
            }
        };
        for (row, cosine) in rows.iter().zip(cosines) {
            let is_exact = row.content_hash == hash;
            if !is_exact && cosine < floor {
                continue;
            }
            let other_text = (&*row.document.title, &*row.document.body);
            // Below `near_threshold`, differing names are too common to list.
            let differs = || differences((title, body), other_text, cosine >= near_threshold);
            matches.push(NoteMatch {
                id: row.document.key.clone(),
                title: row.document.title.clone(),
                kind: row.kind,
                lifecycle: row.lifecycle,
                similarity: if is_exact { 1.0 } else { cosine },
                exact: is_exact,
                differs: if is_exact { vec![] } else { differs() },
            });
        }
        let number = |m: &NoteMatch| m.id.rsplit_once('#').and_then(|(_, n)| n.parse::<u64>().ok());
        matches.sort_by(|a, b| {
            let by_similarity = b.similarity.total_cmp(&a.similarity);
            let key = |m: &NoteMatch| (Reverse((m.exact, !m.differs.is_empty())), number(m));
            by_similarity.then_with(|| key(a).cmp(&key(b)))
        });
        // A note with the same wording but different numbers is another note.
        let is_duplicate =
            |m: &NoteMatch| m.exact || (m.similarity >= same_threshold && m.differs.is_empty());
        let recommendation = match matches.iter().position(is_duplicate) {
            Some(index) => {
                let duplicate = matches.remove(index);
                matches.insert(0, duplicate);
                Recommendation::DuplicateFound
            }
            None if matches.is_empty() => Recommendation::Unique,
            None => Recommendation::SimilarFound,
        };
        let close_count = matches.iter().filter(|m| is_close(m, near_threshold)).count();
        matches.truncate((close_count + MAX_RELATED).min(MAX_MATCHES));
        SimilarNotes { matches, recommendation, warning }
    }

    fn no_model(&self) -> Error {
        let code = precedent_core::error::Code::ModelUnavailable;
        self.problem.cloned().unwrap_or_else(|| Error::new(code, "no model is available"))
    }

    /// Returns the cosine of a draft with each of these notes, −1..1.
    fn cosines(
        &self,
        vectors: &Vectors,
        rows: &[NoteRow],
        title: &str,
        body: &str,
    ) -> Result<Vec<f32>> {
        let text_vectors = self.embed_text(title, body)?;
        let mut out = Vec::with_capacity(rows.len());
        for row in rows {
            let mut row_vectors = vectors.text_vectors(row.document.id)?;
            // A note stored while the model was unavailable has no vectors yet.
            if row_vectors.is_empty() {
                row_vectors = self.embed_text(&row.document.title, &row.document.body)?;
            }
            out.push(similarity(&text_vectors, &row_vectors));
        }
        Ok(out)
    }

    fn embed_text(&self, title: &str, body: &str) -> Result<Vec<Vec<f32>>> {
        let texts =
            representations(title.trim(), &PreparedText::body(body, &Skeleton::default()), true);
        texts.iter().map(|text| (self.embed)(text)).collect()
    }
}

/// Returns the similarity of two texts: the mean cosine of each chunk with the nearest one of the
/// other text. It is the lower of both directions, so that a common beginning is not a match.
fn similarity(a: &[Vec<f32>], b: &[Vec<f32>]) -> f32 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
    let one_way = |source: &[Vec<f32>], target: &[Vec<f32>]| {
        let nearest = |x: &Vec<f32>| target.iter().map(|y| dot(x, y)).fold(-1.0, f32::max);
        let count = source.len().max(1) as f32;
        source.iter().map(nearest).sum::<f32>() / count
    };
    one_way(a, b).min(one_way(b, a))
}

/// Returns the names in `text`: capitalized words inside a sentence, and runs of Chinese or
/// Japanese, which have no capitals and which most models hardly understand.
fn names(text: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut starts_sentence = true;
    for word in text.split_inclusive([' ', '\n', '\t']) {
        let bare_word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if !starts_sentence && bare_word.starts_with(char::is_uppercase) {
            out.insert(bare_word.to_owned());
        }
        let wide_runs = bare_word
            .split(|c: char| c < FIRST_WIDE_CHAR || !c.is_alphanumeric())
            .filter(|run| !run.is_empty());
        out.extend(wide_runs.map(str::to_owned));
        starts_sentence = word.trim_end().is_empty() && starts_sentence
            || word.ends_with('\n')
            || word.trim_end().ends_with(['.', '!', '?', ':']);
    }
    out
}

/// The first character of the scripts without spaces.
const FIRST_WIDE_CHAR: char = '\u{2e80}';

/// Returns the differences between two similar texts: words with digits, negations, and, with
/// `with_names`, names if each text has its own.
fn differences(a: (&str, &str), b: (&str, &str), with_names: bool) -> Vec<String> {
    let markers = |(title, body): (&str, &str)| -> (BTreeSet<String>, BTreeSet<&'static str>) {
        let text = format!("{title}\n{body}").to_lowercase();
        let numbers = text
            // Chinese and Japanese have no space between a number and its unit.
            .split(|c: char| {
                c >= FIRST_WIDE_CHAR || !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':'))
            })
            .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()))
            .filter(|w| w.contains(|c: char| c.is_ascii_digit()))
            .map(str::to_owned)
            .collect();
        let words: BTreeSet<String> =
            tokens::words(&text).into_iter().map(|w| text[w.range].replace('’', "'")).collect();
        (numbers, NEGATIONS.iter().copied().filter(|n| words.contains(*n)).collect())
    };
    let ((a_numbers, a_negations), (b_numbers, b_negations)) = (markers(a), markers(b));
    let mut out: Vec<String> = a_numbers.symmetric_difference(&b_numbers).cloned().collect();
    let unshared_names = |text: (&str, &str), second: (&str, &str)| -> Vec<String> {
        let second_text = format!("{}\n{}", second.0, second.1).to_lowercase();
        let names = names(&format!("{}\n{}", text.0, text.1)).into_iter();
        names.filter(|name| !second_text.contains(&name.to_lowercase())).collect()
    };
    let (a_names, b_names) = (unshared_names(a, b), unshared_names(b, a));
    if with_names && !a_names.is_empty() && !b_names.is_empty() {
        let new_names = a_names.into_iter().chain(b_names);
        let new_names: Vec<String> =
            new_names.filter(|name| !out.contains(&name.to_lowercase())).collect();
        out.extend(new_names);
    }
    if a_negations.is_empty() != b_negations.is_empty() {
        out.extend(a_negations.union(&b_negations).map(|n| (*n).to_owned()));
    }
    out.truncate(MAX_MATCHES);
    out
}

/// Returns whether a note has similar wording.
fn is_close(note: &NoteMatch, near_threshold: f32) -> bool {
    note.exact || note.similarity >= near_threshold
}

fn one_line(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn validate(title: &str, body: &str) -> Result<()> {
    let problem = if title.trim().is_empty() {
        "the note has no title".to_owned()
    } else if body.trim().is_empty() {
        "the note has no text".to_owned()
    } else if title.chars().count() > MAX_TITLE {
        format!("the title is longer than {MAX_TITLE} characters")
    } else if body.len() > MAX_BODY {
        format!("the text is longer than {MAX_BODY} bytes")
    } else {
        return Ok(());
    };
    Err(Error::invalid(problem).with_hint("A note needs a kind, a title and a text."))
}

/// Trims and deduplicates tags.
fn normalize_tags(tags: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for tag in tags.iter().map(|t| t.trim()).filter(|t| !t.is_empty()) {
        if !out.iter().any(|t| t == tag) {
            out.push(tag.to_owned());
        }
    }
    out
}

fn resolve_targets(reader: &Reader<'_>, keys: &[String]) -> Result<Vec<String>> {
    keys.iter().map(|key| search::resolve_one(reader, key.trim()).map(|d| d.key)).collect()
}

pub(crate) fn stored_articles(reader: &Reader<'_>) -> Result<Vec<Note>> {
    let rows = reader.notes(Some(NoteKind::Article))?.into_iter();
    rows.map(|row| reader.shown_note(row)).collect()
}

/// Returns the note with this key.
pub fn find_note(reader: &Reader<'_>, key: &str) -> Result<NoteRow> {
    let key = key.trim();
    let key = if key.contains('#') {
        key.to_owned()
    } else {
        format!("{}#{key}", precedent_store::NOTES)
    };
    reader.note(&key)?.ok_or_else(|| {
        Error::not_found(format!("{key} not found"))
            .with_hint("List all notes.")
            .with_command(Remedy::Notes, "precedent note list")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_negations_distinguish_notes() {
        let text = "Open port 8080 for the agent";
        let differences = |a, b| super::differences(a, b, true);
        assert!(differences(("t", text), ("t", text)).is_empty());
        assert_eq!(
            differences(("t", text), ("t", "Open port 8081 for the agent")),
            ["8080", "8081"]
        );
        assert_eq!(
            differences(("t", "Restart after 2.3.1"), ("t", "Restart after 2.3")),
            ["2.3", "2.3.1"]
        );
        assert_eq!(differences(("t", "Restart it"), ("t", "Do not restart it")), ["not"]);
        assert!(differences(("t", "It doesn't work"), ("t", "It does not work")).is_empty());
    }

    #[test]
    fn names_distinguish_notes() {
        let note = |name: &str| {
            (format!("Customer {name} Harbour runs 4.1"), "They may not update.".to_owned())
        };
        let (red, blue) = (note("Red"), note("Blue"));
        let differences = |a, b| super::differences(a, b, true);
        assert_eq!(differences((&red.0, &red.1), (&blue.0, &blue.1)), ["Red", "Blue"]);
        // A sentence begins with a capital, and a name in only one text is not a difference.
        assert!(
            differences(("t", "Restart it. Then wait."), ("t", "Stop it. Now wait.")).is_empty()
        );
        assert!(differences(("t", "ask the Server team"), ("t", "ask the team")).is_empty());
        let (a, b) = (("索引重建停在99%", "x"), ("重建索引卡在50%", "x"));
        assert_eq!(differences(a, b), ["50", "99", "索引重建停在", "重建索引卡在"]);
        assert_eq!(super::differences(a, b, false), ["50", "99"]);
    }

    #[test]
    fn title_is_one_line() {
        assert_eq!(one_line(" two\nlines\t here "), "two lines here");
    }

    #[test]
    fn shared_beginning_lowers_the_similarity() {
        let (x, y) = (vec![1.0, 0.0], vec![0.0, 1.0]);
        assert!((similarity(std::slice::from_ref(&x), &[x.clone(), y.clone()]) - 0.5).abs() < 1e-6);
        assert!((similarity(&[x.clone(), y.clone()], &[y, x]) - 1.0).abs() < 1e-6);
    }
}
