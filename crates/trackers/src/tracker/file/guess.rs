//! Guesses the fields of columns with unknown names from their contents.

use std::collections::HashSet;

use super::states::StateWords;
use crate::tracker::{
    dates::{self, Order},
    identity::{hash_number, parse_strict, parse_url},
};

const MAX_STATES: usize = 20;
/// Returns whether the contents of a column are those of a field.
type Matcher = fn(&ColumnStats) -> bool;

/// The contents of a column.
#[derive(Clone, Debug, Default)]
pub struct ColumnStats {
    cells: usize,
    dates: usize,
    addresses: usize,
    numbers: usize,
    states: usize,
    words: usize,
    characters: usize,
    distinct_texts: HashSet<u64>,
}

impl ColumnStats {
    /// Counts a cell that is not empty.
    pub fn add_cell(&mut self, text: &str, states: &StateWords) {
        self.cells += 1;
        self.addresses += usize::from(parse_url(text).is_some());
        self.numbers += usize::from(parse_strict(text).is_some());
        // Plain digits are more likely a number than a time.
        let may_be_time = text.len() < 50 && text.contains(|c: char| !c.is_ascii_digit());
        let is_time = [Order::MonthFirst, Order::DayFirst]
            .into_iter()
            .any(|order| may_be_time && dates::parse(text, order).is_some());
        self.dates += usize::from(is_time);
        self.states += usize::from(text.len() < 40 && states.word_state(text).is_some());
        self.words +=
            text.split_whitespace().filter(|w| w.chars().any(char::is_alphabetic)).count();
        self.characters += text.chars().count();
        self.distinct_texts.insert(hash_number(text));
    }

    fn mean_words(&self) -> usize {
        self.words / self.cells.max(1)
    }

    fn is_distinct(&self) -> bool {
        self.distinct_texts.len() * 10 >= self.cells * 8
    }

    fn is_mostly(&self, n: usize) -> bool {
        self.cells > 0 && n * 10 >= self.cells * 9
    }

    fn is_text(&self) -> bool {
        !self.is_mostly(self.dates) && !self.is_mostly(self.addresses) && self.cells > 0
    }

    fn is_prose(&self) -> bool {
        self.is_text() && self.mean_words() >= 6 && self.is_distinct()
    }
}

/// Guesses the fields of columns with unknown names, in the order of the table, from the first
/// rows; `is_missing` returns whether no other column provides a field.
pub fn guess_fields(
    columns: &[(usize, ColumnStats)],
    is_missing: impl Fn(&str) -> bool,
) -> Vec<(&'static str, usize)> {
    let fields: [(&'static str, Matcher); 5] = [
        ("url", |c| c.is_mostly(c.addresses)),
        ("number", |c| {
            c.is_mostly(c.numbers)
                && !c.is_mostly(c.dates)
                && c.is_mostly(c.distinct_texts.len())
                && c.mean_words() < 2
        }),
        ("created", |c| c.is_mostly(c.dates)),
        ("state", |c| c.distinct_texts.len() <= MAX_STATES && c.states * 2 > c.cells),
        ("title", |c| c.is_text() && c.is_distinct() && (2..=20).contains(&c.mean_words())),
    ];
    let mut out: Vec<(&'static str, usize)> = Vec::new();
    for (field, matches) in fields.into_iter().filter(|(field, _)| is_missing(field)) {
        let is_free = |index: &usize| out.iter().all(|(_, column)| column != index);
        let column = columns.iter().find(|(index, column)| is_free(index) && matches(column));
        out.extend(column.map(|(index, _)| (field, *index)));
    }
    let is_free = |index: &usize| out.iter().all(|(_, column)| column != index);
    let prose: Vec<_> =
        columns.iter().filter(|(index, column)| is_free(index) && column.is_prose()).collect();
    out.extend(prose.into_iter().map(|(index, _)| ("body", *index)));
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
        let mut columns: Vec<(usize, ColumnStats)> =
            (0..5).map(|index| (index, ColumnStats::default())).collect();
        for row in rows {
            for (index, column) in &mut columns {
                column.add_cell(row[*index], &StateWords::default());
            }
        }
        let guesses = guess_fields(&columns, |_| true);
        assert_eq!(
            guesses,
            [("number", 0), ("created", 1), ("state", 3), ("title", 2), ("body", 4)]
        );
        assert_eq!(guess_fields(&columns, |_| false), [("body", 4)]);
    }
}
