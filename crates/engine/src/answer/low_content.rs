//! Reports without content, which match nothing: unfilled forms, and uninformative titles with
//! hardly any text.

use std::{collections::HashSet, sync::LazyLock};

use precedent_text::{markdown::BlockKind, pattern::Pattern, prepare::PreparedText, tokens};

/// The minimum number of words under an uninformative title for a report to have content.
const MIN_TEXT: usize = 12;
/// The number of words with which a body is informative without its title.
const MIN_WORDS: usize = 8;
/// The minimum number of headings in a form.
const MIN_HEADINGS: usize = 3;
/// The maximum number of bytes read of each text.
const MAX_READ: usize = 4_000;

/// The words that neither name nor describe a problem.
static EMPTY_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let words = tokens::words(include_str!("empty_words.txt"));
    words.into_iter().map(|word| word.term).collect()
});
/// A pattern for images and URLs, whose content is not read.
static IMAGE_OR_URL: Pattern =
    Pattern::new(r"(?i)!\[[^\]]*\]\([^)]*\)|<img\b[^>]*>|\bhttps?://\S+");
/// The lines of the default forms of code hosts. A project's own form is learned from its reports.
static FORM_LINES: LazyLock<HashSet<String>> =
    LazyLock::new(|| include_str!("form_lines.txt").lines().map(normalize).collect());
/// A pattern for placeholders left unfilled: "OS: [e.g. iOS]", "Go to '...'", a line in brackets.
static PLACEHOLDER: Pattern = Pattern::new(
    r"(?i)^\W*(?:[\p{L} /]{0,40}:?\s*\[e\.?\ ?g\b[^\]]*\]|[\p{L} ]{2,30}\W{0,3}\.{3,}\W*|\([^()]{8,300}\)|<[^<>]{4,300}>)\s*$",
);

/// Returns whether a report has nothing to compare: "[Bug]:", "Test ticket" or "It does not work",
/// with hardly any text.
pub(super) fn is_low_content(title: &str, body: &PreparedText) -> bool {
    let head = tokens::words(title);
    if !head.iter().all(|word| is_empty_word(&word.term)) {
        return false;
    }
    let words = match is_unfilled(body) {
        true => Vec::new(),
        false => first_words(body, MIN_TEXT),
    };
    // A pasted log line has no title but is informative.
    words.is_empty()
        || !head.is_empty() && words.len() < MIN_TEXT && words.iter().all(|w| is_empty_word(w))
}

/// Returns whether a body is informative without its title.
pub(super) fn has_enough_words(body: &PreparedText) -> bool {
    first_words(body, MIN_WORDS).len() >= MIN_WORDS
}

/// Returns whether a text is an unfilled form: the text below its headings is the form's own.
pub(super) fn is_unfilled(body: &PreparedText) -> bool {
    let headings = body.blocks.iter().filter(|block| block.kind == BlockKind::Heading);
    let headings: HashSet<&str> = headings.flat_map(|block| block.text.lines()).collect();
    let prose = body.prose();
    let lines =
        prose[..prose.floor_char_boundary(MAX_READ)].lines().filter(|line| !line.trim().is_empty());
    let is_form_line = |line: &&str| {
        headings.contains(line)
            || FORM_LINES.contains(&normalize(line))
            || PLACEHOLDER.is_match(line)
    };
    let (form_lines, filled_lines): (Vec<&str>, Vec<&str>) = lines.partition(is_form_line);
    let words: usize = filled_lines.into_iter().map(|line| tokens::words(line).len()).sum();
    form_lines.len() > MIN_HEADINGS
        && words < MIN_WORDS
        && body.code().split_whitespace().count() < MIN_TEXT
}

/// Returns the first words of a body, without images and URLs.
fn first_words(body: &PreparedText, limit: usize) -> Vec<String> {
    let prose = body.prose();
    let prose = IMAGE_OR_URL.replace_all(&prose[..prose.floor_char_boundary(MAX_READ)], " ");
    let code = body.code();
    let text = format!("{prose}\n{}", &code[..code.floor_char_boundary(MAX_READ)]);
    tokens::words(&text).into_iter().take(limit).map(|word| word.term).collect()
}

/// Normalizes a line for comparing forms: its words only, in lower case.
fn normalize(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

fn is_empty_word(term: &str) -> bool {
    EMPTY_WORDS.contains(term)
        || tokens::is_stop_word(term)
        || term.len() < 2
        || term.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        || !term.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_text::skeleton::Skeleton;

    fn is_low(title: &str, body: &str) -> bool {
        is_low_content(title, &PreparedText::body(body, &Skeleton::default()))
    }

    #[test]
    fn uninformative_title_needs_a_text() {
        for (title, body) in [
            ("Error", "![image](https://images.example/1.png)"),
            ("Help needed", "N/A"),
            ("Broken", "https://acme.example/page/1"),
            ("Test ticket, please ignore", "test"),
            ("[Bug]:", ""),
            ("", ""),
            ("No title", "No description provided."),
            ("1", "1"),
            ("Crash", "it crashes\n\n2.1\n\nWindows 11"),
        ] {
            assert!(is_low(title, body), "{title}");
        }
        for (title, body) in [
            ("Error", "![image](https://images.example/1.png) It stops when the chunk is larger"),
            ("Crash", "it crashes when the chunk is larger"),
            ("Test runner hangs", ""),
            ("Upload stops", ""),
            ("", "panic: slot table is full"),
        ] {
            assert!(!is_low(title, body), "{title}");
        }
    }

    #[test]
    fn unfilled_forms_have_no_content() {
        let form = "### Describe the bug\nA clear and concise description of what the bug is.\n\n### To Reproduce\n1. Go to '...'\n2. Click on '....'\n4. See error\n\n- OS: [e.g. iOS]\n- Version [e.g. 22]\n";
        let is_blank = |text: &str| is_unfilled(&PreparedText::body(text, &Skeleton::default()));
        assert!(is_blank(form));
        let form_with_text = form.replace(
            "A clear and concise description of what the bug is.",
            "The upload stops at nine per cent when the slot table is full.",
        );
        assert!(!is_blank(&form_with_text));
        assert!(!is_blank("The upload stops."));
    }
}
