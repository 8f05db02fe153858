//! Classifies what the sentences of a tracker comment do: state a fix, give a workaround, decline.
//!
//! A multinomial logistic regression over word 1- to 3-grams; `fit.py` writes its weights. The text
//! rules are those of `comment_text.py`, whose module comment lists them.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use regex::Regex;
use serde_json::Value;

/// The longest text that is read, in characters.
const MAX_CHARS: usize = 20_000;
/// The most tokens of a sentence that are read.
const MAX_TOKENS: usize = 64;
/// A line of this many characters may continue in the next line.
const LONG_LINE: usize = 60;
/// Stands for inline code.
const CODE: char = '\u{e000}';
/// Stands for a code block, at the end of the paragraph before it.
const BLOCK: char = '\u{e001}';
/// Words whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "eg", "ie", "etc", "vs", "cf", "ca", "approx", "resp", "al", "mr", "dr", "fig",
    "incl",
];
/// Words that are two tokens, beside those in "n't".
const CONTRACTIONS: &[(&str, &[&str])] = &[
    ("cannot", &["can", "not"]),
    ("can't", &["can", "not"]),
    ("cant", &["can", "not"]),
    ("won't", &["will", "not"]),
    ("wont", &["will", "not"]),
    ("shan't", &["shall", "not"]),
    ("dont", &["do", "not"]),
    ("doesnt", &["does", "not"]),
    ("didnt", &["did", "not"]),
    ("isnt", &["is", "not"]),
    ("wasnt", &["was", "not"]),
    ("im", &["i", "'m"]),
    ("ive", &["i", "'ve"]),
    ("anymore", &["any", "more"]),
    ("nvm", &["nevermind"]),
];
/// Delimiters of JIRA blocks; the first two hold code.
const JIRA_BLOCKS: &[&str] = &["{code", "{noformat", "{quote"];

static INLINE_CODE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"``[^\n]+?``|`[^`\n]+`|\{\{[^\n]+?\}\}"));
static IMAGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"!\[[^\]\[]*\]\([^()\s]*\)"));
static LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[([^\]\[]*)\]\(([^()\s]*)\)"));
static TAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"</?[A-Za-z][^<>\n]{0,300}>"));
static MAIL_HEADER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^On .{5,200} wrote:$"));
static MARKER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:#{1,6}[ \t]+|[-*+][ \t]+|[0-9]{1,3}[.)][ \t]+)"));
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?P<url>https?://[^ \t\])>|]+|www\.[^ \t\])>|]+)",
        r"|(?P<ref>(?:[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)?#[0-9]+|[A-Z][A-Z0-9]+-[0-9]+)",
        r"|(?P<mention>@[A-Za-z0-9_-]+)",
        r"|(?P<vote>[+-]1\b)",
        r"|(?P<version>[vV]?[0-9]+(?:\.[0-9xX]+)+[A-Za-z0-9_.+-]*)",
        r"|(?P<flag>--?[A-Za-z][A-Za-z0-9_-]*)",
        r"|(?P<path>[A-Za-z0-9_.-]*(?:::|/|\\)[A-Za-z0-9_.:/\\-]+|[A-Za-z0-9_]+\(\))",
        r"|(?P<word>[A-Za-z][A-Za-z0-9]*(?:[_'-][A-Za-z0-9]+)*)",
        r"|(?P<number>[0-9][0-9A-Za-z,]*)",
        r"|(?P<foreign>[^\x00-\x7f]+)",
        r"|(?P<smile>[:;]-?[()DP])",
        r"|(?P<mark>[?!:])",
    ))
});
static MODEL: LazyLock<Model> = LazyLock::new(|| Model::parse(include_str!("roles.json")));

/// What a sentence or a comment does in its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommentRole {
    /// States that, or how, the item was fixed.
    Fix,
    /// Gives a way to live with it.
    Workaround,
    /// Says that it will not be fixed, is by design or cannot be reproduced, or closes it as stale.
    Declined,
    /// Says that another item tracks the same.
    AlreadyReported,
    /// Says that it happens elsewhere as well.
    Confirmation,
    /// Says that it is not fixed, or that a fix did not help or was reverted.
    StillHappens,
    /// Shows how to make it happen.
    Reproduction,
    /// Asks something.
    Question,
    /// Takes back what its author said before.
    TakenBack,
    /// Thanks, votes, pings, orders to a bot.
    Noise,
    /// Anything else.
    Other,
}

impl CommentRole {
    /// All roles, in the order of the weights.
    pub const ALL: [Self; 11] = [
        Self::Fix,
        Self::Workaround,
        Self::Declined,
        Self::AlreadyReported,
        Self::Confirmation,
        Self::StillHappens,
        Self::Reproduction,
        Self::Question,
        Self::TakenBack,
        Self::Noise,
        Self::Other,
    ];
    /// Roles that decide what a comment does, wherever they stand in it.
    const DECISIVE: [Self; 6] = [
        Self::Fix,
        Self::Workaround,
        Self::Declined,
        Self::AlreadyReported,
        Self::StillHappens,
        Self::TakenBack,
    ];

    /// Returns the name of the role in `roles.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fix => "fix",
            Self::Workaround => "workaround",
            Self::Declined => "declined",
            Self::AlreadyReported => "already_reported",
            Self::Confirmation => "confirmation",
            Self::StillHappens => "still_happens",
            Self::Reproduction => "reproduction",
            Self::Question => "question",
            Self::TakenBack => "taken_back",
            Self::Noise => "noise",
            Self::Other => "other",
        }
    }
}

/// A sentence with its most likely role.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassifiedSentence {
    /// The role that was decided; `Other` where no role reaches its threshold.
    pub role: CommentRole,
    /// The probability of `role`, 0 to 1.
    pub probability: f64,
    /// The sentence, with its inline code and without quotes and code blocks.
    pub sentence: String,
}

/// Returns the sentences of a comment (Markdown, JIRA or plain text) with their roles.
pub fn sentence_roles(text: &str) -> Vec<ClassifiedSentence> {
    sentence_probabilities(text)
        .into_iter()
        .map(|(sentence, probabilities)| {
            let (role, probability) = MODEL.decide(&probabilities);
            ClassifiedSentence { role, probability, sentence }
        })
        .collect()
}

/// Returns the sentences of a comment with the probability of each role, in the order of
/// [`CommentRole::ALL`].
pub fn sentence_probabilities(text: &str) -> Vec<(String, [f64; 11])> {
    let (masked, codes) = sentences(text);
    let count = masked.len();
    let mut codes = codes.into_iter();
    let mut classify = |(index, sentence): (usize, String)| {
        let probabilities = MODEL.probabilities(&tokenize(&sentence), index, count);
        (restore(&sentence, &mut codes), probabilities)
    };
    masked.into_iter().enumerate().map(&mut classify).collect()
}

/// Returns the role of a comment and its probability.
///
/// The most likely decisive sentence (fix, workaround, declined, already reported, still happens,
/// taken back) decides; then the first confirmation, reproduction or question. `Noise` needs every
/// sentence to be noise, or a blank text; a comment of code or quotes alone is `Other`.
pub fn comment_role(text: &str) -> (CommentRole, f64) {
    let sentences = sentence_roles(text);
    let decisive = sentences
        .iter()
        .filter(|s| CommentRole::DECISIVE.contains(&s.role))
        .max_by(|a, b| a.probability.total_cmp(&b.probability));
    let minor = || {
        use CommentRole::{Confirmation, Question, Reproduction};
        sentences.iter().find(|s| matches!(s.role, Confirmation | Reproduction | Question))
    };
    if let Some(sentence) = decisive.or_else(minor) {
        return (sentence.role, sentence.probability);
    }
    let is_blank = text.trim().is_empty();
    let is_noise =
        is_blank || !sentences.is_empty() && sentences.iter().all(|s| s.role == CommentRole::Noise);
    let role = if is_noise { CommentRole::Noise } else { CommentRole::Other };
    let least = sentences.iter().filter(|s| s.role == role).map(|s| s.probability).reduce(f64::min);
    (role, least.unwrap_or(1.0))
}

/// The weights of the classifier, in thousandths.
struct Model {
    intercepts: [i64; 11],
    thresholds: [f64; 10],
    synonyms: HashMap<String, String>,
    features: HashMap<String, [i64; 11]>,
}

impl Model {
    /// Parses `roles.json`; panics if it is malformed, because it is part of the program.
    fn parse(json: &str) -> Self {
        let value: Value = serde_json::from_str(json).expect("roles.json is JSON");
        let weights = |value: &Value| -> [i64; 11] {
            let list = value.as_array().expect("weights are a list");
            let numbers: Vec<i64> = list.iter().filter_map(Value::as_i64).collect();
            numbers.try_into().expect("one weight per role")
        };
        let object = |key: &str| value[key].as_object().expect("roles.json has its tables");
        let threshold =
            |role: CommentRole| value["thresholds"][role.as_str()].as_f64().unwrap_or(1.0);
        Self {
            intercepts: weights(&value["intercepts"]),
            thresholds: std::array::from_fn(|i| threshold(CommentRole::ALL[i])),
            synonyms: object("synonyms")
                .iter()
                .map(|(word, key)| (word.clone(), key.as_str().unwrap_or_default().to_owned()))
                .collect(),
            features: object("features")
                .iter()
                .map(|(name, w)| (name.clone(), weights(w)))
                .collect(),
        }
    }

    /// Returns the probability of each role of a sentence that is number `index` of `count`.
    fn probabilities(&self, tokens: &[String], index: usize, count: usize) -> [f64; 11] {
        let mut sums = self.intercepts;
        for feature in features(tokens, index, count) {
            if let Some(weights) = self.features.get(&feature) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += weight;
                }
            }
        }
        let scores = sums.map(|sum| sum as f64 / 1000.0);
        let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let exponentials = scores.map(|score| (score - greatest).exp());
        let total: f64 = exponentials.iter().sum();
        exponentials.map(|e| e / total)
    }

    /// Returns the most likely role that reaches its threshold, or `Other`, with its probability.
    fn decide(&self, probabilities: &[f64; 11]) -> (CommentRole, f64) {
        let mut best = (CommentRole::Other, f64::NEG_INFINITY);
        for (i, &threshold) in self.thresholds.iter().enumerate() {
            if probabilities[i] >= threshold && probabilities[i] > best.1 {
                best = (CommentRole::ALL[i], probabilities[i]);
            }
        }
        if best.0 == CommentRole::Other { (CommentRole::Other, probabilities[10]) } else { best }
    }
}

/// Compiles a pattern; panics if it is malformed, because it is part of the program.
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern compiles")
}

/// Returns the feature names of a sentence: 1- to 3-grams and flags, see `fit.py`.
fn features(tokens: &[String], index: usize, count: usize) -> HashSet<String> {
    let mut padded = vec!["^"];
    padded.extend(tokens.iter().map(String::as_str));
    padded.push("$");
    let mut out: HashSet<String> =
        (1..=3).flat_map(|n| padded.windows(n).map(|gram| gram.join(" "))).collect();
    out.remove("^");
    out.remove("$");
    if tokens.iter().rev().find(|token| *token != "BLOCK").is_some_and(|token| token == "?") {
        out.insert("=q".to_owned());
    }
    let position = match (index, count) {
        (_, 1) => Some("=only"),
        (0, _) => Some("=first"),
        (index, count) if index + 1 == count => Some("=last"),
        _ => None,
    };
    out.extend(position.map(str::to_owned));
    let length = match tokens.len() {
        0..=4 => Some("=short"),
        25.. => Some("=long"),
        _ => None,
    };
    out.extend(length.map(str::to_owned));
    out
}

/// Returns whether a word is a commit hash: 7 to 40 lower-case hex digits, one of them 0 to 9.
fn is_hash(word: &str) -> bool {
    (7..=40).contains(&word.len())
        && word.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        && word.bytes().any(|b| b.is_ascii_digit())
}

/// Returns at most [`MAX_TOKENS`] lower-case tokens; classes of tokens are written in capitals.
fn tokenize(sentence: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for captures in TOKEN.captures_iter(sentence) {
        let text = &captures[0];
        let is = |name: &str| captures.name(name).is_some();
        let token = if is("url") || is("ref") || (is("number") && is_hash(text)) {
            "REF".to_owned()
        } else if is("mention") {
            "@".to_owned()
        } else if is("version") {
            "VER".to_owned()
        } else if is("flag") {
            if text.starts_with("--") { "CODE".to_owned() } else { text[1..].to_ascii_lowercase() }
        } else if is("path") {
            "CODE".to_owned()
        } else if is("word") {
            word_token(text, &mut tokens)
        } else if is("number") {
            "0".to_owned()
        } else if is("foreign") {
            match text.chars().next() {
                Some(CODE) => "CODE",
                Some(BLOCK) => "BLOCK",
                _ => "FOREIGN",
            }
            .to_owned()
        } else if is("smile") {
            ":)".to_owned()
        } else {
            text.to_owned()
        };
        tokens.push(token);
        if tokens.len() >= MAX_TOKENS {
            break;
        }
    }
    tokens.truncate(MAX_TOKENS);
    tokens
}

/// Returns the last token of a word and appends those before it; joins "work around".
fn word_token(text: &str, tokens: &mut Vec<String>) -> String {
    if is_hash(text) {
        return "REF".to_owned();
    }
    if text.contains('_') {
        return "CODE".to_owned();
    }
    let mut parts = split_word(&text.to_ascii_lowercase().replace('-', ""));
    let last = parts.pop().unwrap_or_default();
    tokens.append(&mut parts);
    let before = tokens.last().map(String::as_str);
    let joined = match (before, last.as_str()) {
        (Some("work" | "works" | "working"), "around" | "arounds") => "workaround",
        (Some("worked"), "around" | "arounds") => "workedaround",
        (Some("never"), "mind") => "nevermind",
        _ => return last,
    };
    tokens.pop();
    joined.to_owned()
}

/// Returns the tokens of a lower-case word: contractions are split, synonyms replaced.
fn split_word(word: &str) -> Vec<String> {
    if let Some((_, parts)) = CONTRACTIONS.iter().find(|(whole, _)| *whole == word) {
        return parts.iter().map(|&part| part.to_owned()).collect();
    }
    if let Some(synonym) = MODEL.synonyms.get(word) {
        return vec![synonym.clone()];
    }
    if let Some(head) = word.strip_suffix("n't").filter(|head| !head.is_empty()) {
        return vec![head.to_owned(), "not".to_owned()];
    }
    match word.rsplit_once('\'') {
        Some((head, tail @ ("s" | "m" | "ve" | "re" | "ll" | "d"))) if !head.is_empty() => {
            vec![head.to_owned(), format!("'{tail}")]
        }
        _ => vec![word.replace('\'', "")],
    }
}

/// Returns the sentences that have a token, with [`CODE`] for inline code, and that code in order.
fn sentences(text: &str) -> (Vec<String>, Vec<String>) {
    let (paragraphs, codes) = paragraphs(text);
    let mut codes = codes.into_iter();
    let (mut kept, mut kept_codes) = (Vec::new(), Vec::new());
    let is_bare =
        |token: &String| matches!(token.as_str(), "CODE" | "BLOCK" | "?" | "!" | ":" | "0");
    for sentence in paragraphs.iter().flat_map(|paragraph| split_paragraph(paragraph)) {
        let own = codes.by_ref().take(sentence.matches(CODE).count());
        if tokenize(&sentence).iter().all(is_bare) {
            own.for_each(drop);
        } else {
            kept_codes.extend(own);
            kept.push(sentence);
        }
    }
    (kept, kept_codes)
}

/// Returns a sentence with its inline code in place and without the mark of a block.
fn restore(sentence: &str, codes: &mut impl Iterator<Item = String>) -> String {
    let mut out = String::with_capacity(sentence.len());
    for c in sentence.chars() {
        match c {
            CODE => out.push_str(&codes.next().unwrap_or_default()),
            BLOCK => {}
            _ => out.push(c),
        }
    }
    out.trim_end().to_owned()
}

/// Returns a character in ASCII; `None` drops it.
fn to_ascii(c: char) -> Option<&'static str> {
    Some(match c {
        '\r' => return None,
        '’' | '‘' => "'",
        '“' | '”' => "\"",
        '–' | '—' => "-",
        '…' => "...",
        '\u{a0}' | CODE | BLOCK => " ",
        _ => "",
    })
}

/// The paragraphs of a comment while they are read, and the inline code in them.
#[derive(Default)]
struct ParagraphReader {
    paragraphs: Vec<String>,
    current: String,
    last_line: String,
    codes: Vec<String>,
}

impl ParagraphReader {
    /// Ends the current paragraph; a block marks the paragraph before it.
    fn flush(&mut self, is_block: bool) {
        if !self.current.is_empty() {
            self.paragraphs.push(std::mem::take(&mut self.current));
            self.last_line.clear();
        }
        if let Some(last) = self.paragraphs.last_mut().filter(|p| is_block && !p.ends_with(BLOCK)) {
            last.push(' ');
            last.push(BLOCK);
        }
    }

    /// Adds a cleaned line to the current paragraph.
    fn join(&mut self, line: &str) {
        if !self.current.is_empty() {
            self.current.push(' ');
        }
        self.current.push_str(line);
    }

    /// Replaces inline code, links, tags and entities of a line.
    fn clean(&mut self, line: &str) -> String {
        let mut codes: Vec<String> =
            INLINE_CODE.find_iter(line).map(|found| found.as_str().to_owned()).collect();
        let line = INLINE_CODE.replace_all(line, CODE.to_string());
        let line = remove(&IMAGE, &line, "", &mut codes);
        let line = LINK.replace_all(&line, "${1} ${2}");
        let mut line = remove(&TAG, &line, " ", &mut codes);
        for (entity, c) in
            [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        {
            line = line.replace(entity, c);
        }
        self.codes.append(&mut codes);
        trim(&line).to_owned()
    }
}

/// Replaces what a pattern finds, and forgets the inline code in it.
fn remove(regex: &Regex, line: &str, replacement: &str, codes: &mut Vec<String>) -> String {
    let (mut out, mut end, mut position) = (String::new(), 0, 0);
    for found in regex.find_iter(line) {
        position += line[end..found.start()].matches(CODE).count();
        codes.drain(position..position + found.as_str().matches(CODE).count());
        out.push_str(&line[end..found.start()]);
        out.push_str(replacement);
        end = found.end();
    }
    out.push_str(&line[end..]);
    out
}

/// Returns a text without spaces and tabs at its ends.
fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// Returns the paragraphs of a comment and the inline code in them.
fn paragraphs(text: &str) -> (Vec<String>, Vec<String>) {
    let mut ascii = String::with_capacity(text.len().min(4 * MAX_CHARS));
    for c in text.chars().take(MAX_CHARS) {
        match to_ascii(c) {
            None => {}
            Some("") => ascii.push(c),
            Some(plain) => ascii.push_str(plain),
        }
    }
    let mut reader = ParagraphReader::default();
    let mut fence: Option<String> = None;
    let (mut after_blank, mut in_indent) = (true, false);
    for line in ascii.split('\n') {
        let mut stripped = trim(line).to_owned();
        if let Some(end) = &fence {
            let ends = if end.starts_with('{') {
                stripped.contains(end.as_str())
            } else {
                stripped.starts_with(end.as_str())
            };
            if ends {
                fence = None;
            }
            continue;
        }
        if stripped.is_empty() {
            reader.flush(false);
            after_blank = true;
            continue;
        }
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        if is_indented && (after_blank || in_indent) && !MARKER.is_match(&stripped) {
            reader.flush(true);
            (in_indent, after_blank) = (true, false);
            continue;
        }
        (in_indent, after_blank) = (false, false);
        if let Some(opener) = ["```", "~~~"].into_iter().find(|opener| stripped.starts_with(opener))
        {
            reader.flush(true);
            if !stripped[3..].contains(opener) {
                fence = Some(opener.to_owned());
            }
            continue;
        }
        for name in JIRA_BLOCKS {
            let Some(at) = stripped.find(name) else { continue };
            let (head, rest) = (trim(&stripped[..at]).to_owned(), &stripped[at + name.len()..]);
            if let Some((inner, rest)) = rest.split_once(&format!("{name}}}")) {
                stripped = trim(&format!("{head} `{}` {rest}", inner.replace('`', "'"))).to_owned();
            } else {
                fence = Some(format!("{name}}}"));
                stripped = head;
            }
            break;
        }
        if let Some(end) = &fence {
            if !stripped.is_empty() {
                let line = reader.clean(&stripped);
                reader.join(&line);
            }
            reader.flush(end != "{quote}");
            continue;
        }
        if stripped.starts_with('>')
            || stripped.starts_with("bq.")
            || MAIL_HEADER.is_match(&stripped)
        {
            reader.flush(false);
            continue;
        }
        if let Some(marker) = MARKER.find(&stripped) {
            reader.flush(false);
            stripped = stripped[marker.end()..].to_owned();
        }
        let line = reader.clean(&stripped);
        if line.is_empty() {
            continue;
        }
        let continues = !reader.current.is_empty()
            && !reader.last_line.ends_with(':')
            && (line.starts_with(|c: char| c.is_ascii_lowercase())
                || reader.last_line.chars().count() >= LONG_LINE);
        if !continues {
            reader.flush(false);
        }
        reader.join(&line);
        reader.last_line = line;
    }
    reader.flush(false);
    (reader.paragraphs, reader.codes)
}

/// Returns the sentences of a paragraph.
fn split_paragraph(paragraph: &str) -> Vec<String> {
    let chars: Vec<char> = paragraph.chars().collect();
    let text = |from: usize, to: usize| -> String { chars[from..to].iter().collect() };
    let (mut out, mut start, mut i) = (Vec::new(), 0, 0);
    while i < chars.len() {
        match chars[i] {
            '。' | '！' | '？' => {
                i += 1;
                out.push(text(start, i));
                start = i;
                continue;
            }
            '.' | '!' | '?' | ';' => {}
            _ => {
                i += 1;
                continue;
            }
        }
        let ends =
            |c: &char| matches!(c, '.' | '!' | '?' | ';' | ')' | ']' | '"' | '\'' | '*' | '_');
        let end = i + chars[i..].iter().take_while(|c| ends(c)).count();
        let breaks = end == chars.len() || matches!(chars[end], ' ' | '\t');
        if !breaks || (chars[i] == '.' && end == i + 1 && is_abbreviation(&text(start, i))) {
            i = end;
            continue;
        }
        out.push(text(start, end));
        (i, start) = (end, end);
    }
    out.push(text(start, chars.len()));
    let mut out: Vec<String> = out.iter().map(|sentence| trim(sentence).to_owned()).collect();
    // A block mark alone belongs to the sentence before it.
    if out.len() > 1 && out.last().is_some_and(|last| last.chars().eq([BLOCK])) {
        out.pop();
        if let Some(last) = out.last_mut() {
            last.push(' ');
            last.push(BLOCK);
        }
    }
    out
}

/// Returns whether the text before a full stop ends in an abbreviation, or is a list number.
fn is_abbreviation(before: &str) -> bool {
    let word =
        before.rsplit(' ').next().unwrap_or_default().trim_start_matches(['(', '[', '"', '\'']);
    let is_number = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    ABBREVIATIONS.contains(&word.to_lowercase().as_str())
        || (is_number && before.trim_matches(' ') == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role_of(text: &str) -> CommentRole {
        comment_role(text).0
    }

    #[test]
    fn weights_parse_and_name_every_role() {
        assert!(MODEL.features.len() > 1000);
        assert!(MODEL.thresholds.iter().all(|t| (0.3..1.0).contains(t)));
    }

    #[test]
    fn statements_of_a_fix_are_fixes() {
        for text in ["Fixed in 3.1.2.", "This was fixed by #12.", "The fix has landed on main."] {
            assert_eq!(role_of(text), CommentRole::Fix, "{text}");
        }
    }

    #[test]
    fn plans_questions_and_denials_are_no_fix() {
        for text in ["A fix is on its way.", "Is this fixed in 3.2?", "This is not fixed yet."] {
            assert_ne!(role_of(text), CommentRole::Fix, "{text}");
        }
    }

    #[test]
    fn workaround_after_a_semicolon_is_found() {
        let found = sentence_roles("It stops; as a workaround, restart the service.");
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].role, CommentRole::Workaround);
    }

    #[test]
    fn quotes_and_code_blocks_are_not_read() {
        let text = "> Fixed in 2.0.\n\n```\nFixed in 2.0.\n```\nIt reads the header twice.";
        assert_eq!(role_of(text), CommentRole::Other);
    }

    #[test]
    fn inline_code_is_restored() {
        let found = sentence_roles("`a` is read. ![x `b`](u) Set `c = 1` and {{d}}, e.g. once.");
        let sentences: Vec<&str> = found.iter().map(|s| s.sentence.as_str()).collect();
        assert_eq!(sentences, ["`a` is read.", "Set `c = 1` and {{d}}, e.g. once."]);
    }

    #[test]
    fn empty_comment_is_noise() {
        assert_eq!(role_of(""), CommentRole::Noise);
        assert_eq!(role_of("```\nx\n```"), CommentRole::Other);
    }
}
