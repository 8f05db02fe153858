//! A document's or comment's text, prepared: prose, code and signatures apart.

use super::{
    markdown::{Block, BlockKind, blocks},
    signature::{Signature, signatures},
    skeleton::Skeleton,
};

/// The longest text that is read, in bytes. What follows is kept in the store and shown, but not searched.
pub const MAX_READ: usize = 1_000_000;

/// A text, ready for indexing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// Its blocks in order, without the template's skeleton.
    pub blocks: Vec<Block>,
}

impl Prepared {
    /// Prepares the text of a document. Quotes stay: a reporter quotes what the program said.
    pub fn body(markdown: &str, skeleton: &Skeleton) -> Self {
        let markdown = &markdown[..markdown.floor_char_boundary(MAX_READ)];
        if markdown.trim().is_empty() {
            return Self::default();
        }
        Self { blocks: blocks(&skeleton.strip(markdown)) }
    }

    /// Prepares a comment. Quotes go where the comment has words of its own: the quoted words are in the thread already.
    pub fn comment(markdown: &str) -> Self {
        let markdown = &markdown[..markdown.floor_char_boundary(MAX_READ)];
        let mut all = blocks(markdown);
        if all.iter().any(|b| b.kind != BlockKind::Quote) {
            all.retain(|b| b.kind != BlockKind::Quote);
        }
        Self { blocks: all }
    }

    /// Everything, a line a block.
    pub fn text(&self) -> String {
        self.join(|_| true)
    }

    /// Everything that is not code, a line a block.
    pub fn prose(&self) -> String {
        self.join(|k| k != BlockKind::Code)
    }

    /// Code, logs and stack traces.
    pub fn code(&self) -> String {
        self.join(|k| k == BlockKind::Code)
    }

    /// The signatures of all of it, with the title's.
    pub fn signatures(&self, title: &str) -> Vec<Signature> {
        let mut text = String::from(title);
        for block in &self.blocks {
            text.push('\n');
            text.push_str(&block.text);
        }
        signatures(&text)
    }

    /// Whether there are too few words to mean something by themselves ("+1", "Thanks!").
    pub fn is_slight(&self) -> bool {
        self.blocks.iter().map(|b| b.text.chars().filter(|c| c.is_alphanumeric()).count()).sum::<usize>() < 30
    }

    fn join(&self, keep: impl Fn(BlockKind) -> bool) -> String {
        let mut out = String::new();
        for block in self.blocks.iter().filter(|b| keep(b.kind)) {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&block.text);
        }
        out
    }
}
