//! The prepared text of a document or comment: prose, code and signatures, separated.

use std::{borrow::Cow, sync::OnceLock};

use super::{
    mail,
    markdown::{self, Block, BlockKind},
    signature::{Signature, signatures},
    skeleton::Skeleton,
    visible::strip_ansi,
};

/// The maximum length of a text that is read, in bytes. The rest is kept in the store and shown,
/// but not searched.
pub const MAX_READ: usize = 1_000_000;

/// Returns a text's own content: without terminal colours, the mail that it answers, and the
/// signature.
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
    /// Addresses and titles of links and images. Search finds them; they are not the writer's
    /// words.
    pub targets: Vec<String>,
    /// The text outside of code, and the code; both are computed on first use.
    prose: OnceLock<String>,
    code: OnceLock<String>,
}

impl PreparedText {
    /// Prepares the body of a document. Quotes are kept, because reporters quote program output; an
    /// answered mail and a signature are dropped.
    pub fn body(markdown: &str, skeleton: &Skeleton) -> Self {
        let markdown = &markdown[..markdown.floor_char_boundary(MAX_READ)];
        if markdown.trim().is_empty() {
            return Self::default();
        }
        let (blocks, targets) =
            markdown::blocks_and_targets(&skeleton.strip(&own_content(markdown)));
        Self { blocks, targets, ..Self::default() }
    }

    /// Prepares a comment. Quotes are dropped where the comment has other text: they repeat the
    /// thread.
    pub fn comment(markdown: &str) -> Self {
        let markdown = &markdown[..markdown.floor_char_boundary(MAX_READ)];
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

    /// Returns the text that is not code, one line per block.
    pub fn prose(&self) -> &str {
        self.prose.get_or_init(|| self.join(|k| k != BlockKind::Code))
    }

    /// Returns code, logs and stack traces.
    pub fn code(&self) -> &str {
        self.code.get_or_init(|| self.join(|k| k == BlockKind::Code))
    }

    /// Returns the whole report with this title: prose before code.
    pub fn whole(&self, title: &str) -> String {
        format!("{title}\n{}\n{}", self.prose(), self.code())
    }

    /// Returns the signatures of the whole text and the title.
    pub fn signatures(&self, title: &str) -> Vec<Signature> {
        let mut text = String::from(title);
        for block in &self.blocks {
            text.push('\n');
            text.push_str(&block.text);
        }
        signatures(&text)
    }

    /// Returns whether the text is too short to mean something by itself ("+1", "Thanks!").
    pub fn is_slight(&self) -> bool {
        self.blocks
            .iter()
            .map(|b| b.text.chars().filter(|c| c.is_alphanumeric()).count())
            .sum::<usize>()
            < 30
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
