//! Round-trip tests: generated reports are written in each format and read back unchanged.

use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use precedent_core::{
    model::{ImportRequest, State},
    task::Task,
};
use precedent_store::Store;
use precedent_trackers::sync::import_files;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A generated report.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    number: u32,
    title: String,
    body: String,
    is_closed: bool,
    labels: Vec<String>,
    author: Option<String>,
    created_at: Option<Timestamp>,
    closed_at: Option<Timestamp>,
    comments: Vec<(Option<String>, Timestamp, String)>,
}

/// The fields of a report that a format preserves.
#[derive(Clone, Copy)]
struct FieldSet {
    labels: bool,
    comments: bool,
    closed_at: bool,
    /// `false` for dates without times.
    times: bool,
}

const ALL_FIELDS: FieldSet =
    FieldSet { labels: true, comments: true, closed_at: true, times: true };
const TABLE: FieldSet = FieldSet { comments: false, ..ALL_FIELDS };

fn words(min: usize, max: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec("[a-zA-ZäßéЖ日🔥]{2,9}[,;:'\"|)]?", min..max)
        .prop_map(|w| w.join(" "))
}

fn report() -> impl Strategy<Value = Report> {
    let text = proptest::collection::vec(words(2, 7), 1..4).prop_map(|lines| lines.join("\n"));
    let comment_texts = proptest::collection::vec(("[a-z]{2,7}", words(2, 8)), 0..3);
    let labels = proptest::collection::btree_set("[a-z]{3,8}", 0..3);
    (words(2, 8), text, any::<bool>(), labels, "[a-z]{2,7}", 0_i64..1_000_000, comment_texts)
        .prop_map(|(title, body, is_closed, labels, author, minutes, replies)| {
            let created_at = Timestamp::from_second(1_704_067_200 + minutes * 60).unwrap();
            let time_after = |n: i64| created_at + SignedDuration::from_mins(61 * n);
            let comments = replies
                .into_iter()
                .zip(1..)
                .map(|((author_name, words), n)| (Some(author_name), time_after(n), words))
                .collect();
            Report {
                number: 0,
                title: format!("T {title}"),
                body,
                is_closed,
                labels: labels.into_iter().collect(),
                author: Some(author),
                created_at: Some(created_at),
                closed_at: is_closed.then(|| time_after(9)),
                comments,
            }
        })
}

fn tracker() -> impl Strategy<Value = Vec<Report>> {
    proptest::collection::vec(report(), 1..6).prop_map(|mut reports| {
        (3_u32..).step_by(7).zip(&mut reports).for_each(|(number, report)| report.number = number);
        reports
    })
}

fn cell(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn table(headers: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = format!("{headers}\n");
    for row in rows {
        let cells: Vec<String> = row.iter().map(|c| cell(c)).collect();
        let _ = writeln!(out, "{}", cells.join(","));
    }
    out
}

fn format_time(time: Option<Timestamp>, time_format: &str) -> String {
    time.map(|t| t.to_zoned(TimeZone::UTC).strftime(time_format).to_string()).unwrap_or_default()
}

fn state_word(words: [&str; 2], report: &Report) -> String {
    words[usize::from(report.is_closed)].to_owned()
}

fn nth<T: Clone>(items: &[T], n: usize) -> Option<T> {
    items.get(n).cloned()
}

fn jira_csv(reports: &[Report]) -> String {
    const TIME_FORMAT: &str = "%d/%b/%y %-I:%M %p";
    table(
        "Summary,Issue key,Status,Status Category,Reporter,Created,Resolved,Description,Labels,Labels,Comment,Comment",
        reports.iter().map(|r| {
            let comment = |n| {
                nth(&r.comments, n).map_or_else(String::new, |(author, timestamp, text)| {
                    format!(
                        "{};{};{text}",
                        format_time(Some(timestamp), TIME_FORMAT),
                        author.unwrap()
                    )
                })
            };
            vec![
                r.title.clone(),
                format!("APP-{}", r.number),
                state_word(["Waiting", "Shipped"], r),
                state_word(["To Do", "Done"], r),
                r.author.clone().unwrap(),
                format_time(r.created_at, TIME_FORMAT),
                format_time(r.closed_at, TIME_FORMAT),
                r.body.clone(),
                nth(&r.labels, 0).unwrap_or_default(),
                nth(&r.labels, 1).unwrap_or_default(),
                comment(0),
                comment(1),
            ]
        }),
    )
}

/// Returns a table with these columns: number, title, body, state, author, created, closed and
/// labels.
fn plain_table(
    headers: &str,
    key: &str,
    state: [&str; 2],
    time_format: &str,
    separator: &str,
    reports: &[Report],
) -> String {
    table(
        headers,
        reports.iter().map(|r| {
            vec![
                format!("{key}{}", r.number),
                r.title.clone(),
                r.body.clone(),
                state_word(state, r),
                r.author.clone().unwrap(),
                format_time(r.created_at, time_format),
                format_time(r.closed_at, time_format),
                r.labels.join(separator),
            ]
        }),
    )
}

fn gitlab_csv(reports: &[Report]) -> String {
    plain_table(
        "IID,Title,Description,State,Author Username,Created At (UTC),Closed At (UTC),Labels",
        "",
        ["Open", "Closed"],
        "%Y-%m-%d %H:%M:%S",
        ",",
        reports,
    )
}

fn redmine_csv(reports: &[Report]) -> String {
    let time_format = "%m/%d/%Y %I:%M %p";
    plain_table(
        "#,Subject,Description,Status,Author,Created,Closed,Spent",
        "",
        ["New", "Closed"],
        time_format,
        ",",
        reports,
    )
}

fn zendesk_csv(reports: &[Report]) -> String {
    plain_table(
        "ID,Subject,Description,Status,Requester,Created at,Solved at,Tags",
        "",
        ["Pending", "Solved"],
        "%Y-%m-%d %H:%M",
        " ",
        reports,
    )
}

fn azure_csv(reports: &[Report]) -> String {
    plain_table(
        "ID,Title,Description,State,Created By,Created Date,Closed Date,Tags,Work Item Type",
        "",
        ["Active", "Closed"],
        "%-m/%-d/%Y %-I:%M:%S %p",
        "; ",
        reports,
    )
}

fn linear_csv(reports: &[Report]) -> String {
    plain_table(
        "ID,Title,Description,Status,Creator,Created,Completed,Labels,Team",
        "RIG-",
        ["In Progress", "Done"],
        "%a %b %d %Y %H:%M:%S GMT+0000 (GMT)",
        ", ",
        reports,
    )
}

fn trac_csv(reports: &[Report]) -> String {
    table(
        "id,summary,description,status,reporter,time,keywords",
        reports.iter().map(|r| {
            vec![
                r.number.to_string(),
                r.title.clone(),
                r.body.clone(),
                state_word(["assigned", "closed"], r),
                r.author.clone().unwrap(),
                r.created_at.unwrap().as_microsecond().to_string(),
                r.labels.join(" "),
            ]
        }),
    )
}

fn youtrack_csv(reports: &[Report]) -> String {
    plain_table(
        "Issue Id,Summary,Description,State,Reporter,Created,Resolved,Tags",
        "APP-",
        ["Submitted", "Fixed"],
        "%d %b %Y %H:%M",
        ", ",
        reports,
    )
}

fn mantis_csv(reports: &[Report]) -> String {
    plain_table(
        "Id,Summary,Description,Status,Reporter,Date Submitted,Closed,Tags,Reproducibility",
        "",
        ["acknowledged", "closed"],
        "%Y-%m-%d",
        ",",
        reports,
    )
}

fn github_rest(host: &str, reports: &[Report]) -> String {
    let mut out = String::new();
    for r in reports {
        let url = format!("https://{host}/acme/app/issues/{}", r.number);
        let api = match host {
            "github.com" => format!("https://api.github.com/repos/acme/app/issues/{}", r.number),
            _ => url.clone(),
        };
        let labels: Vec<Value> = r.labels.iter().map(|l| json!({"name": l})).collect();
        let item = json!({"number": r.number, "title": r.title, "body": r.body, "state": state_word(["open", "closed"], r), "user": {"login": r.author},
            "labels": labels, "created_at": r.created_at, "updated_at": r.closed_at.or(r.created_at), "closed_at": r.closed_at, "html_url": url, "url": api});
        let _ = writeln!(out, "{item}");
        for (n, (author, timestamp, text)) in r.comments.iter().enumerate() {
            let comment = json!({"id": u64::from(r.number) * 10 + n as u64, "body": text, "user": {"login": author}, "created_at": timestamp, "updated_at": timestamp,
                "issue_url": api, "html_url": format!("{url}#issuecomment-{n}")});
            let _ = writeln!(out, "{comment}");
        }
    }
    out
}

fn gitlab_json(reports: &[Report]) -> String {
    let issue = |r: &Report| {
        let notes: Vec<Value> = r
            .comments
            .iter()
            .enumerate()
            .map(|(n, (author, timestamp, text))| {
                json!({"id": u64::from(r.number) * 10 + n as u64, "body": text, "system": false, "author": {"username": author}, "created_at": timestamp})
            })
            .collect();
        json!({"iid": r.number, "title": r.title, "description": r.body, "state": state_word(["opened", "closed"], r), "labels": r.labels,
            "author": {"username": r.author}, "created_at": r.created_at, "updated_at": r.closed_at.or(r.created_at), "closed_at": r.closed_at, "notes": notes})
    };
    Value::Array(reports.iter().map(issue).collect()).to_string()
}

fn jira_json(reports: &[Report]) -> String {
    let time = |t: Option<Timestamp>| format_time(t, "%Y-%m-%dT%H:%M:%S.000+0000");
    let issue = |r: &Report| {
        let comments: Vec<Value> = r
            .comments
            .iter()
            .enumerate()
            .map(|(n, (author, timestamp, text))| {
                json!({"id": format!("{}{n}", r.number), "author": {"displayName": author}, "body": text, "created": time(Some(*timestamp))})
            })
            .collect();
        let resolved_at = r.closed_at.map(|t| time(Some(t)));
        json!({"id": r.number.to_string(), "key": format!("APP-{}", r.number), "self": format!("https://jira.example/rest/api/2/issue/{}", r.number),
            "fields": {"summary": r.title, "description": r.body, "status": {"name": "x", "statusCategory": {"key": state_word(["new", "done"], r)}}, "labels": r.labels,
                "reporter": {"displayName": r.author}, "created": time(r.created_at), "resolutiondate": resolved_at, "comment": {"comments": comments}}})
    };
    json!({"startAt": 0, "issues": reports.iter().map(issue).collect::<Vec<_>>()}).to_string()
}

fn zendesk_json(reports: &[Report]) -> String {
    let mut out = String::new();
    for r in reports {
        let first = json!({"id": 1, "author": {"name": r.author}, "body": r.body, "created_at": r.created_at});
        let replies = r.comments.iter().enumerate().map(|(n, (author, timestamp, text))| {
            json!({"id": n + 2, "author": {"name": author}, "body": text, "created_at": timestamp})
        });
        let comments: Vec<Value> = std::iter::once(first).chain(replies).collect();
        let ticket = json!({"id": r.number, "subject": r.title, "description": r.body, "status": state_word(["open", "solved"], r), "requester_id": 7,
            "requester": {"name": r.author}, "tags": r.labels, "created_at": r.created_at, "solved_at": r.closed_at, "comments": comments});
        let _ = writeln!(out, "{ticket}");
    }
    out
}

fn bugzilla_xml(reports: &[Report]) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let time = |t: Option<Timestamp>| format_time(t, "%Y-%m-%d %H:%M:%S +0000");
    let mut out =
        String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<bugzilla version=\"5\">\n");
    for r in reports {
        let _ = write!(
            out,
            "<bug><bug_id>{}</bug_id><short_desc>{}</short_desc><bug_status>{}</bug_status><reporter>{}</reporter><creation_ts>{}</creation_ts><keywords>{}</keywords>",
            r.number,
            escape(&r.title),
            state_word(["NEW", "RESOLVED"], r),
            r.author.clone().unwrap(),
            time(r.created_at),
            r.labels.join(", ")
        );
        if r.is_closed {
            let _ = write!(out, "<cf_last_resolved>{}</cf_last_resolved>", time(r.closed_at));
        }
        let description =
            std::iter::once((r.author.clone(), r.created_at.unwrap(), r.body.clone()));
        for (n, (author, timestamp, text)) in
            description.chain(r.comments.iter().cloned()).enumerate()
        {
            let _ = write!(
                out,
                "<long_desc><commentid>{}{n}</commentid><comment_count>{n}</comment_count><who>{}</who><bug_when>{}</bug_when><thetext>{}</thetext></long_desc>",
                r.number,
                author.unwrap(),
                time(Some(timestamp)),
                escape(&text)
            );
        }
        out.push_str("</bug>\n");
    }
    out + "</bugzilla>\n"
}

/// Imports a file, and returns the stored versions of these reports.
fn read_back(name: &str, content: &str, reports: &[Report]) -> Vec<Report> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let store = Store::open(&folder.path().join("precedent.db")).unwrap();
    let request =
        ImportRequest { paths: vec![path], source: Some("acme/app".to_owned()), map: Vec::new() };
    let response = import_files(&store, &request, Timestamp::UNIX_EPOCH, &Task::new())
        .unwrap_or_else(|e| panic!("{name}: {e} {:?}\n{content}", e.hint()));
    assert_eq!(response.report.skipped, 0, "{name}: {:?}\n{content}", response.report.skips);
    let read_report = |expected_report: &Report| {
        store
            .read(|r| {
                let row =
                    r.document_by_key(&format!("acme/app#{}", expected_report.number))?.unwrap();
                let comments = r.comments(&row)?.into_iter();
                let mut labels = row.labels.clone();
                labels.sort_unstable();
                Ok(Report {
                    number: expected_report.number,
                    title: row.title,
                    body: collapse_whitespace(&row.body),
                    is_closed: row.state == Some(State::Closed),
                    labels,
                    author: row.author.login,
                    created_at: row.created_at,
                    closed_at: row.closed_at,
                    comments: comments
                        .map(|c| (c.author.login, c.created_at, collapse_whitespace(&c.body)))
                        .collect(),
                })
            })
            .unwrap()
    };
    reports.iter().map(read_report).collect()
}

/// Normalizes white space, because Markdown conversion changes line breaks.
fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the report that a format with these fields preserves.
fn preserved_report(mut report: Report, fields: FieldSet) -> Report {
    let day = |t: Timestamp| t.to_zoned(TimeZone::UTC).start_of_day().unwrap().timestamp();
    if !fields.labels {
        report.labels.clear();
    }
    if !fields.comments {
        report.comments.clear();
    }
    if !fields.closed_at {
        report.closed_at = None;
    }
    if !fields.times {
        report.created_at = report.created_at.map(day);
        report.closed_at = report.closed_at.map(day);
    }
    report.body = collapse_whitespace(&report.body);
    report
}

fn assert_round_trip(
    name: &str,
    write: impl Fn(&[Report]) -> String,
    fields: FieldSet,
    reports: &[Report],
) {
    let content = write(reports);
    let expected: Vec<Report> =
        reports.iter().cloned().map(|report| preserved_report(report, fields)).collect();
    assert_eq!(read_back(name, &content, reports), expected, "{name}\n{content}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn tables_round_trip(reports in tracker()) {
        assert_round_trip("jira.csv", jira_csv, ALL_FIELDS, &reports);
        assert_round_trip("gitlab.csv", gitlab_csv, TABLE, &reports);
        assert_round_trip("redmine.csv", redmine_csv, FieldSet { labels: false, ..TABLE }, &reports);
        assert_round_trip("zendesk.csv", zendesk_csv, TABLE, &reports);
        assert_round_trip("azure.csv", azure_csv, TABLE, &reports);
        assert_round_trip("linear.csv", linear_csv, TABLE, &reports);
        assert_round_trip("trac.csv", trac_csv, FieldSet { closed_at: false, ..TABLE }, &reports);
        assert_round_trip("youtrack.csv", youtrack_csv, TABLE, &reports);
        assert_round_trip("mantis.csv", mantis_csv, FieldSet { times: false, ..TABLE }, &reports);
    }

    #[test]
    fn json_and_xml_round_trip(reports in tracker()) {
        assert_round_trip("github.jsonl", |reports| github_rest("github.com", reports), ALL_FIELDS, &reports);
        assert_round_trip("gitea.jsonl", |reports| github_rest("git.example", reports), ALL_FIELDS, &reports);
        assert_round_trip("gitlab.json", gitlab_json, ALL_FIELDS, &reports);
        assert_round_trip("jira.json", jira_json, ALL_FIELDS, &reports);
        assert_round_trip("zendesk.jsonl", zendesk_json, ALL_FIELDS, &reports);
        assert_round_trip("bugzilla.xml", bugzilla_xml, ALL_FIELDS, &reports);
    }
}
