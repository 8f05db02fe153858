//! The diagnosis for a bug report: versions, settings, sizes, counts, findings, and the last sync
//! result of each source, without names of people, places and projects.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use jiff::Timestamp;
use precedent_core::{
    Hint,
    model::{Coverage, Finding, Gap, Health, MirrorView, ModelStatus, SourceView, Status},
};
use precedent_redact::{KnownNames, redact_texts};
use serde::Serialize;

/// A setting with its origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SettingValue {
    /// The name: `duplicates.threshold`.
    pub key: String,
    /// The value in effect; `[set]` for settings that name a place or a project.
    pub value: Option<String>,
    /// The origin: `environment`, `file` or `default`.
    pub origin: String,
}

/// The details that the calling program knows.
#[derive(Clone, Debug, Default)]
pub struct CallerDetails {
    /// The system: `linux`, `macos`, `windows`.
    pub system: String,
    /// The processor: `x86_64`, `aarch64`.
    pub processor: String,
    /// The settings in effect.
    pub settings: Vec<SettingValue>,
    /// Private names, such as the home folder and the user's name, with their placeholders.
    pub names: Vec<(String, String)>,
}

/// The figures of a source, without its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SourceFigures {
    /// The placeholder for its name: `[source-1]`.
    pub name: String,
    /// The tracker type: `github`.
    pub kind: String,
    /// The number of stored issues.
    pub issues: u64,
    /// The number of stored pull requests.
    pub pull_requests: u64,
    /// The number of stored comments.
    pub comments: u64,
    /// The number of stored wiki pages.
    pub pages: u64,
    /// The time when the last sync ended, successful or not.
    pub synced_at: Option<Timestamp>,
    /// The known gaps of the mirror, including the last sync error.
    pub gaps: Vec<Gap>,
}

/// A file or folder in the casebook folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FolderEntry {
    /// The name in the folder.
    pub name: String,
    /// The size on disk in bytes, including the contents of a folder.
    pub bytes: u64,
}

/// The complete diagnosis.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Diagnosis {
    /// The program's version.
    pub version: String,
    /// The time of creation.
    pub made_at: Timestamp,
    /// The system: `linux`, `macos`, `windows`.
    pub system: String,
    /// The processor: `x86_64`, `aarch64`.
    pub processor: String,
    /// The number of cores that the program may use.
    pub cores: usize,
    /// The settings in effect.
    pub settings: Vec<SettingValue>,
    /// The entries of the casebook's folder.
    pub files: Vec<FolderEntry>,
    /// The findings of the health check.
    pub findings: Vec<Finding>,
    /// The parts that the health check covered.
    pub checked: Vec<String>,
    /// The sources.
    pub sources: Vec<SourceFigures>,
    /// The index coverage; `None` if the casebook cannot be opened.
    pub coverage: Option<Coverage>,
    /// The model; `None` if the casebook cannot be opened.
    pub model: Option<ModelStatus>,
    /// The reasons why parts of the diagnosis are missing.
    pub problems: Vec<String>,
}

/// The state of a casebook that can be opened.
#[derive(Debug, Default)]
pub(crate) struct CasebookState {
    pub(crate) status: Option<Status>,
    pub(crate) mirrors: Vec<MirrorView>,
    pub(crate) problems: Vec<String>,
}

/// Assembles a diagnosis, and removes names of people, places and projects.
pub(crate) fn diagnose(
    folder: &Path,
    health: Health,
    state: CasebookState,
    caller: CallerDetails,
    now: Timestamp,
) -> Diagnosis {
    let (sources, coverage, model) = match state.status {
        Some(status) => (status.sources, Some(status.coverage), Some(status.model)),
        None => (Vec::new(), None, None),
    };
    let mut names = caller.names;
    names.push((folder.display().to_string(), "[casebook]".to_owned()));
    let mut hosts = BTreeSet::new();
    for (n, source) in sources.iter().enumerate() {
        names.push((source.key.clone(), pseudonym(n)));
        if let Some(mirror) = state.mirrors.iter().find(|m| m.source == source.key) {
            names.push((mirror.project.clone(), pseudonym(n)));
            hosts.insert(mirror.host.clone());
        }
    }
    names.extend(
        hosts.into_iter().enumerate().map(|(n, host)| (host, format!("[tracker-{}]", n + 1))),
    );
    let mut report = Diagnosis {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        made_at: now,
        system: caller.system,
        processor: caller.processor,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        settings: caller.settings.into_iter().map(hide_value).collect(),
        files: folder_entries(folder),
        findings: health.findings,
        checked: health.checked,
        sources: source_figures(&sources, &state.mirrors),
        coverage,
        model,
        problems: state.problems,
    };
    let mut texts = free_texts(&mut report);
    for text in &mut texts {
        hide_quotes(text);
        replace_names(text, &names);
    }
    redact_texts(&mut texts, &KnownNames::default());
    report
}

fn pseudonym(n: usize) -> String {
    format!("[source-{}]", n + 1)
}

/// Replaces the value of a setting that names a place or a project.
fn hide_value(mut setting: SettingValue) -> SettingValue {
    let is_private = matches!(setting.key.as_str(), "casebook" | "source");
    if is_private && setting.value.is_some() && setting.origin != "default" {
        setting.value = Some("[set]".to_owned());
    }
    setting
}

fn source_figures(sources: &[SourceView], mirrors: &[MirrorView]) -> Vec<SourceFigures> {
    let mirror = |key: &str| mirrors.iter().find(|m| m.source == key);
    sources
        .iter()
        .enumerate()
        .map(|(n, s)| SourceFigures {
            name: pseudonym(n),
            kind: s.kind.clone(),
            issues: s.issues,
            pull_requests: s.pull_requests,
            comments: s.comments,
            pages: s.pages,
            synced_at: mirror(&s.key).and_then(|m| m.synced_at),
            gaps: mirror(&s.key).map(|m| m.gaps.clone()).unwrap_or_default(),
        })
        .collect()
}

/// Returns the texts that may contain names.
fn free_texts(report: &mut Diagnosis) -> Vec<&mut String> {
    let mut texts: Vec<&mut String> = report.files.iter_mut().map(|e| &mut e.name).collect();
    let gaps = report.sources.iter_mut().flat_map(|s| s.gaps.iter_mut().map(|g| &mut g.hint));
    let problems = report.model.iter_mut().flat_map(|m| m.problem.iter_mut());
    texts.extend(gaps.chain(problems).flat_map(Hint::texts_mut));
    for finding in &mut report.findings {
        texts.extend([&mut finding.what, &mut finding.why]);
        texts.extend(finding.hint.texts_mut());
    }
    texts.extend(report.problems.iter_mut());
    texts
}

/// Replaces quoted text, because trackers may name organizations and people in it.
fn hide_quotes(text: &mut String) {
    if let (Some(first), Some(last)) = (text.find('"'), text.rfind('"'))
        && first < last
    {
        text.replace_range(first + 1..last, "[quoted]");
    }
}

/// Replaces names with placeholders, longest first, because one may be part of another.
fn replace_names(text: &mut String, names: &[(String, String)]) {
    let by_length: BTreeMap<(std::cmp::Reverse<usize>, &str), &str> = names
        .iter()
        // A shorter name would match inside words.
        .filter(|(name, _)| name.chars().count() >= 3)
        .map(|(name, placeholder)| {
            ((std::cmp::Reverse(name.len()), name.as_str()), placeholder.as_str())
        })
        .collect();
    for ((_, name), placeholder) in by_length {
        *text = text.replace(name, placeholder);
    }
}

/// Returns the entries of a folder, sorted by name.
fn folder_entries(folder: &Path) -> Vec<FolderEntry> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let entry = |e: fs::DirEntry| FolderEntry {
        name: e.file_name().to_string_lossy().into_owned(),
        bytes: size(&e.path(), 8),
    };
    let mut list: Vec<FolderEntry> = entries.map(entry).collect();
    list.sort_by(|a, b| a.name.cmp(&b.name));
    list
}

/// Returns the size of a file, or of a folder up to this depth, in bytes, without following links.
fn size(path: &Path, depth: usize) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() && depth > 0 => {
            let inner = fs::read_dir(path).into_iter().flatten().flatten();
            inner.map(|e| size(&e.path(), depth - 1)).sum()
        }
        Ok(data) if data.is_file() => data.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use precedent_core::model::{GapKind, Severity};

    use super::*;

    #[test]
    fn diagnosis_contains_no_names_or_tokens() {
        let item = Finding {
            id: "permissions".to_owned(),
            severity: Severity::Warning,
            what: "/home/anna/cases/precedent.db is open to others".to_owned(),
            why: "anna wrote it".to_owned(),
            hint: Hint::from("Ask anna.")
                .with_command(None, "chmod 600 /home/anna/cases/precedent.db"),
            repairable: true,
            repaired: false,
        };
        let health = Health { findings: vec![item], ..Health::default() };
        let gap = Gap {
            kind: GapKind::Ended,
            hint: "git.acme.example answered acme/vault with 401 for token ghp_0123456789abcdefghijABCDEFGHIJ012345; \
                   ask ops@acme.example at 10.1.2.3 (\"The 'ZebraCorp' organization forbids \"this\" to Jane Doe\")"
                .into(),
        };
        let source = SourceView {
            key: "acme/vault".to_owned(),
            kind: "github".to_owned(),
            added_at: Timestamp::UNIX_EPOCH,
            changed_at: None,
            issues: 3,
            pull_requests: 0,
            comments: 4,
            pages: 0,
            missing_comments: 0,
            orphan_comments: 0,
            known_duplicates: 0,
            calibrated_on: None,
        };
        let mirror = MirrorView {
            source: "acme/vault".to_owned(),
            host: "git.acme.example".to_owned(),
            project: "acme/vault".to_owned(),
            running: false,
            progress: None,
            synced_at: None,
            swept_at: None,
            streams: Vec::new(),
            gaps: vec![gap],
        };
        let status = Status {
            casebook: "/home/anna/cases".to_owned(),
            sources: vec![source],
            coverage: Coverage::default(),
            model: ModelStatus { name: None, problem: None, next: None },
            database_bytes: 0,
            full_text_bytes: 0,
            vector_bytes: 0,
            read_only: None,
        };
        let setting = |key: &str, value: &str| SettingValue {
            key: key.to_owned(),
            value: Some(value.to_owned()),
            origin: "file".to_owned(),
        };
        let caller = CallerDetails {
            system: "linux".to_owned(),
            processor: "x86_64".to_owned(),
            settings: vec![setting("source", "acme/vault"), setting("search.limit", "20")],
            names: vec![
                ("/home/anna".to_owned(), "[home]".to_owned()),
                ("anna".to_owned(), "[user]".to_owned()),
            ],
        };
        let state =
            CasebookState { status: Some(status), mirrors: vec![mirror], problems: Vec::new() };
        let report =
            diagnose(Path::new("/home/anna/cases"), health, state, caller, Timestamp::UNIX_EPOCH);
        let text = serde_json::to_string(&report).unwrap();
        for name in
            ["anna", "acme", "vault", "ghp_", "10.1.2.3", "/home", "Zebra", "Jane", "forbids"]
        {
            assert!(!text.contains(name), "{name} in {text}");
        }
        assert!(text.contains("[casebook]/precedent.db is open to others"), "{text}");
        assert!(text.contains("[tracker-1] answered [source-1] with 401"), "{text}");
        assert!(text.contains(r#""value":"20""#), "{text}");
        assert_eq!((report.sources[0].issues, report.sources[0].comments), (3, 4));
    }
}
