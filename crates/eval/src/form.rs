//! The query form of a report: all of it, or the few words that a person types into a search.

use std::collections::{HashMap, HashSet};

use crate::eval_set::Report;

/// The number of words in a short query.
const FEW: usize = 3;

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
    pub fn of(reports: &[Report]) -> Self {
        let mut counts: HashMap<String, u32> = HashMap::new();
        for report in reports {
            let text = format!("{}\n{}", report.title, report.body).to_lowercase();
            let distinct: HashSet<&str> = words(&text).collect();
            for word in distinct {
                match counts.get_mut(word) {
                    Some(count) => *count += 1,
                    None => {
                        counts.insert(word.to_owned(), 1);
                    }
                }
            }
        }
        Self(counts)
    }

    /// Returns the title's rarest words in their order, each once; the first of equally rare words
    /// wins.
    pub fn rarest(&self, title: &str) -> String {
        let title = title.to_lowercase();
        let mut distinct = HashSet::new();
        let terms: Vec<&str> = words(&title).filter(|w| distinct.insert(*w)).collect();
        let mut places: Vec<usize> = (0..terms.len()).collect();
        places
            .sort_by_key(|place| (self.0.get(terms[*place]).copied().unwrap_or_default(), *place));
        places.truncate(FEW);
        places.sort_unstable();
        places.into_iter().map(|place| terms[place]).collect::<Vec<_>>().join(" ")
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
