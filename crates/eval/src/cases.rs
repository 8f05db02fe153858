//! How often a solved case is found where there is one, and silence kept where there is none.

use std::{collections::BTreeSet, io::Write as _, path::PathBuf};

use jiff::Timestamp;
use precedent_core::{
    Error, Result, Task,
    model::{HELPS, RankRequest, RankedDocument, Ranking},
    task::Phase,
};
use precedent_engine::{Casebook, OpenOptions, answer::RankingModel};
use precedent_text::{prepare::Prepared, reference::without_duplicate_notes, skeleton::Skeleton};
use serde::Serialize;

use crate::{
    bands::{Share, share},
    set::{EvalSet, SOURCE, place},
};

/// Lines about other things, and lines about nothing: nobody's tracker has a case for them. All are invented.
const NONSENSE: &str = include_str!("nonsense.txt");
/// At most so many reports of a set are asked, spread evenly over its time.
const MOST: usize = 300;
/// So many texts of other sets are asked in each form.
const FOREIGN: usize = 80;
/// How many cases of each answer are looked at.
const DEPTH: usize = 10;

/// What is evaluated.
#[derive(Clone, Debug, Default)]
pub struct CasesRequest {
    /// The folders of the sets. The texts of the others are foreign to each.
    pub sets: Vec<PathBuf>,
    /// Where the casebooks of the sets are kept.
    pub cache: PathBuf,
    /// A table of weights in place of the built-in one.
    pub weights: Option<PathBuf>,
    /// The folder of a model in place of the built-in one.
    pub model: Option<PathBuf>,
    /// Where the evidence of the first cases is written.
    pub features: Option<PathBuf>,
}

/// What looking for solved cases is worth.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct CasesReport {
    /// Each set, in the order in which it was named.
    pub sets: Vec<CasesSet>,
}

/// What it is worth on one set.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct CasesSet {
    /// The name of its folder.
    pub set: String,
    /// Reports with an earlier duplicate that is closed.
    pub asked: usize,
    /// The look for solved cases, then search within what is closed, in each form.
    pub ways: Vec<CasesWay>,
    /// Of reports of the set itself without a known duplicate, how many are answered.
    pub unmarked: Share,
    /// Of lines about other things and about nothing, how many are answered.
    pub nonsense: Share,
}

/// One way of asking in one form.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct CasesWay {
    /// `troubleshoot` or `search`.
    pub way: &'static str,
    /// What is asked: `report` (title and text), `title`, `code` (its code and logs alone).
    pub form: &'static str,
    /// How often the right case is first.
    pub success_1: Share,
    /// How often it is among the first three.
    pub success_3: Share,
    /// How often it is among the first ten.
    pub success_10: Share,
    /// How often nothing is said where there is a case.
    pub silent: Share,
    /// How often something is said of texts of the other sets.
    pub alarms: Share,
}

fn share_of(all: &[bool]) -> Share {
    share(all.iter().map(|is| (*is, 1.0)))
}

/// What is asked of a report.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Report,
    Title,
    Code,
}

impl Asked {
    const ALL: [Self; 3] = [Self::Report, Self::Title, Self::Code];

    fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Title => "title",
            Self::Code => "code",
        }
    }

    /// Title and text; nothing where the report has none of it.
    fn of(self, title: &str, body: &str) -> Option<(String, String)> {
        match self {
            Self::Report => Some((title.to_owned(), without_duplicate_notes(body))),
            Self::Title => Some((title.to_owned(), String::new())),
            Self::Code => {
                let code = Prepared::body(body, &Skeleton::default()).code().trim().to_owned();
                (code.lines().count() > 1).then(|| (String::new(), format!("```\n{code}\n```")))
            }
        }
    }
}

/// Measures how solved cases are found in each set.
///
/// # Errors
/// [`Code::InvalidInput`](precedent_core::Code::InvalidInput) for a set or table that cannot be read; otherwise as the engine.
pub async fn evaluate_cases(
    request: &CasesRequest,
    open: impl Fn(PathBuf) -> OpenOptions,
    task: &Task,
) -> Result<CasesReport> {
    let table = match &request.weights {
        Some(file) => RankingModel::read(file)?,
        None => RankingModel::built_in().clone(),
    };
    let mut features = match &request.features {
        Some(path) => {
            Some(std::io::BufWriter::new(std::fs::File::create(path).map_err(|e| Error::io(path, e))?))
        }
        None => None,
    };
    let sets = request.sets.iter().map(|folder| EvalSet::read(folder)).collect::<Result<Vec<_>>>()?;
    let mut out = Vec::new();
    for set in &sets {
        let options = open(set.casebook_folder(&request.cache));
        let casebook = crate::casebook(options, set, request.model.as_deref(), &table, task).await?;
        let asked: Vec<(usize, BTreeSet<usize>)> = set
            .relevant
            .iter()
            .map(|(query, all)| {
                (*query, all.iter().copied().filter(|r| set.reports[*r].is_solved()).collect())
            })
            .filter(|(_, closed): &(usize, BTreeSet<usize>)| !closed.is_empty())
            .collect();
        let step = asked.len().div_ceil(MOST).max(1);
        let asked: Vec<_> = asked.into_iter().step_by(step).collect();
        let foreign: Vec<&EvalSet> = sets.iter().filter(|s| s.name != set.name).collect();
        let now = set.reports.last().map_or(Timestamp::UNIX_EPOCH, |r| r.created_at);
        let mut ways = Vec::new();
        for (way, by) in [("troubleshoot", Ranking::Duplicates), ("search", Ranking::Hybrid)] {
            for form in Asked::ALL {
                let mut found = [vec![], vec![], vec![], vec![]];
                for (done, (query, right)) in asked.iter().enumerate() {
                    task.report(Phase::Evaluate, done as u64, Some(asked.len() as u64), "queries");
                    let report = &set.reports[*query];
                    let Some(text) = form.of(&report.title, &report.body) else { continue };
                    let number = (form == Asked::Report).then_some(*query as u64 + 1);
                    let ranked = ask(&casebook, text, number, report.created_at, by, task).await?;
                    if by == Ranking::Duplicates
                        && let Some(file) = &mut features
                    {
                        write(file, set, form, &report.id, &ranked, right)?;
                    }
                    let shown = shown(ranked, by);
                    let at = shown.iter().position(|n| place(*n).is_some_and(|p| right.contains(&p)));
                    for (list, k) in found.iter_mut().zip([1, 3, 10]) {
                        list.push(at.is_some_and(|at| at < k));
                    }
                    found[3].push(shown.is_empty());
                }
                let mut alarms = Vec::new();
                for other in &foreign {
                    for report in sample(other, FOREIGN / foreign.len().max(1)) {
                        let report = &other.reports[report];
                        let Some(text) = form.of(&report.title, &report.body) else { continue };
                        let ranked = ask(&casebook, text, None, now, by, task).await?;
                        if by == Ranking::Duplicates
                            && let Some(file) = &mut features
                        {
                            write(
                                file,
                                set,
                                form,
                                &format!("{}/{}", other.name, report.id),
                                &ranked,
                                &BTreeSet::new(),
                            )?;
                        }
                        alarms.push(!shown(ranked, by).is_empty());
                    }
                }
                let [first, three, ten, silent] = found.map(|list| share_of(&list));
                ways.push(CasesWay {
                    way,
                    form: form.name(),
                    success_1: first,
                    success_3: three,
                    success_10: ten,
                    silent,
                    alarms: share_of(&alarms),
                });
            }
        }
        let mut unmarked = Vec::new();
        for query in sample(set, FOREIGN) {
            let report = &set.reports[query];
            let Some(text) = Asked::Report.of(&report.title, &report.body) else { continue };
            let number = Some(query as u64 + 1);
            let ranked = ask(&casebook, text, number, report.created_at, Ranking::Duplicates, task).await?;
            if let Some(file) = &mut features {
                write(
                    file,
                    set,
                    Asked::Report,
                    &format!("unmarked/{}", report.id),
                    &ranked,
                    &BTreeSet::new(),
                )?;
            }
            unmarked.push(!shown(ranked, Ranking::Duplicates).is_empty());
        }
        let mut nonsense = Vec::new();
        for line in NONSENSE.lines().filter(|l| !l.trim().is_empty()) {
            let text = (line.to_owned(), String::new());
            let ranked = ask(&casebook, text, None, now, Ranking::Duplicates, task).await?;
            if let Some(file) = &mut features {
                write(file, set, Asked::Title, &format!("nonsense/{line}"), &ranked, &BTreeSet::new())?;
            }
            nonsense.push(!shown(ranked, Ranking::Duplicates).is_empty());
        }
        out.push(CasesSet {
            set: set.name.clone(),
            asked: asked.len(),
            ways,
            unmarked: share_of(&unmarked),
            nonsense: share_of(&nonsense),
        });
    }
    if let (Some(mut file), Some(path)) = (features, &request.features) {
        file.flush().map_err(|e| Error::io(path, e))?;
    }
    Ok(CasesReport { sets: out })
}

/// Reports of a set without a known duplicate, spread evenly over its time.
fn sample(set: &EvalSet, most: usize) -> Vec<usize> {
    let all = if set.negatives.is_empty() { (0..set.reports.len()).collect() } else { set.negatives.clone() };
    let step = all.len().div_ceil(most.max(1)).max(1);
    all.into_iter().step_by(step).collect()
}

async fn ask(
    casebook: &Casebook,
    (title, body): (String, String),
    number: Option<u64>,
    made_at: Timestamp,
    by: Ranking,
    task: &Task,
) -> Result<Vec<RankedDocument>> {
    let request = RankRequest {
        typed: body.is_empty(),
        title,
        body,
        source: SOURCE.to_owned(),
        number,
        made_at,
        since: None,
        solved: true,
        by,
        limit: DEPTH,
    };
    casebook.rank(request, task).await
}

/// The numbers of what a person would be shown: a search shows all it finds.
fn shown(ranked: Vec<RankedDocument>, by: Ranking) -> Vec<u64> {
    let helps = |d: &RankedDocument| by != Ranking::Duplicates || d.probability.is_some_and(|p| p >= HELPS);
    ranked.into_iter().filter(helps).map(|d| d.number).collect()
}

/// Set, form, query, document, whether it is the right one, and the numbers that it is judged by.
fn write(
    file: &mut impl std::io::Write,
    set: &EvalSet,
    form: Asked,
    query: &str,
    ranked: &[RankedDocument],
    right: &BTreeSet<usize>,
) -> Result<()> {
    for one in ranked {
        let at = place(one.number);
        let label = u8::from(at.is_some_and(|p| right.contains(&p)));
        let numbers: Vec<String> = one.features.iter().map(|f| format!("{f:.5}")).collect();
        let id = at.map_or("", |p| &set.reports[p].id);
        let worth = one.probability.unwrap_or_default();
        writeln!(
            file,
            "{}\t{}\t{query}\t{id}\t{label}\t{worth:.5}\t{}",
            set.name,
            form.name(),
            numbers.join("\t")
        )
        .map_err(|e| Error::new(precedent_core::Code::Io, e.to_string()))?;
    }
    Ok(())
}
