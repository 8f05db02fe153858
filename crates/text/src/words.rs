//! Constant lists of words, each written as one string.

use std::{slice::Iter, sync::OnceLock};

/// A sorted list of words.
pub struct Words {
    text: &'static str,
    cell: OnceLock<Vec<&'static str>>,
}

impl Words {
    /// Creates a list from words separated by whitespace.
    pub const fn new(text: &'static str) -> Self {
        Self { text, cell: OnceLock::new() }
    }

    /// Returns whether the list contains the word.
    pub fn contains(&self, word: &str) -> bool {
        self.sorted_words().binary_search(&word).is_ok()
    }

    /// Returns an iterator over the words, sorted.
    pub fn iter(&self) -> Iter<'_, &'static str> {
        self.sorted_words().iter()
    }

    fn sorted_words(&self) -> &[&'static str] {
        self.cell.get_or_init(|| {
            let mut words: Vec<&str> = self.text.split_whitespace().collect();
            words.sort_unstable();
            words
        })
    }
}

/// Returns the comma-separated phrases of a list, in order.
pub fn phrases(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(',').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_contains_exactly_its_words() {
        static WORDS: Words = Words::new(
            "wren heron
            kestrel",
        );
        assert!(["wren", "heron", "kestrel"].into_iter().all(|word| WORDS.contains(word)));
        assert!(!WORDS.contains("") && !WORDS.contains("hero") && !WORDS.contains("wren heron"));
        assert_eq!(WORDS.iter().copied().collect::<Vec<_>>(), ["heron", "kestrel", "wren"]);
    }
}
