//! Tests of the model that recognizes names, on the real runtime.

use serde_json::json;

use crate::{
    model::{root, run_with_model, runtime},
    support::{TestEnv, issue, json_lines, with_fields},
};

/// Sentences with personal data, and the words that must be replaced.
const PERSONAL: &[(&str, &[&str])] = &[
    ("We spoke with Maria Fernandez yesterday, and she sees it too.", &["Maria", "Fernandez"]),
    (
        "As discussed with Ullrich Kleinschmidt, the pump stops at night.",
        &["Ullrich", "Kleinschmidt"],
    ),
    (
        "Priya Raghunathan from the Bangalore office reported it first.",
        &["Priya", "Raghunathan", "Bangalore"],
    ),
    ("The customer Kowalski says that order 99812 failed.", &["Kowalski"]),
    ("Le client Jean-Baptiste Lefèvre a signalé le problème.", &["Jean-Baptiste", "Lefèvre"]),
    (
        "The device stands at 14 Rosenheimer Str. in 81667 München.",
        &["Rosenheimer", "81667", "München"],
    ),
    ("田中太郎 reported that the export is empty.", &["田中太郎"]),
    ("Ask Oluwaseun Adeyemi or Nguyen Minh Lan for the log.", &["Oluwaseun", "Adeyemi", "Nguyen"]),
];

/// Sentences without personal data.
const TECHNICAL: &[&str] = &[
    "Jetty.start fails with java.lang.NullPointerException at org.acme.Main.run(Main.java:42).",
    "The Bloom filter is rebuilt after each compaction, and guava logs a warning.",
    "ERROR [pool-3-thread-1] o.a.k.c.NetworkClient - Bootstrap broker disconnected, see RFC 7231.",
    "TiAPI calls isEqual on port 9092 when the orphan process restarts.",
];

#[test]
fn people_in_sentences_are_replaced() {
    let Some(runtime) = runtime() else { return };
    let env = TestEnv::new();
    let models = root().join("models");
    let sentences: Vec<&str> =
        PERSONAL.iter().map(|(text, _)| *text).chain(TECHNICAL.iter().copied()).collect();
    let records: Vec<_> = (1_u64..)
        .zip(&sentences)
        .map(|(number, text)| {
            with_fields(issue(number, "The export stops", text), json!({"state": "open"}))
        })
        .collect();
    let path = env.file("in.jsonl", json_lines(&records));
    let import = ["import", &path.to_string_lossy(), "-R", "acme/app"];
    assert_eq!(run_with_model(&env, &runtime, &models, &import).code, Some(0));
    let brief = |number: usize| {
        let key = format!("acme/app#{number}");
        let run = run_with_model(&env, &runtime, &models, &["brief", &key, "--redact"]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        run.out.replace('\\', "")
    };
    for (number, (text, names)) in (1..).zip(PERSONAL) {
        let out = brief(number);
        for name in *names {
            assert!(!out.contains(name), "{text}\n{out}");
        }
    }
    for (number, text) in (PERSONAL.len() + 1..).zip(TECHNICAL) {
        let out = brief(number);
        assert!(!out.contains("[person-") && !out.contains("[place-"), "{text}\n{out}");
    }
}
