//! Prepared texts of documents and comments: prose, code and signatures.

use std::{borrow::Cow, sync::OnceLock};

use super::{
    mail,
    markdown::{self, Block, BlockKind},
    sanitize::strip_ansi,
    signature::{Signature, signatures},
    skeleton::Skeleton,
};

/// The maximum length of a text that is searched, in bytes. The rest is stored and shown.
pub const MAX_INPUT: usize = 1_000_000;

/// Returns a text without terminal colors, quoted mail or a signature.
pub fn own_content(markdown: &str) -> Cow<'_, str> {
    match strip_ansi(markdown) {
        Cow::Borrowed(plain) => mail::own_text(plain),
        Cow::Owned(plain) => Cow::Owned(mail::own_text(&plain).into_owned()),
    }
}

/// A text that is ready for indexing.
#[derive(Clone, Debug, Default)]
pub struct PreparedText {
    /// Blocks in order, without the template's skeleton.
    pub blocks: Vec<Block>,
    /// Addresses and titles of links and images, which are searchable but not part of the prose.
    pub targets: Vec<String>,
    prose: OnceLock<String>,
    code: OnceLock<String>,
}

impl PreparedText {
    /// Prepares the body of a document. Quotes are kept, because reporters quote program output.
    /// Quoted mail and signatures are dropped.
    pub fn body(markdown: &str, skeleton: &Skeleton) -> Self {
        let markdown = &markdown[..markdown.floor_char_boundary(MAX_INPUT)];
        if markdown.trim().is_empty() {
            return Self::default();
        }
        let (blocks, targets) =
            markdown::blocks_and_targets(&skeleton.strip(&own_content(markdown)));
        Self { blocks, targets, ..Self::default() }
    }

    /// Prepares a comment. Quotes repeat the thread, so they are dropped if there is other text.
    pub fn comment(markdown: &str) -> Self {
        let markdown = &markdown[..markdown.floor_char_boundary(MAX_INPUT)];
        let (mut blocks, targets) = markdown::blocks_and_targets(&own_content(markdown));
        if blocks.iter().any(|b| b.kind != BlockKind::Quote) {
            blocks.retain(|b| b.kind != BlockKind::Quote);
        }
        Self { blocks, targets, ..Self::default() }
    }

    /// Returns the whole text, one line per block.
    pub fn text(&self) -> String {
        self.join(|_| true)
    }

    /// Returns the text that is not code.
    pub fn prose(&self) -> &str {
        self.prose.get_or_init(|| self.join(|k| k != BlockKind::Code))
    }

    /// Returns the code, logs and stack traces.
    pub fn code(&self) -> &str {
        self.code.get_or_init(|| self.join(|k| k == BlockKind::Code))
    }

    /// Returns the title, the prose and the code.
    pub fn whole(&self, title: &str) -> String {
        format!("{title}\n{}\n{}", self.prose(), self.code())
    }

    /// Returns the signatures of the title and the text.
    pub fn signatures(&self, title: &str) -> Vec<Signature> {
        signatures(&format!("{title}\n{}", self.text()))
    }

    /// Returns whether the text is too short to be meaningful by itself ("+1", "Thanks!").
    pub fn is_too_short(&self) -> bool {
        let chars = self.blocks.iter().flat_map(|b| b.text.chars());
        chars.filter(|c| c.is_alphanumeric()).count() < 30
    }

    fn join(&self, includes: impl Fn(BlockKind) -> bool) -> String {
        let texts = self.blocks.iter().filter(|b| includes(b.kind)).map(|b| b.text.as_str());
        texts.collect::<Vec<_>>().join("\n")
    }
}
