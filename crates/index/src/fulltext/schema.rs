//! The fields of the index and their analyzers.

use tantivy::{
    schema::{
        FAST, Field, INDEXED, IndexRecordOption, NumericOptions, STRING, Schema, TextFieldIndexing,
        TextOptions,
    },
    tokenizer::{Token, TokenStream, Tokenizer},
};

use precedent_text::tokens::{self, Word};

/// The version of the fields and analyzers. Increase it with every change; each version has its own
/// folder.
pub(super) const SCHEMA_VERSION: u32 = 11;

#[derive(Clone, Copy)]
pub(super) struct Fields {
    pub(super) id: Field,
    pub(super) title: Field,
    pub(super) body: Field,
    pub(super) code: Field,
    pub(super) comments: Field,
    pub(super) identifiers: Field,
    pub(super) signatures: Field,
    pub(super) comment_signatures: Field,
    pub(super) source: Field,
    pub(super) kind: Field,
    pub(super) state: Field,
    pub(super) reason: Field,
    pub(super) label: Field,
    pub(super) author: Field,
    pub(super) version: Field,
    pub(super) flag: Field,
    pub(super) created_at: Field,
    pub(super) updated_at: Field,
    pub(super) closed_at: Field,
}

pub(super) fn schema() -> (Schema, Fields) {
    let mut b = Schema::builder();
    let text = |tokenizer: &str, option| {
        TextOptions::default().set_indexing_options(
            TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(option),
        )
    };
    let positions = || text("words", IndexRecordOption::WithFreqsAndPositions);
    let number = || NumericOptions::default() | INDEXED | FAST;
    let fields = Fields {
        id: b.add_u64_field("id", number()),
        title: b.add_text_field("title", positions()),
        body: b.add_text_field("body", positions()),
        code: b.add_text_field("code", positions()),
        comments: b.add_text_field("comments", positions()),
        identifiers: b
            .add_text_field("identifiers", text("identifiers", IndexRecordOption::WithFreqs)),
        signatures: b.add_text_field("signatures", STRING),
        comment_signatures: b.add_text_field("said_signatures", STRING),
        source: b.add_text_field("source", STRING),
        kind: b.add_text_field("kind", STRING),
        state: b.add_text_field("state", STRING),
        reason: b.add_text_field("reason", STRING),
        label: b.add_text_field("label", STRING),
        author: b.add_text_field("author", STRING),
        version: b.add_text_field("version", STRING),
        flag: b.add_text_field("flag", STRING),
        created_at: b.add_i64_field("created", number()),
        updated_at: b.add_i64_field("updated", number()),
        closed_at: b.add_i64_field("closed", number()),
    };
    (b.build(), fields)
}

/// An adapter from [`tokens`] to tantivy's tokenizer.
#[derive(Clone, Copy)]
pub(super) enum Analyzer {
    Words,
    Identifiers,
}

impl Tokenizer for Analyzer {
    type TokenStream<'a> = Stream;

    fn token_stream(&mut self, text: &str) -> Stream {
        let words = match self {
            Self::Words => tokens::forms(text),
            Self::Identifiers => {
                tokens::identifiers(text).map(|(range, term)| Word { range, term }).collect()
            }
        };
        Stream { words: words.into_iter(), token: Token::default() }
    }
}

pub(super) struct Stream {
    words: std::vec::IntoIter<Word>,
    token: Token,
}

impl TokenStream for Stream {
    fn advance(&mut self) -> bool {
        let Some(Word { range, term }) = self.words.next() else { return false };
        let Token { offset_from, offset_to, position, .. } = self.token;
        // Terms of one word share a position, so that phrases can continue after them.
        let is_same_word = (offset_from, offset_to) == (range.start, range.end);
        self.token = Token {
            offset_from: range.start,
            offset_to: range.end,
            position: if is_same_word { position } else { position.wrapping_add(1) },
            text: term,
            ..Token::default()
        };
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
