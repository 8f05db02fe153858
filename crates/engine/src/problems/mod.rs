//! The problems of the backlog: frequent, waiting, unreleased and recurring ones, and those without
//! an article.

mod groups;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use groups::{Group, Member, count_by_month, group_ties};
use jiff::{Timestamp, ToSpan as _};
use precedent_core::{
    error::{Error, Result},
    model::{
        Coverage, ListedProblem, ProblemList, ProblemReport, ProblemStatus, ProblemVersion,
        ProblemsRequest, ProblemsResponse, Tie,
    },
    task::Task,
};
use precedent_store::{DocumentRow, Reader};
use precedent_text::version::by_number;

use crate::{
    article,
    notes::stored_articles,
    releases::Releases,
    search,
    troubleshoot::{self, CaseContext},
};

const DEFAULT_LIMIT: usize = 20;
/// The maximum number of problems of a response.
pub const MAX_LIMIT: usize = 1000;
/// The length of the recent period and of the preceding one it is compared with, in days.
const RECENT_DAYS: i64 = 30;

/// Lists the problems of the backlog.
pub fn problems(
    context: &CaseContext<'_>,
    request: &ProblemsRequest,
    now: Timestamp,
    task: &Task,
) -> Result<ProblemsResponse> {
    let start = Instant::now();
    if !(0.0..=1.0).contains(&request.threshold) {
        return Err(Error::invalid(format!(
            "a threshold of {} is out of range",
            request.threshold
        ))
        .with_hint("The threshold is a confidence from 0 to 1."));
    }
    let limit = match request.limit {
        0 => DEFAULT_LIMIT,
        n if n <= MAX_LIMIT => n,
        n => {
            return Err(Error::invalid(format!(
                "{n} problems are too many; the maximum is {MAX_LIMIT}"
            )));
        }
    };
    let mut response = context.finder.store.read(|r| {
        let key = request.source.as_deref();
        let source = key.map(|s| search::find_source(r, s)).transpose()?;
        let sources = match &source {
            Some(source) => vec![source.clone()],
            None => r.sources()?,
        };
        let source = source.map(|source| source.id);
        let mut releases = BTreeMap::new();
        for source in &sources {
            releases.insert(source.key.clone(), Releases::load(r, source.id)?);
        }
        let mut ties = r.ties(source, request.threshold)?;
        let mut groups = group_ties(&ties, &r.non_duplicate_pairs()?);
        if request.list == ProblemList::Unreleased && request.min_reports < 2 {
            for source in &sources {
                let newest_at = releases.get(&source.key).and_then(Releases::newest_at);
                let is_tied = |tie: &Tie| ties.iter().any(|t| t.key == tie.key);
                let closed_issues =
                    newest_at.map(|time| r.closed_since(source.id, time)).transpose()?;
                let closed_issues = closed_issues.unwrap_or_default().into_iter();
                for tie in closed_issues.filter(|tie| !is_tied(tie)).collect::<Vec<Tie>>() {
                    groups.push(Group::new(ties.len()));
                    ties.push(tie);
                }
            }
        }
        let coverage = Coverage::default();
        let count = |is_closed| {
            Ok::<_, Error>(r.unchecked_issues(source, is_closed, false, &coverage)?.len())
        };
        let mut articles: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for note in stored_articles(r)? {
            for key in note.connected {
                articles.entry(key).or_default().push(note.key.clone());
            }
        }
        let listing = Listing { r, context, ties, releases, articles, now };
        let min_reports =
            if request.list == ProblemList::Unreleased { 1 } else { 2 }.max(request.min_reports);
        groups.retain(|group| {
            group.members.len() >= min_reports && listing.may_list(group, request.list)
        });
        let listed_groups = listing.select(groups, request.list, task)?;
        let has_releases = |key: &str| {
            listing.releases.get(key).is_some_and(|releases| releases.newest_at().is_some())
        };
        let without_releases = sources
            .iter()
            .map(|source| &source.key)
            .filter(|key| !has_releases(key) && key.contains('/'));
        Ok(ProblemsResponse {
            list: request.list,
            total: listed_groups.len(),
            open: listed_groups.iter().map(|(group, _)| listing.open_count(group)).sum(),
            // A check counts even if the index has become more complete since.
            unscanned: count(false)?.min(count(true)?) as u64,
            without_releases: without_releases.cloned().collect(),
            problems: listed_groups
                .into_iter()
                .take(limit)
                .map(|(group, outcome)| listing.describe(&group, outcome))
                .collect::<Result<_>>()?,
            took_ms: 0.0,
        })
    })?;
    response.took_ms = start.elapsed().as_secs_f64() * 1000.0;
    Ok(response)
}

struct Outcome {
    status: ProblemStatus,
    fixed_in: Option<String>,
    came_back_in: Option<String>,
}

struct Listing<'a> {
    r: &'a Reader<'a>,
    context: &'a CaseContext<'a>,
    ties: Vec<Tie>,
    /// The releases by source key.
    releases: BTreeMap<String, Releases>,
    /// The article keys by document key.
    articles: BTreeMap<String, Vec<String>>,
    now: Timestamp,
}

impl Listing<'_> {
    fn head(&self, group: &Group) -> &Tie {
        &self.ties[group.members[0].tie]
    }

    fn open_count(&self, group: &Group) -> usize {
        group.members.iter().filter(|member| self.ties[member.tie].open).count()
    }

    /// Returns whether a list may contain a problem, judged without its thread.
    fn may_list(&self, group: &Group, list: ProblemList) -> bool {
        let head = self.head(group);
        let is_later = |member: &Member| self.ties[member.tie].created_at > head.closed_at;
        match list {
            ProblemList::Frequent => self.open_count(group) > 0,
            ProblemList::Waiting => head.open,
            ProblemList::Unreleased => !head.open,
            ProblemList::Recurring => !head.open && group.members[1..].iter().any(is_later),
            ProblemList::WithoutArticle => {
                let has_article = |m: &Member| self.articles.contains_key(&self.ties[m.tie].key);
                !head.open && !group.members.iter().any(has_article)
            }
        }
    }

    /// Returns the sorted problems of a list, with their outcomes if the list depends on them.
    fn select(
        &self,
        mut groups: Vec<Group>,
        list: ProblemList,
        task: &Task,
    ) -> Result<Vec<(Group, Option<Outcome>)>> {
        let order = |group: &Group| {
            let head = self.head(group);
            let size = match list {
                ProblemList::Waiting => (0, 0),
                _ => (group.members.len(), self.open_count(group)),
            };
            let date = if list == ProblemList::Waiting { head.created_at } else { head.closed_at };
            (Reverse(size), date, head.key.clone())
        };
        groups.sort_by_cached_key(order);
        if matches!(list, ProblemList::Frequent | ProblemList::Waiting) {
            return Ok(groups.into_iter().map(|group| (group, None)).collect());
        }
        let mut out = Vec::new();
        for group in groups {
            task.check()?;
            let Some(outcome) = self.outcome(&group)? else { continue };
            let is_listed = match list {
                ProblemList::Unreleased => outcome.status == ProblemStatus::Unreleased,
                ProblemList::Recurring => outcome.came_back_in.is_some(),
                _ => outcome.status.is_fixed() && self.can_have_article(&group)?,
            };
            if is_listed {
                out.push((group, Some(outcome)));
            }
        }
        Ok(out)
    }

    fn can_have_article(&self, group: &Group) -> Result<bool> {
        let Some(row) = self.r.document_by_key(&self.head(group).key)? else { return Ok(false) };
        article::is_possible(self.r, self.context, row, self.now)
    }

    /// Determines the outcome of a problem from its thread, its reports and the releases.
    fn outcome(&self, group: &Group) -> Result<Option<Outcome>> {
        let head = self.head(group);
        let Some(row) = self.r.document_by_key(&head.key)? else { return Ok(None) };
        let outcome = troubleshoot::outcome(self.r, self.context.finder, None, &row)?;
        let reports: Vec<String> =
            group.members[1..].iter().map(|member| self.ties[member.tie].key.clone()).collect();
        let (status, came_back_in) = outcome.after_reports(self.r, &reports)?;
        Ok(Some(Outcome { status, fixed_in: outcome.fix.version, came_back_in }))
    }

    fn describe(&self, group: &Group, outcome: Option<Outcome>) -> Result<ListedProblem> {
        let outcome = outcome.map_or_else(|| self.outcome(group), |o| Ok(Some(o)))?;
        let head = self.report(&group.members[0])?;
        let members: Vec<ProblemReport> =
            group.members[1..].iter().map(|member| self.report(member)).collect::<Result<_>>()?;
        let reports = || [&head].into_iter().chain(&members);
        let times: Vec<Timestamp> = reports().filter_map(|report| report.created_at).collect();
        let days_ago = |n: i64| self.now.checked_sub((n * 24).hours()).unwrap_or(Timestamp::MIN);
        let (recent_start, prior_start) = (days_ago(RECENT_DAYS), days_ago(2 * RECENT_DAYS));
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for version in reports().filter_map(|report| report.version.as_deref()) {
            *counts.entry(version).or_default() += 1;
        }
        let mut versions: Vec<ProblemVersion> = counts
            .into_iter()
            .map(|(version, reports)| ProblemVersion { version: version.to_owned(), reports })
            .collect();
        versions.sort_by(|a, b| {
            by_number(&a.version, &b.version).then_with(|| a.version.cmp(&b.version))
        });
        let articles: BTreeSet<String> = reports()
            .filter_map(|report| self.articles.get(&report.key))
            .flatten()
            .cloned()
            .collect();
        Ok(ListedProblem {
            status: outcome.as_ref().map_or(ProblemStatus::Open, |outcome| outcome.status),
            fixed_in: outcome.as_ref().and_then(|outcome| outcome.fixed_in.clone()),
            came_back_in: outcome.and_then(|outcome| outcome.came_back_in),
            size: group.members.len(),
            open: self.open_count(group),
            months: count_by_month(&times),
            versions,
            recent: times.iter().filter(|t| **t >= recent_start && **t <= self.now).count() as u64,
            before: times.iter().filter(|t| **t >= prior_start && **t < recent_start).count()
                as u64,
            articles: articles.into_iter().collect(),
            head,
            members,
        })
    }

    fn report(&self, member: &Member) -> Result<ProblemReport> {
        let tie = &self.ties[member.tie];
        let row = self.r.document_by_key(&tie.key)?;
        let version = |row: DocumentRow| match self.releases.get(&row.source) {
            Some(releases) => releases.reported_version(self.r, &row),
            None => Ok(None),
        };
        Ok(ProblemReport {
            key: tie.key.clone(),
            title: tie.title.clone(),
            url: tie.url.clone(),
            open: tie.open,
            created_at: tie.created_at,
            known: member.is_known,
            confidence: member.confidence,
            via: member.via.map(|index| self.ties[index].key.clone()),
            version: row.map(version).transpose()?.flatten().map(|version| version.name),
        })
    }
}
