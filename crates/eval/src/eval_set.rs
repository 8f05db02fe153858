//! A set of reports with known duplicates, and the casebook made from it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs::{self, File},
    io::{BufRead as _, BufReader, Read, Write as _},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use precedent_core::{Error, Result, Task};
use precedent_engine::Casebook;
use serde::Deserialize;

/// The source name in the casebook of a set.
pub const SOURCE: &str = "eval/set";

/// A report as it was filed. Its later state and labels are used only in the casebook.
#[derive(Clone, Debug)]
pub struct Report {
    /// Id in the set.
    pub id: String,
    pub title: String,
    pub body: String,
    pub created_at: Timestamp,
    author: Option<String>,
    state: String,
    labels: Vec<String>,
    comments: Vec<Comment>,
}

/// A comment on a report. A query may see only comments written before it.
#[derive(Clone, Debug, Deserialize)]
struct Comment {
    #[serde(deserialize_with = "deserialize_time")]
    created_at: Timestamp,
    body: Option<String>,
}

/// An evaluation set. Its reports are in order of creation and identified by their position.
#[derive(Debug)]
pub struct EvalSet {
    pub name: String,
    pub reports: Vec<Report>,
    /// Queries with the earlier members of their duplicate group.
    pub relevant: BTreeMap<usize, BTreeSet<usize>>,
    /// Reports without a known earlier duplicate.
    pub negatives: Vec<usize>,
    /// Number of reports in the casebook; translated queries follow after them.
    pub imported_count: usize,
    /// Hash that distinguishes casebooks of different contents.
    fingerprint: String,
}

#[derive(Deserialize)]
struct Record {
    id: serde_json::Value,
    number: Option<serde_json::Value>,
    title: Option<String>,
    body: Option<String>,
    created_at: Timestamp,
    author: Option<String>,
    user: Option<User>,
    state: Option<String>,
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(default)]
    comments: Comments,
    pull_request: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct User {
    login: String,
}

/// A comment in GitHub's records, with the URL of its issue.
#[derive(Deserialize)]
struct IssueComment {
    issue_url: String,
    #[serde(flatten)]
    comment: Comment,
}

/// The comments of a report, or only their number: GitHub's records store them separately.
#[derive(Deserialize)]
#[serde(untagged)]
enum Comments {
    List(Vec<Comment>),
    Count(serde::de::IgnoredAny),
}

impl Default for Comments {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Label {
    Name(String),
    Object { name: String },
}

/// Returns the time `days` days before `time`.
pub fn days_before(time: Timestamp, days: i64) -> Timestamp {
    time.checked_sub(jiff::SignedDuration::from_hours(days.saturating_mul(24)))
        .unwrap_or(Timestamp::MIN)
}

/// The prefixes of tracker states that are not closed.
const OPEN_STATES: [&str; 9] = [
    "open",
    "new",
    "confirmed",
    "unconfirmed",
    "needinfo",
    "assigned",
    "reopened",
    "in_progress",
    "tracked",
];
/// The suffixes of tracker states for reports closed without a solution.
const DECLINED_STATES: [&str; 5] =
    ["invalid", "noresponse", "not_reproducible", "not_on_roadmap", "feature"];

impl Report {
    fn is_closed(&self) -> bool {
        let state = self.state.to_lowercase();
        !OPEN_STATES.iter().any(|word| state.starts_with(word))
    }

    fn is_declined(&self) -> bool {
        let state = self.state.to_lowercase();
        DECLINED_STATES.iter().any(|word| state.ends_with(word))
    }

    /// Returns whether the report was solved, judged by its tracker state.
    pub fn is_solved(&self) -> bool {
        self.is_closed() && !self.is_declined()
    }
}

/// Parses a timestamp: RFC 3339, or Bugzilla's `2011-07-22 12:47:33 UTC`.
fn deserialize_time<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Timestamp, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bugzilla =
        || text.strip_suffix(" UTC")?.replacen(' ', "T", 1).parse::<jiff::civil::DateTime>().ok();
    text.parse::<Timestamp>()
        .or_else(|e| {
            bugzilla()
                .and_then(|d| Some(d.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp()))
                .ok_or(e)
        })
        .map_err(serde::de::Error::custom)
}

impl EvalSet {
    /// Removes duplicates filed more than `days` days before their query, and queries left without
    /// any, as some of the literature does.
    pub fn limit_age(&mut self, days: i64) {
        let (reports, relevant) = (&self.reports, &mut self.relevant);
        for (query, documents) in relevant.iter_mut() {
            let since = days_before(reports[*query].created_at, days);
            documents.retain(|d| reports[*d].created_at >= since);
        }
        relevant.retain(|_, documents| !documents.is_empty());
    }

    /// Reads a set from a folder.
    ///
    /// The folder has `corpus.jsonl` or `corpus.jsonl.zst` (id, title, body, created_at, author,
    /// state, labels, comments), or `issues.jsonl` and `comments.jsonl` (GitHub's REST shape), with
    /// `qrels.tsv` and optionally `negatives.txt`.
    pub fn load(folder: &Path) -> Result<Self> {
        let names = ["corpus.jsonl", "corpus.jsonl.zst", "issues.jsonl"];
        let Some(corpus) = names.iter().map(|n| folder.join(n)).find(|p| p.is_file()) else {
            return Err(Error::not_found(format!("{} has no corpus.jsonl", folder.display())).with_hint(
                "A set is a folder with corpus.jsonl (or corpus.jsonl.zst), qrels.tsv and negatives.txt.",
            ));
        };
        let is_github = corpus.ends_with("issues.jsonl");
        let mut hasher = blake3::Hasher::new();
        let mut reports = Vec::new();
        for line in lines(&corpus)? {
            let (number, line) = line?;
            hasher.update(line.as_bytes());
            let record: Record =
                serde_json::from_str(&line).map_err(|e| line_error(&corpus, number, e))?;
            // Sets of GitHub records use the items' numbers instead of their ids.
            let id = record.number.filter(|_| is_github).unwrap_or(record.id);
            if record.pull_request.is_some() {
                continue;
            }
            let state = record.state.unwrap_or_else(|| "open".to_owned());
            if !matches!(state.as_str(), "open" | "closed") {
                // The interpretation of other states is part of the casebook's content.
                hasher.update(b"words of state, second reading");
            }
            reports.push(Report {
                id: id.as_str().map_or_else(|| id.to_string(), str::to_owned),
                title: record.title.unwrap_or_default(),
                body: record.body.unwrap_or_default(),
                created_at: record.created_at,
                author: record.author.or(record.user.map(|user| user.login)),
                state,
                labels: record
                    .labels
                    .into_iter()
                    .map(|l| match l {
                        Label::Name(name) | Label::Object { name } => name,
                    })
                    .collect(),
                comments: match record.comments {
                    Comments::List(comments) => comments,
                    Comments::Count(_) => Vec::new(),
                },
            });
        }
        if is_github {
            reports.sort_by_key(|r| r.created_at);
        }
        let positions: HashMap<String, usize> =
            reports.iter().enumerate().map(|(i, r)| (r.id.clone(), i)).collect();
        let comments = folder.join("comments.jsonl");
        if is_github && comments.is_file() {
            for line in lines(&comments)? {
                let (number, line) = line?;
                hasher.update(line.as_bytes());
                let item: IssueComment =
                    serde_json::from_str(&line).map_err(|e| line_error(&comments, number, e))?;
                let number = item.issue_url.rsplit('/').next().unwrap_or_default();
                // Comments on pull requests have no report in the set.
                if let Some(report) = positions.get(number) {
                    reports[*report].comments.push(item.comment);
                }
            }
        }
        let mut relevant: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let qrels = folder.join("qrels.tsv");
        for line in lines(&qrels)? {
            let (number, line) = line?;
            let error = || {
                let problem = "expected query, document and 1, separated by tabs";
                line_error(&qrels, number, problem)
            };
            let mut columns = line.split('\t');
            let (Some(query), Some(document)) = (columns.next(), columns.next()) else {
                return Err(error());
            };
            let (Some(query), Some(document)) = (positions.get(query), positions.get(document))
            else {
                return Err(error().with_hint("It refers to a report that is not in the corpus."));
            };
            if document < query && columns.next().is_none_or(|grade| grade.trim() != "0") {
                relevant.entry(*query).or_default().insert(*document);
            }
        }
        let mut negatives = Vec::new();
        let negatives_file = folder.join("negatives.txt");
        if negatives_file.is_file() {
            for line in lines(&negatives_file)? {
                let (_, line) = line?;
                negatives.extend(positions.get(line.trim()).filter(|i| !relevant.contains_key(i)));
            }
        }
        if relevant.is_empty() {
            return Err(Error::invalid(format!("{} contains no pairs", qrels.display())));
        }
        let name = folder
            .file_name()
            .map_or_else(|| "set".to_owned(), |n| n.to_string_lossy().into_owned());
        let fingerprint = hasher.finalize().to_hex()[..12].to_owned();
        let imported_count = reports.len();
        Ok(Self { name, reports, relevant, negatives, imported_count, fingerprint })
    }

    /// Replaces the queries with translations of some of them, which have the same duplicates. The
    /// columns of the file are set, report, language, title and sentence.
    pub fn translate(&mut self, file: &Path) -> Result<()> {
        let mut relevant = BTreeMap::new();
        for line in lines(file)? {
            let (number, line) = line?;
            let columns: Vec<&str> = line.split('\t').collect();
            let error = |reason: &str| line_error(file, number, reason);
            match columns[..] {
                [comment, ..] if comment.starts_with('#') => {}
                [set_name, ..] if set_name != self.name => {}
                [_, id, language, title, sentence] => {
                    let imported_reports = &self.reports[..self.imported_count];
                    let original = imported_reports.iter().position(|report| report.id == id);
                    let original = original.ok_or_else(|| error("no such report"))?;
                    let documents = self.relevant.get(&original);
                    let documents =
                        documents.ok_or_else(|| error("the report has no duplicate"))?;
                    relevant.insert(self.reports.len(), documents.clone());
                    self.reports.push(Report {
                        id: format!("{id}/{language}"),
                        title: title.to_owned(),
                        body: sentence.to_owned(),
                        author: None,
                        comments: Vec::new(),
                        ..self.reports[original].clone()
                    });
                }
                _ => {
                    return Err(error(
                        "expected set, report, language, title and sentence, separated by tabs",
                    ));
                }
            }
        }
        if relevant.is_empty() {
            let error =
                Error::invalid(format!("{} has no queries for {}", file.display(), self.name));
            return Err(error.with_hint("Its first column is the name of the set's folder."));
        }
        (self.relevant, self.negatives) = (relevant, Vec::new());
        Ok(())
    }

    /// Returns the number of the tracker's reports that a query represents. Reports with a
    /// duplicate are complete; those without one are a sample.
    pub fn weight(&self, query: usize) -> f64 {
        if self.relevant.contains_key(&query) || self.negatives.is_empty() {
            return 1.0;
        }
        (self.reports.len() - self.relevant.len()) as f64 / self.negatives.len() as f64
    }

    /// Returns the folder of this set's casebook in a cache folder.
    pub fn casebook_folder(&self, cache: &Path) -> PathBuf {
        cache.join(format!("{}-{}", self.name, self.fingerprint))
    }

    /// Imports the reports with their comments into a casebook, numbered by position.
    pub async fn import(&self, casebook: &Casebook, task: &Task) -> Result<()> {
        let file = casebook.folder().join("set.jsonl");
        let mut out =
            std::io::BufWriter::new(File::create(&file).map_err(|e| Error::io(&file, e))?);
        let mut comment_id = 0_u64;
        for (i, report) in self.reports.iter().enumerate() {
            let record = serde_json::json!({
                "number": i + 1,
                "id": i + 1,
                "title": report.title,
                "body": report.body,
                "user": report.author.as_ref().map(|login| serde_json::json!({ "login": login })),
                "state": if report.is_closed() { "closed" } else { "open" },
                "state_reason": report.is_declined().then_some("not_planned"),
                "labels": report.labels.iter().map(|l| serde_json::json!({ "name": l })).collect::<Vec<_>>(),
                "created_at": report.created_at,
                "updated_at": report.created_at,
            });
            writeln!(out, "{record}").map_err(|e| Error::io(&file, e))?;
            for comment in &report.comments {
                comment_id += 1;
                let record = serde_json::json!({
                    "id": comment_id,
                    "issue_url": format!("https://api.github.com/repos/{SOURCE}/issues/{}", i + 1),
                    "body": comment.body,
                    "created_at": comment.created_at,
                    "updated_at": comment.created_at,
                });
                writeln!(out, "{record}").map_err(|e| Error::io(&file, e))?;
            }
        }
        out.into_inner().map_err(|e| Error::io(&file, e.into_error()))?;
        casebook.import_github(SOURCE, &file, task).await?;
        fs::remove_file(&file).map_err(|e| Error::io(&file, e))
    }

    /// Returns the number of reports and comments.
    pub fn record_count(&self) -> u64 {
        self.reports.iter().map(|r| 1 + r.comments.len() as u64).sum()
    }
}

/// Returns the position of the report with this number in the casebook.
pub fn position(number: u64) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

/// Returns the lines of a file that are not blank, with their numbers.
fn lines(path: &Path) -> Result<impl Iterator<Item = Result<(usize, String)>>> {
    let file = File::open(path).map_err(|e| Error::io(path, e))?;
    let reader: Box<dyn Read> = if path.extension().is_some_and(|e| e == "zst") {
        Box::new(zstd::Decoder::new(file).map_err(|e| Error::io(path, e))?)
    } else {
        Box::new(file)
    };
    let lines = (1..).zip(BufReader::new(reader).lines());
    Ok(lines
        .filter(|(_, line)| line.as_ref().map_or(true, |line| !line.trim().is_empty()))
        .map(move |(number, line)| Ok((number, line.map_err(|e| Error::io(path, e))?))))
}

fn line_error(path: &Path, number: usize, problem: impl std::fmt::Display) -> Error {
    Error::invalid(format!("{}:{number}: {problem}", path.display()))
}
