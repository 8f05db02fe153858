//! Lists of words that are part of the program, each written as one text.

use std::{slice::Iter, sync::OnceLock};

/// Words that are told apart by white space.
pub struct Words {
    text: &'static str,
    sorted: OnceLock<Vec<&'static str>>,
}

impl Words {
    /// The words of a text.
    pub const fn new(text: &'static str) -> Self {
        Self { text, sorted: OnceLock::new() }
    }

    /// Whether this is one of them.
    pub fn contains(&self, word: &str) -> bool {
        self.sorted().binary_search(&word).is_ok()
    }

    /// Each of them, sorted.
    pub fn iter(&self) -> Iter<'_, &'static str> {
        self.sorted().iter()
    }

    fn sorted(&self) -> &[&'static str] {
        self.sorted.get_or_init(|| {
            let mut words: Vec<&str> = self.text.split_whitespace().collect();
            words.sort_unstable();
            words
        })
    }
}

/// What a text lists, told apart by commas, in its order.
pub fn phrases(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(',').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_a_list_is_found_wherever_it_is_written() {
        static WORDS: Words = Words::new(
            "wren heron
            kestrel",
        );
        assert!(["wren", "heron", "kestrel"].into_iter().all(|word| WORDS.contains(word)));
        assert!(!WORDS.contains("") && !WORDS.contains("hero") && !WORDS.contains("wren heron"));
        assert_eq!(WORDS.iter().copied().collect::<Vec<_>>(), ["heron", "kestrel", "wren"]);
    }
}
