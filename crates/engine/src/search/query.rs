//! The query language: `"exact phrase" words -without is:closed label:bug source:acme/app author:x
//! version:2.3.1 updated:>2026-01-01 in:title mode:lexical`. Everything that is not a filter is a
//! word, so a pasted log is also a query. So is a pasted line of compiler output, with its options
//! and colons.

use jiff::{Timestamp, civil::Date, tz::TimeZone};

use precedent_core::{
    error::{Error, Result},
    model::{DocKind, Mode, State},
};
use precedent_index::{
    filter::{Filter, Test, TimeField},
    fulltext::Scope,
};
use precedent_text::{
    salient::extract_salient, sanitize::strip_ansi, similar, version::is_version,
};

/// The maximum length of a typed query, in bytes; longer ones are pasted text without filters.
const MAX_TYPED: usize = 1000;
/// The maximum length of a query that is not reduced to its salient part, in bytes.
const MAX_QUERY: usize = 200_000;
/// The maximum number of bytes read from pasted text.
const MAX_PASTED: usize = 50_000_000;

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The words, in the order they were typed, without filters, phrases, exclusions and
    /// alternatives; for pasted text, all of it.
    pub text: String,
    /// The exact phrases.
    pub phrases: Vec<String>,
    /// The excluded words and phrases.
    pub exclusions: Vec<String>,
    /// The filters.
    pub filters: Vec<Filter>,
    /// The fields to search for the words.
    pub scope: Scope,
    /// The search mode, if the query sets one.
    pub mode: Option<Mode>,
    /// The groups of alternatives and prefixes: `slot OR lag`, `repl*`.
    pub alternatives: Vec<Vec<String>>,
    /// Notices about parts of the query that are probably misspelled or have no effect.
    pub notices: Vec<String>,
    /// The query as it was interpreted.
    pub interpretation: String,
    /// True for pasted text, false for a typed query.
    pub is_pasted: bool,
}

impl Query {
    /// Makes a typed query from words without filters.
    pub fn from_typed(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Makes a query from pasted text, whose first line is its title.
    pub fn from_pasted(text: &str) -> Self {
        Self { is_pasted: true, ..Self::from_typed(text) }
    }

    /// Returns all words, alternatives and phrases, as the text to embed.
    pub fn all_words(&self) -> String {
        let mut out = self.text.clone();
        let words = self.alternatives.iter().flatten().map(|word| word.trim_end_matches('*'));
        for phrase in words.chain(self.phrases.iter().map(String::as_str)) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(phrase);
        }
        out
    }

    /// Returns whether filters, phrases, exclusions or a scope narrow the search for its words.
    pub fn is_narrowed(&self) -> bool {
        let parts = self.filters.len()
            + self.exclusions.len()
            + self.phrases.len()
            + usize::from(self.scope != Scope::Any);
        let is_phrase = self.text.is_empty() && self.alternatives.is_empty();
        !self.is_empty() && parts > usize::from(is_phrase)
    }

    /// Adds filters that are specified separately from the words. Fails if a filter is unknown or
    /// its value is invalid.
    pub fn with_filters(mut self, filters: &str) -> Result<Self> {
        let mut extra = Self::default();
        for (i, token) in tokens(filters).enumerate() {
            parse_token(token, false, &mut extra)?;
            // The scope and the mode belong to the words.
            if extra.filters.len() <= i {
                return Err(Error::invalid(format!("unknown filter \"{token}\"")).with_hint(
                    "Available filters: is:, label:, author:, version:, source:, reason:, created:, updated: and closed:.",
                ));
            }
        }
        self.filters.splice(0..0, extra.filters);
        let parts = tokens(filters).chain([self.interpretation.as_str()]);
        self.interpretation = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        Ok(self)
    }

    /// Returns whether there are no words, phrases or alternatives.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.phrases.is_empty() && self.alternatives.is_empty()
    }
}

/// The names of filters.
const FILTER_NAMES: &[&str] = &[
    "is", "state", "type", "source", "repo", "label", "author", "version", "reason", "created",
    "updated", "closed", "mode",
];

/// Replaces relative times in a query with dates: `updated:>7d` means after the day 7 days ago.
/// Pasted text is returned unchanged.
pub fn resolve_relative_times(input: &str, now: Timestamp) -> String {
    if is_pasted(input) || !input.contains(':') {
        return input.to_owned();
    }
    let resolve = |token: &str| resolve_relative_time(token, now).unwrap_or_else(|| token.into());
    tokens(input).map(resolve).collect::<Vec<_>>().join(" ")
}

/// Replaces the relative time of a filter with a date; `None` if it is not such a filter.
fn resolve_relative_time(token: &str, now: Timestamp) -> Option<String> {
    let (name, value) = token.split_once(':')?;
    let field = name.strip_prefix('-').unwrap_or(name).to_ascii_lowercase();
    if !matches!(&*field, "created" | "updated" | "closed") {
        return None;
    }
    let value = value.replace('"', "");
    let period = value.trim_start_matches(['<', '>', '=']);
    let day = relative_day(period, now)?;
    // A time without an operator means on or after that day.
    let operator = match &value[..value.len() - period.len()] {
        "" => ">=",
        operator => operator,
    };
    Some(format!("{name}:{operator}{day}"))
}

/// Returns the day that lies a period such as `7d`, `2w`, `3m` or `1y` before `now`; `None` if the
/// text is not a period.
fn relative_day(text: &str, now: Timestamp) -> Option<Date> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let n: i64 = number.parse().ok().filter(|n| (0..100_000).contains(n))?;
    let span = match unit {
        "d" => jiff::Span::new().try_days(n),
        "w" => jiff::Span::new().try_weeks(n),
        "m" => jiff::Span::new().try_months(n),
        "y" => jiff::Span::new().try_years(n),
        _ => return None,
    };
    now.to_zoned(TimeZone::UTC).date().checked_sub(span.ok()?).ok()
}

/// Parses a query. An error for an invalid value lists the valid ones.
pub fn parse(input: &str) -> Result<Query> {
    // Text this long was pasted; search for its salient part.
    if input.len() > MAX_QUERY {
        return parse(&extract_salient(&input[..input.floor_char_boundary(MAX_PASTED)]));
    }
    if is_pasted(input) {
        return Ok(Query { interpretation: first_line(input), ..Query::from_pasted(input.trim()) });
    }
    let input = &*strip_ansi(input);
    let query = parse_typed(input, is_program_output(input))?;
    // If a query has only exclusions, search for them literally: "-Wall", "->".
    if query.is_empty() && query.filters.is_empty() && !query.exclusions.is_empty() {
        return Ok(Query {
            mode: query.mode,
            scope: query.scope,
            interpretation: query.interpretation,
            ..Query::from_typed(&query.exclusions.join(" "))
        });
    }
    Ok(query)
}

/// Returns whether a query was pasted: it is long or has several lines.
fn is_pasted(input: &str) -> bool {
    input.len() > MAX_TYPED || input.trim().contains('\n')
}

/// Returns whether a query is a pasted line of program or log output, in which a word ends with a
/// colon, as in "error: …".
fn is_program_output(input: &str) -> bool {
    tokens(input).nth(1).is_some()
        && tokens(input).any(|token| token.len() > 1 && token.ends_with(':'))
}

/// Parses a typed query. In program output, an invalid filter is a word.
fn parse_typed(input: &str, is_output: bool) -> Result<Query> {
    let mut query = Query::default();
    let mut words = Vec::new();
    let mut output_words = Vec::new();
    for token in tokens(input) {
        let phrases = query.phrases.len();
        let is_word = !parse_token(token, is_output, &mut query)?;
        // Other tokens separate the words, so that OR joins only neighbors.
        words.push(is_word.then_some(token));
        if is_word || query.phrases.len() > phrases {
            output_words.push(token);
        }
    }
    query.text = if !is_output {
        extract_alternatives(&words, &mut query).join(" ")
    } else if words.iter().any(Option::is_some) {
        // Quotes in program output are part of the line.
        query.phrases.clear();
        output_words.join(" ")
    } else {
        String::new()
    };
    query.interpretation = tokens(input).collect::<Vec<_>>().join(" ");
    Ok(query)
}

/// Moves alternatives (`slot OR lag`) and prefixes (`repl*`) to their groups. Returns the other
/// words. Tokens that are not words are `None`.
fn extract_alternatives<'a>(tokens: &[Option<&'a str>], query: &mut Query) -> Vec<&'a str> {
    let is_prefix = |word: &str| {
        word.strip_suffix('*')
            .is_some_and(|w| w.chars().count() > 2 && w.chars().all(char::is_alphanumeric))
    };
    let word = |i: usize| tokens.get(i).copied().flatten();
    let (mut rest, mut i) = (Vec::new(), 0);
    while i < tokens.len() {
        let mut group: Vec<String> = word(i).into_iter().map(str::to_owned).collect();
        while let (Some(last), Some("OR"), Some(next)) = (word(i), word(i + 1), word(i + 2))
            && last != "OR"
        {
            i += 2;
            group.push(next.to_owned());
        }
        if group.len() > 1 || group.first().is_some_and(|word| is_prefix(word)) {
            query.alternatives.push(group);
        } else if let Some(word) = word(i) {
            if word == "OR" && (1..tokens.len() - 1).contains(&i) {
                query.notices.push("OR joins single words only, so it has no effect here.".into());
            }
            rest.push(word);
        }
        i += 1;
    }
    rest
}

/// Splits a query into its tokens.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim_start();
    std::iter::from_fn(move || {
        let (token, tail) = next_token(rest);
        rest = tail.trim_start();
        (!token.is_empty()).then_some(token)
    })
}

/// Splits off the first token, up to the next whitespace outside quotes.
fn next_token(text: &str) -> (&str, &str) {
    let mut in_quotes = false;
    let mut previous = None;
    for (i, c) in text.char_indices() {
        match c {
            // A quote opens at the start of a word, value or exclusion, so that 5" stays a word.
            '"' if in_quotes => in_quotes = false,
            '"' if matches!(previous, None | Some('-' | ':')) && text[i + 1..].contains('"') => {
                in_quotes = true
            }
            c if c.is_whitespace() && !in_quotes => return (&text[..i], &text[i..]),
            _ => {}
        }
        previous = Some(c);
    }
    (text, "")
}

/// Parses one token into the query. Returns whether it is a phrase, a filter or an exclusion.
fn parse_token(token: &str, is_output: bool, query: &mut Query) -> Result<bool> {
    let (is_negated, core) = match token.strip_prefix('-') {
        Some(core) if !core.is_empty() && !core.starts_with('-') => (true, core),
        _ => (false, token),
    };
    if let Some(phrase) = core.strip_prefix('"').and_then(|c| c.strip_suffix('"')) {
        let phrase = phrase.trim();
        if phrase.is_empty() {
            return Ok(true);
        }
        let list = if is_negated { &mut query.exclusions } else { &mut query.phrases };
        list.push(phrase.to_owned());
        return Ok(true);
    }
    if let Some((name, typed_value)) = core.split_once(':') {
        let name = name.to_ascii_lowercase();
        // Quotes group a value, so a value cannot contain one.
        let value = typed_value.replace('"', "");
        let value = value.trim();
        match parse_filter(&name, value, is_negated, query) {
            Ok(true) => return Ok(true),
            Ok(false)
                if !is_output && name.len() > 3 && value.starts_with(char::is_alphanumeric) =>
            {
                if let Some(suggestion) = similar::closest_name(&name, FILTER_NAMES.iter().copied())
                    .filter(|suggestion| suggestion.len() > 3)
                {
                    let sign = &token[..token.len() - core.len()];
                    query.notices.push(format!(
                        "\"{name}:\" is not a filter and is searched as a word. Did you mean {sign}{suggestion}:{typed_value}?"
                    ));
                }
            }
            Ok(false) => {}
            Err(_) if is_output => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    if is_negated && !is_output && is_exclusion(core) {
        query.exclusions.push(core.to_owned());
        return Ok(true);
    }
    Ok(false)
}

/// Returns whether a word after a minus is an exclusion, and not a program option such as `-f`,
/// `-O2`, `-std=c++20` or `-fsSL`.
fn is_exclusion(word: &str) -> bool {
    let is_plain =
        word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@'));
    let mut letters = word.chars();
    let has_inner_capital = word.len() < 5
        && letters.next().is_some_and(char::is_lowercase)
        && letters.any(char::is_uppercase);
    let is_numeric_option = word.len() < 3 && word.chars().skip(1).all(|c| c.is_ascii_digit());
    is_plain && word.contains(char::is_alphanumeric) && !is_numeric_option && !has_inner_capital
}

/// Parses `name:value` into the query. Returns whether it is a filter, a scope or a mode.
fn parse_filter(name: &str, value: &str, is_negated: bool, query: &mut Query) -> Result<bool> {
    match name {
        "mode" if !is_negated => {
            query.mode = Some(match &*value.to_ascii_lowercase() {
                "keyword" | "lexical" => Mode::Lexical,
                "semantic" => Mode::Semantic,
                "hybrid" => Mode::Hybrid,
                _ => return Err(invalid_value(name, value, "keyword, semantic, hybrid")),
            });
        }
        "in" if !is_negated => {
            query.scope = match &*value.to_ascii_lowercase() {
                "title" => Scope::Title,
                "body" => Scope::Body,
                "comments" | "comment" => Scope::Comments,
                _ => return Err(invalid_value(name, value, "title, body, comments")),
            };
        }
        _ => {
            let Some(test) = parse_test(name, value)? else { return Ok(false) };
            query.filters.push(Filter { test, is_negated });
        }
    }
    Ok(true)
}

/// Parses a filter's condition. Returns `None` if the name is not a filter, so that `std::vec` and
/// `http://x` stay words.
fn parse_test(name: &str, value: &str) -> Result<Option<Test>> {
    let required_value = || match value {
        "" => Err(invalid_value(name, value, "a value after the colon")),
        _ => Ok(value.to_owned()),
    };
    Ok(Some(match name {
        "is" | "state" | "type" => match value.to_ascii_lowercase().as_str() {
            "open" => Test::State(State::Open),
            "closed" => Test::State(State::Closed),
            "merged" => Test::State(State::Merged),
            "issue" => Test::Kind(DocKind::Issue),
            "pr" | "pull_request" | "pull-request" => Test::Kind(DocKind::PullRequest),
            "page" | "wiki" => Test::Kind(DocKind::Page),
            "note" => Test::Kind(DocKind::Note),
            "locked" => Test::Locked,
            "bot" => Test::Bot,
            _ => {
                return Err(invalid_value(
                    name,
                    value,
                    "open, closed, merged, issue, pr, page, note, locked, bot",
                ));
            }
        },
        "source" | "repo" => match required_value()?.split_once(',') {
            None => Test::Source(value.to_owned()),
            Some(_) => Test::AnySource(value.split(',').map(|key| key.trim().to_owned()).collect()),
        },
        "label" => Test::Label(required_value()?),
        "author" => Test::Author(required_value()?.trim_start_matches('@').to_owned()),
        "version" if is_version(value) => Test::Version(version_number(value).to_owned()),
        "version" => return Err(invalid_value(name, value, "a version such as 2.3.1")),
        "reason" => Test::Reason(required_value()?.replace(['-', ' '], "_")),
        "created" => parse_time(TimeField::Created, name, value)?,
        "updated" => parse_time(TimeField::Updated, name, value)?,
        "closed" => parse_time(TimeField::Closed, name, value)?,
        _ => return Ok(None),
    }))
}

/// Returns a version without a leading `v`.
pub(super) fn version_number(version: &str) -> &str {
    version.strip_prefix(['v', 'V']).unwrap_or(version)
}

/// Parses `2026-01-01`, `>2026-01-01`, `>=`, `<`, `<=` or `2026-01-01..2026-02-01`; also a month or
/// a year. Days are UTC.
fn parse_time(field: TimeField, name: &str, value: &str) -> Result<Test> {
    let error = || {
        invalid_value(
            name,
            value,
            "a date such as 2026-01-31, >2026-01, <2026, >7d or 2026-01-01..2026-02-01",
        )
    };
    let bounds = |text: &str| parse_period(text).ok_or_else(error);
    let (start, end) = if let Some((a, b)) = value.split_once("..") {
        let start = if a.is_empty() || a == "*" { None } else { Some(bounds(a)?.0) };
        let end = if b.is_empty() || b == "*" { None } else { Some(bounds(b)?.1) };
        (start, end)
    } else {
        let period = value.trim_start_matches(['<', '>', '=']);
        let (start, end) = bounds(period)?;
        match &value[..value.len() - period.len()] {
            "" => (Some(start), Some(end)),
            ">=" => (Some(start), None),
            ">" => (Some(end), None),
            "<=" => (None, Some(end)),
            "<" => (None, Some(start)),
            _ => return Err(error()),
        }
    };
    Ok(Test::Time(field, start, end))
}

/// Returns the start and the end (exclusive) of a day, month or year, as Unix timestamps.
fn parse_period(text: &str) -> Option<(i64, i64)> {
    let midnight = |d: Date| d.to_zoned(TimeZone::UTC).ok().map(|z| Timestamp::from(z).as_second());
    let mut parts = text.split('-');
    let year: i16 = parts.next().filter(|y| y.len() == 4)?.parse().ok()?;
    let (month, day) = (parts.next(), parts.next());
    if parts.next().is_some() {
        return None;
    }
    let number = |t: &str| t.parse::<i8>().ok();
    let first =
        Date::new(year, month.map_or(Some(1), number)?, day.map_or(Some(1), number)?).ok()?;
    let step = match (month, day) {
        (None, _) => jiff::Span::new().years(1),
        (_, None) => jiff::Span::new().months(1),
        _ => jiff::Span::new().days(1),
    };
    Some((midnight(first)?, midnight(first.checked_add(step).ok()?)?))
}

fn invalid_value(name: &str, value: &str, valid_values: &str) -> Error {
    let problem = match value {
        "" => format!("the filter {name}: has no value"),
        _ => format!("invalid value \"{value}\" for the filter {name}:"),
    };
    Error::invalid(problem).with_hint(format!(
        "Use {name}: with {valid_values}. To search for the text itself, put it in quotes: \"{name}:{value}\"."
    ))
}

fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let mut out: String = line.chars().take(120).collect();
    if out.len() < text.trim().len() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_syntax_is_parsed() {
        let q = parse(r#"wal grows "replication slot" -helm -"fresh install" is:closed -label:"good first issue" in:title"#).unwrap();
        assert_eq!(q.text, "wal grows");
        assert_eq!(q.phrases, ["replication slot"]);
        assert_eq!(q.exclusions, ["helm", "fresh install"]);
        assert_eq!(
            q.filters,
            [
                Filter { test: Test::State(State::Closed), is_negated: false },
                Filter { test: Test::Label("good first issue".into()), is_negated: true },
            ]
        );
        assert_eq!(q.scope, Scope::Title);
    }

    #[test]
    fn relative_times_alternatives_and_prefixes_are_parsed() {
        let now: Timestamp = "2026-03-31T12:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("disk updated:>7d", "disk updated:>2026-03-24"),
            ("created:2w", "created:>=2026-03-17"),
            ("-closed:<1y x", "-closed:<2025-03-31 x"),
            ("Updated:>7d CLOSED:\">7d\"", "Updated:>2026-03-24 CLOSED:>2026-03-24"),
            ("\"wait updated:>7d\" --updated:7d", "\"wait updated:>7d\" --updated:7d"),
            ("pasted\nupdated:>7d", "pasted\nupdated:>7d"),
            ("created:2026-01 size:7d", "created:2026-01 size:7d"),
        ] {
            assert_eq!(resolve_relative_times(text, now), expected);
        }
        let q = parse("disk slot OR lag OR wal repl* is:open").unwrap();
        assert_eq!(q.text, "disk");
        assert_eq!(q.alternatives, [vec!["slot", "lag", "wal"], vec!["repl*"]]);
        for text in ["OR slot", "slot OR", "a*b c**", "glob *.rs"] {
            let q = parse(text).unwrap();
            assert_eq!((&*q.text, q.alternatives.len()), (text, 0), "{text}");
        }
    }

    #[test]
    fn or_joins_only_neighboring_words() {
        for text in ["disk \"slot lag\" OR wal", "disk is:open OR wal", "\"a b\" OR \"c d\""] {
            let q = parse(text).unwrap();
            assert_eq!((q.alternatives.len(), q.notices.len()), (0, 1), "{text}");
        }
        assert!(parse("disk OR wal is:open").unwrap().notices.is_empty());
    }

    #[test]
    fn alternatives_and_scopes_are_narrowed() {
        for (text, expected) in [
            ("slot OR lag is:open", true),
            ("slot in:title", true),
            ("\"slot lag\"", false),
            ("slot OR lag", false),
            ("is:open", false),
        ] {
            assert_eq!(parse(text).unwrap().is_narrowed(), expected, "{text}");
        }
    }

    #[test]
    fn misspelled_filter_gets_a_suggestion() {
        for (text, suggestion) in [
            ("lable:bug", "label:bug?"),
            ("-lable:\"good first issue\"", " -label:\"good first issue\"?"),
        ] {
            assert!(parse(text).unwrap().notices[0].ends_with(suggestion), "{text}");
        }
        for text in ["std::vec", "http://x", "error:x", "note:this", "12:30"] {
            assert!(parse(text).unwrap().notices.is_empty(), "{text}");
        }
    }

    #[test]
    fn filter_lookalikes_are_words() {
        for text in
            ["std::vec::Vec", "http://x/y", "--no-color", "5\" disk", "a:b", "-", "--", "\"open"]
        {
            let q = parse(text).unwrap();
            assert_eq!((q.text.as_str(), q.filters.len()), (text, 0), "{text}");
        }
    }

    #[test]
    fn program_output_keeps_only_valid_filters() {
        for line in [
            "ld: warning: option -dead_strip -O2 is ignored",
            "gcc: error: unrecognized option -fmodules=all",
            "error: label: expected before is: token",
            "updated: 12:30 in place of created: yesterday",
            "cannot read -oProxyCommand=x or -fsSL or -f",
        ] {
            let q = parse(line).unwrap();
            assert_eq!((&*q.text, q.filters.len(), q.exclusions.len()), (line, 0, 0), "{line}");
        }
        let q = parse("error: no space left is:closed -label:wontfix").unwrap();
        assert_eq!((q.text.as_str(), q.filters.len()), ("error: no space left", 2));
    }

    #[test]
    fn minus_excludes_an_identifier() {
        for word in ["x86", "fooBar", "e2e", "foo_bar"] {
            assert_eq!(parse(&format!("zebra -{word}")).unwrap().exclusions, [word]);
        }
    }

    #[test]
    fn values_ignore_case() {
        let q = parse("slot in:Title mode:Keyword is:Open").unwrap();
        assert_eq!((q.scope, q.mode, q.filters.len()), (Scope::Title, Some(Mode::Lexical), 1));
    }

    #[test]
    fn source_filter_accepts_several_sources() {
        let q = parse("source:acme/app,acme/lib leak").unwrap();
        let keys = ["acme/app", "acme/lib"].map(str::to_owned).to_vec();
        assert_eq!(q.filters, [Filter { test: Test::AnySource(keys), is_negated: false }]);
    }

    #[test]
    fn quoted_colon_is_not_program_output() {
        let q = parse(r#"label:"needs: info" zebra -slot "disk: full now""#).unwrap();
        assert_eq!((q.text.as_str(), q.filters.len()), ("zebra", 1));
        assert_eq!(
            (q.exclusions, q.phrases),
            (vec!["slot".to_owned()], vec!["disk: full now".to_owned()])
        );
    }

    #[test]
    fn quotes_in_program_output_are_literal() {
        let line = r#"Exception in thread "main" java.lang.OutOfMemoryError: Metaspace"#;
        let q = parse(line).unwrap();
        assert_eq!((q.text.as_str(), q.phrases.len()), (line, 0));
        let q = parse(r#"upstream: request: "POST /login" failed is:open"#).unwrap();
        assert_eq!(q.text, r#"upstream: request: "POST /login" failed"#);
        assert_eq!((q.phrases.len(), q.filters.len()), (0, 1));
        // A line quoted as a whole is a phrase.
        assert_eq!(parse(r#""error: no lease""#).unwrap().phrases, ["error: no lease"]);
        assert_eq!(parse(r#"pool "worker-1" stalls"#).unwrap().phrases, ["worker-1"]);
    }

    #[test]
    fn lone_exclusion_is_searched_as_text() {
        for text in ["-Wall", "->", "-helm", "-fsSL -O2"] {
            let q = parse(text).unwrap();
            assert!(!q.is_empty() && q.exclusions.is_empty(), "{text}");
        }
        assert_eq!(parse("is:open -helm").unwrap().exclusions, ["helm"]);
    }

    #[test]
    fn separate_filters_apply_to_pasted_text() {
        let pasted = parse("one\ntwo is:open").unwrap();
        let q = pasted.with_filters("source:\"acme/app\" is:closed").unwrap();
        assert_eq!((q.is_pasted, q.text.as_str(), q.filters.len()), (true, "one\ntwo is:open", 2));
        for filters in ["words", "-words", "in:title", "mode:lexical", "a*", "is:open x"] {
            let error = parse("x").unwrap().with_filters(filters).unwrap_err();
            let token = filters.rsplit(' ').next().unwrap();
            assert!(error.to_string().contains(&format!("\"{token}\"")), "{error}");
            assert!(error.hint().unwrap().text.contains("label:"));
        }
    }

    #[test]
    fn dates_cover_whole_days_months_and_years() {
        let day = 86_400;
        let start = 1_767_225_600; // 2026-01-01T00:00:00Z
        for (text, (from, to)) in [
            ("2026-01-01", (Some(start), Some(start + day))),
            (">2026-01-01", (Some(start + day), None)),
            (">=2026-01-01", (Some(start), None)),
            ("<2026", (None, Some(start))),
            ("2026-01", (Some(start), Some(start + 31 * day))),
            ("2026-01-01..2026-01-02", (Some(start), Some(start + 2 * day))),
            ("..2026-01-01", (None, Some(start + day))),
        ] {
            let q = parse(&format!("updated:{text}")).unwrap();
            assert_eq!(q.filters[0].test, Test::Time(TimeField::Updated, from, to), "{text}");
        }
    }

    #[test]
    fn interpretation_keeps_quoted_values_together() {
        for text in ["\": \" \"", "\" : a\" -", "label:\" : a\" \"b c\"", "-\" : a\" \"b\" c"] {
            let q = parse(text).unwrap();
            let reparsed = parse(&q.interpretation).unwrap();
            assert_eq!((reparsed.phrases, reparsed.filters), (q.phrases, q.filters), "{text}");
        }
        for value in
            ["\"good\tfirst\u{2003}issue\"", "\"\"good:\"first issue\"\"\"x\"", "\"good:\"first"]
        {
            let q = parse(&format!("label:{value} leak")).unwrap();
            assert_eq!(parse(&q.interpretation).unwrap().filters, q.filters, "{value}");
            assert_eq!(q.text, "leak");
        }
    }

    #[test]
    fn invalid_value_lists_valid_ones() {
        for (text, hint) in [
            ("is:opne", "open, closed"),
            ("updated:yesterday", "2026-01-31"),
            ("mode:fast", "semantic"),
            ("label:", "value"),
            ("version:next", "2.3.1"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.hint().unwrap().text.contains(hint), "{text}");
        }
    }

    #[test]
    fn pasted_log_has_no_filters() {
        let q = parse("panic: is:strange\n  at foo -bar \"x\"").unwrap();
        assert!(q.filters.is_empty() && q.exclusions.is_empty() && q.phrases.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_text_parses_or_returns_a_hint(text in "\\PC{0,120}") {
            if let Err(error) = parse(&text) {
                proptest::prop_assert!(error.hint().is_some());
            }
        }

        #[test]
        fn interpretation_parses_to_the_same_query(text in "[a-z\":\\- ]{0,60}") {
            if let Ok(query) = parse(&text) {
                let reparsed = parse(&query.interpretation).unwrap();
                proptest::prop_assert_eq!(&query.filters, &reparsed.filters);
                proptest::prop_assert_eq!(query.phrases.len(), reparsed.phrases.len());
            }
        }
    }
}
