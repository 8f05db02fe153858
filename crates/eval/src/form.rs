//! The forms of a query: a whole report, or the few words that a person types into a search.

use std::collections::{HashMap, HashSet};

use crate::eval_set::Report;

const SHORT_QUERY_WORDS: usize = 3;

/// A form in which reports are queried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// Title and body
    #[default]
    Report,
    /// Title, as typed into a search
    Title,
    /// Three rarest words of the title, in title order
    Words,
}

/// The number of reports that contain each word.
#[derive(Debug, Default)]
pub struct Vocabulary(HashMap<String, u32>);

impl Vocabulary {
    pub fn new(reports: &[Report]) -> Self {
        let mut counts: HashMap<String, u32> = HashMap::new();
        for report in reports {
            let text = format!("{}\n{}", report.title, report.body).to_lowercase();
            let distinct: HashSet<&str> = words(&text).collect();
            for word in distinct {
                *counts.entry(word.to_owned()).or_default() += 1;
            }
        }
        Self(counts)
    }

    /// Returns the title's rarest words in title order, without repetitions. Among equally rare
    /// words, the first are kept.
    pub fn rarest(&self, title: &str) -> String {
        let title = title.to_lowercase();
        let mut distinct = HashSet::new();
        let terms: Vec<&str> = words(&title).filter(|w| distinct.insert(*w)).collect();
        let mut positions: Vec<usize> = (0..terms.len()).collect();
        positions.sort_by_key(|i| (self.0.get(terms[*i]).copied().unwrap_or_default(), *i));
        positions.truncate(SHORT_QUERY_WORDS);
        positions.sort_unstable();
        positions.into_iter().map(|i| terms[i]).collect::<Vec<_>>().join(" ")
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_query_keeps_the_rarest_words() {
        let mut vocabulary = Vocabulary::default();
        for (word, count) in
            [("the", 90), ("pump", 7), ("stops", 9), ("when", 80), ("valve", 3), ("e17", 1)]
        {
            vocabulary.0.insert(word.to_owned(), count);
        }
        assert_eq!(vocabulary.rarest("The pump stops when valve shows E17"), "valve shows e17");
        assert_eq!(vocabulary.rarest("The pump stops when the pump is off"), "pump is off");
        assert_eq!(vocabulary.rarest("Pump"), "pump");
        assert_eq!(vocabulary.rarest("!?"), "");
    }
}
