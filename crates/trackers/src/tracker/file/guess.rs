//! Guesses of the fields of table columns from their contents, for names that are not known.

use std::collections::HashSet;

use super::states::Words;
use crate::tracker::{
    dates,
    identity::{address, hash_of, strict},
};

/// The number of distinct texts that are kept of a column.
const DISTINCT: usize = 1000;
/// The largest number of distinct values of a state.
const STATES: usize = 20;

/// The contents of a column.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    cells: usize,
    dates: usize,
    addresses: usize,
    numbers: usize,
    states: usize,
    words: usize,
    characters: usize,
    distinct: HashSet<u64>,
}

impl Contents {
    /// Counts a cell that is not empty.
    pub fn count(&mut self, text: &str, states: &Words) {
        self.cells += 1;
        self.addresses += usize::from(address(text).is_some());
        self.numbers += usize::from(strict(text).is_some());
        // Plain digits are rather a number than a time.
        let may_be_time = text.len() < 50 && text.contains(|c: char| !c.is_ascii_digit());
        self.dates +=
            usize::from(may_be_time && dates::parse(text, dates::Order::default()).is_some());
        self.states += usize::from(text.len() < 40 && states.word_state(text).is_some());
        self.words +=
            text.split_whitespace().filter(|w| w.chars().any(char::is_alphabetic)).count();
        self.characters += text.chars().count();
        if self.distinct.len() < DISTINCT {
            self.distinct.insert(hash_of(text));
        }
    }

    fn mean_words(&self) -> usize {
        self.words / self.cells.max(1)
    }

    /// Returns whether most cells differ.
    fn is_distinct(&self) -> bool {
        self.distinct.len() * 10 >= self.cells.min(DISTINCT) * 8
    }

    fn mostly(&self, n: usize) -> bool {
        self.cells > 0 && n * 10 >= self.cells * 9
    }

    fn is_text(&self) -> bool {
        !self.mostly(self.dates) && !self.mostly(self.addresses) && self.cells > 0
    }

    /// Returns whether the column holds prose and no short values.
    pub fn is_prose(&self) -> bool {
        self.is_text() && self.mean_words() >= 6 && self.is_distinct()
    }
}

/// Guesses the fields of columns whose names are unknown, in the order of the table; `lacks`
/// returns whether no column provides a field.
pub fn guess(
    columns: &[(usize, Contents)],
    lacks: impl Fn(&str) -> bool,
) -> Vec<(&'static str, usize)> {
    let mut out: Vec<(&'static str, usize)> = Vec::new();
    let mut take = |field: &'static str, is: &dyn Fn(&Contents) -> bool| {
        let free = |at: &usize| out.iter().all(|(_, column)| column != at);
        let position =
            columns.iter().find(|(at, column)| free(at) && is(column)).map(|(at, _)| *at);
        out.extend(position.map(|at| (field, at)));
    };
    if lacks("url") {
        take("url", &|c| c.mostly(c.addresses));
    }
    if lacks("number") {
        take("number", &|c| {
            c.mostly(c.numbers)
                && !c.mostly(c.dates)
                && c.mostly(c.distinct.len())
                && c.mean_words() < 2
        });
    }
    if lacks("created") {
        take("created", &|c| c.mostly(c.dates));
    }
    if lacks("state") {
        take("state", &|c| c.distinct.len() <= STATES && c.states * 2 > c.cells);
    }
    if lacks("title") {
        let short =
            |c: &Contents| c.is_text() && c.is_distinct() && (2..=20).contains(&c.mean_words());
        take("title", &short);
    }
    let used_columns: Vec<usize> = out.iter().map(|(_, at)| *at).collect();
    let prose =
        columns.iter().filter(|(at, column)| !used_columns.contains(at) && column.is_prose());
    out.extend(prose.map(|(at, _)| ("body", *at)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_guessed_by_their_contents() {
        let rows = [
            [
                "17",
                "2025-03-01",
                "Belt squeals when cold",
                "Open",
                "It squeals for ten minutes after a cold start.",
            ],
            [
                "18",
                "2025-03-04",
                "Hopper lid sticks",
                "Closed",
                "The lid of the hopper sticks after a wet night outside.",
            ],
            [
                "19",
                "2025-03-09",
                "Scale drifts upwards",
                "Open",
                "The scale shows two grams more every hour of the day.",
            ],
        ];
        let mut columns: Vec<(usize, Contents)> =
            (0..5).map(|at| (at, Contents::default())).collect();
        for row in rows {
            for (at, column) in &mut columns {
                column.count(row[*at], &Words::default());
            }
        }
        let guesses = guess(&columns, |_| true);
        assert_eq!(
            guesses,
            [("number", 0), ("created", 1), ("state", 3), ("title", 2), ("body", 4)]
        );
        assert_eq!(guess(&columns, |_| false), [("body", 4)]);
    }
}
