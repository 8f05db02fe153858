//! `precedent eval`: judges ranking on sets of reports with known duplicates.

mod arm;
mod bands;
mod form;
mod judged;
mod metrics;
pub mod report;
mod run;
mod set;

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use precedent::{
    Casebook, Error, Result, Task,
    duplicates::Table,
    embed::{CARD, Engine, ModelPaths},
    model::{RankRequest, RankedDocument},
    task::Phase,
    text::reference::without_duplicate_notes,
};

use crate::{
    args::{Args, EvalCommand},
    output::Output,
    progress::Bar,
};
pub use arm::Arm;
pub use form::Form;
use form::Vocabulary;
use run::{Answer, Run, SetRun};
use set::{EvalSet, SOURCE};

/// How many documents of each ranking are kept and scored.
const DEPTH: usize = 100;

pub async fn run(args: &Args, command: &EvalCommand, output: &mut Output) -> Result<()> {
    if let Some(source) = &command.solved {
        return threads(args, source, command, output).await;
    }
    if let Some(model) = command.model.as_deref().filter(|m| !m.join(CARD).is_file()) {
        return Err(Error::invalid(format!("{} holds no {CARD}", model.display())).with_hint(
            "`precedent model import DIR` writes one; the model is then below the casebook's folder.",
        ));
    }
    let against = command.against.as_deref().map(Run::read).transpose()?;
    let cache = match &command.cache {
        Some(cache) => cache.clone(),
        None => dirs::cache_dir()
            .ok_or_else(|| {
                Error::invalid("there is no home folder to keep the sets' casebooks in")
                    .with_hint("Name a folder: --cache DIR")
            })?
            .join("precedent")
            .join("eval"),
    };
    let bar = Bar::new(args.quiet);
    let task = crate::interruptible(&bar);
    let mut rankings = command.by.clone();
    rankings.sort_unstable();
    rankings.dedup();
    if rankings.is_empty() {
        rankings = Arm::ALL.to_vec();
        if command.form != Form::Report {
            rankings.retain(|r| r.searches());
        }
    }
    let table = match &command.weights {
        Some(file) => Table::read(file)?,
        None => Table::built_in().clone(),
    };
    let mut features = command.features.as_deref().map(Features::create).transpose()?;
    let mut run = Run::default();
    let mut sets = Vec::new();
    for folder in &command.sets {
        let mut set = EvalSet::read(folder)?;
        if let Some(days) = command.window {
            set.keep_within(days);
        }
        let casebook = casebook(args, &set, &cache, command.model.as_deref(), &table, &task).await?;
        let model = casebook.check_model().await;
        let mut rankings = rankings.clone();
        if let Err(error) = &model {
            crate::output::report(error);
            rankings.retain(|r| !matches!(r, Arm::Semantic | Arm::Hybrid));
        }
        run.model = model.map_or_else(|_| "none".to_owned(), |m| m.name);
        let asking = Asking {
            casebook: &casebook,
            set: &set,
            window: command.window,
            form: command.form,
            vocabulary: match command.form {
                Form::Words => Vocabulary::of(&set.reports),
                _ => Vocabulary::default(),
            },
            width: crate::workers(args),
            asked: Arc::default(),
            total: 0,
            task: &task,
        };
        let answers = ask(&rankings, &table, &mut features, asking).await?;
        run.sets.insert(set.name.clone(), answers);
        sets.push(set);
    }
    bar.finish();
    if let Some(features) = features {
        features.finish()?;
    }
    let file = command.run.clone().unwrap_or_else(|| cache.join("last.json"));
    run.write(&file)?;
    if let Some(folder) = &command.tsv {
        run.write_tables(folder)?;
    }
    let mut pairs = BTreeMap::new();
    if let Some(place) = &command.judged {
        for set in &sets {
            pairs.extend(judged::read(place, &set.name)?.map(|found| (set.name.clone(), found)));
        }
    }
    let report = report::report(&sets, &run, against.as_ref(), &pairs, &file);
    match &command.json.json {
        Some(fields) => output.json(&report, fields, Some("sets")),
        None => {
            report::print(&report, output);
            Ok(())
        }
    }
}

/// How often the shown part of a solved thread holds the fix.
async fn threads(args: &Args, source: &str, command: &EvalCommand, output: &mut Output) -> Result<()> {
    let casebook = crate::open(args, crate::folder(args)?).await?;
    let bar = Bar::new(args.quiet);
    let task = crate::interruptible(&bar);
    let figures = casebook.evaluate_threads(source, command.budget, &task).await?;
    bar.finish();
    if let Some(fields) = &command.json.json {
        return output.json(&figures, fields, None);
    }
    let share = |n: u64| {
        #[allow(clippy::cast_precision_loss, reason = "counts are small")]
        let share = n as f64 / figures.long.max(1) as f64;
        format!("{share:.3}")
    };
    output.line(format_args!(
        "{}  {} closed issues whose fix is known, {} of them longer than {} characters",
        figures.source, figures.known, figures.long, figures.budget
    ));
    output.line(format_args!("assembled thread  {}", share(figures.assembled)));
    output.line(format_args!("  by wording alone {}", share(figures.blind)));
    output.line(format_args!("last comments     {}", share(figures.last)));
    output.line(format_args!("first comments    {}", share(figures.first)));
    Ok(())
}

/// The casebook of a set: kept in the cache, so that its vectors are computed once.
async fn casebook(
    args: &Args,
    set: &EvalSet,
    cache: &Path,
    model: Option<&Path>,
    table: &Table,
    task: &Task,
) -> Result<Casebook> {
    let folder = set.casebook_folder(cache);
    let mut options = crate::options(args, folder);
    options.create = true;
    // What an index knows, it knows of every query; comments are read as they were when a query was filed.
    options.index_comments = false;
    options.table = table.clone();
    if let Some(model) = model {
        let paths = ModelPaths { runtime: options.runtime.clone(), models: Vec::new() };
        options.engine = Some(Engine::BuiltIn(paths).installed(model.to_owned()));
    }
    let casebook = Casebook::open(options).await?;
    let held: u64 = casebook.sources().await?.iter().map(|s| s.issues + s.comments).sum();
    if held < set.records() {
        set.import(&casebook, task).await?;
    }
    casebook.update_index(task).await?;
    Ok(casebook)
}

/// A set's queries, and how they are asked.
struct Asking<'a> {
    casebook: &'a Casebook,
    set: &'a EvalSet,
    /// Only candidates of so many days before each report.
    window: Option<i64>,
    form: Form,
    /// Of the set's reports, where few words are asked.
    vocabulary: Vocabulary,
    /// How many are asked at once.
    width: usize,
    asked: Arc<AtomicU64>,
    total: u64,
    task: &'a Task,
}

/// Asks every query of a set in each of these ways.
async fn ask(
    arms: &[Arm],
    table: &Table,
    features: &mut Option<Features>,
    mut asking: Asking<'_>,
) -> Result<SetRun> {
    let (set, task) = (asking.set, asking.task);
    let named = |answers: BTreeMap<usize, Answer>| {
        answers.into_iter().map(|(q, a)| (set.reports[q].id.clone(), a)).collect()
    };
    // What learns on the way is made of the answers of the check for duplicates.
    let learning = arms.contains(&Arm::Calibrated);
    let asked =
        |arm: &Arm| *arm != Arm::Calibrated && (arms.contains(arm) || (learning && *arm == Arm::Duplicates));
    let asked: Vec<Arm> = Arm::ALL.into_iter().filter(asked).collect();
    asking.total = (asking.queries().count() * asked.len()) as u64;
    let mut out = SetRun::default();
    for arm in asked {
        let duplicates = arm == Arm::Duplicates;
        let (mut answers, mut evidence) = (BTreeMap::new(), BTreeMap::new());
        asking
            .each(arm, |query, ranked| {
                if let Some(features) = features.as_mut().filter(|_| duplicates) {
                    features.write(set, query, &ranked)?;
                }
                if learning && duplicates {
                    evidence.insert(query, ranked.iter().take(DEPTH).cloned().collect());
                }
                answers.insert(query, Answer::new(set, ranked));
                Ok(())
            })
            .await?;
        if arms.contains(&arm) {
            out.rankings.insert(arm, named(answers));
        }
        let learnt = || arm::calibrated(set, table, &evidence, task);
        if learning
            && duplicates
            && let Some(answers) = tokio::task::block_in_place(learnt)?
        {
            out.rankings.insert(Arm::Calibrated, named(answers));
        }
    }
    Ok(out)
}

impl Asking<'_> {
    fn queries(&self) -> impl Iterator<Item = usize> {
        self.set.relevant.keys().chain(&self.set.negatives).copied()
    }

    /// Asks all of them, several at once. Answers come as they are found, and are handed on in the order of the queries.
    async fn each(
        &self,
        arm: Arm,
        mut take: impl FnMut(usize, Vec<RankedDocument>) -> Result<()>,
    ) -> Result<()> {
        let mut running = tokio::task::JoinSet::new();
        let mut next = self.queries().enumerate();
        let (mut early, mut handed) = (BTreeMap::new(), 0);
        loop {
            while running.len() < self.width
                && let Some((turn, query)) = next.next()
            {
                let request = self.request(query, arm);
                let (casebook, task, asked) =
                    (self.casebook.clone(), self.task.clone(), Arc::clone(&self.asked));
                let total = self.total;
                running.spawn(async move {
                    let ranked = casebook.rank(request, &task).await?;
                    let done = asked.fetch_add(1, Ordering::Relaxed) + 1;
                    task.report(Phase::Evaluate, done, Some(total), "queries");
                    Ok::<_, Error>((turn, (query, ranked)))
                });
            }
            let Some(done) = running.join_next().await else { return Ok(()) };
            let (turn, answer) = done.map_err(|e| Error::new(precedent::Code::Internal, e.to_string()))??;
            early.insert(turn, answer);
            while let Some((query, ranked)) = early.remove(&handed) {
                handed += 1;
                take(query, ranked)?;
            }
        }
    }

    /// A report as it was filed: without the sentence that names its duplicate, which its reporter cannot have known. Or what
    /// of it is typed.
    fn request(&self, place: usize, by: Arm) -> RankRequest {
        let report = &self.set.reports[place];
        let whole = self.form == Form::Report;
        RankRequest {
            title: match self.form {
                Form::Report | Form::Title => report.title.clone(),
                Form::Words => self.vocabulary.rarest(&report.title),
            },
            body: if whole { without_duplicate_notes(&report.body) } else { String::new() },
            typed: !whole,
            source: SOURCE.to_owned(),
            // The stored vectors of an item are of all of it.
            number: whole.then_some(place as u64 + 1),
            made_at: report.created_at,
            since: self.window.map(|days| set::before(report.created_at, days)),
            by: by.ranking(),
            limit: if by == Arm::Duplicates { usize::MAX } else { DEPTH },
        }
    }
}

/// The evidence of every candidate, for fitting the table of weights: set, query, how many reports of the tracker the
/// query stands for, document, whether it is a duplicate, the ids of both, and the features in their order.
struct Features {
    path: PathBuf,
    file: std::io::BufWriter<fs::File>,
}

impl Features {
    fn create(path: &Path) -> Result<Self> {
        let file = fs::File::create(path).map_err(|e| Error::io(path, e))?;
        Ok(Self { path: path.to_owned(), file: std::io::BufWriter::new(file) })
    }

    /// Writes what is left.
    fn finish(mut self) -> Result<()> {
        self.file.flush().map_err(|e| Error::io(&self.path, e))
    }

    fn write(&mut self, set: &EvalSet, query: usize, ranked: &[RankedDocument]) -> Result<()> {
        let weight = set.weight(query);
        let none = std::collections::BTreeSet::new();
        let relevant = set.relevant.get(&query).unwrap_or(&none);
        for one in ranked {
            let place = set::place(one.number);
            let label = u8::from(place.is_some_and(|p| relevant.contains(&p)));
            let numbers: Vec<String> = one.features.iter().map(|f| format!("{f:.5}")).collect();
            writeln!(
                self.file,
                "{}\t{query}\t{weight:.4}\t{}\t{label}\t{}\t{}\t{}",
                set.name,
                one.number,
                set.reports[query].id,
                place.map_or("", |place| &set.reports[place].id),
                numbers.join("\t")
            )
            .map_err(|e| Error::io(&self.path, e))?;
        }
        Ok(())
    }
}
