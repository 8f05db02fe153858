//! A classifier of comment sentences by role: a fix, a workaround, a refusal and others.
//!
//! It is a multinomial logistic regression over 1- to 3-grams of tokens. `models/roles/fit.py` fits
//! the weights in `roles.json`; the README beside it has the figures.

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};
use serde::Deserialize;
use unicode_segmentation::UnicodeSegmentation;

use super::{html::OPTIONS, literal::literal, pattern::Pattern, prepare::own_content};

/// The maximum length of an examined text, in bytes.
const MAX_INPUT: usize = 20_000;
const MAX_TOKENS: usize = 64;
/// The minimum length of a line that continues on the next one, in bytes.
const LONG_LINE: usize = 60;
/// The marks around inline code, and the mark of a code block after its paragraph.
const CODE: char = '\u{e000}';
const CODE_END: char = '\u{e001}';
const BLOCK: char = '\u{e002}';
/// The mark of a code block after a complete sentence, which is not a token.
const NEXT_BLOCK: char = '\u{e006}';
/// The marks around the text of a link, and the mark after its address.
const LINK: char = '\u{e003}';
const LINK_TARGET: char = '\u{e004}';
const LINK_END: char = '\u{e005}';
/// The minimum total probability of likely roles.
const LIKELY_PROBABILITY: f32 = 0.5;

static TOKEN: Pattern = Pattern::new(concat!(
    r"(?P<code>\x{e000}[^\x{e001}]*\x{e001})|(?P<block>\x{e002})",
    r"|(?P<reference>(?:https?://|www\.)[^\s\])>|]+|(?:[\w.-]+/[\w.-]+)?#[0-9]+|[A-Z][A-Z0-9]+-[0-9]+)",
    r"|(?P<mention>@[\w-]+)|(?P<vote>[+-]1\b)",
    r"|(?P<version>[vV]?[0-9]+(?:\.[0-9xX]+)+[A-Za-z0-9_.+-]*)",
    r"|(?P<path>--[A-Za-z][\w-]*|[\w.-]*(?:::|/|\\)[\w.:/\\-]+|\w+\(\)|\w*_\w+)",
    r"|(?P<hash>\b[0-9a-f]{7,40}\b)|(?P<number>[0-9][0-9A-Za-z,]*)",
    r"|(?P<ideograph>[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])",
    r"|(?P<word>\p{Alphabetic}[\p{Alphabetic}\p{M}0-9]*(?:[-'][\p{Alphabetic}0-9]+)*)",
    r"|(?P<smile>[:;]-?[()DP])|(?P<mark>[?!:？！])",
));
/// The report of a test in which the problem no longer occurred.
static SUCCESSFUL_TEST: Pattern = Pattern::new(concat!(
    r"(?i)\bverified\b|\b(?:works?|working) (?:fine|as expected|correctly|properly|well|now)\b",
    r"|\bno longer\W+(?:be )?(?:reproduc|crash|fail|happen|occur)",
));
static REPRODUCTION: Pattern = Pattern::new(
    r"(?i)\b(?:(?:is|was|still|able to|could|can) reproduc|still (?:occur|happen|fail|see))",
);
static NON_OCCURRENCE: Pattern =
    Pattern::new(r"(?i)\b(?:does|did)(?: not|n't) (?:crash|fail|happen|occur)");
/// A statement that the problem persists after a fix.
static PERSISTENCE: Pattern = Pattern::new(concat!(
    r"(?i)\b(?:still|again|now) (?:\w+ )?(?:broken|fail\w*|crash\w*|happen\w*|occur\w*|seeing|getting)\b",
    r"|\b(?:broken|fail\w*|crash\w*|happen\w*|occur\w*|seeing|getting)\b.{0,20} (?:still|again)\b",
    r"|\bnot (?:fully |completely |really )?fixed\b|\bre-?open",
));
static MODEL: LazyLock<Model> =
    LazyLock::new(|| serde_json::from_str(include_str!("roles.json")).unwrap_or_default());

static CLOSING_MODEL: LazyLock<ClosingModel> =
    LazyLock::new(|| serde_json::from_str(include_str!("closing.json")).unwrap_or_default());

/// The role of a sentence in its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentenceRole {
    /// A statement that or how the item was fixed.
    Fix,
    /// A way to avoid the problem without a fix.
    Workaround,
    /// A statement that it will not be fixed, is by design, cannot be reproduced or is stale.
    Declined,
    /// A statement that another item tracks the same problem.
    AlreadyReported,
    /// A statement that it happens elsewhere as well.
    Confirmation,
    /// A statement that it is not fixed, or that a fix did not help or was reverted.
    NotFixed,
    /// Steps to reproduce it.
    Reproduction,
    /// A question.
    Question,
    /// A retraction of an earlier statement by the author.
    Retraction,
    /// Thanks, votes, pings, commands for a bot.
    Noise,
    /// Any other role.
    Other,
}

impl SentenceRole {
    /// All roles, in the order of the weights.
    pub const ALL: [Self; 11] = [
        Self::Fix,
        Self::Workaround,
        Self::Declined,
        Self::AlreadyReported,
        Self::Confirmation,
        Self::NotFixed,
        Self::Reproduction,
        Self::Question,
        Self::Retraction,
        Self::Noise,
        Self::Other,
    ];
}

/// A sentence of a comment with the probability of each role.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// Text without markup.
    pub text: String,
    /// Text with marks around inline code and links.
    markup: String,
    /// Code block that follows the sentence.
    pub code: Option<String>,
    /// Names of its features, as in the weights.
    pub features: BTreeSet<String>,
    /// The probabilities, 0 to 1, in the order of [`SentenceRole::ALL`].
    probabilities: [f32; 11],
}

impl Sentence {
    /// Returns the text as Markdown with inline code and links, without other markup.
    pub fn markdown(&self) -> String {
        to_markdown(&self.markup)
    }

    /// Returns whether the sentence names a version, a reference or code.
    pub fn is_specific(&self) -> bool {
        ["VER", "REF", "CODE"].iter().any(|name| self.features.contains(*name))
    }

    /// Returns the total probability of the roles, 0 to 1.
    pub fn likelihood(&self, roles: &[SentenceRole]) -> f32 {
        let probabilities = SentenceRole::ALL.iter().zip(self.probabilities);
        probabilities.filter(|(role, _)| roles.contains(role)).map(|(_, p)| p).sum()
    }

    /// Returns whether the total probability of the roles reaches `LIKELY_PROBABILITY`.
    pub fn is_likely(&self, roles: &[SentenceRole]) -> bool {
        self.likelihood(roles) >= LIKELY_PROBABILITY
    }

    /// Returns whether the sentence probably states a fix or a workaround, and more probably one of
    /// this role.
    pub fn is_likely_solution(&self, role: SentenceRole) -> bool {
        use SentenceRole::{Fix, Workaround};
        let solution = self.likelihood(&[Fix, Workaround]);
        solution >= LIKELY_PROBABILITY && self.likelihood(&[role]) >= solution / 2.0
    }

    /// Returns the most likely role that reaches its threshold, else [`SentenceRole::Other`].
    pub fn role(&self) -> SentenceRole {
        let best = SentenceRole::ALL
            .iter()
            .zip(self.probabilities)
            .zip(MODEL.thresholds)
            .filter(|((_, probability), threshold)| probability >= threshold)
            .max_by(|((_, a), _), ((_, b), _)| a.total_cmp(b));
        best.map_or(SentenceRole::Other, |((role, _), _)| *role)
    }
}

/// The sentences of a comment, with their roles.
#[derive(Clone, Debug, Default)]
pub struct Sentences(pub Vec<Sentence>);

impl Sentences {
    /// Parses the sentences of a Markdown comment, without quotes and code blocks.
    pub fn read(markdown: &str) -> Self {
        let own_text =
            own_content(&markdown[..markdown.floor_char_boundary(MAX_INPUT)]).into_owned();
        let (paragraphs, code_blocks) = paragraphs(&own_text);
        let mut code_blocks = code_blocks.into_iter();
        let sentences: Vec<(String, Vec<String>, Option<String>)> = paragraphs
            .iter()
            .flat_map(|paragraph| split_sentences(paragraph))
            .map(|sentence| {
                let count = sentence.matches([BLOCK, NEXT_BLOCK]).count();
                let tokens = tokens(&sentence);
                (sentence, tokens, code_blocks.by_ref().take(count).reduce(|first, _| first))
            })
            .filter(|(_, tokens, _)| {
                !tokens.iter().all(|token| token == "CODE" || token == "BLOCK")
            })
            .collect();
        let count = sentences.len();
        let to_sentence =
            |(index, (markup, tokens, code)): (usize, (String, Vec<String>, Option<String>))| {
                let features = features(&tokens, index, count);
                let probabilities = probabilities(MODEL.intercepts, &MODEL.features, &features);
                let marks = [CODE, CODE_END, BLOCK, NEXT_BLOCK, LINK, LINK_TARGET, LINK_END];
                let text = markup.replace(marks, "");
                Sentence { text, markup, code, features, probabilities }
            };
        Self(sentences.into_iter().enumerate().map(to_sentence).collect())
    }

    /// Returns the role of the whole comment: that of the most likely decisive sentence, else that
    /// of the first sentence with a role.
    pub fn role(&self) -> SentenceRole {
        use SentenceRole::{
            AlreadyReported, Declined, Fix, NotFixed, Other, Retraction, Workaround,
        };
        let is_decisive = |sentence: &&Sentence| {
            let decisive = [Fix, Workaround, Declined, AlreadyReported, NotFixed, Retraction];
            decisive.contains(&sentence.role())
        };
        let peak = |sentence: &Sentence| sentence.probabilities.into_iter().fold(0.0, f32::max);
        let decisive = self.0.iter().filter(is_decisive).max_by(|a, b| peak(a).total_cmp(&peak(b)));
        let first_role = || self.0.iter().find(|sentence| sentence.role() != Other);
        decisive.or_else(first_role).map_or(Other, Sentence::role)
    }

    /// Returns whether any sentence has the role.
    pub fn has(&self, role: SentenceRole) -> bool {
        self.0.iter().any(|sentence| sentence.role() == role)
    }

    /// Returns whether there are sentences and each has one of the roles.
    pub fn has_only(&self, roles: &[SentenceRole]) -> bool {
        !self.0.is_empty() && self.0.iter().all(|sentence| roles.contains(&sentence.role()))
    }

    /// Returns whether the roles are likely for any sentence.
    pub fn is_likely(&self, roles: &[SentenceRole]) -> bool {
        self.0.iter().any(|sentence| sentence.is_likely(roles))
    }

    /// Returns the probability, 0 to 1, that the item of this closing comment was closed without a
    /// fix.
    pub fn refusal(&self) -> f32 {
        let features: BTreeSet<&String> =
            self.0.iter().flat_map(|sentence| &sentence.features).collect();
        if features.is_empty() {
            return 0.0;
        }
        let weights =
            features.into_iter().filter_map(|feature| CLOSING_MODEL.features.get(feature));
        let sum = (CLOSING_MODEL.intercept + weights.sum::<i32>()) as f32 / 1000.0;
        1.0 / (1.0 + (-sum).exp())
    }

    /// Returns whether a fix or workaround in the comment names a version, a reference or code.
    pub fn is_specific(&self) -> bool {
        let is_solution = |sentence: &&Sentence| {
            matches!(sentence.role(), SentenceRole::Fix | SentenceRole::Workaround)
        };
        self.0.iter().filter(is_solution).any(Sentence::is_specific)
    }

    /// Returns whether the comment states only that something helped.
    pub fn is_confirmation_only(&self) -> bool {
        use SentenceRole::{Fix, Noise};
        self.has(Fix) && self.has_only(&[Fix, Noise]) && !self.is_specific()
    }

    /// Returns whether the comment reports a test in which the problem no longer occurred. Before a
    /// fix, "does not happen" is about other versions.
    pub fn verifies(&self, follows_fix: bool) -> bool {
        let is_verified = |sentence: &Sentence| {
            SUCCESSFUL_TEST.is_match(&sentence.text) && !REPRODUCTION.is_match(&sentence.text)
                || follows_fix && NON_OCCURRENCE.is_match(&sentence.text)
        };
        let is_denial = |s: &Sentence| {
            matches!(s.role(), SentenceRole::NotFixed | SentenceRole::Confirmation)
                && !is_verified(s)
        };
        self.0.iter().any(is_verified) && !self.0.iter().any(is_denial)
    }

    /// Returns whether the comment states that the problem persists or has returned.
    pub fn contradicts(&self) -> bool {
        self.0.iter().any(|sentence| {
            sentence.role() == SentenceRole::NotFixed || PERSISTENCE.is_match(&sentence.text)
        })
    }
}

/// The weights of the classifier.
#[derive(Default, Deserialize)]
struct Model {
    /// Thousandths, one value per role.
    intercepts: [i32; 11],
    thresholds: [f32; 11],
    /// Words that are replaced by other tokens.
    synonyms: HashMap<String, String>,
    /// Thousandths, one value per role.
    features: HashMap<String, [i32; 11]>,
}

/// The logistic model of closing comments, in thousandths, as `models/roles/closing.py` fits it.
#[derive(Default, Deserialize)]
struct ClosingModel {
    intercept: i32,
    features: HashMap<String, i32>,
}

/// Returns the probability of each role by a multinomial logistic model. Its weights are in
/// thousandths, one value per role.
#[allow(clippy::cast_precision_loss, reason = "sums of some hundred weights")]
pub(crate) fn probabilities<const N: usize>(
    intercepts: [i32; N],
    weights: &HashMap<String, [i32; N]>,
    features: &BTreeSet<String>,
) -> [f32; N] {
    let mut sums = intercepts;
    for weights in features.iter().filter_map(|feature| weights.get(feature)) {
        sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
    }
    let highest = sums.into_iter().max().unwrap_or_default();
    let exponentials = sums.map(|sum| ((sum - highest) as f32 / 1000.0).exp());
    let total: f32 = exponentials.iter().sum();
    exponentials.map(|e| e / total)
}

/// Returns the names of a sentence's features: the 1- to 3-grams of its tokens, its position and
/// its length.
fn features(tokens: &[String], index: usize, count: usize) -> BTreeSet<String> {
    let mut padded_tokens = vec!["^"];
    padded_tokens.extend(tokens.iter().map(String::as_str));
    padded_tokens.push("$");
    let grams = (1..=3).flat_map(|n| padded_tokens.windows(n).map(|gram| gram.join(" ")));
    let mut out: BTreeSet<String> = grams.filter(|gram| gram != "^" && gram != "$").collect();
    let position = match index {
        _ if count == 1 => Some("=only"),
        0 => Some("=first"),
        _ if index + 1 == count => Some("=last"),
        _ => None,
    };
    let length = match tokens.len() {
        0..=4 => Some("=short"),
        25.. => Some("=long"),
        _ => None,
    };
    let last = tokens.iter().rev().find(|token| *token != "BLOCK");
    let is_question = last.is_some_and(|token| token == "?").then_some("=question");
    out.extend([position, length, is_question].into_iter().flatten().map(str::to_owned));
    out
}

/// Returns at most [`MAX_TOKENS`] tokens in lower case; token classes are in capitals.
pub(crate) fn tokens(sentence: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for captures in TOKEN.captures_iter(sentence).take(MAX_TOKENS) {
        let has = |name: &str| captures.name(name).is_some();
        let class = match () {
            () if has("code") || has("path") => "CODE",
            () if has("block") => "BLOCK",
            () if has("reference") || has("hash") => "REF",
            () if has("mention") => "@",
            () if has("version") => "VER",
            () if has("number") => "0",
            () if has("smile") => ":)",
            () => "",
        };
        match class {
            "" => out.extend(word_tokens(&captures[0].to_lowercase().replace('-', ""))),
            class => out.push(class.to_owned()),
        }
        // "work around" is one word.
        if let [.., first, second] = &out[..]
            && let Some(synonym) = MODEL.synonyms.get(&format!("{first} {second}"))
        {
            out.truncate(out.len() - 2);
            out.push(synonym.clone());
        }
    }
    out
}

/// Returns the tokens of a word in lower case: a synonym, or the parts of a contraction.
fn word_tokens(word: &str) -> Vec<String> {
    if let Some(synonym) = MODEL.synonyms.get(word) {
        return synonym.split(' ').map(str::to_owned).collect();
    }
    match word.strip_suffix("n't").map(|head| (head, "not")).or_else(|| word.rsplit_once('\'')) {
        Some((head, tail)) if !head.is_empty() => vec![head.to_owned(), tail.to_owned()],
        _ => vec![word.to_owned()],
    }
}

/// Returns a part of a sentence as literal Markdown, with the surrounding whitespace.
fn spaced_literal(part: &str) -> String {
    let space = |is_present: bool| if is_present { " " } else { "" };
    let inner = literal(part);
    if inner.is_empty() {
        return space(!part.is_empty()).to_owned();
    }
    let leading = space(part.starts_with(char::is_whitespace));
    format!("{leading}{inner}{}", space(part.ends_with(char::is_whitespace)))
}

/// Converts a sentence with marks to Markdown.
fn to_markdown(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len() + 8);
    let mut rest = sentence;
    while let Some(start) = rest.find([CODE, LINK_TARGET]) {
        out.push_str(&spaced_literal(&rest[..start]));
        let content = &rest[start + CODE.len_utf8()..];
        let is_code = rest[start..].starts_with(CODE);
        let end = content.find(if is_code { CODE_END } else { LINK_END }).unwrap_or(content.len());
        match (is_code, content[..end].trim()) {
            (true, code) if code.contains('`') => out.push_str(&format!("`` {code} ``")),
            (true, code) => out.push_str(&format!("`{code}`")),
            (false, "") => out.retain(|c| c != LINK),
            (false, url) => {
                out = out.replace(LINK, "[");
                out.push_str(&format!("]({url})"));
            }
        }
        rest = content[end..].trim_start_matches([CODE_END, LINK_END]);
    }
    out.push_str(&spaced_literal(rest));
    out.replace([BLOCK, NEXT_BLOCK, LINK, LINK_END, CODE_END], "")
}

/// Returns the paragraphs, headings, list items and table rows of a text without quotes, and the
/// code blocks that their marks represent.
fn paragraphs(markdown: &str) -> (Vec<String>, Vec<String>) {
    let (mut out, mut links) = (vec![String::new()], Vec::new());
    let (mut code, mut code_blocks) = (String::new(), Vec::new());
    let (mut skip_depth, mut in_code) = (0_usize, false);
    for event in Parser::new_ext(markdown, OPTIONS) {
        match &event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(text) if in_code => code.push_str(text),
            _ => {}
        }
        match &event {
            Event::Start(Tag::BlockQuote(_) | Tag::CodeBlock(_) | Tag::Image { .. }) => {
                skip_depth += 1
            }
            Event::End(TagEnd::BlockQuote(_) | TagEnd::CodeBlock | TagEnd::Image) => {
                skip_depth = skip_depth.saturating_sub(1);
            }
            _ => {}
        }
        let Some(last) = out.last_mut().filter(|_| skip_depth == 0) else { continue };
        match event {
            Event::Text(text) => last.push_str(&text.replace(['’', '‘'], "'")),
            Event::Code(code) => last.push_str(&format!("{CODE}{code}{CODE_END}")),
            Event::SoftBreak | Event::HardBreak => last.push('\n'),
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                let is_shown = matches!(link_type, LinkType::Autolink | LinkType::Email);
                last.push(LINK);
                links.push(if is_shown { String::new() } else { format!(" {dest_url}") });
            }
            Event::End(TagEnd::Link) => {
                last.push(LINK_TARGET);
                last.push_str(&links.pop().unwrap_or_default());
                last.push(LINK_END);
            }
            Event::End(TagEnd::TableCell) => last.push(' '),
            Event::End(TagEnd::CodeBlock) => {
                if let Some(previous) = out.iter_mut().rev().find(|paragraph| !paragraph.is_empty())
                {
                    previous.push(BLOCK);
                    code_blocks.push(code.trim_end().to_owned());
                }
                code.clear();
            }
            Event::Start(Tag::Item)
            | Event::End(
                TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::Item
                | TagEnd::TableRow
                | TagEnd::TableHead,
            ) => out.push(String::new()),
            _ => {}
        }
    }
    (out, code_blocks)
}

/// Splits a paragraph into sentences (UAX #29) and at semicolons. Joins wrapped lines.
fn split_sentences(paragraph: &str) -> Vec<String> {
    let mut lines = String::with_capacity(paragraph.len());
    let mut length = 0;
    for line in paragraph.lines().map(str::trim) {
        // A line that begins with "iOS" is not a continuation.
        let is_word = line.starts_with(|c: char| c.is_ascii_lowercase())
            && !line.split(' ').next().is_some_and(|word| word.contains(char::is_uppercase));
        let continues = length >= LONG_LINE || length > 0 && is_word;
        lines.push(if continues { ' ' } else { '\n' });
        lines.push_str(line);
        length = line.len();
    }
    let parts = lines.split_sentence_bounds().flat_map(|sentence| sentence.split_inclusive("; "));
    let mut sentences: Vec<String> = Vec::new();
    for part in parts {
        let is_text = part.chars().any(char::is_alphanumeric);
        match sentences.last_mut() {
            // Code and URLs contain punctuation that ends sentences.
            Some(last) if is_open(last) || continues(last, part) => last.push_str(part),
            Some(last) if !is_text => last.extend(part.matches(BLOCK).map(|_| NEXT_BLOCK)),
            _ if is_text || part.contains(BLOCK) => sentences.push(part.to_owned()),
            _ => {}
        }
    }
    let sentences = sentences.into_iter().map(|sentence| sentence.trim().to_owned());
    sentences.filter(|sentence| !sentence.is_empty()).collect()
}

/// Returns whether a part continues a sentence after an aside ("it fails (why?) at the end"), within
/// a version ("3.1.X", "3.3.0.GA"), or within a name (".NET").
fn continues(sentence: &str, part: &str) -> bool {
    sentence.ends_with(") ") && part.starts_with(char::is_lowercase)
        || part.starts_with(char::is_alphabetic)
            && sentence
                .strip_suffix('.')
                .is_some_and(|s| s.ends_with(|c: char| c.is_ascii_digit() || c.is_whitespace()))
}

/// Returns whether a part of a sentence ends within inline code or within a link.
fn is_open(part: &str) -> bool {
    let is_within = |start: char, end: char| part.rfind(start) > part.rfind(end);
    is_within(CODE, CODE_END) || is_within(LINK, LINK_END)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_valid() {
        assert!(MODEL.features.len() > 1_000, "{}", MODEL.features.len());
    }

    #[test]
    fn quotes_and_code_blocks_are_ignored() {
        let text = "> Fixed in 2.0.\n\n```\nFixed in 2.0.\n```\nIt reads `a` twice; e.g. once, [see](https://x.example).";
        let sentences: Vec<String> = Sentences::read(text).0.into_iter().map(|s| s.text).collect();
        assert_eq!(sentences, ["It reads a twice;", "e.g. once, see https://x.example."]);
    }

    #[test]
    fn sentences_include_the_code_after_them() {
        let text = "Run this.\n\n```\none\n```\n\nIt fails:\n\n```\ntwo\n```\n\nSee [log](https://x.example/?a=1) and `a! (b)? C`. It fails (why?) at the end.";
        let sentences: Vec<_> =
            Sentences::read(text).0.into_iter().map(|s| (s.text, s.code)).collect();
        let code = |code: &str| Some(code.to_owned());
        assert_eq!(sentences[0], ("Run this.".to_owned(), code("one")));
        assert_eq!(sentences[1], ("It fails:".to_owned(), code("two")));
        assert_eq!(sentences[2].0, "See log https://x.example/?a=1 and a! (b)? C.");
        assert_eq!(sentences[3].0, "It fails (why?) at the end.");
    }

    #[test]
    fn sentences_keep_code_and_links_as_markdown() {
        let text = "Set `a_b` in [the file](https://x.example/f) for Vec&lt;T>:\n\n```toml\na_b = 1\n```\n\nSee <https://y.example>.";
        let sentences = Sentences::read(text).0;
        assert_eq!(
            sentences[0].markdown(),
            "Set `a_b` in [the file](https://x.example/f) for Vec\\<T>:"
        );
        assert_eq!(sentences[0].code.as_deref(), Some("a_b = 1"));
        assert_eq!(sentences[1].markdown(), "See https://y.example.");
        assert_eq!(
            (sentences[1].text.as_str(), sentences[1].code.as_deref()),
            ("See https://y.example.", None)
        );
    }

    #[test]
    fn tests_after_a_fix_verify_it() {
        for (text, follows_fix, verifies, contradicts) in [
            ("Verified with 4.2.0, closing.", false, true, false),
            ("Verified that the issue is reproducible.", true, false, false),
            ("I verified that it still fails in 4.2.0.", true, false, true),
            ("It does not happen with 4.2.0.", true, true, false),
            ("It does not happen with 4.2.0.", false, false, false),
            ("I can confirm this issue on 4.2.0. The old reader works fine.", false, false, false),
            ("It is now broken for me again.", true, false, true),
            ("This is not fully fixed.", true, false, true),
        ] {
            let sentences = Sentences::read(text);
            assert_eq!(
                (sentences.verifies(follows_fix), sentences.contradicts()),
                (verifies, contradicts),
                "{text}"
            );
        }
    }

    #[test]
    fn versions_do_not_end_sentences() {
        let sentences = Sentences::read("It fails on 4.3.0.GA and .NET 4.5 only. The rest works.");
        assert_eq!(sentences.0.len(), 2);
    }

    #[test]
    fn token_classes_replace_variable_parts() {
        assert_eq!(
            tokens("It can't be #12 or 4dfea1c in v2.1-rc.1: I have to work-around `x`, 修正済み!")
                .join(" "),
            "it can not be REF or REF in VER : i have to workaround x 修 正 済 み !"
        );
    }
}
