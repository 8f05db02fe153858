//! Releases of a project, from tracker lists and changelogs, with the items that each one fixes.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use url::Url;

use super::{
    FetchError,
    client::{Client, parse_each},
    dates::{self, Time, time},
};
use crate::http::{Request, Response};
use precedent_core::{error::Result, model::ReleaseRecord};
use precedent_text::{
    pattern::Pattern,
    reference::{Relation, references},
    version,
};

/// A list of releases that a tracker offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseList {
    /// Releases with notes, newest first.
    Published,
    /// Milestones that are open.
    Planned,
    /// Tags of the git repository.
    Tags,
    /// All versions in one response, including planned ones.
    Versions,
}

impl ReleaseList {
    /// The lists of a tracker with git repositories, in reading order.
    pub const OF_REPOSITORY: &[Self] = &[Self::Published, Self::Planned, Self::Tags];

    /// Returns the name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Published => "releases",
            Self::Planned => "milestones",
            Self::Tags => "tags",
            Self::Versions => "versions",
        }
    }
}

/// A request for a page of a list of releases.
#[derive(Clone, Copy, Debug)]
pub struct ReleaseRequest<'a> {
    /// List to read.
    pub list: ReleaseList,
    /// Page number, from 1.
    pub page: u32,
    /// Number of releases per page.
    pub size: u32,
    /// ETag of the stored page.
    pub etag: Option<&'a str>,
}

/// A page of a list of releases.
#[derive(Debug, Default)]
pub struct ReleasePage {
    /// Releases of the page, without drafts.
    pub releases: Vec<ReleaseRecord>,
    /// `true` if there is another page.
    pub has_more: bool,
    /// ETag of the response.
    pub etag: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    tag_name: Option<String>,
    title: Option<String>,
    name: Option<String>,
    #[serde(alias = "description")]
    body: Option<String>,
    #[serde(alias = "web_url")]
    html_url: Option<String>,
    #[serde(rename = "_links")]
    links: Option<Links>,
    draft: Option<bool>,
    upcoming_release: Option<bool>,
    #[serde(alias = "released_at")]
    published_at: Option<Time>,
}

#[derive(Deserialize)]
struct Links {
    #[serde(rename = "self")]
    page: Option<String>,
}

impl Entry {
    /// Converts an entry of a list; `None` for a draft, or a milestone or tag without a version.
    fn into_record(self, list: ReleaseList, project: &str) -> Option<ReleaseRecord> {
        let name = match list {
            ReleaseList::Published | ReleaseList::Versions => self.tag_name.or(self.name),
            ReleaseList::Planned => self.title.filter(|title| is_version_name(title)),
            ReleaseList::Tags => self.name.filter(|name| has_version(name)),
        };
        let name = name.filter(|_| self.draft != Some(true))?;
        let is_released = list != ReleaseList::Planned && self.upcoming_release != Some(true);
        let notes = self.body.filter(|_| list == ReleaseList::Published).unwrap_or_default();
        let url = self.html_url.or_else(|| self.links?.page);
        Some(ReleaseRecord {
            name,
            released_at: time(self.published_at).filter(|_| is_released),
            is_released,
            url: url.filter(|url| url.starts_with("http://") || url.starts_with("https://")),
            items: fixed_items(&notes, project),
        })
    }
}

/// Parses a page of releases, milestones or tags of `project`.
///
/// # Errors
/// [`precedent_core::Code::Network`] if the response is not a list.
pub(super) fn page(
    request: ReleaseRequest<'_>,
    response: &Response,
    project: &str,
) -> Result<ReleasePage> {
    let raws: Vec<&RawValue> = response.json()?;
    let entries = parse_each::<Entry>(&raws).0.into_iter();
    // A proxy may drop the links of a full page.
    let is_full = raws.len() >= request.size as usize;
    Ok(ReleasePage {
        releases: entries.filter_map(|entry| entry.into_record(request.list, project)).collect(),
        has_more: response.next.is_some() || is_full && response.header("link").is_none(),
        etag: response.etag.clone(),
    })
}

/// A version in Jira, Redmine or Bugzilla.
#[derive(Deserialize)]
struct Version {
    id: Option<Value>,
    name: String,
    /// `true` for a released version in Jira.
    released: Option<bool>,
    /// Status in Redmine: open, locked or closed.
    status: Option<String>,
    #[serde(alias = "releaseDate", alias = "due_date")]
    date: Option<String>,
}

/// Parses a list of all versions, oldest first. `url` returns the address of a version by its id.
pub(super) fn versions(list: Vec<Value>, url: impl Fn(&str) -> Option<String>) -> ReleasePage {
    let versions = list.into_iter().rev().filter_map(|v| serde_json::from_value::<Version>(v).ok());
    let versions = versions.filter(|version| has_version(&version.name));
    let releases = versions.map(|version| {
        let is_released = version
            .released
            .unwrap_or_else(|| version.status.is_none_or(|status| status == "closed"));
        let id = version.id.map(|id| id.to_string().trim_matches('"').to_owned());
        let date = version.date.filter(|_| is_released);
        ReleaseRecord {
            name: version.name,
            released_at: date.and_then(|text| dates::parse(&text, dates::Order::default())),
            is_released,
            url: id.and_then(|id| url(&id)),
            items: Vec::new(),
        }
    });
    ReleasePage { releases: releases.collect(), ..ReleasePage::default() }
}

pub(super) async fn fetch(
    client: &Client,
    url: Url,
    request: ReleaseRequest<'_>,
    parse: impl FnOnce(&Response) -> Result<ReleasePage> + Send,
) -> Result<ReleasePage, FetchError> {
    let response = client.request(Request::get(url).if_none_match(request.etag)).await?;
    match response.status {
        200 => Ok(parse(&response)?),
        304 => Err(FetchError::Unchanged),
        _ => Err(client.list_failure(&response, "releases")),
    }
}

/// Returns whether a JSON object is a release in the format of GitHub's API.
pub fn is_release(value: &Value) -> bool {
    let has_date = ["published_at", "released_at"].iter().any(|name| value.get(name).is_some());
    has_date && value.get("tag_name").is_some_and(Value::is_string)
}

/// Parses a release in the format of GitHub's API, and the project in its address; `None` for a
/// draft.
pub fn parse_release(value: &Value) -> Option<(Option<String>, ReleaseRecord)> {
    let entry = Entry::deserialize(value).ok()?;
    let project = entry.html_url.as_deref().and_then(|url| {
        let (path, _) = url.split_once("://")?.1.split_once("/releases/")?;
        Some(path.split_once('/')?.1.to_owned())
    });
    let name = project.clone().unwrap_or_default();
    Some((project, entry.into_record(ReleaseList::Published, &name)?))
}

fn has_version(name: &str) -> bool {
    version::compare(name, name).is_some()
}

/// Returns whether a milestone is named after a version: "v1.2.0", "Release 1.2".
fn is_version_name(title: &str) -> bool {
    let words: Vec<&str> = title.split_whitespace().collect();
    words.len() <= 2 && words.last().is_some_and(|word| has_version(word))
}

/// Words in notes about items that are not fixed.
static UNFIXED_WORDS: Pattern = Pattern::new(r"(?i)\brevert|\bknown (?:issue|bug|problem)");
static ENTRY: Pattern = Pattern::new(r"^\s*(?:[-*+•]|\d+[.)])\s");
/// A reference in brackets: "(#12)", "([#12](…), #13)".
static BRACKETED_REFERENCE: Pattern = Pattern::new(r"\([^()]*#\d");
/// A version in a heading, with the text before and after it.
static HEADING: Pattern = Pattern::new(concat!(
    r"(?i)^(?:(?P<word>[\p{L}][\p{L}\p{N}_.-]*)\s+)?",
    r"(?:\\?\[)?(?P<name>v?\d+(?:\.\d+)+[\w.+-]*|unreleased)\]?(?:\([^()]*://[^()]*\))?(?P<rest>.*)$",
));
static DATE: Pattern = Pattern::new(r"\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b");

/// Returns the numbers of the items that release notes of `project` name as fixed, ascending: those
/// in list entries, in parentheses and after "fixes", except reverted changes and known issues.
pub fn fixed_items(notes: &str, project: &str) -> Vec<u64> {
    let mut out = BTreeSet::new();
    let (mut paragraph, mut is_unfixed) = (String::new(), false);
    for line in notes.lines() {
        let is_heading = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
        if is_heading || line.trim().is_empty() || ENTRY.is_match(line) {
            add_fixed_items(&paragraph, project, &mut out);
            paragraph.clear();
        }
        if is_heading {
            is_unfixed = UNFIXED_WORDS.is_match(line);
        } else if !is_unfixed {
            paragraph.push_str(line);
            paragraph.push(' ');
        }
    }
    add_fixed_items(&paragraph, project, &mut out);
    out.into_iter().collect()
}

fn add_fixed_items(paragraph: &str, project: &str, out: &mut BTreeSet<u64>) {
    let is_entry = ENTRY.is_match(paragraph);
    for sentence in paragraph.split(". ").filter(|sentence| !UNFIXED_WORDS.is_match(sentence)) {
        let references = references(sentence);
        // A GitLab reference may name only the end of the project's path.
        let is_same_project = |source: &str| {
            let path_end = format!("/{source}").to_lowercase();
            format!("/{project}").to_lowercase().ends_with(&path_end)
        };
        let is_listed = is_entry || BRACKETED_REFERENCE.is_match(sentence);
        let (mut own_references, mut foreign_numbers) = (Vec::new(), BTreeSet::new());
        for reference in &references {
            match reference.source.as_deref() {
                Some(source) if !is_same_project(source) => {
                    foreign_numbers.insert(reference.number);
                }
                _ if is_listed || reference.relation == Relation::Closes => {
                    own_references.push(reference)
                }
                _ => {}
            }
        }
        // The text of a link repeats the number: [#12](https://github.com/acme/lib/issues/12).
        let own_references = own_references
            .into_iter()
            .filter(|r| r.source.is_some() || !foreign_numbers.contains(&r.number));
        out.extend(own_references.map(|reference| reference.number));
    }
}

/// Returns the releases of a changelog in Markdown; empty if fewer than two headings are versions.
pub fn parse_changelog(markdown: &str) -> Vec<ReleaseRecord> {
    let lines: Vec<&str> = markdown.lines().collect();
    let mut sections: Vec<(ReleaseRecord, String)> = Vec::new();
    let mut is_code = false;
    for (index, line) in lines.iter().enumerate() {
        is_code ^= line.trim_start().starts_with("```");
        let heading = if is_code { None } else { heading(line, lines.get(index + 1)) };
        match (heading.and_then(version_heading), sections.last_mut()) {
            (Some(release), _) => sections.push((release, String::new())),
            (None, Some((_, notes))) => {
                notes.push_str(line);
                notes.push('\n');
            }
            (None, None) => {}
        }
    }
    if sections.iter().filter(|(release, _)| has_version(&release.name)).count() < 2 {
        return Vec::new();
    }
    let project = main_project(markdown);
    let releases = sections.into_iter();
    releases
        .map(|(release, notes)| ReleaseRecord { items: fixed_items(&notes, &project), ..release })
        .collect()
}

/// Returns the text of a heading: "## Text", or a line that the next one underlines.
fn heading<'a>(line: &'a str, next: Option<&&str>) -> Option<&'a str> {
    let text = line.trim_start_matches('#');
    if text.len() < line.len() {
        return text.starts_with(' ').then(|| text.trim());
    }
    let underline = next?.trim_end();
    let is_underlined = underline.len() > 2
        && (underline.bytes().all(|b| b == b'=') || underline.bytes().all(|b| b == b'-'));
    is_underlined.then(|| line.trim())
}

/// Parses the heading of a release: "[1.2.0] - 2024-01-02", "v1.2.0 (2024-01-02)", "Unreleased".
fn version_heading(text: &str) -> Option<ReleaseRecord> {
    let captures = HEADING.captures(text)?;
    let name = &captures["name"];
    // Marks such as "[YANKED]" follow the date.
    let rest = captures["rest"].split('[').next().unwrap_or_default().to_owned();
    let rest = rest.trim_matches(|c: char| !c.is_alphanumeric());
    let date = DATE.find(rest).map_or(rest, |date| date.as_str());
    let orders = [dates::Order::MonthFirst, dates::Order::DayFirst];
    let released_at = orders.into_iter().find_map(|order| dates::parse(date, order));
    let is_planned = [name, rest].iter().any(|text| text.eq_ignore_ascii_case("unreleased"));
    let has_plain_prefix = captures.name("word").is_none_or(|word| {
        ["version", "release"].iter().any(|keyword| word.as_str().eq_ignore_ascii_case(keyword))
    });
    let is_complete = released_at.is_some() || has_plain_prefix && (is_planned || rest.is_empty());
    is_complete.then(|| ReleaseRecord {
        name: name.to_owned(),
        released_at: released_at.filter(|_| !is_planned),
        is_released: !is_planned,
        url: None,
        items: Vec::new(),
    })
}

/// Returns the project that a changelog refers to most often; empty if there is none.
fn main_project(text: &str) -> String {
    let mut counts = BTreeMap::<String, usize>::new();
    for source in references(text).into_iter().filter_map(|reference| reference.source) {
        *counts.entry(source).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(name, _)| name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(list: ReleaseList, entry: Value) -> Option<(String, bool, Option<String>)> {
        let record = Entry::deserialize(entry).unwrap().into_record(list, "acme/app")?;
        Some((record.name, record.is_released, record.released_at.map(|time| time.to_string())))
    }

    #[test]
    fn entries_of_each_tracker_become_releases() {
        let date = || Some("2024-01-02T03:04:05Z".to_owned());
        for (list, entry, expected) in [
            (
                ReleaseList::Published,
                json!({"tag_name": "v1.2.0", "name": "Spring", "draft": false, "published_at": "2024-01-02T03:04:05Z"}),
                Some(("v1.2.0", true, date())),
            ),
            (
                ReleaseList::Published,
                json!({"tag_name": "v1.3.0", "draft": true, "published_at": null}),
                None,
            ),
            (
                ReleaseList::Published,
                json!({"tag_name": "v1.2.0", "description": null, "released_at": "2024-01-02T03:04:05.000Z",
                    "upcoming_release": false, "_links": {"self": "https://gitlab.example/acme/app/-/releases/v1.2.0"}}),
                Some(("v1.2.0", true, date())),
            ),
            (
                ReleaseList::Published,
                json!({"tag_name": "v2.0.0", "released_at": "2030-01-02T03:04:05.000Z", "upcoming_release": true}),
                Some(("v2.0.0", false, None)),
            ),
            (
                ReleaseList::Planned,
                json!({"title": "Release 1.3", "state": "open"}),
                Some(("Release 1.3", false, None)),
            ),
            (ReleaseList::Planned, json!({"title": "Go1.25"}), Some(("Go1.25", false, None))),
            (ReleaseList::Planned, json!({"title": "Backlog"}), None),
            (ReleaseList::Planned, json!({"title": "Regressions of 1.2 on Windows"}), None),
            (ReleaseList::Tags, json!({"name": "go1.22.1"}), Some(("go1.22.1", true, None))),
            (ReleaseList::Tags, json!({"name": "weekly.2012-03-27"}), None),
        ] {
            let expected =
                expected.map(|(name, is_released, time)| (name.to_owned(), is_released, time));
            assert_eq!(record(list, entry.clone()), expected, "{entry}");
        }
    }

    #[test]
    fn versions_state_whether_they_are_released() {
        let text = r#"[
            {"id": "1", "name": "1.0.0", "released": true, "releaseDate": "2024-01-02"},
            {"id": "2", "name": "1.1.0", "released": false, "releaseDate": "2030-01-02"},
            {"id": 3, "name": "1.2.0", "status": "closed", "due_date": "2024-03-04"},
            {"id": 4, "name": "1.3.0", "status": "locked", "due_date": null},
            {"id": 5, "name": "1.4.0", "is_active": true},
            {"id": 6, "name": "Backlog", "released": false}]"#;
        let list: Vec<Value> = serde_json::from_str(text).unwrap();
        let page = versions(list, |id| Some(format!("https://tracker.example/versions/{id}")));
        let found: Vec<_> = page
            .releases
            .iter()
            .map(|r| {
                (
                    r.name.as_str(),
                    r.is_released,
                    r.released_at.map(|time| time.strftime("%F").to_string()),
                )
            })
            .collect();
        let expected = [
            ("1.4.0", true, None),
            ("1.3.0", false, None),
            ("1.2.0", true, Some("2024-03-04".to_owned())),
            ("1.1.0", false, None),
            ("1.0.0", true, Some("2024-01-02".to_owned())),
        ];
        assert_eq!(found, expected);
        assert_eq!(page.releases[4].url.as_deref(), Some("https://tracker.example/versions/1"));
    }

    #[test]
    fn notes_name_fixed_items() {
        for (notes, expected) in [
            ("* Stop the pump in time by @ada in https://github.com/acme/app/pull/12", &[12][..]),
            (
                "- Stop the pump\n  in time ([#13](https://github.com/acme/app/issues/13), #14)\n- Clean up",
                &[13, 14],
            ),
            ("Fixes #15. It is like #16.", &[15]),
            ("The valve opens again (#17).", &[17]),
            ("- Revert \"Open the valve (#18)\" (#19)\n- Open the lid (#20)", &[20]),
            ("- Open the lid (#21). Reverts #22.", &[21]),
            (
                "## Known issues\n\n- The pump is loud (#23)\n\n## Fixes\n\n- Close the lid (#24)",
                &[24],
            ),
            (
                "- Update the library ([#25](https://github.com/acme/lib/issues/25), acme/lib#26)",
                &[],
            ),
            ("- Closes ACME/App#27 and app#28", &[27, 28]),
            ("- Closes cme/app#29", &[]),
            ("**Full Changelog**: https://github.com/acme/app/compare/v1.1.0...v1.2.0", &[]),
        ] {
            assert_eq!(fixed_items(notes, "acme/app"), expected, "{notes}");
        }
    }

    #[test]
    fn changelog_headings_become_releases() {
        for (heading, expected) in [
            ("[1.2.0] - 2024-01-02", Some(("1.2.0", true, Some("2024-01-02")))),
            ("[1.2.0] - 2024-01-02 [YANKED]", Some(("1.2.0", true, Some("2024-01-02")))),
            (
                "[1.2.0](https://github.com/acme/app/compare/v1.1.0...v1.2.0) (2024-01-02)",
                Some(("1.2.0", true, Some("2024-01-02"))),
            ),
            ("v1.2.0 (2024-01-02)", Some(("v1.2.0", true, Some("2024-01-02")))),
            ("1.2.0 / 2024-01-02", Some(("1.2.0", true, Some("2024-01-02")))),
            ("1.2.0-rc.1, January 2, 2024", Some(("1.2.0-rc.1", true, Some("2024-01-02")))),
            (r"\[1.2.0]", Some(("1.2.0", true, None))),
            ("v1.2.0 (26/03/2024)", Some(("v1.2.0", true, Some("2024-03-26")))),
            ("Version 1.2.0", Some(("1.2.0", true, None))),
            ("Heron 1.2.0 (2024-01-02)", Some(("1.2.0", true, Some("2024-01-02")))),
            ("[Unreleased]", Some(("Unreleased", false, None))),
            ("1.3.0 (unreleased)", Some(("1.3.0", false, None))),
            ("Ubuntu 22.04", None),
            ("1.2 is the last version for Windows", None),
            ("Fixed", None),
        ] {
            let found = version_heading(heading);
            let found = found.as_ref().map(|r| {
                (
                    r.name.as_str(),
                    r.is_released,
                    r.released_at.map(|time| time.strftime("%F").to_string()),
                )
            });
            let expected = expected
                .map(|(name, is_released, time)| (name, is_released, time.map(str::to_owned)));
            assert_eq!(found, expected, "{heading}");
        }
    }

    #[test]
    fn changelog_sections_keep_their_items() {
        let text = "# Changelog\n\n## [Unreleased]\n\n- Faster ([#9](https://github.com/acme/app/pull/9))\n\n\
            ## [1.1.0] - 2024-02-03\n\n### Fixed\n\n- The lid closes ([#7](https://github.com/acme/app/issues/7)).\n\n\
            ```\n## 9.9.9\n```\n\nVersion 1.0.0 (2024-01-02)\n=====\n\n- First (#1)\n";
        let releases: Vec<_> =
            parse_changelog(text).into_iter().map(|r| (r.name, r.items)).collect();
        let expected = [("Unreleased", vec![9]), ("1.1.0", vec![7]), ("1.0.0", vec![1])];
        assert_eq!(releases, expected.map(|(name, items)| (name.to_owned(), items)));
        assert_eq!(parse_changelog("# Heron\n\n## 1.0.0\n\nThe first version.\n"), []);
    }

    #[test]
    fn release_address_names_its_project() {
        let release = json!({"tag_name": "v1.2.0", "draft": false, "published_at": "2024-01-02T03:04:05Z",
            "html_url": "https://github.com/acme/app/releases/tag/v1.2.0", "body": "- Stop (#12)", "assets": []});
        assert!(is_release(&release));
        let (project, record) = parse_release(&release).unwrap();
        assert_eq!((project.as_deref(), &record.items[..]), (Some("acme/app"), &[12][..]));
    }
}
