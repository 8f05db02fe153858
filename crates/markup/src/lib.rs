//! Conversion of tracker and wiki markups to Markdown, the only markup that is stored.
//!
//! Headings, lists, code, quotes, tables, links and emphasis are converted; page layout is dropped.
//! Any text is accepted. None of these languages has a complete, maintained Rust parser.

pub mod adf;
mod documents;
pub mod html_to_markdown;
pub mod message;
mod restructured_text;
pub mod safe_markdown;
pub mod storage_format;
mod wikis;

use std::{
    borrow::Cow,
    iter::{Peekable, from_fn, once},
    str::Lines,
    sync::LazyLock,
};

use precedent_text::pattern::re;
use regex::{Captures, Regex, Replacer};

/// A markup language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// Markdown, which is left unchanged.
    Markdown,
    /// reStructuredText.
    ReStructuredText,
    /// AsciiDoc.
    AsciiDoc,
    /// The markup of MediaWiki, as on Wikipedia.
    MediaWiki,
    /// Textile, including Redmine's variant.
    Textile,
    /// Org, as in Emacs.
    Org,
    /// Creole.
    Creole,
    /// Ruby's RDoc.
    RDoc,
    /// Perl's Pod.
    Pod,
    /// The wiki markup of Jira.
    Jira,
}

/// The file extensions that GitHub renders as wiki pages.
/// <https://github.com/github/markup#markups>
const EXTENSIONS: &[(&str, Markup)] = &[
    ("md markdown mdown mkdn mkd", Markup::Markdown),
    ("rst rest", Markup::ReStructuredText),
    ("asciidoc adoc asc", Markup::AsciiDoc),
    ("mediawiki wiki", Markup::MediaWiki),
    ("textile", Markup::Textile),
    ("org", Markup::Org),
    ("creole", Markup::Creole),
    ("rdoc", Markup::RDoc),
    ("pod", Markup::Pod),
];

impl Markup {
    /// Returns the markup for a file extension, given without the dot.
    pub fn from_extension(extension: &str) -> Option<Self> {
        let is_match = |(names, _): &&(&str, Self)| {
            names.split(' ').any(|name| name.eq_ignore_ascii_case(extension))
        };
        EXTENSIONS.iter().find(is_match).map(|(_, markup)| *markup)
    }

    /// Converts text in this markup to Markdown.
    pub fn to_markdown(self, text: &str) -> String {
        let mut text = text.replace("\r\n", "\n");
        // Placeholder characters in the input would be expanded.
        if self != Self::Markdown {
            text.retain(|c| !matches!(c, PLACEHOLDER_START | PLACEHOLDER_END));
        }
        match self {
            Self::Markdown => text,
            Self::ReStructuredText => restructured_text::convert(&text),
            Self::AsciiDoc => documents::ascii_doc(&text),
            Self::MediaWiki => wikis::media_wiki(&text),
            Self::Textile => wikis::textile(&text),
            Self::Org => documents::org(&text),
            Self::Creole => wikis::creole(&text),
            Self::RDoc => documents::rdoc(&text),
            Self::Pod => documents::pod(&text),
            Self::Jira => wikis::jira(&text),
        }
    }
}

/// Compiles a constant pattern once.
macro_rules! pattern {
    ($text:expr) => {{
        static PATTERN: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| precedent_text::pattern::re($text));
        &*PATTERN
    }};
}
use pattern;

/// Converts stored text in Jira's markup, detected by its code blocks and headings, to Markdown.
/// Projects that moved from Jira to another tracker have such text.
pub fn stored_markdown(text: &str) -> Cow<'_, str> {
    let is_jira =
        pattern!(r"(?m)^\s*(?:\{(?:code|noformat)(?::[^}\n]*)?\}|h[1-6]\. ?\S)").is_match(text);
    match is_jira && !text.contains("```") {
        true => Cow::Owned(Markup::Jira.to_markdown(text)),
        false => Cow::Borrowed(text),
    }
}

/// An emphasis markup: its pattern and the mark that replaces it.
struct Emphasis {
    pattern: Regex,
    replacement: &'static str,
}

impl Emphasis {
    /// Matches words between two marks at word boundaries.
    fn new(mark: &str, replacement: &'static str) -> Self {
        let m = regex::escape(mark);
        // Other marks may be adjacent; the replacement is the output of the first pass.
        let boundary: String =
            "|*_~`-".chars().filter(|c| !mark.contains(*c) && !replacement.contains(*c)).collect();
        let boundary = regex::escape(&boundary);
        let text = format!(
            r#"(^|[\s(\[{{"'>,;:—–{boundary}]){m}([^\s{m}](?:[^{m}\n]*[^\s{m}])?){m}($|[\s.,;:!?)\]}}"'<—–{boundary}])"#
        );
        Self { pattern: re(&text), replacement }
    }

    fn apply(&self, text: &str) -> String {
        let replacement = format!("${{1}}{0}${{2}}{0}${{3}}", self.replacement);
        // Adjacent matches share a separator, so replace every other one in a second pass.
        let first_pass = self.pattern.replace_all(text, replacement.as_str()).into_owned();
        self.pattern.replace_all(&first_pass, replacement.as_str()).into_owned()
    }
}

static BOLD: LazyLock<Emphasis> = LazyLock::new(|| Emphasis::new("*", "**"));
static STRIKETHROUGH: LazyLock<Emphasis> = LazyLock::new(|| Emphasis::new("-", "~~"));
static STRIKETHROUGH_PLUS: LazyLock<Emphasis> = LazyLock::new(|| Emphasis::new("+", "~~"));
static INSERTED: LazyLock<Emphasis> = LazyLock::new(|| Emphasis::new("+", ""));
static CODE_PLUS: LazyLock<Emphasis> = LazyLock::new(|| Emphasis::new("+", "`"));
static CODE_EQUALS: LazyLock<Emphasis> = LazyLock::new(|| Emphasis::new("=", "`"));
static CODE_TILDE: LazyLock<Emphasis> = LazyLock::new(|| Emphasis::new("~", "`"));
static CODE_AT: LazyLock<Emphasis> = LazyLock::new(|| Emphasis::new("@", "`"));
static ITALIC_SLASH: LazyLock<Emphasis> = LazyLock::new(|| Emphasis::new("/", "*"));

/// The delimiters of a placeholder.
const PLACEHOLDER_START: char = '\u{1}';
const PLACEHOLDER_END: char = '\u{2}';

/// A line whose markup is converted step by step. Placeholders represent converted text (code, URLs)
/// that later steps must not change.
struct Line {
    text: String,
    masked_texts: Vec<String>,
}

impl Line {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), masked_texts: Vec::new() }
    }

    /// Replaces the matches of a pattern.
    fn replace(mut self, pattern: &Regex, replacement: impl Replacer) -> Self {
        self.text = pattern.replace_all(&self.text, replacement).into_owned();
        self
    }

    /// Replaces the matches of a pattern with placeholders for the output of `convert`.
    fn mask_with(mut self, pattern: &Regex, convert: impl Fn(&Captures<'_>) -> String) -> Self {
        let insert = |c: &Captures<'_>| {
            self.masked_texts.push(convert(c));
            format!("{PLACEHOLDER_START}{}{PLACEHOLDER_END}", self.masked_texts.len() - 1)
        };
        self.text = pattern.replace_all(&self.text, insert).into_owned();
        self
    }

    /// Replaces the matches of a pattern with placeholders; `$1` is the first group.
    fn mask(self, pattern: &Regex, replacement: &str) -> Self {
        self.mask_with(pattern, |c| expand(c, replacement))
    }

    /// Replaces the matches of a pattern with links; `$1` is the first group.
    fn links(self, pattern: &Regex, words: &str, address: &str) -> Self {
        self.mask_with(pattern, |c| link(&expand(c, words), &expand(c, address)))
    }

    /// Protects code in backticks.
    fn mask_code(self) -> Self {
        self.mask(pattern!(r"`[^`\n]+`"), "$0")
    }

    /// Protects web addresses.
    fn mask_urls(self) -> Self {
        self.mask(pattern!(r"https?://[^\s<>]+"), "$0")
    }

    fn emphasize(mut self, list: &[&LazyLock<Emphasis>]) -> Self {
        list.iter().for_each(|emphasis| self.text = emphasis.apply(&self.text));
        self
    }

    /// Converts `_words_` to emphasis.
    fn italics(self) -> Self {
        let pattern =
            pattern!(r#"(^|[\s(\["'>|*,;:])_([^\s_](?:[^_\n]*[^\s_])?)_($|[\s.,;:!?)\]"'<|*])"#);
        self.replace(pattern, "${1}*${2}*${3}")
    }

    /// Returns the text with the masked texts in place of their placeholders.
    fn finish(self) -> String {
        let mut out = self.text;
        // A masked text may contain earlier placeholders.
        for _ in 0..3 {
            if !out.contains(PLACEHOLDER_START) {
                break;
            }
            let masked_text = |c: &Captures<'_>| {
                let index = c[1].parse::<usize>().ok();
                index.and_then(|n| self.masked_texts.get(n)).cloned().unwrap_or_default()
            };
            out = pattern!(r"\x01(\d+)\x02").replace_all(&out, masked_text).into_owned();
        }
        out
    }
}

fn expand(captures: &Captures<'_>, replacement: &str) -> String {
    let mut out = String::new();
    captures.expand(replacement, &mut out);
    out
}

/// Returns a line with the lines below that belong to it.
fn take_block<'a>(
    first: &'a str,
    lines: &mut Peekable<Lines<'a>>,
    belongs: impl Fn(&str) -> bool,
) -> Vec<&'a str> {
    once(first).chain(from_fn(|| lines.next_if(|line| belongs(line)))).collect()
}

/// Returns a fence that is longer than any fence in the lines.
pub fn fence<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let ticks = |line: &str| line.trim_start().bytes().take_while(|b| *b == b'`').count();
    "`".repeat(lines.into_iter().map(ticks).max().unwrap_or(0).max(2) + 1)
}

/// A writer of Markdown lines.
#[derive(Default)]
struct Writer {
    text: String,
    table_rows: usize,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.table_rows = 0;
        self.push(line);
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn heading(&mut self, level: usize, words: &str) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.line("");
        }
        self.line(&format!("{} {}", "#".repeat(level.clamp(1, 6)), words.trim()));
        self.line("");
    }

    fn item(&mut self, depth: usize, is_ordered: bool, words: &str) {
        let indent = "    ".repeat(depth.clamp(1, 12) - 1);
        self.line(&format!("{indent}{} {}", if is_ordered { "1." } else { "-" }, words.trim()));
    }

    fn fence(&mut self, fence: &str, language: &str) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.line("");
        }
        let language: String = language
            .trim()
            .chars()
            .take_while(|c| c.is_alphanumeric() || matches!(c, '+' | '#' | '-' | '_'))
            .collect();
        self.line(&format!("{fence}{language}"));
    }

    /// Writes a fenced code block without common indentation.
    fn code<'a>(&mut self, language: &str, lines: impl IntoIterator<Item = &'a str>) {
        let lines: Vec<&str> = lines.into_iter().collect();
        let has_text = |l: &&str| !l.trim().is_empty();
        let (Some(first), Some(last)) =
            (lines.iter().position(has_text), lines.iter().rposition(has_text))
        else {
            return;
        };
        let lines = &lines[first..=last];
        let indent = |l: &&str| l.len() - l.trim_start_matches([' ', '\t']).len();
        let common = lines.iter().filter(|l| has_text(l)).map(indent).min().unwrap_or(0);
        let fence = fence(lines.iter().copied());
        self.fence(&fence, language);
        for line in lines {
            self.line(line.get(common..).unwrap_or(""));
        }
        self.line(&fence);
        self.line("");
    }

    /// Writes a table row; the first row is the header.
    fn row<S: AsRef<str>>(&mut self, cells: &[S]) {
        let cells: Vec<String> = cells
            .iter()
            .map(|c| c.as_ref().trim().replace('\n', " ").replace('|', "\\|"))
            .collect();
        if self.table_rows == 0 && !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.push("");
        }
        self.push(&format!("| {} |", cells.join(" | ")));
        if self.table_rows == 0 {
            self.push(&format!("|{}", " --- |".repeat(cells.len().max(1))));
        }
        self.table_rows += 1;
    }

    fn finish(self) -> String {
        let text =
            pattern!(r"\n{3,}").replace_all(self.text.trim_matches('\n'), "\n\n").into_owned();
        if text.is_empty() { text } else { text + "\n" }
    }
}

/// Formats a link, or only its text if the address is empty.
fn link(words: &str, address: &str) -> String {
    let (words, address) = (words.trim(), address.trim());
    match (words.is_empty(), address.is_empty()) {
        (_, true) => words.to_owned(),
        (true, _) => format!("<{address}>"),
        _ if words == address => format!("<{address}>"),
        _ => format!("[{words}]({})", address.replace(' ', "%20").replace(')', "%29")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(markup: Markup, text: &str, want: &str) {
        assert_eq!(markup.to_markdown(text), want, "{markup:?}");
    }

    #[test]
    fn file_extensions_ignore_case() {
        assert_eq!(Markup::from_extension("MD"), Some(Markup::Markdown));
        assert_eq!(Markup::from_extension("adoc"), Some(Markup::AsciiDoc));
        assert_eq!(Markup::from_extension("png"), None);
    }

    #[test]
    fn redmine_textile_is_converted() {
        check(
            Markup::Textile,
            "h2. Pump *A*\n\nIt _leaks_ since @v1.2@, see \"the log\":https://x.example/a_b_c and [[Pumps|the page]].\n\n* one\n** two\n# first\n\n<pre><code class=\"ruby\">\nputs *1*\n</code></pre>\n\n|_. Name|_. Value|\n|a|@b@|\n\nbq. Said so\n\n{{toc}}\nsnake_case_name stays, 2*3*4 too.",
            "## Pump **A**\n\nIt *leaks* since `v1.2`, see [the log](https://x.example/a_b_c) and the page.\n\n- one\n    - two\n1. first\n\n```ruby\nputs *1*\n```\n\n| Name | Value |\n| --- | --- |\n| a | `b` |\n\n> Said so\n\nsnake_case_name stays, 2*3*4 too.\n",
        );
    }

    #[test]
    fn jira_markup_is_converted() {
        check(
            Markup::Jira,
            "h1. Fails\n{code:java|title=X.java}\nint a = *b*;\n{code}\n*bold* and {{mono}}, [docs|https://x.example] and [https://y.example].\n||Head||Two||\n|a|b|\n{quote}\nquoted\n{quote}\n{color:red}hot{color}\n- item",
            "# Fails\n\n```java\nint a = *b*;\n```\n\n**bold** and `mono`, [docs](https://x.example) and <https://y.example>.\n\n| Head | Two |\n| --- | --- |\n| a | b |\n\n> quoted\n\nhot\n- item\n",
        );
    }

    #[test]
    fn jira_quotes_panels_and_bars_are_converted() {
        check(
            Markup::Jira,
            "{quote}said E17{quote}\nno, {quote}old{quote} new\n{panel:title=Workaround|bgColor=#fff}\nopen it\n{panel}\n{expand:Log file}\nE99\n{expand}\n||h||k||\n|a \\| b|c|",
            "> said E17\n\nno,\n\n> old\n\nnew\n**Workaround**\nopen it\n\n**Log file**\nE99\n\n| h | k |\n| --- | --- |\n| a \\| b | c |\n",
        );
        check(
            Markup::Jira,
            "{quote}{code}a{code} and {code}b{code}{quote}\nafter",
            "```\na\n```\n\n> and\n\n```\nb\n```\n\nafter\n",
        );
        check(Markup::Jira, "{quote}\none\n\ntwo\n{quote}\nthree", "> one\n>\n> two\n\nthree\n");
    }

    #[test]
    fn media_wiki_is_converted() {
        check(
            Markup::MediaWiki,
            "= Pump =\nIt is '''bold''' and ''slanted''. See [[Valves|the valves]], [https://x.example the log] and <code>a''b</code>.\n* one\n** two\n# first\n<pre>\n''raw''\n</pre>\n{| class=\"wikitable\"\n! Name !! Value\n|-\n| a || b\n|}\n<!-- hidden -->[[Category:Pumps]]__TOC__",
            "# Pump\n\nIt is **bold** and *slanted*. See the valves, [the log](https://x.example) and `a''b`.\n- one\n    - two\n1. first\n\n```\n''raw''\n```\n\n| Name | Value |\n| --- | --- |\n| a | b |\n",
        );
    }

    #[test]
    fn creole_is_converted() {
        check(
            Markup::Creole,
            "== Pump ==\n**bold** //slanted// http://x.example/a//b [[https://y.example|words]] {{{a**b}}}\n{{{\ncode\n}}}\n|=Name|=Value|\n|a|b|\n# first\n* one",
            "## Pump\n\n**bold** *slanted* http://x.example/a//b [words](https://y.example) `a**b`\n\n```\ncode\n```\n\n| Name | Value |\n| --- | --- |\n| a | b |\n1. first\n- one\n",
        );
    }

    #[test]
    fn restructured_text_is_converted() {
        check(
            Markup::ReStructuredText,
            "Pump\n====\n\nSee `the log`_, OpenCL_ and `docs <https://y.example>`_; ``a*b`` and :ref:`valves`.\n\n.. _the log: https://x.example\n.. _OpenCL: https://z.example\n\nPart\n----\n\nFor example::\n\n    let a = 1;\n      let b = 2;\n\n.. code-block:: rust\n   :linenos:\n\n   fn main() {}\n\n.. note:: Mind the gap.\n\n.. a comment\n   of two lines\n\n+-----+-------+\n| a   | b     |\n+=====+=======+\n| one | two   |\n|     | more  |\n+-----+-------+\n\n- item\n",
            "# Pump\n\nSee [the log](https://x.example), [OpenCL](https://z.example) and [docs](https://y.example); `a*b` and `valves`.\n\n## Part\n\nFor example:\n\n```\nlet a = 1;\n  let b = 2;\n```\n\n```rust\nfn main() {}\n```\n\n**Note:** Mind the gap.\n\n| a | b |\n| --- | --- |\n| one | two more |\n\n- item\n",
        );
    }

    #[test]
    fn ascii_doc_is_converted() {
        check(
            Markup::AsciiDoc,
            "= Pump\n:toc:\n// hidden\n\n== Part\n\n*bold* and _slanted_ `code`, https://x.example[words], link:page.html[a page], <<part,see>>.\n\n.Title\n[source,rust]\n----\nlet *a* = 1;\n----\n\n* one\n** two\n. first\n\nNOTE: Mind.\n\n|===\n|a |b\n\n|1 |2\n|===\n",
            "# Pump\n\n## Part\n\n**bold** and *slanted* `code`, [words](https://x.example), [a page](page.html), see.\n\n**Title**\n\n```rust\nlet *a* = 1;\n```\n\n- one\n    - two\n1. first\n\n**Note:** Mind.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n",
        );
    }

    #[test]
    fn org_is_converted() {
        check(
            Markup::Org,
            "#+TITLE: Pump\n* Part\n:PROPERTIES:\n:ID: x\n:END:\n*bold* /slanted/ =code= ~more~ [[https://x.example][words]]\n#+BEGIN_SRC rust\nlet *a* = 1;\n#+END_SRC\n- one\n  - two\n| a | b |\n|---+---|\n| 1 | 2 |\n# hidden\n: fixed\n",
            "# Pump\n\n# Part\n\n**bold** *slanted* `code` `more` [words](https://x.example)\n\n```rust\nlet *a* = 1;\n```\n\n- one\n  - two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```\nfixed\n```\n",
        );
    }

    #[test]
    fn rdoc_and_pod_are_converted() {
        check(
            Markup::RDoc,
            "= Pump\n\n*bold* _slanted_ +code+ {words}[https://x.example]\n\n  puts 1\n\n* one\nlabel:: said\n",
            "# Pump\n\n**bold** *slanted* `code` [words](https://x.example)\n\n```\nputs 1\n```\n\n- one\n- **label**: said\n",
        );
        check(
            Markup::Pod,
            "use strict;\n\n=head1 PUMP\n\nB<bold> I<slanted> C<< a > b >> L<words|https://x.example> E<lt>\n\n  print 1;\n\n=over 4\n\n=item * one\n\n=item two\n\n=back\n\n=begin html\n\n<b>\n\n=end html\n\n=cut\n\nmy $x;\n",
            "# PUMP\n\n**bold** *slanted* `a > b` [words](https://x.example) <\n\n```\nprint 1;\n```\n\n- one\n\n- two\n",
        );
    }

    #[test]
    fn name_that_begins_like_a_tag_is_text() {
        check(Markup::Textile, "Use <prefix>.\n\nThen @go@.", "Use <prefix>.\n\nThen `go`.\n");
        check(Markup::MediaWiki, "<prefix> or\n''none''", "<prefix> or\n*none*\n");
    }

    #[test]
    fn placeholder_characters_in_the_input_are_harmless() {
        let text = format!("@{}@", "\u{1}0\u{2}".repeat(3_000));
        assert!(Markup::Textile.to_markdown(&text).len() <= text.len());
    }

    #[test]
    fn repeated_long_targets_do_not_multiply_the_text() {
        let text = format!(".. _a: https://{}\n\n{}", "x".repeat(100_000), "a_ ".repeat(30_000));
        let markdown = Markup::ReStructuredText.to_markdown(&text);
        assert!(
            markdown.contains("[a](https://x") && markdown.len() < text.len() * 8,
            "{}",
            markdown.len()
        );
    }

    /// Each of these inputs once took quadratic time: hours for a page of this size.
    #[test]
    fn long_texts_take_linear_time() {
        let repetitions = 300_000;
        for (markup, text) in [
            (Markup::RDoc, format!("  {}  x", "\n ".repeat(repetitions))),
            (Markup::AsciiDoc, format!("|===\n|a\n{}", "|b".repeat(repetitions))),
            (Markup::Textile, format!("<pre>{}", "\na".repeat(repetitions))),
            (Markup::Jira, format!("{{code}}{}", "\na".repeat(repetitions))),
            (Markup::MediaWiki, format!("<pre>{}", "\na".repeat(repetitions))),
            (Markup::Pod, format!("=head1 {}", "B<".repeat(repetitions / 20))),
        ] {
            assert!(!markup.to_markdown(&text).is_empty(), "{markup:?}");
        }
    }

    #[test]
    fn stored_jira_markup_is_converted() {
        assert_eq!(stored_markdown("h4. Steps\n{code}\na\n{code}"), "#### Steps\n\n```\na\n```\n");
        for text in ["Print `{code}` here.", "```\n{code}\n```"] {
            assert_eq!(stored_markdown(text), text);
        }
    }

    #[test]
    fn code_does_not_end_its_own_fence() {
        let markdown = Markup::Jira.to_markdown("{code}\na\n```\n# b\n{code}");
        assert_eq!(markdown, "````\na\n```\n# b\n````\n");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_accepted(text in "[a-z*_/|=`'{}\\[\\]<>:.#+@!\\-\\n ]{0,200}") {
            for (_, markup) in EXTENSIONS {
                markup.to_markdown(&text);
            }
            Markup::Jira.to_markdown(&text);
        }
    }
}
