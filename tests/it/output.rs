//! Tests of every command's output as text, as JSON (validated against its schema), and on errors.

use std::{collections::BTreeSet, path::Path};

use serde_json::{Value, json};

use crate::support::{Run, TestEnv, close, comment, issue};

const FAILURE: &str = "Upload of a large bundle stops with error FW-1043";

/// Creates a small casebook with every kind of content.
fn sample_casebook() -> TestEnv {
    let env = TestEnv::new();
    let solved =
        issue(1, FAILURE, "On 2.3.1 it stops.\n\n```\nerror FW-1043: chunk out of order\n```");
    let mut solved = close(solved, "completed");
    solved["comments"] = json!(2);
    let mut duplicate = issue(5, FAILURE, "It stops behind the proxy too, with ops@acme.example.");
    duplicate["created_at"] = json!("2026-02-02T00:00:00Z");
    let colored_title = issue(2, "Console title is \u{1b}[31mred\u{1b}[0m", "Nothing to see.");
    let lines: String = [
        solved,
        colored_title,
        duplicate,
        comment(10, 1, "The chunks arrive in another order behind a proxy."),
        comment(11, 1, "Fixed by keeping the chunks in order; it is in 2.3.2."),
    ]
    .iter()
    .map(|r| format!("{r}\n"))
    .collect();
    let path = env.file("in.jsonl", lines);
    let page = env.page("wiki/Uploads.md", "# Uploads\n\nA bundle is uploaded in chunks.\n");
    env.file(
        "server.log",
        "2026-01-09T10:00:00Z INFO fine\n2026-01-09T10:00:01Z ERROR upload stops with FW-1043 at offset 12\n\
         2026-01-09T10:00:02Z WARN the perch is narrow\n",
    );
    env.file(
        "table.csv",
        "number,title,body,state,created\n7,Valve leaks,It drips.,open,2026-01-05\n",
    );
    env.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app"]);
    env.ok(&["import", "wiki", &page, "--source", "acme/app"]);
    env
}

/// The name of a snapshot, the arguments with `@` for the temporary folder, and the schema of JSON.
type Case = (&'static str, &'static [&'static str], Option<&'static str>);

const CASES: &[Case] = &[
    ("index", &["index"], None),
    ("index_json", &["index", "--json"], Some("index")),
    ("index_error", &["index", "--rebild"], None),
    ("import", &["import", "@/table.csv", "--source", "acme/table"], None),
    ("import_json", &["import", "@/table.csv", "--source", "acme/table", "--json"], Some("import")),
    ("import_error", &["import", "@/none.csv"], None),
    ("import_dry_run", &["import", "@/table.csv", "--dry-run"], None),
    (
        "import_dry_run_json",
        &["import", "@/table.csv", "--dry-run", "--json"],
        Some("import-dry-run"),
    ),
    ("import_csv", &["import", "csv", "@/table.csv", "--source", "acme/table"], None),
    (
        "import_csv_json",
        &["import", "csv", "@/table.csv", "--source", "acme/table", "--json"],
        Some("import"),
    ),
    ("import_csv_error", &["import", "csv", "@/none.csv", "--source", "acme/table"], None),
    ("import_github", &["import", "github", "@/in.jsonl", "--source", "acme/app"], None),
    (
        "import_github_json",
        &["import", "github", "@/in.jsonl", "--source", "acme/app", "--json"],
        Some("import"),
    ),
    ("import_github_error", &["import", "github", "@/in.jsonl", "--source", "acme"], None),
    ("import_wiki", &["import", "wiki", "@/wiki", "--source", "acme/app"], None),
    (
        "import_wiki_json",
        &["import", "wiki", "@/wiki", "--source", "acme/app", "--json"],
        Some("import"),
    ),
    ("import_wiki_error", &["import", "wiki", "@/nothing", "--source", "acme/app"], None),
    ("search_json", &["search", "upload", "-L", "1", "--explain", "--json"], Some("search")),
    ("search_error", &["search", "upload", "-L", "5000"], None),
    ("show_json", &["show", "acme/app#1", "--json"], Some("show")),
    ("show_meant", &["show", "acme/ap#1"], None),
    ("source_meant", &["search", "-R", "acme/aps", "x"], None),
    ("duplicates", &["duplicates", "acme/app#5", "--include-closed"], None),
    (
        "duplicates_json",
        &["duplicates", "acme/app#5", "--include-closed", "--explain", "--json"],
        Some("duplicates"),
    ),
    ("duplicates_error", &["duplicates", "acme/app#5", "--threshold", "1.5"], None),
    ("triage", &["triage", "--include-closed", "--band", "none"], None),
    (
        "triage_json",
        &["triage", "--include-closed", "--band", "none", "--rescan", "--json"],
        Some("triage"),
    ),
    ("triage_error", &["triage", "-R", "no/such"], None),
    ("problems", &["problems", "--threshold", "0.1"], None),
    (
        "problems_json",
        &["problems", "--no-check", "--threshold", "0.1", "--json"],
        Some("problems"),
    ),
    ("problems_error", &["problems", "--threshold", "7"], None),
    ("triage_apply_json", &["triage", "--apply", "--json"], Some("triage-apply")),
    ("triage_apply_yes_json", &["triage", "--apply", "--yes", "--json"], Some("triage-apply-yes")),
    ("triage_journal_json", &["triage", "--journal", "--json"], Some("triage-journal")),
    ("model_list", &["model", "list"], None),
    ("model_list_json", &["model", "list", "--json"], Some("model-list")),
    ("model_list_error", &["model", "list", "--catalogue"], None),
    ("model_catalog_json", &["model", "list", "--catalog", "--json"], Some("model-catalog")),
    ("model_use", &["model", "use", "builtin"], None),
    ("model_use_error", &["model", "use", "nobody"], None),
    ("model_remove_error", &["model", "remove", "builtin"], None),
    ("model_import_error", &["model", "import", "@/none"], None),
    ("model_install_error", &["model", "install", "bge-smal-en-v1.5"], None),
    ("calibrate", &["calibrate", "acme/app", "--dry-run"], None),
    ("calibrate_json", &["calibrate", "acme/app", "--dry-run", "--json"], Some("calibrate")),
    ("calibrate_replay", &["calibrate", "acme/app", "--replay"], None),
    (
        "calibrate_replay_json",
        &["calibrate", "acme/app", "--replay=12", "--json"],
        Some("calibrate-replay"),
    ),
    ("calibrate_error", &["calibrate", "no/such"], None),
    (
        "verdict_set",
        &[
            "verdict",
            "set",
            "acme/app#5",
            "acme/app#1",
            "duplicate",
            "--reason",
            "one cause",
            "--by",
            "ann",
        ],
        None,
    ),
    (
        "verdict_set_json",
        &["verdict", "set", "acme/app#5", "acme/app#2", "related", "--by", "ann", "--json"],
        Some("verdict-set"),
    ),
    (
        "verdict_set_error",
        &["verdict", "set", "acme/app#5", "acme/app#5", "duplicate", "--by", "ann"],
        None,
    ),
    ("verdict_list", &["verdict", "list"], None),
    ("verdict_list_json", &["verdict", "list", "--json"], Some("verdict-list")),
    ("verdict_list_error", &["verdict", "list", "no/such#1"], None),
    ("verdict_undo", &["verdict", "undo", "acme/app#5", "acme/app#2", "--by", "ann"], None),
    ("verdict_undo_error", &["verdict", "undo", "acme/app#5", "acme/app#2", "--by", "ann"], None),
    (
        "verdict_undo_json",
        &["verdict", "undo", "acme/app#5", "acme/app#1", "--by", "ann", "--json"],
        Some("verdict-undo"),
    ),
    ("ask", &["ask", "upload stops with FW-1043"], None),
    ("ask_json", &["ask", "upload stops with FW-1043", "--json"], Some("ask")),
    ("ask_error", &["ask", "-R", "no/such", "upload"], None),
    ("troubleshoot", &["troubleshoot", "upload stops with FW-1043"], None),
    (
        "troubleshoot_json",
        &["troubleshoot", "upload stops with FW-1043", "--json"],
        Some("troubleshoot"),
    ),
    ("troubleshoot_logs", &["troubleshoot", "@/server.log"], None),
    (
        "troubleshoot_logs_json",
        &["troubleshoot", "@/server.log", "--json"],
        Some("troubleshoot-logs"),
    ),
    ("troubleshoot_logs_error", &["troubleshoot", "@/none.log"], None),
    ("troubleshoot_error", &["troubleshoot", "upload", "--budget", "5"], None),
    ("brief_json", &["brief", "acme/app#5", "--format", "json"], Some("brief")),
    ("brief_preview", &["brief", "acme/app#5", "--preview"], None),
    ("brief_preview_json", &["brief", "acme/app#5", "--preview", "--json"], Some("brief-preview")),
    ("brief_output", &["brief", "acme/app#5", "-o", "@/brief.md"], None),
    ("brief_replay", &["brief", "--replay", "@/brief.md"], None),
    ("brief_replay_json", &["brief", "--replay", "@/brief.md", "--json"], Some("brief-replay")),
    ("brief_error", &["brief", "acme/app#99"], None),
    (
        "note_add",
        &["note", "add", "-t", "Chunks", "-b", "Keep them in order.", "--attach", "acme/app#1"],
        None,
    ),
    (
        "note_add_json",
        &["note", "add", "-t", "Chunks", "-b", "Keep them in order.", "--json"],
        Some("note-add"),
    ),
    ("note_add_error", &["note", "add", "-t", "", "-b", "x"], None),
    ("note_check", &["note", "check-similar", "-t", "Chunks", "-b", "Keep them in order."], None),
    (
        "note_check_json",
        &["note", "check-similar", "-t", "Chunks", "-b", "Keep them in order.", "--json"],
        Some("note-check-similar"),
    ),
    ("note_check_error", &["note", "check-similar", "-k", "poem", "-t", "a", "-b", "b"], None),
    ("note_edit", &["note", "edit", "1", "--tag", "upload"], None),
    ("note_edit_json", &["note", "edit", "1", "--tag", "chunk", "--json"], Some("note-edit")),
    ("note_edit_error", &["note", "edit", "1"], None),
    ("note_list", &["note", "list"], None),
    ("note_list_json", &["note", "list", "--json"], Some("note-list")),
    ("note_list_error", &["note", "list", "-k", "poem"], None),
    ("note_show", &["note", "show", "1"], None),
    ("note_show_json", &["note", "show", "1", "--json"], Some("note-show")),
    ("note_show_error", &["note", "show", "9"], None),
    ("status", &["status"], None),
    ("status_json", &["status", "--json"], Some("status")),
    ("status_error", &["status", "--json=sorces"], None),
    ("doctor", &["doctor", "--min-free", "0"], None),
    ("doctor_json", &["doctor", "--min-free", "0", "--json"], Some("doctor")),
    ("doctor_bundle", &["doctor", "--bundle", "@/report.json"], None),
    (
        "doctor_bundle_json",
        &["doctor", "--bundle", "@/again.json", "--json"],
        Some("doctor-bundle"),
    ),
    ("doctor_bundle_error", &["doctor", "--bundle", "@/report.json"], None),
    ("doctor_error", &["doctor", "--casebook", "@/nothing"], None),
    ("backup", &["backup", "@/copy.db"], None),
    ("backup_json", &["backup", "@/copy.db", "--force", "--json"], Some("backup")),
    ("backup_error", &["backup", "@/copy.db"], None),
    ("restore_new", &["--casebook", "@/again", "restore", "@/copy.db"], None),
    ("restore_other_error", &["restore", "@/in.jsonl"], None),
    ("export", &["export", "@/out.casebook", "--with-notes"], None),
    ("export_json", &["export", "@/out.casebook", "--force", "--json"], Some("export")),
    ("export_error", &["export", "@/out.casebook"], None),
    ("import_casebook", &["--casebook", "@/second", "import", "casebook", "@/out.casebook"], None),
    (
        "import_casebook_json",
        &["--casebook", "@/third", "import", "casebook", "@/out.casebook", "--json"],
        Some("import-casebook"),
    ),
    ("import_undo", &["--casebook", "@/second", "import", "--undo"], None),
    (
        "import_undo_json",
        &["--casebook", "@/third", "import", "--undo", "--json"],
        Some("import-undo"),
    ),
    ("import_undo_error", &["--casebook", "@/third", "import", "--undo"], None),
    ("import_casebook_error", &["import", "casebook", "@/out.casebook"], None),
    ("config_set", &["config", "set", "search.limit", "5"], None),
    ("config_set_error", &["config", "set", "serch.limit", "5"], None),
    ("config_get", &["config", "get", "search.limit"], None),
    ("config_get_json", &["config", "get", "search.limit", "--json"], Some("config-get")),
    ("config_get_error", &["config", "get", "telemetry"], None),
    ("config_list", &["config", "list"], None),
    ("config_list_json", &["config", "list", "--json"], Some("config-list")),
    ("config_list_error", &["config", "list", "--json=keys"], None),
    ("config_unset", &["config", "unset", "search.limit"], None),
    ("config_unset_error", &["config", "unset", "serch.limit"], None),
    ("config_path", &["config", "path"], None),
    ("config_reset", &["config", "reset"], None),
    ("config_reset_error", &["config", "reset", "all"], None),
    ("schema", &["schema"], None),
    ("schema_error", &["schema", "duplicate"], None),
    ("eval_error", &["eval", "@/nothing"], None),
    ("eval_solved", &["eval", "--solved", "acme/app"], None),
    ("eval_solved_json", &["eval", "--solved", "acme/app", "--json"], Some("eval-solved")),
    ("man_error", &["man", "@/in.jsonl"], None),
    ("completions_error", &["completions", "tcsh"], None),
    ("skill_error", &["skill", "more"], None),
    ("login_error", &["login"], None),
    ("mcp_error", &["mcp", "-R", "no/such"], None),
    ("sync", &["sync"], None),
    ("sync_json", &["sync", "--json"], Some("sync")),
    ("sync_error", &["sync", "no/such"], None),
    ("source_add", &["source", "add", "more/things"], None),
    ("source_add_json", &["source", "add", "github:acme/live", "--json"], Some("source-add")),
    ("source_add_error", &["source", "add", "things"], None),
    ("source_test_error", &["source", "test", "more/things"], None),
    ("source_list", &["source", "list"], None),
    ("source_list_json", &["source", "list", "--json"], Some("source-list")),
    ("source_list_error", &["source", "list", "--json=name"], None),
    ("source_remove", &["source", "remove", "more/things", "--yes"], None),
    ("source_trust_json", &["source", "trust", "acme/live", "--json"], Some("source-trust")),
    ("source_trust_error", &["source", "trust", "nobody/nothing"], None),
    (
        "source_remove_json",
        &["source", "remove", "acme/live", "--yes", "--json"],
        Some("source-remove"),
    ),
    ("source_remove_error", &["source", "remove", "acme/live", "--yes"], None),
    ("note_remove_error", &["note", "remove", "1"], None),
    ("note_remove", &["note", "remove", "1", "--yes"], None),
    ("article", &["article", "acme/app#1"], None),
    ("article_json", &["article", "acme/app#1", "--json"], Some("article")),
    ("article_error", &["article", "acme/app#99"], None),
    ("article_gaps", &["article", "--gaps"], None),
    ("article_gaps_json", &["article", "--gaps", "--json"], Some("article-gaps")),
    ("article_store", &["article", "acme/app#1", "--store"], None),
    ("article_store_json", &["article", "acme/app#1", "--store", "--json"], Some("article-store")),
    ("import_sample_error", &["import", "sample", "--source", "acme/app"], None),
    ("logout_error", &["logout", "a", "b"], None),
    // These cases run last, because they restore an earlier state.
    ("restore_error", &["restore", "@/no-such.db"], None),
    ("restore", &["restore", "@/copy.db"], None),
    ("restore_json", &["restore", "@/copy.db", "--json"], Some("restore")),
];

/// Commands whose successful output is tested elsewhere.
const TESTED_ELSEWHERE: &[&str] = &[
    "source test",
    "login",
    "logout",
    "mcp",
    "eval",
    "import sample",
    "model install",
    "model import",
    "model remove",
    "skill",
    "man",
    "completions",
];

fn mask(run: &Run, env: &TestEnv) -> String {
    let text = run.snapshot_text(env);
    let replace = |text: &str, pattern: &str, replacement: &str| {
        regex::Regex::new(pattern).unwrap().replace_all(text, replacement).into_owned()
    };
    let text = replace(&text, r"\d{4}-\d\d-\d\dT[\d:.]+Z", "[TIME]");
    let text = replace(&text, r"\d{4}-\d\d-\d\d", "[DAY]");
    let text = replace(
        &text,
        r#""(bytes|database_bytes|full_text_bytes|vector_bytes)": \d+"#,
        "\"$1\": 0",
    );
    let text = replace(
        &text,
        r#""(fingerprint|digest|casebook_digest)": "[0-9a-f]+""#,
        "\"$1\": \"[HASH]\"",
    );
    let text =
        replace(&text, r#""(version|system|processor)": "[a-z0-9_.]+""#, "\"$1\": \"[HERE]\"");
    let text = replace(&text, r#""cores": \d+"#, "\"cores\": 0");
    text.replace('\u{1b}', "ESC")
}

fn schema(env: &TestEnv, name: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(&env.ok(&["schema", name]).out).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn command_output_matches_the_snapshots() {
    let env = sample_casebook();
    let folder = env.path("").to_string_lossy().trim_end_matches('/').to_owned();
    let mut seen_schemas: BTreeSet<String> = BTreeSet::new();
    let mut problems: Vec<String> = Vec::new();
    for (name, args, schema_name) in CASES {
        let args: Vec<String> = args
            .iter()
            .map(|a| a.replace('@', if a.starts_with('@') { &folder } else { "@" }))
            .collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = env.run(&args);
        let must_fail = name.ends_with("_error") || name.ends_with("_meant");
        let mut report =
            |problem: String| problems.push(format!("{name}: {problem}\n{}\n{}", run.out, run.err));
        if (run.code != Some(0)) != must_fail || run.err.contains("panicked") {
            report(format!("ended with {:?}", run.code));
        }
        let remedies = ["hint:", "For more information", "Usage:"];
        if must_fail
            && !(matches!(run.code, Some(1 | 2)) && remedies.iter().any(|r| run.err.contains(r)))
        {
            report("no remedy".to_owned());
        }
        if let Some(schema_name) = schema_name {
            seen_schemas.insert((*schema_name).to_owned());
            match serde_json::from_str::<Value>(&run.out) {
                Err(error) => report(error.to_string()),
                Ok(output) => {
                    if let Err(error) = schema(&env, schema_name).validate(&output) {
                        report(format!("{error} at {}", error.instance_path()));
                    }
                }
            }
        }
        insta::assert_snapshot!(format!("output_{name}"), mask(&run, &env));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n---\n"));
    let sample = env.json(&[
        "--casebook",
        &env.path("sample").to_string_lossy(),
        "import",
        "sample",
        "--json",
    ]);
    schema(&env, "import").validate(&sample).unwrap();
    // Real output was validated against every schema except these three.
    let schema_names: BTreeSet<String> =
        env.ok(&["schema"]).out.lines().map(str::to_owned).collect();
    let missing_schemas: Vec<&String> = schema_names.difference(&seen_schemas).collect();
    assert_eq!(
        missing_schemas,
        ["eval", "eval-cases", "source-test"],
        "schemas without real output"
    );
}

#[test]
fn every_command_has_a_snapshot() {
    let env = TestEnv::new();
    let folder = env.path("man");
    env.ok(&["man", &folder.to_string_lossy()]);
    let mut pages: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().trim_end_matches(".1").to_owned())
        .collect();
    pages.sort();
    assert!(pages.len() > 40 && pages.contains(&"precedent".to_owned()), "{pages:?}");
    let commands: Vec<&String> =
        pages.iter().filter(|p| !pages.iter().any(|o| o.starts_with(&format!("{p}-")))).collect();
    for page in commands {
        let words = page.trim_start_matches("precedent-");
        let has_case = |matches_name: fn(&str) -> bool| {
            CASES.iter().any(|(name, args, _)| {
                let args: Vec<&str> = args
                    .iter()
                    .copied()
                    .skip_while(|a| a.starts_with("--") || a.starts_with('@'))
                    .collect();
                let forms = [
                    args.join("-"),
                    args.iter().take(2).copied().collect::<Vec<_>>().join("-"),
                    args[0].to_owned(),
                ];
                forms.iter().any(|s| s == words) && matches_name(name)
            })
        };
        let is_tested_elsewhere = TESTED_ELSEWHERE.iter().any(|e| e.replace(' ', "-") == words);
        let is_covered = has_case(|n| !n.ends_with("_error"))
            || is_tested_elsewhere
            || matches!(words, "search" | "show" | "brief");
        let fails = has_case(|n| n.ends_with("_error") || n.ends_with("_meant"));
        // A command that cannot fail by itself needs no failure case.
        assert!(
            is_covered && (fails || words == "config-path"),
            "{words}: success {is_covered}, failure {fails}"
        );
    }
}

#[test]
fn documented_schemas_are_current() {
    let env = TestEnv::new();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema");
    let names: BTreeSet<String> = env.ok(&["schema"]).out.lines().map(str::to_owned).collect();
    for name in &names {
        let current_schema = env.ok(&["schema", name]).out;
        let schema_file =
            std::fs::read_to_string(docs.join(format!("{name}.json"))).unwrap_or_default();
        assert!(
            schema_file == current_schema,
            "docs/schema/{name}.json is outdated; run precedent schema --into docs/schema"
        );
        let value: Value = serde_json::from_str(&current_schema).unwrap();
        jsonschema::meta::validate(&value).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    let schema_files: BTreeSet<String> = std::fs::read_dir(&docs)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().trim_end_matches(".json").to_owned())
        .collect();
    assert_eq!(schema_files, names);
}

#[test]
fn manual_completions_and_skill_are_complete() {
    let env = TestEnv::new();
    let page = env.ok(&["man"]).out;
    assert!(page.contains(".TH precedent 1") && page.contains("Exit codes"), "{page}");
    // A page is replaced atomically: readers of the old one can finish.
    let (folder, old_page) = (env.path("man"), env.path("old"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&old_page, "old").unwrap();
    std::fs::hard_link(&old_page, folder.join("precedent.1")).unwrap();
    env.ok(&["man", &folder.to_string_lossy()]);
    assert!(
        std::fs::read_to_string(folder.join("precedent.1")).unwrap().contains(".TH precedent 1")
    );
    assert_eq!(std::fs::read_to_string(&old_page).unwrap(), "old");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(env.ok(&["completions", shell]).out.contains("troubleshoot"), "{shell}");
    }
    let skill = env.ok(&["skill"]).out;
    assert!(skill.starts_with("---\nname: precedent\ndescription: "), "{skill}");
    // Every command line in the skill parses.
    let commands: BTreeSet<&str> = skill
        .split("precedent ")
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_lowercase()).next())
        .filter(|word| !word.is_empty())
        .collect();
    assert!(commands.len() >= 9, "{commands:?}");
    for command in commands {
        let run = env.run(&[command, "--help"]);
        assert_eq!(run.code, Some(0), "the skill names `precedent {command}`");
    }
    assert!(!env.casebook().exists(), "a casebook was created");
}

#[cfg(unix)]
#[test]
fn closed_pipe_after_one_line_is_no_error() {
    let env = TestEnv::new();
    env.ok(&["import", "sample", "--no-vectors"]);
    for command in [
        "search agent -L 100",
        "show ferrywire/ferrywire#2 --json",
        "schema status",
        "man",
        "completions bash",
    ] {
        let status = env.path("status");
        let script =
            format!("{{ \"$0\" {command}; echo $? > '{}'; }} | head -n 1", status.display());
        let output = env
            .command(&[])
            .env_remove("PRECEDENT_UNUSED")
            .get_envs()
            .fold(std::process::Command::new("/bin/sh"), |mut sh, (name, value)| {
                if let Some(value) = value {
                    sh.env(name, value);
                }
                sh
            })
            .args(["-c", &script, env!("CARGO_BIN_EXE_precedent")])
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let run = Run::from(output);
        assert_eq!(std::fs::read_to_string(&status).unwrap().trim(), "0", "{command}: {}", run.err);
        assert_eq!(run.out.lines().count(), 1, "{command}");
        assert!(
            !run.err.contains("panicked") && !run.err.contains("roken pipe"),
            "{command}: {}",
            run.err
        );
    }
}
