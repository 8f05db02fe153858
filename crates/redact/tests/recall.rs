//! Recall and false replacements on invented texts, whose private spans are marked: `⟨p Ada
//! Lovelace⟩`. The letter is the kind; a span that begins with `~` is the pattern of a value to
//! generate, so that no secret is in this repository. `tests/marked/README.md` describes the files.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use precedent_core::{error::Result, task::Task};
use precedent_index::embed::{Engine, ModelPaths, NameKind, NameModel, RecognizedName};
use precedent_redact::{KnownNames, NameReader, Recognition, redact_texts};
use proptest::{
    strategy::{Strategy, ValueTree},
    string::string_regex,
    test_runner::TestRunner,
};

/// A text with its private spans.
#[derive(Clone)]
struct Marked {
    text: String,
    /// Kind and content.
    spans: Vec<(char, String)>,
}

/// Matches and spans of a kind.
#[derive(Default)]
struct Tally {
    found: usize,
    all: usize,
}

impl Tally {
    fn recall(&self) -> f64 {
        self.found as f64 / self.all.max(1) as f64
    }
}

/// The result of a redaction of a set.
#[derive(Default)]
struct Figures {
    kinds: BTreeMap<char, Tally>,
    /// Replaced words outside of the marked spans.
    false_words: usize,
    words: usize,
    bytes: usize,
    seconds: f64,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn model() -> Option<NameModel> {
    let runtime = root().join("target/runtime/libonnxruntime.so");
    if !runtime.is_file() {
        eprintln!("SKIPPED: recall of names, because ONNX Runtime is missing");
        return None;
    }
    let paths = ModelPaths { runtime: vec![runtime], models: vec![root().join("models")] };
    Some(Engine::BuiltIn(paths).load_names().unwrap().unwrap())
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/marked").join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Returns a value of this pattern.
fn generate(pattern: &str, runner: &mut TestRunner) -> String {
    string_regex(pattern).unwrap().new_tree(runner).unwrap().current()
}

fn parse(line: &str, runner: &mut TestRunner) -> Marked {
    let line = line.replace("\\n", "\n").replace("\\t", "\t");
    let mut marked = Marked { text: String::new(), spans: Vec::new() };
    let mut rest = line.as_str();
    while let Some((front, after)) = rest.split_once('⟨') {
        let (span, after) = after.split_once('⟩').unwrap();
        let (kind, content) = span.split_once(' ').unwrap();
        let content = match content.strip_prefix('~') {
            Some(pattern) => generate(pattern, runner),
            None => content.to_owned(),
        };
        marked.text.push_str(front);
        marked.text.push_str(&content);
        marked.spans.push((kind.chars().next().unwrap(), content));
        rest = after;
    }
    marked.text.push_str(rest);
    marked
}

fn read_marked(file: &str) -> Vec<Marked> {
    let mut runner = TestRunner::deterministic();
    let text = read(file);
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| parse(line, &mut runner)).collect()
}

/// Returns the words of a text, without punctuation around them.
fn words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| c.is_whitespace() || "/\\\"'`=:;,()<>[]{}|".contains(c));
    let trim = |c: char| !c.is_alphanumeric();
    words.map(|word| word.trim_matches(trim)).filter(|word| !word.is_empty()).collect()
}

fn redact(text: &str, model: Option<&mut NameModel>) -> String {
    let mut names = KnownNames::default();
    if let Some(model) = model {
        names.read(text, &mut Reading(model)).unwrap();
    }
    let mut out = text.to_owned();
    redact_texts(&mut [&mut out], &names);
    out
}

/// The model without a casebook, in which no word is common.
struct Reading<'a>(&'a mut NameModel);

impl NameReader for Reading<'_> {
    fn names(&mut self, text: &str) -> Result<Vec<Recognition>> {
        let names = self.0.names(text, &Task::new())?.into_iter();
        let recognition = |name: RecognizedName| Recognition {
            is_person: name.kind == NameKind::Person,
            range: name.range,
            score: name.score,
        };
        Ok(names.map(recognition).collect())
    }

    fn is_common(&mut self, _: &str) -> Result<bool> {
        Ok(false)
    }
}

/// Returns the pseudonyms in a redacted text, except of hosts and addresses, that the text lacks.
fn pseudonyms<'a>(text: &str, out: &'a str) -> Vec<&'a str> {
    let forms = ["host", "address", "email", "link"];
    let is_new = |part: &&str| {
        part.rsplit_once('-').is_some_and(|(kind, number)| {
            !forms.contains(&kind) && !kind.contains(' ') && number.parse::<u32>().is_ok()
        }) && !text.contains(&format!("[{part}]"))
    };
    out.split('[')
        .filter_map(|part| part.split_once(']').map(|(part, _)| part))
        .filter(is_new)
        .collect()
}

/// Redacts a set and counts; prints each mistake.
fn measure(set: &[Marked], mut model: Option<&mut NameModel>) -> Figures {
    let mut figures = Figures::default();

    for marked in set {
        let begin = Instant::now();
        let out = redact(&marked.text, model.as_deref_mut());
        figures.seconds += begin.elapsed().as_secs_f64();
        figures.bytes += marked.text.len();
        let left = words(&out);
        let mut private: Vec<&str> = Vec::new();
        for (kind, span) in &marked.spans {
            let parts: Vec<&str> =
                words(span).into_iter().filter(|w| w.chars().count() > 1).collect();
            let is_caseless = span.chars().all(|c| !c.is_ascii());
            let rest = marked.text.replace(span.as_str(), " ");
            let outside = words(&rest);
            let leaks = |w: &&&str| {
                !outside.contains(w) && (left.contains(w) || is_caseless && out.contains(**w))
            };
            let leak = parts.iter().filter(|w| w.chars().count() > 2 || span.len() < 5).find(leaks);
            let tally = figures.kinds.entry(*kind).or_default();
            tally.all += 1;
            match leak {
                None => tally.found += 1,
                Some(leak) => {
                    println!("MISSED {kind} {span} ({leak}): {:?} -> {out:?}", marked.text)
                }
            }
            private.extend(parts);
        }
        let all = words(&marked.text);
        figures.words += all.len();
        let replaced: Vec<&str> = all
            .into_iter()
            .filter(|w| w.chars().count() > 2 && !private.contains(w) && !left.contains(w))
            .filter(|w| w.is_ascii() || !out.contains(w))
            .filter(|w| !private.iter().any(|p| p.contains(w) || w.contains(p)))
            .collect();
        // Hosts and addresses have a form of their own, and are private in a documentation as well.
        let replaced =
            if marked.spans.is_empty() { pseudonyms(&marked.text, &out) } else { replaced };
        figures.false_words += replaced.len();
        if !replaced.is_empty() {
            println!("FALSE {replaced:?}: {:?} -> {out:?}", marked.text);
        }
    }
    figures
}

fn print(name: &str, figures: &Figures) {
    println!(
        "{name}: {} words, {:.2} false per 1,000, {:.1} ms a kB",
        figures.words,
        figures.false_words as f64 * 1000.0 / figures.words as f64,
        figures.seconds * 1e6 / figures.bytes as f64,
    );
    for (kind, tally) in &figures.kinds {
        println!("  {kind} {}/{} {:.3}", tally.found, tally.all, tally.recall());
    }
}

#[test]
fn private_spans_are_replaced() {
    let Some(mut model) = model() else { return };
    let mut all = BTreeMap::<char, Tally>::new();
    for file in ["first.txt", "second.txt", "third.txt"] {
        let figures = measure(&read_marked(file), Some(&mut model));
        print(file, &figures);
        for (kind, tally) in figures.kinds {
            let sum = all.entry(kind).or_default();
            sum.found += tally.found;
            sum.all += tally.all;
        }
    }
    for (kind, tally) in all {
        let least = if kind == 's' { 0.98 } else { 0.95 };
        assert!(tally.recall() >= least, "{kind}: {}/{}", tally.found, tally.all);
    }
}

/// The texts around a token that its form identifies.
const FREE: &[&[&str]] = &[
    &[
        "2026-05-12T10:00:01Z WARN retry with § failed",
        "The old one was §, please revoke it.",
        "curl -H 'X-Client: §' https://example.com/v1",
        "{\"value\": \"§\"}",
    ],
    &["I pasted § into the form.", "args: [--verbose, §]", "<entry>§</entry>", "used '§'; got 403"],
    &["- value: § # old", "login(§) -> 401", "Der Wert § ist abgelaufen.", "url?x=§&y=1", "§"],
];
/// The texts around a value that only its key identifies: a vendor's name and the value.
const NAMED: &[&[&str]] = &[
    &[
        "@_API_KEY=§",
        "export @_TOKEN=\"§\"",
        "@.api.token: §",
        "\"@_secret\": \"§\"",
        "const @Token = '§';",
    ],
    &[
        "  @-access-token: '§'",
        "@_key => \"§\"",
        "set @_CLIENT_SECRET §",
        "@ApiKey := `§`",
        "The @ API key is §",
    ],
    &[
        "<add key=\"@Secret\" value=\"§\"/>",
        "@_auth_token: §",
        "--@-api-key=§",
        "@.secret.key = §",
        "os.environ[\"@_APIKEY\"] = \"§\"",
    ],
];

/// Returns a text for each vendor and each context of this group.
fn vendors(group: usize) -> Vec<Marked> {
    let mut runner = TestRunner::deterministic();
    let text = read("vendors.txt");
    let mut out = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let (way, vendor) = (columns.next().unwrap(), columns.next().unwrap());
        let pattern = columns.next().unwrap_or_else(|| panic!("{line}"));
        let contexts = if way == "+" { FREE[group] } else { NAMED[group] };
        for context in contexts {
            let upper = context.contains("@_API")
                || context.contains("@_TOK")
                || context.contains("@_CL")
                || context.contains("@_APIKEY");
            let name = if upper { vendor.to_uppercase() } else { vendor.to_owned() };
            let name = if context.starts_with("The ") { vendor.to_owned() } else { name };
            let secret = generate(pattern, &mut runner);
            let text = context.replace('@', &name).replace('§', &secret);
            out.push(Marked { text, spans: vec![('s', secret)] });
        }
    }
    out
}

#[test]
fn secrets_of_vendors_are_replaced() {
    for group in 0..FREE.len() {
        let figures = measure(&vendors(group), None);
        print(&format!("vendors {group}"), &figures);
        assert!(figures.kinds[&'s'].recall() >= 0.99);
    }
}

/// Returns the paragraphs of technical texts: of the documentation, the sample and invented logs.
fn technical() -> Vec<Marked> {
    let mut texts = vec![read("technical.txt")];
    for folder in ["docs", "samples/ferrywire/wiki"] {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "md"));
        paths.sort();
        texts.extend(paths.iter().map(|path| fs::read_to_string(path).unwrap()));
    }
    let paragraphs = texts.iter().flat_map(|text| text.split("\n\n"));
    paragraphs.map(|text| Marked { text: text.to_owned(), spans: Vec::new() }).collect()
}

#[test]
fn technical_text_stays() {
    let figures = measure(&technical(), model().as_mut());
    print("technical", &figures);
    assert!(figures.words >= 10_000);
    assert!(figures.false_words * 1000 <= figures.words, "{} replaced", figures.false_words);
}

/// Returns the processor's seconds of this thread, which other processes do not change.
fn processor_seconds() -> f64 {
    let times = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    times.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// Prints the best of several times of the model, and of the patterns.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let Some(mut model) = model() else { return };
    let marked = ["first.txt", "second.txt", "third.txt"].map(read_marked).concat();
    let lines: Vec<&str> = marked.iter().map(|marked| marked.text.as_str()).collect();
    let mails: Vec<String> = lines.chunks(20).map(|lines| lines.join("\n")).collect();
    let logs = [read("technical.txt"), read("technical.txt").repeat(4)];
    for (name, texts) in
        [("mails", &mails[..]), ("logs", &logs[..1]), ("repeated logs", &logs[1..])]
    {
        let bytes: usize = texts.iter().map(String::len).sum();
        let mut best = [f64::INFINITY; 2];
        for _ in 0..5 {
            let begin = processor_seconds();
            let mut names = KnownNames::default();
            for text in texts {
                names.read(text, &mut Reading(&mut model)).unwrap();
            }
            let read = processor_seconds();
            for text in texts {
                redact_texts(&mut [&mut text.clone()], &names);
            }
            let times = [read - begin, processor_seconds() - read];
            best = [0, 1].map(|at| best[at].min(times[at] * 1e6 / bytes as f64));
        }
        println!("{name}, {bytes} bytes: model {:.1}, patterns {:.1} ms a kB", best[0], best[1]);
    }
}
