//! References to other items (`#12`, `owner/name#12`, `APP-12`, URLs) and their relations.

use std::collections::HashSet;

use regex::Captures;
use unicode_segmentation::UnicodeSegmentation as _;

use super::{pattern::Pattern, signature::candidate_lines};

/// The relation of a text to another item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// A statement such as "Duplicate of #12".
    DuplicateOf,
    /// A statement such as "Fixes #12".
    Closes,
    /// A plain reference such as "#12".
    Mentions,
}

impl Relation {
    /// Returns the name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DuplicateOf => "duplicate_of",
            Self::Closes => "closes",
            Self::Mentions => "mentions",
        }
    }
}

/// A reference to another item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    /// The source `owner/name`; `None` for the text's own source.
    pub source: Option<String>,
    /// The item's number.
    pub number: u64,
    /// The relation to it.
    pub relation: Relation,
}

/// A project whose items have keys such as `APP-12`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The part of the keys before the number.
    pub name: String,
    /// The key of the source that contains the project.
    pub source: String,
}

static REFERENCE: Pattern = Pattern::new(
    // The keywords of GitHub's "Linking a pull request to an issue", and phrases for duplicates.
    r"(?ix)
        (?: (?P<negation>(?:\bnot|n't)\ (?:an?\ )?(?:exact\ )? )?
            (?: (?P<dup> (?: \bdup(?:licate|e)?(?:\ (?:of|with|for)|:) | /duplicate | \b(?:close[sd]?|closing)\ (?:this\ )?(?:in\ favou?r\ of|as\ (?:a\ )?dup(?:licate|e)?:?)
                | \balready\ (?:reported|filed|tracked)\ (?:as|in|by|at|with) | \bsuperseded\ by | \bduplikat\ (?:von|zu) | \bdoublon\ de
                | \bduplicad[oa]\ (?:de|do) | \bduplicato\ di | \bdubbel\ (?:van|met) | \bдубликат ) ) \ *:?
              | (?P<close> \b (?:close[sd]?|fix(?:e[sd])?|resolve[sd]?) ) \ *:? )
            \ + (?:issue\ |ticket\ |bug\ )?
        )?
        (?: (?P<url>https?://[^\s/]+/(?P<urlsource>[\w.-]+/[\w.-]+)/(?:issues|pull)/(?P<urlnumber>\d{1,9}))
          | (?P<source>[\w.-]+/[\w.-]+)?\#(?P<number>\d{1,9})\b
          | (?-i:\b(?P<project>[A-Z][A-Z0-9_]+)-)(?P<keynumber>\d{1,9})\b )",
);
// A prefilter that matches every line with a reference. Checking it first is several times faster.
static REFERENCE_PREFILTER: Pattern = Pattern::new(r"#\d|://");
static PROJECT_PREFILTER: Pattern = Pattern::new(r"#\d|://|[A-Z][A-Z0-9_]+-\d");
static PROJECT_KEY: Pattern = Pattern::new(r"[A-Z][A-Z0-9_]+-\d");

/// Returns whether a text may contain a key such as `APP-12`.
pub fn may_contain_project_key(text: &str) -> bool {
    PROJECT_KEY.is_match(text)
}

/// Returns the references of a text except keys such as `APP-12`; see [`references_with_projects`].
pub fn references(text: &str) -> Vec<Reference> {
    references_with_projects(text, &[])
}

/// Returns the references of a text, each pair of item and relation once, in a fixed order. Keys
/// such as `APP-12` count if the project is known. Numbered frames of a backtrace (`#0  0x4005d0 in
/// main ()`) do not count.
pub fn references_with_projects(text: &str, projects: &[Project]) -> Vec<Reference> {
    let mut out = std::collections::BTreeSet::new();
    let mut next_frame = 0;
    let prefilter = if projects.is_empty() { &REFERENCE_PREFILTER } else { &PROJECT_PREFILTER };
    let lines = candidate_lines(prefilter, text).map(|line| match frame_number(line) {
        Some((number, rest)) if number == 0 || number == next_frame => {
            next_frame = number + 1;
            rest
        }
        _ => line,
    });
    let is_entity = |line: &str, c: &Captures<'_>| {
        c.name("number").is_some_and(|number| line[..number.start()].ends_with("&#"))
    };
    let captures =
        lines.flat_map(|line| REFERENCE.captures_iter(line).filter(move |c| !is_entity(line, c)));
    for c in captures {
        let number = ["urlnumber", "number", "keynumber"].iter().find_map(|name| c.name(name));
        let Some(number) = number.and_then(|number| number.as_str().parse().ok()) else { continue };
        // Item numbers start at 1.
        if number == 0 {
            continue;
        }
        let source = match c.name("project").map(|name| name.as_str()) {
            Some(name) => match projects.iter().find(|project| project.name == name) {
                Some(project) => Some(project.source.clone()),
                None => continue,
            },
            None => c.name("urlsource").or_else(|| c.name("source")).map(|m| m.as_str().to_owned()),
        };
        let relation = match (c.name("dup"), c.name("close"), c.name("negation")) {
            (Some(_), _, None) => Relation::DuplicateOf,
            (_, Some(_), None) => Relation::Closes,
            _ => Relation::Mentions,
        };
        out.insert(Reference { source, number, relation });
    }
    // A stronger relation to an item replaces a plain mention.
    let targets: HashSet<(Option<String>, u64)> = out
        .iter()
        .filter(|r| r.relation != Relation::Mentions)
        .map(|r| (r.source.clone(), r.number))
        .collect();
    out.into_iter()
        .filter(|r| {
            r.relation != Relation::Mentions || !targets.contains(&(r.source.clone(), r.number))
        })
        .collect()
}

/// Parses the number of a backtrace frame. Returns it with the rest of the line.
fn frame_number(line: &str) -> Option<(u64, &str)> {
    let rest = line.trim_start().strip_prefix('#')?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    Some((rest[..digits].parse().ok()?, &rest[digits..]))
}

/// Removes the sentences that name a duplicate, which the reporter did not know.
pub fn without_duplicate_notes(text: &str) -> String {
    if !text.contains('#') && !text.contains("://") {
        return text.to_owned();
    }
    text.split_sentence_bounds()
        .filter(|sentence| references(sentence).iter().all(|r| r.relation != Relation::DuplicateOf))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Vec<(Option<String>, u64, Relation)> {
        references(text).into_iter().map(|r| (r.source, r.number, r.relation)).collect()
    }

    #[test]
    fn keys_of_known_projects_are_references() {
        let project = Project { name: "APP".to_owned(), source: "acme/app".to_owned() };
        let text = "Duplicate of APP-12, see https://jira.example/browse/APP-9 and LIB-3, UTF-8";
        let references: Vec<_> = references_with_projects(text, &[project])
            .into_iter()
            .map(|r| (r.source, r.number, r.relation))
            .collect();
        let source = Some("acme/app".to_owned());
        assert_eq!(
            references,
            [(source.clone(), 9, Relation::Mentions), (source, 12, Relation::DuplicateOf)]
        );
        assert_eq!(parse(text), []);
    }

    #[test]
    fn backtrace_frame_is_not_a_reference() {
        let trace = "It aborts:\n#0  0x00007f in raise () from libc.so\n#1  0x4005d0 in main () at a.c:3\nSee #7.";
        assert_eq!(parse(trace), [(None, 7, Relation::Mentions)]);
        let php = "#0 /srv/app.php(12): run()\n#1 {main}\n#12 has the same trace";
        assert_eq!(parse(php), [(None, 12, Relation::Mentions)]);
        assert_eq!(parse("#1 is the same as acme/app#0"), [(None, 1, Relation::Mentions)]);
    }

    #[test]
    fn character_reference_is_not_an_item() {
        assert_eq!(parse("It doesn&#39;t start, see #4"), [(None, 4, Relation::Mentions)]);
    }

    #[test]
    fn references_state_their_relation() {
        assert_eq!(
            parse("Duplicate of #31, see #4"),
            [(None, 4, Relation::Mentions), (None, 31, Relation::DuplicateOf)]
        );
        assert_eq!(
            parse("dupe of acme/app#7"),
            [(Some("acme/app".into()), 7, Relation::DuplicateOf)]
        );
        assert_eq!(
            parse("Fixes #12. Closes: #13"),
            [(None, 12, Relation::Closes), (None, 13, Relation::Closes)]
        );
        assert_eq!(parse("not a duplicate of #9"), [(None, 9, Relation::Mentions)]);
        assert_eq!(
            parse("/duplicate https://github.com/acme/app/issues/5"),
            [(Some("acme/app".into()), 5, Relation::DuplicateOf)]
        );
    }

    #[test]
    fn many_references_take_linear_time() {
        let text: String = (1..=60_000).map(|n| format!("fixes #{n} ")).collect();
        assert_eq!(references(&text).len(), 60_000);
    }

    #[test]
    fn sentence_naming_the_duplicate_is_removed() {
        let text = "It hangs at the start. This is a duplicate of #31, I think. See #4.";
        assert_eq!(without_duplicate_notes(text), "It hangs at the start. See #4.");
        assert_eq!(without_duplicate_notes("Nothing to see."), "Nothing to see.");
    }

    #[test]
    fn stronger_relation_replaces_a_mention() {
        assert_eq!(parse("Fixes #12, as #12 says"), [(None, 12, Relation::Closes)]);
    }
}
