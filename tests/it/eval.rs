//! Tests of `precedent eval` on small sets.

use serde_json::{Value, json};

use crate::support::{TestEnv, misleading_triple};

/// Returns a report of an evaluation set, created on this day of January 2026, with comments on
/// these days.
fn report(id: u32, day: u32, title: &str, body: &str, comments: &[(u32, &str)]) -> Value {
    let time = |day: u32| format!("2026-01-{day:02}T09:00:00Z");
    let comments: Vec<Value> = comments
        .iter()
        .map(|(day, body)| json!({"created_at": time(*day), "body": body}))
        .collect();
    json!({"id": format!("P-{id}"), "title": title, "body": body, "created_at": time(day), "state": "open", "comments": comments})
}

/// Runs `eval` on a set with these comments on the first two reports; returns rankings and features.
fn evaluate(
    env: &TestEnv,
    name: &str,
    first_comments: &[(u32, &str)],
    second_comments: &[(u32, &str)],
) -> (String, String) {
    let words = "It stops with a red triangle.";
    let corpus = [
        report(1, 1, "Archive does not open", words, first_comments),
        report(2, 1, "Archive does not open", words, second_comments),
        report(3, 3, "Dark theme has unreadable links", "Blue on black.", &[]),
        report(
            4,
            20,
            "Archive with truncated footer does not open",
            "A zeppelin is shown.",
            &[(23, "It is P-2 again.")],
        ),
        report(5, 22, "Console shows times in the wrong zone", "Two hours off.", &[]),
    ];
    let lines: String = corpus.iter().map(|r| format!("{r}\n")).collect();
    env.file(&format!("{name}/corpus.jsonl"), lines);
    env.file(&format!("{name}/qrels.tsv"), "P-4\tP-2\t1\n");
    env.file(&format!("{name}/negatives.txt"), "P-5\n");
    let (cache, run_file) = (env.path(&format!("{name}-cache")), env.path(&format!("{name}.json")));
    let (set_path, features_file) = (env.path(name), env.path(&format!("{name}.tsv")));
    let display = |path: &std::path::Path| path.display().to_string();
    let args = [
        "eval",
        &display(&set_path),
        "--cache",
        &display(&cache),
        "--run",
        &display(&run_file),
        "--features",
        &display(&features_file),
    ];
    for _ in 0..2 {
        // The second run uses the cache.
        let run = env.ok(&args);
        assert!(run.out.contains("recall@10"), "{}", run.out);
    }
    let read_file = |path| std::fs::read_to_string(path).unwrap();
    let run: Value = serde_json::from_str(&read_file(run_file)).unwrap();
    (run["sets"][name]["rankings"].to_string(), read_file(features_file).replace(name, "set"))
}

#[test]
fn evaluation_ignores_later_comments() {
    let env = TestEnv::new();
    let without_comments = evaluate(&env, "bare", &[], &[]);
    let with_later_comments = evaluate(
        &env,
        "later",
        &[(25, "A zeppelin, truncated.")],
        &[(24, "Zeppelin: footer truncated.")],
    );
    assert_eq!(without_comments, with_later_comments);
    let with_earlier_comments =
        evaluate(&env, "earlier", &[], &[(19, "A zeppelin with a truncated footer.")]);
    assert_ne!(without_comments.1, with_earlier_comments.1);
    let rankings_by =
        |run: &str, ranking: &str| serde_json::from_str::<Value>(run).unwrap()[ranking].clone();
    // A search query contains only the report itself.
    assert_eq!(
        rankings_by(&without_comments.0, "hybrid"),
        rankings_by(&with_earlier_comments.0, "hybrid")
    );
    assert_eq!(
        rankings_by(&with_earlier_comments.0, "duplicates")["P-4"]["documents"][0][0],
        "P-2"
    );
}

#[test]
fn title_query_ignores_the_body() {
    let env = TestEnv::new();
    let rankings_of = |name: &str, form: &str, body: &str| -> Value {
        let corpus = [
            report(1, 1, "Archive does not open", "It stops with a red triangle.", &[]),
            report(
                2,
                2,
                "Dark theme has unreadable links",
                "Blue on black, in the zeppelin view.",
                &[],
            ),
            report(3, 20, "Zipped archive does not open", body, &[]),
        ];
        let lines: String = corpus.iter().map(|r| format!("{r}\n")).collect();
        env.file(&format!("{name}/corpus.jsonl"), lines);
        env.file(&format!("{name}/qrels.tsv"), "P-3\tP-1\t1\n");
        let display = |path: String| env.path(&path).display().to_string();
        let run_file = display(format!("{name}.json"));
        let args = [
            "eval",
            &display(name.to_owned()),
            "--as",
            form,
            "--cache",
            &display("cache".to_owned()),
        ];
        env.ok(&[&args[..], &["--run", &run_file]].concat());
        let run: Value = serde_json::from_str(&std::fs::read_to_string(run_file).unwrap()).unwrap();
        run["sets"][name]["rankings"].clone()
    };
    let (first_body, second_body) = ("Dark theme, zeppelin view, blue on black.", "A triangle.");
    assert_ne!(
        rankings_of("a", "report", first_body)["hybrid"],
        rankings_of("b", "report", second_body)["hybrid"]
    );
    let title = rankings_of("a", "title", first_body);
    assert_eq!(title, rankings_of("b", "title", second_body));
    assert_eq!(title["hybrid"]["P-3"]["documents"][0][0], "P-1");
    let methods: Vec<&String> = title.as_object().unwrap().keys().collect();
    assert_eq!(
        methods,
        ["hybrid", "lexical", "semantic"],
        "duplicates are not evaluated for titles"
    );
    assert_eq!(rankings_of("a", "words", first_body)["lexical"]["P-3"]["documents"][0][0], "P-1");
}

/// Runs `eval` on groups of three reports; in the first `duplicates` groups, the third duplicates the
/// first.
fn evaluate_misleading(env: &TestEnv, name: &str, duplicates: u32) -> Value {
    let (mut corpus, mut qrels) = (String::new(), String::new());
    for i in 0..132 {
        for (offset, (title, body)) in (0..).zip(misleading_triple(u64::from(i))) {
            let unix_seconds = 1_760_000_000 + i64::from(3 * i + offset) * 3600;
            let time = jiff::Timestamp::from_second(unix_seconds).unwrap().to_string();
            let id = format!("P-{}", 3 * i + offset);
            corpus.push_str(&format!(
                "{}\n",
                json!({"id": id, "title": title, "body": body, "created_at": time})
            ));
        }
        if i < duplicates {
            qrels.push_str(&format!("P-{}\tP-{}\t1\n", 3 * i + 2, 3 * i));
        }
    }
    env.file(&format!("{name}/corpus.jsonl"), corpus);
    env.file(&format!("{name}/qrels.tsv"), qrels);
    env.file(&format!("{name}/negatives.txt"), "");
    let (set_path, run_file) = (env.path(name), env.path(&format!("{name}.json")));
    let cache = env.path(&format!("{name}-cache"));
    let display = |path: &std::path::Path| path.display().to_string();
    let args = [
        "eval",
        &display(&set_path),
        "--cache",
        &display(&cache),
        "--run",
        &display(&run_file),
        "--by",
    ];
    let run = env.ok(&[&args[..], &["duplicates,calibrated"]].concat());
    assert!(run.out.contains("calibrated over duplicates"), "{}", run.out);
    let run: Value = serde_json::from_str(&std::fs::read_to_string(run_file).unwrap()).unwrap();
    run["sets"][name]["rankings"].clone()
}

#[test]
fn calibration_uses_only_earlier_reports() {
    let env = TestEnv::new();
    let (all_duplicates, all_but_the_last) =
        (evaluate_misleading(&env, "all", 132), evaluate_misleading(&env, "without", 131));
    let rankings_by =
        |run: &Value, ranking: &str, i: u32| run[ranking][format!("P-{}", 3 * i + 2)].clone();
    for i in 0..131 {
        assert_eq!(
            rankings_by(&all_duplicates, "calibrated", i),
            rankings_by(&all_but_the_last, "calibrated", i),
            "{i}"
        );
    }
    // The first queries use the built-in ranking, the last ones the source's own.
    assert_eq!(
        rankings_by(&all_duplicates, "calibrated", 0),
        rankings_by(&all_duplicates, "duplicates", 0)
    );
    assert_ne!(rankings_by(&all_duplicates, "duplicates", 131)["documents"][0][0], "P-393");
    assert_eq!(rankings_by(&all_duplicates, "calibrated", 131)["documents"][0][0], "P-393");
}

#[test]
fn solved_cases_and_unrelated_texts_are_measured_separately() {
    let env = TestEnv::new();
    let test_set = |name: &str, reports: &[Value], qrels: &str| {
        let lines: String = reports.iter().map(|r| format!("{r}\n")).collect();
        env.file(&format!("{name}/corpus.jsonl"), lines);
        env.file(&format!("{name}/qrels.tsv"), qrels);
        env.path(name).display().to_string()
    };
    let close = |mut report: Value| {
        report["state"] = "closed".into();
        report
    };
    let fix = [(2, "Fixed in 2.4: the footer is written before the file is closed.")];
    let archive =
        "java.io.EOFException: footer truncated at com.acme.Archive.open(Archive.java:12)";
    let archives = test_set(
        "archives",
        &[
            close(report(1, 1, "Archive with truncated footer does not open", archive, &fix)),
            close(report(2, 1, "Dark theme has unreadable links", "Blue on black.", &[])),
            report(3, 3, "Console shows times in the wrong zone", "Two hours off.", &[]),
            report(4, 20, "An archive does not open, its footer is truncated", archive, &[]),
            report(5, 21, "Links are hard to see", "In the dark theme.", &[]),
        ],
        "P-4\tP-1\t1\n",
    );
    let printers = test_set(
        "printers",
        &[
            close(report(1, 1, "Paper is drawn in twice", "Tray 2 takes two sheets.", &[])),
            report(2, 9, "Tray 2 draws in two sheets of paper", "Twice as much paper.", &[]),
        ],
        "P-2\tP-1\t1\n",
    );
    let cache = env.path("cache").display().to_string();
    let args = ["eval", "--cases", &archives, &printers, "--cache", &cache];
    let report = env.json(&[&args[..], &["--json"]].concat());
    let result = &report["sets"][0];
    assert_eq!((&result["set"], &result["queries"]), (&"archives".into(), &1.into()));
    let methods = result["methods"].as_array().unwrap();
    let find = |method: &str, form: &str| {
        methods.iter().find(|m| m["method"] == method && m["form"] == form).unwrap()
    };
    let measures = find("troubleshoot", "report");
    assert_eq!(
        (&measures["success_1"]["share"], &measures["success_1"]["pairs"]),
        (&1.0.into(), &1.into())
    );
    assert_eq!(measures["unanswered"]["share"], 0.0);
    assert!(
        measures["false_alarms"]["pairs"].as_u64().unwrap() > 0,
        "no texts from the `printers` set: {measures}"
    );
    assert_eq!(measures["false_alarms"]["share"], 0.0, "a false match for a printer");
    assert_eq!(find("search", "report")["success_3"]["share"], 1.0);
    assert!(
        result["nonsense"]["pairs"].as_u64().unwrap() > 0 && result["nonsense"]["share"] == 0.0,
        "{result}"
    );
    let run = env.ok(&args);
    assert!(
        run.out.contains("archives  1 report whose earlier duplicate is closed"),
        "{}",
        run.out
    );
}
