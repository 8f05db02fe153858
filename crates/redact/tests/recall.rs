//! Recall and false replacements on invented texts with marked private spans: `⟨p Ada Lovelace⟩`.
//!
//! The letter is the kind. A span that starts with `~` is a pattern from which a value is generated,
//! so that the repository contains no secret. `tests/marked/README.md` describes the files.

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
struct MarkedText {
    text: String,
    /// Kind and content.
    spans: Vec<(char, String)>,
}

/// The counts of spans of a kind.
#[derive(Default)]
struct Counts {
    found: usize,
    total: usize,
}

impl Counts {
    fn recall(&self) -> f64 {
        self.found as f64 / self.total.max(1) as f64
    }
}

/// The result of a redaction of a set.
#[derive(Default)]
struct Figures {
    kinds: BTreeMap<char, Counts>,
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

fn parse(line: &str, runner: &mut TestRunner) -> MarkedText {
    let line = line.replace("\\n", "\n").replace("\\t", "\t");
    let mut marked = MarkedText { text: String::new(), spans: Vec::new() };
    let mut rest = line.as_str();
    while let Some((prefix, after)) = rest.split_once('⟨') {
        let (span, after) = after.split_once('⟩').unwrap();
        let (kind, content) = span.split_once(' ').unwrap();
        let content = match content.strip_prefix('~') {
            Some(pattern) => generate(pattern, runner),
            None => content.to_owned(),
        };
        marked.text.push_str(prefix);
        marked.text.push_str(&content);
        marked.spans.push((kind.chars().next().unwrap(), content));
        rest = after;
    }
    marked.text.push_str(rest);
    marked
}

fn read_marked(file: &str) -> Vec<MarkedText> {
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
        names.recognize(text, &mut ModelReader(model)).unwrap();
    }
    let mut out = text.to_owned();
    redact_texts(&mut [&mut out], &names);
    out
}

/// A reader without a casebook, for which no word is common.
struct ModelReader<'a>(&'a mut NameModel);

impl NameReader for ModelReader<'_> {
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

/// Returns the pseudonyms that a redaction added, except those of hosts and addresses.
fn pseudonyms<'a>(text: &str, out: &'a str) -> Vec<&'a str> {
    let excluded_kinds = ["host", "address", "email", "link"];
    let is_new = |part: &&str| {
        part.rsplit_once('-').is_some_and(|(kind, number)| {
            !excluded_kinds.contains(&kind) && !kind.contains(' ') && number.parse::<u32>().is_ok()
        }) && !text.contains(&format!("[{part}]"))
    };
    out.split('[')
        .filter_map(|part| part.split_once(']').map(|(part, _)| part))
        .filter(is_new)
        .collect()
}

/// Redacts a set, counts the replaced spans, and prints each mistake.
fn measure(set: &[MarkedText], mut model: Option<&mut NameModel>) -> Figures {
    let mut figures = Figures::default();

    for marked in set {
        let start = Instant::now();
        let out = redact(&marked.text, model.as_deref_mut());
        figures.seconds += start.elapsed().as_secs_f64();
        figures.bytes += marked.text.len();
        let remaining = words(&out);
        let mut private: Vec<&str> = Vec::new();
        for (kind, span) in &marked.spans {
            let parts: Vec<&str> =
                words(span).into_iter().filter(|w| w.chars().count() > 1).collect();
            let is_caseless = span.chars().all(|c| !c.is_ascii());
            let rest = marked.text.replace(span.as_str(), " ");
            let outside = words(&rest);
            let is_leaked = |w: &&&str| {
                !outside.contains(w) && (remaining.contains(w) || is_caseless && out.contains(**w))
            };
            let leak =
                parts.iter().filter(|w| w.chars().count() > 2 || span.len() < 5).find(is_leaked);
            let counts = figures.kinds.entry(*kind).or_default();
            counts.total += 1;
            match leak {
                None => counts.found += 1,
                Some(leak) => {
                    println!("MISSED {kind} {span} ({leak}): {:?} -> {out:?}", marked.text)
                }
            }
            private.extend(parts);
        }
        let all_words = words(&marked.text);
        figures.words += all_words.len();
        let replaced: Vec<&str> = all_words
            .into_iter()
            .filter(|w| w.chars().count() > 2 && !private.contains(w) && !remaining.contains(w))
            .filter(|w| w.is_ascii() || !out.contains(w))
            .filter(|w| !private.iter().any(|p| p.contains(w) || w.contains(p)))
            .collect();
        // Hosts and addresses count as private in documentation as well.
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
        "{name}: {} words, {:.2} false per 1,000, {:.1} ms per kB",
        figures.words,
        figures.false_words as f64 * 1000.0 / figures.words as f64,
        figures.seconds * 1e6 / figures.bytes as f64,
    );
    for (kind, counts) in &figures.kinds {
        println!("  {kind} {}/{} {:.3}", counts.found, counts.total, counts.recall());
    }
}

#[test]
fn private_spans_are_replaced() {
    let Some(mut model) = model() else { return };
    let mut all = BTreeMap::<char, Counts>::new();
    for file in ["first.txt", "second.txt", "third.txt"] {
        let figures = measure(&read_marked(file), Some(&mut model));
        print(file, &figures);
        for (kind, counts) in figures.kinds {
            let sum = all.entry(kind).or_default();
            sum.found += counts.found;
            sum.total += counts.total;
        }
    }
    for (kind, counts) in all {
        let min_recall = if kind == 's' { 0.98 } else { 0.95 };
        assert!(counts.recall() >= min_recall, "{kind}: {}/{}", counts.found, counts.total);
    }
}

/// The contexts of a token that its form identifies.
const UNNAMED: &[&[&str]] = &[
    &[
        "2026-05-12T10:00:01Z WARN retry with § failed",
        "The old one was §, please revoke it.",
        "curl -H 'X-Client: §' https://example.com/v1",
        "{\"value\": \"§\"}",
    ],
    &["I pasted § into the form.", "args: [--verbose, §]", "<entry>§</entry>", "used '§'; got 403"],
    &["- value: § # old", "login(§) -> 401", "Der Wert § ist abgelaufen.", "url?x=§&y=1", "§"],
];
/// The contexts of a value that only its key identifies: `@` is a vendor's name, `§` the value.
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

/// Returns a text for each vendor and each context of a group.
fn vendor_secrets(group: usize) -> Vec<MarkedText> {
    let mut runner = TestRunner::deterministic();
    let text = read("vendors.txt");
    let mut out = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let (mode, vendor) = (columns.next().unwrap(), columns.next().unwrap());
        let pattern = columns.next().unwrap_or_else(|| panic!("{line}"));
        let contexts = if mode == "+" { UNNAMED[group] } else { NAMED[group] };
        for context in contexts {
            let is_upper = context.contains("@_API")
                || context.contains("@_TOK")
                || context.contains("@_CL")
                || context.contains("@_APIKEY");
            let name = if is_upper { vendor.to_uppercase() } else { vendor.to_owned() };
            let name = if context.starts_with("The ") { vendor.to_owned() } else { name };
            let secret = generate(pattern, &mut runner);
            let text = context.replace('@', &name).replace('§', &secret);
            out.push(MarkedText { text, spans: vec![('s', secret)] });
        }
    }
    out
}

#[test]
fn secrets_of_vendors_are_replaced() {
    for group in 0..UNNAMED.len() {
        let figures = measure(&vendor_secrets(group), None);
        print(&format!("vendors {group}"), &figures);
        assert!(figures.kinds[&'s'].recall() >= 0.99);
    }
}

/// Returns the paragraphs of the documentation, the sample wiki and invented logs.
fn technical_paragraphs() -> Vec<MarkedText> {
    let mut texts = vec![read("technical.txt")];
    for folder in ["docs", "samples/ferrywire/wiki"] {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "md"));
        paths.sort();
        texts.extend(paths.iter().map(|path| fs::read_to_string(path).unwrap()));
    }
    let paragraphs = texts.iter().flat_map(|text| text.split("\n\n"));
    paragraphs.map(|text| MarkedText { text: text.to_owned(), spans: Vec::new() }).collect()
}

#[test]
fn technical_text_stays() {
    let figures = measure(&technical_paragraphs(), model().as_mut());
    print("technical", &figures);
    assert!(figures.words >= 10_000);
    assert!(figures.false_words * 1000 <= figures.words, "{} replaced", figures.false_words);
}

/// Returns the CPU time of this thread in seconds.
fn cpu_seconds() -> f64 {
    let times = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    times.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// Prints the best of several times of the model and of the patterns.
#[test]
#[ignore = "benchmark"]
fn redaction_speed() {
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
            let start = cpu_seconds();
            let mut names = KnownNames::default();
            for text in texts {
                names.recognize(text, &mut ModelReader(&mut model)).unwrap();
            }
            let recognized = cpu_seconds();
            for text in texts {
                redact_texts(&mut [&mut text.clone()], &names);
            }
            let times = [recognized - start, cpu_seconds() - recognized];
            best = [0, 1].map(|i| best[i].min(times[i] * 1e6 / bytes as f64));
        }
        println!("{name}, {bytes} bytes: model {:.1}, patterns {:.1} ms per kB", best[0], best[1]);
    }
}
