//! A document's or comment's text, prepared: prose, code and signatures apart.

use std::{borrow::Cow, sync::OnceLock};

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
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// Its blocks in order, without the template's skeleton.
    pub blocks: Vec<Block>,
    /// Where its links lead and its images lie, and what both are called: found by search, and no words of the writer's.
    pub targets: Vec<String>,
    /// What is not code, and what is, once somebody asked for it.
    prose: OnceLock<String>,
    code: OnceLock<String>,
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
        Self { blocks, targets, ..Self::default() }
    }

    /// Prepares a comment. Quotes go where the comment has words of its own: the quoted words are in the thread already.
    pub fn comment(markdown: &str) -> Self {
        let markdown = &markdown[..markdown.floor_char_boundary(MAX_READ)];
        let (mut all, targets) = markdown::read(&written(markdown));
        if all.iter().any(|b| b.kind != BlockKind::Quote) {
            all.retain(|b| b.kind != BlockKind::Quote);
        }
        Self { blocks: all, targets, ..Self::default() }
    }

    /// Everything, a line a block.
    pub fn text(&self) -> String {
        self.join(|_| true)
    }

    /// Everything that is not code, a line a block.
    pub fn prose(&self) -> &str {
        self.prose.get_or_init(|| self.join(|k| k != BlockKind::Code))
    }

    /// Code, logs and stack traces.
    pub fn code(&self) -> &str {
        self.code.get_or_init(|| self.join(|k| k == BlockKind::Code))
    }

    /// The whole of a report with this title: prose before code.
    pub fn whole(&self, title: &str) -> String {
        format!("{title}\n{}\n{}", self.prose(), self.code())
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
