//! The fields of the index and their analyzers.

use tantivy::{
    schema::{
        FAST, Field, INDEXED, IndexRecordOption, NumericOptions, STRING, Schema, TextFieldIndexing,
        TextOptions,
    },
    tokenizer::{Token, TokenStream, Tokenizer},
};

use precedent_text::tokens;

/// The version of the fields and analyzers. Increase it with every change; each version has its own
/// folder.
pub(super) const SCHEMA_VERSION: u32 = 9;

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

#[derive(Clone, Copy)]
pub(super) enum TokenKind {
    Words,
    Identifiers,
}

/// An adapter from [`tokens`] to tantivy's tokenizer.
pub(super) struct Analyzer {
    kind: TokenKind,
    stems: tokens::StemCache,
    terms: TermText,
}

impl Analyzer {
    pub(super) fn new(kind: TokenKind) -> Self {
        Self { kind, stems: tokens::StemCache::default(), terms: TermText::default() }
    }
}

impl Clone for Analyzer {
    /// Returns an analyzer with its own cache; each thread has one.
    fn clone(&self) -> Self {
        Self::new(self.kind)
    }
}

/// The terms of a text, concatenated.
#[derive(Default)]
struct TermText {
    text: String,
    /// Range of each term in the original text, and its end in `text`.
    spans: Vec<(std::ops::Range<usize>, usize)>,
}

impl TermText {
    fn clear(&mut self) {
        self.text.clear();
        self.spans.clear();
    }

    fn push(&mut self, range: std::ops::Range<usize>, term: &str) {
        self.text.push_str(term);
        self.spans.push((range, self.text.len()));
    }
}

impl Tokenizer for Analyzer {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        let terms = &mut self.terms;
        terms.clear();
        match self.kind {
            TokenKind::Words => self.stems.words(text, |range, term| terms.push(range, term)),
            TokenKind::Identifiers => {
                tokens::identifiers(text).for_each(|(range, word)| terms.push(range, &word))
            }
        }
        Stream { terms, next_span: 0, start: 0, position: 0, token: Token::default() }
    }
}

pub(super) struct Stream<'a> {
    terms: &'a TermText,
    next_span: usize,
    start: usize,
    position: usize,
    token: Token,
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        let Some((range, end)) = self.terms.spans.get(self.next_span) else { return false };
        // Terms of one word share a position, so that phrases can continue after them.
        if self.next_span > 0
            && (self.token.offset_from, self.token.offset_to) != (range.start, range.end)
        {
            self.position += 1;
        }
        self.token.offset_from = range.start;
        self.token.offset_to = range.end;
        self.token.position = self.position;
        self.token.text.clear();
        self.token.text.push_str(&self.terms.text[self.start..*end]);
        self.start = *end;
        self.next_span += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
