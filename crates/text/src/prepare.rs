//! A document's or comment's text, prepared: prose, code and signatures apart.

use std::borrow::Cow;

use super::{
    mail,
    markdown::{self, Block, BlockKind},
    signature::{Signature, signatures},
    skeleton::Skeleton,
    visible::uncoloured,
};

/// The longest text that is read, in bytes. What follows is kept in the store and shown, but not searched.
pub const MAX_READ: usize = 1_000_000;

/// What the writer of a text wrote: without a terminal's colours, the mail that it answers, and the signature.
pub fn written(markdown: &str) -> Cow<'_, str> {
    match uncoloured(markdown) {
        Cow::Borrowed(plain) => mail::own(plain),
        Cow::Owned(plain) => Cow::Owned(mail::own(&plain).into_owned()),
    }
}

/// A text, ready for indexing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// Its blocks in order, without the template's skeleton.
    pub blocks: Vec<Block>,
    /// Where its links lead and its images lie, and what both are called: found by search, and no words of the writer's.
    pub targets: Vec<String>,
}

impl Prepared {
    /// Prepares the text of a document. Quotes stay, as a reporter quotes what the program said; a mail that was answered goes, as does
    /// a signature.
    pub fn body(markdown: &str, skeleton: &Skeleton) -> Self {
        let markdown = &markdown[..markdown.floor_char_boundary(MAX_READ)];
        if markdown.trim().is_empty() {
            return Self::default();
        }
        let (blocks, targets) = markdown::read(&skeleton.strip(&written(markdown)));
        Self { blocks, targets }
    }

    /// Prepares a comment. Quotes go where the comment has words of its own: the quoted words are in the thread already.
    pub fn comment(markdown: &str) -> Self {
        let markdown = &markdown[..markdown.floor_char_boundary(MAX_READ)];
        let (mut all, targets) = markdown::read(&written(markdown));
        if all.iter().any(|b| b.kind != BlockKind::Quote) {
            all.retain(|b| b.kind != BlockKind::Quote);
        }
        Self { blocks: all, targets }
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
