//! Tests of the errors found in lines.

use precedent_core::model::LogGroup;

use super::*;
use crate::lines::cause;

/// Returns the errors of a log, most important first.
fn errors(text: &str) -> Vec<LogGroup> {
    read_blocks(&[text.to_owned()], false).groups
}

fn event(text: &str) -> LogGroup {
    let mut list = errors(text);
    assert_eq!(list.len(), 1, "{list:#?}");
    list.remove(0)
}

/// Returns a journal as JSON, one record per line, with the given process ids.
fn journal(lines: &[(&str, u32)]) -> String {
    let record = |(line, pid): &(&str, u32)| {
        let message = serde_json::to_string(line).unwrap();
        format!(
            "{{\"PRIORITY\":\"3\",\"SYSLOG_IDENTIFIER\":\"agent\",\"MESSAGE\":{message},\"_PID\":\"{pid}\"}}\n"
        )
    };
    lines.iter().map(record).collect()
}

const CHAIN: [&str; 9] = [
    "Traceback (most recent call last):",
    "  File \"/opt/pool.py\", line 7, in take",
    "    self.ring.open()",
    "ssl.SSLError: unable to get local issuer certificate",
    "",
    "During handling of the above exception, another exception occurred:",
    "",
    "Traceback (most recent call last):",
    "  File \"/opt/agent.py\", line 9, in pull",
];

#[test]
fn trace_with_line_prefixes_is_one_error() {
    let mut trace = CHAIN.to_vec();
    trace.push("agent.PullError: the hub cannot be reached");
    let plain = trace.join("\n");
    let syslog: String =
        trace.iter().map(|l| format!("May 12 10:00:00 edge agent[811]: {l}\n")).collect();
    let iso: String =
        trace.iter().map(|l| format!("2026-05-12T10:00:00+02:00 edge agent[811]: {l}\n")).collect();
    let compose: String = trace.iter().map(|l| format!("agent_1  | {l}\n")).collect();
    let docker: String = trace
        .iter()
        .map(|l| {
            format!(
                "{{\"log\":{},\"stream\":\"stderr\"}}\n",
                serde_json::to_string(&format!("{l}\n")).unwrap()
            )
        })
        .collect();
    let lines: Vec<(&str, u32)> = trace.iter().map(|l| (*l, 811)).collect();
    for text in [plain, syslog, iso, compose, docker, journal(&lines)] {
        let error = event(&text);
        assert!(error.message.contains("agent.PullError: the hub cannot be reached"), "{error:#?}");
        assert!(
            error.example.contains("issuer certificate") && error.example.contains("agent.py"),
            "{error:#?}"
        );
        assert!(cause(&error.example).unwrap().ends_with("unable to get local issuer certificate"));
    }
}

#[test]
fn other_processes_do_not_continue_a_trace() {
    let list = errors(&journal(&[
        ("Traceback (most recent call last):", 811),
        ("  File \"/opt/pool.py\", line 7, in take", 811),
        ("the ring is full", 12),
        ("KeyError: 'slot'", 811),
    ]));
    assert!(list.iter().any(|e| e.message == "the ring is full"), "{list:#?}");
    let list = errors("2026-05-12 10:00:00  ERROR no slot\n2026-05-12 10:00:01  ERROR no ring\n");
    assert_eq!(list.len(), 2, "{list:#?}");
}

#[test]
fn kernel_panic_is_one_error() {
    let oops = "[  913.1] fine\n[  913.221112] BUG: unable to handle kernel NULL pointer dereference at 70\n[  913.221119] IP: [<ffffffffc05a11a3>] ring_ops+0x2b3/0x1020 [ring]\n[  913.221125] PGD 0 \n[  913.221130] Oops: 0000 [#1] SMP \n[  913.221150] Call Trace:\n[  913.221155]  handle_slot+0x9b4/0x25b0 [ring]\n[  913.221170] ---[ end trace 1f2e3d ]---\n[  914.000001] usb 1-1: new device\n";
    let error = event(oops);
    assert!(error.example.contains("handle_slot") && !error.example.contains("usb"), "{error:#?}");
    let through_syslog: String =
        oops.lines().map(|l| format!("May 12 10:00:00 edge kernel: {l}\n")).collect();
    assert!(errors(&through_syslog).len() <= 3);
}

#[test]
fn cause_below_a_stack_of_codes_is_named() {
    let error = event(
        "ORA-31693: Table \"A\".\"B\" failed to load and is being skipped due to error:\nORA-02354: error in exporting data\nORA-01555: snapshot too old\n",
    );
    assert!(error.message.ends_with("ORA-01555: snapshot too old"), "{error:#?}");
    assert_eq!(cause(&error.example).as_deref(), Some("ORA-01555: snapshot too old"));
    let error = event(
        "BEGIN rep.run; END;\n*\nERROR at line 1:\nORA-01555: snapshot too old\nORA-06512: at \"REP.RUN\", line 12\n",
    );
    assert_eq!(error.message, "at line 1: ORA-01555: snapshot too old");
    let error = event(
        "Microsoft Visual Basic\n\nRun-time error '1004':\n\nMethod 'Range' of object failed\n",
    );
    assert!(error.message.ends_with("Method 'Range' of object failed"), "{error:#?}");
    let error = event(
        "2026-05-12 10:00:00 ERROR it broke\na.OuterException: outer\n\tat a.B.c(B.java:3)\nCaused by: a.InnerException: inner\n\tat a.D.e(D.java:5)\n\t... 2 more\n",
    );
    assert!(
        cause(&error.example).unwrap().starts_with("a.InnerException: inner\n\tat a.D.e"),
        "{error:#?}"
    );
    assert_eq!(cause("one line"), None);
}

#[test]
fn framed_error_is_named_by_its_failure() {
    let gradle = "> Task :api:compileJava FAILED\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':api:compileJava'.\n> Could not resolve com.acme:commons:5.3.\n   > Received status code 401 from server: Unauthorized\n\n* Try:\n> Run with --stacktrace option to get the stack trace.\n\nBUILD FAILED in 4s\n2 actionable tasks: 1 executed\n";
    let spring = "2026-11-20T08:01:14.951Z ERROR 1 --- [main] o.s.b.d.LoggingFailureAnalysisReporter :\n\n***************************\nAPPLICATION FAILED TO START\n***************************\n\nDescription:\n\nWeb server failed to start. Port 8080 was already in use.\n\nAction:\n\nIdentify and stop the process.\n\n2026-11-20T08:01:15Z INFO bye\n";
    let go = "=== RUN   TestPush\n--- FAIL: TestPush (30.00s)\n    sync_test.go:44: timeout waiting for results\nFAIL\nFAIL\tgithub.com/acme/ctl\t30.012s\n";
    let jest = "FAIL src/cart/total.test.ts\n  ● total › adds VAT\n\n    expect(received).toBe(expected)\n\n    Expected: 119\n    at Object.<anonymous> (src/cart/total.test.ts:12:22)\n\nTests:       1 failed, 88 passed, 89 total\n";
    let pytest = "============ test session starts =====\ncollected 41 items\n=========== FAILURES =====\n_______ test_cp1252 _____\n    def test_cp1252():\n>       rows = list(reader.rows())\nE       UnicodeDecodeError: 'utf-8' codec can't decode\nreader.py:57: UnicodeDecodeError\n======= short test summary info ====\nFAILED tests/test_reader.py::test_cp1252 - UnicodeDecodeError\n====== 1 failed, 40 passed in 2.11s ====\n";
    let anr = [
        "ANR in com.acme (com.acme/.Main)",
        "PID: 9911",
        "Reason: Input dispatching timed out",
        "\"main\" prio=5 tid=1 Runnable",
        "  at com.acme.SyncDao.mergeAll(SyncDao.kt:133)",
    ]
    .map(|l| format!("11-20 10:00:09.310  1211  1244 E ActivityManager: {l}\n"))
    .concat();
    let junit = "<?xml version=\"1.0\"?>\n<testsuite name=\"a.RenderTest\" failures=\"0\" errors=\"1\">\n  <testcase name=\"small\" classname=\"a.RenderTest\"/>\n  <testcase name=\"pages\" classname=\"a.RenderTest\">\n    <error message=\"Java heap space\" type=\"java.lang.OutOfMemoryError\">java.lang.OutOfMemoryError: Java heap space\n\tat a.Render.all(Render.java:402)\n</error>\n  </testcase>\n</testsuite>\n";
    let assertion = "<testsuite errors=\"1\">\n<testcase name=\"pages\">\n<failure message=\"expected: &lt;3&gt; but was: &lt;4&gt;\" type=\"org.AssertionError\"/>\n</testcase>\n";
    let iis = "HTTP Error 500.19 - Internal Server Error\nThe requested page cannot be accessed.\n\nDetailed Error Information:\nModule\t   IIS Web Core\nError Code\t   0x80070005\nConfig Error\t   Cannot read configuration file due to insufficient permissions\n\nRegards,\nKim\n";
    for (text, name, contained, absent) in [
        (
            iis,
            "HTTP Error 500.19 - Internal Server Error · Error Code 0x80070005",
            "permissions",
            "Regards",
        ),
        (junit, "pages · java.lang.OutOfMemoryError: Java heap space", "a.Render.all", "testsuite"),
        (
            assertion,
            "pages · org.AssertionError: expected: <3> but was: <4>",
            "but was",
            "testsuite",
        ),
        (
            gradle,
            "Execution failed for task ':api:compileJava'. · Received status code 401 from server: Unauthorized",
            "commons:5.3",
            "FAILURE",
        ),
        (spring, "Web server failed to start. Port 8080 was already in use.", "Port 8080", "***"),
        (go, "TestPush · sync_test.go:44: timeout waiting for results", "TestPush", "github.com"),
        (jest, "total › adds VAT · expect(received).toBe(expected)", "Expected: 119", "88 passed"),
        (
            pytest,
            "test_cp1252 · UnicodeDecodeError: 'utf-8' codec can't decode",
            "reader.rows",
            "FAILURES",
        ),
        (
            &anr,
            "ANR in com.acme (com.acme/.Main) · Reason: Input dispatching timed out",
            "mergeAll",
            "ActivityManager",
        ),
    ] {
        // Test each text alone and after the times of a build server.
        let timed_text: String =
            text.lines().map(|l| format!("2026-11-20T10:03:01.1Z {l}\n")).collect();
        let forms = if text.starts_with("11-") || text.starts_with("2026") {
            vec![text.to_owned()]
        } else {
            vec![text.to_owned(), timed_text]
        };
        for form in forms {
            let list = errors(&form);
            assert_eq!(list[0].message, name, "{form}\n{list:#?}");
            assert!(
                list[0].example.contains(contained) && !list[0].example.contains(absent),
                "{:#?}",
                list[0]
            );
            assert!(list[1..].iter().all(|e| e.message.contains("Task :api")), "{list:#?}");
        }
    }
}

#[test]
fn tool_output_around_a_failure_is_not_an_error() {
    let list = errors(
        "[INFO] BUILD FAILURE\n[ERROR] Rule 0: RequireJavaVersion failed with message:\n[ERROR] Detected JDK version 21.0.3 is not in the allowed range [17,18).\n[ERROR] Failed to execute goal enforcer:enforce (java) on project parent: \n[ERROR] -> [Help 1]\n[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.\n[ERROR] For more information about the errors and possible solutions, please read the following articles:\n[ERROR] [Help 1] http://cwiki.apache.org/x\n",
    );
    let messages: Vec<&str> = list.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "Rule 0: RequireJavaVersion failed with message: Detected JDK version 21.0.3 is not in the allowed range [17,18).",
            "Failed to execute goal enforcer:enforce (java) on project parent:"
        ]
    );
    let list = errors(
        "2026-11-20T10:03:01.1Z /usr/bin/ld: demo.o: in function `main':\n2026-11-20T10:03:01.1Z demo.c:(.text+0x9): undefined reference to `acme_init'\n2026-11-20T10:03:01.1Z collect2: error: ld returned 1 exit status\n",
    );
    assert_eq!(list[0].message, "demo.c:(.text+0x9): undefined reference to `acme_init'");
    assert!(list[0].example.contains("collect2: error:") && list.len() == 1, "{list:#?}");
    // The same list mark outside of tests is ignored.
    assert!(errors("● nginx.service - a web server\n   Active: active\n").is_empty());
}

#[test]
fn each_record_with_a_code_is_one_event() {
    let with_time = |n: usize, line: &str| format!("2026-05-12 10:{n:02}:00 ERROR {line}\n");
    let json = |n: usize, line: &str| {
        format!(
            "{{\"time\":\"2026-05-12T10:{n:02}:00Z\",\"level\":\"error\",\"msg\":\"{line}\"}}\n"
        )
    };
    let docker = |n: usize, line: &str| {
        format!("{{\"log\":\"ERROR {line}\\n\",\"time\":\"2026-05-12T10:{n:02}:00Z\"}}\n")
    };
    let syslog = |n: usize, line: &str| format!("May 12 10:{n:02}:00 web1 app[7]: ERROR {line}\n");
    let without_time = |_: usize, line: &str| format!("ERROR {line}\n");
    let codes = ["FW-2203: pump lost", "FW-2011: seal lost", "ORA-00060: deadlock detected"];
    type Form<'f> = &'f dyn Fn(usize, &str) -> String;
    let forms: [Form<'_>; 5] = [&with_time, &json, &docker, &syslog, &without_time];
    for form in forms {
        let text: String = (0..30).map(|n| form(n, codes[n % 3])).collect();
        let mut rows: Vec<(String, u64)> =
            errors(&text).into_iter().map(|e| (e.message, e.count)).collect();
        rows.sort();
        assert_eq!(
            rows,
            [(codes[1].to_owned(), 10), (codes[0].to_owned(), 10), (codes[2].to_owned(), 10)],
            "{text}"
        );
    }
    let text: String = (0..3).map(|n| with_time(n * 5, "HB-7002: worker lease lost")).collect();
    assert_eq!(event(&text).count, 3);
    // A container gives each line of a stack its own time.
    let stack = |n: usize| {
        format!(
            "{{\"log\":\"ORA-01555: snapshot too old\\n\",\"time\":\"2026-05-12T10:{n:02}:00.1Z\"}}\n{{\"log\":\"ORA-06512: at \\\"REP.RUN\\\", line 12\\n\",\"time\":\"2026-05-12T10:{n:02}:00.2Z\"}}\n"
        )
    };
    assert_eq!(event(&(stack(1) + &stack(7))).count, 2);
    assert_eq!(event("ORA-01555: snapshot too old\nORA-06512: at \"REP.RUN\", line 12\nORA-01555: snapshot too old\nORA-06512: at \"REP.RUN\", line 12\n").count, 2);
}

#[test]
fn level_without_a_message_is_not_an_error() {
    let error = event(
        "I, [2026-05-12T10:00:00.1 #811]  INFO -- : [3f2e] Started GET\nF, [2026-05-12T10:00:00.2 #811] FATAL -- : [3f2e]   \n[3f2e] ActionView::Template::Error (undefined method `x' for nil):\n[3f2e]     13: <td>\n",
    );
    assert!(
        error.message.starts_with("ActionView::Template::Error (undefined method"),
        "{error:#?}"
    );
    assert!(errors("2026-05-12 10:00:00 FATAL [main]\n").is_empty());
    let error = event(
        "I/flutter ( 4411): ══╡ EXCEPTION CAUGHT BY RENDERING LIBRARY ╞══\nI/flutter ( 4411): A RenderFlex overflowed by 17 pixels.\n",
    );
    assert_eq!(error.message, "A RenderFlex overflowed by 17 pixels.");
    let error = event(
        "E/AndroidRuntime( 4411): java.lang.IllegalStateException: no slot\nE/AndroidRuntime( 4411): \tat a.Pool.take(Pool.java:3)\n",
    );
    assert!(error.example.contains("a.Pool.take"), "{error:#?}");
}

#[test]
fn records_are_read_in_every_document_layout() {
    let records = [
        r#"{"level":"INFO","message":"fine"}"#,
        r#"{"level":"ERROR","message":"run aborted","stack_trace":"a.PoolException: no slot\n\tat a.Pool.take(Pool.java:3)"}"#,
    ];
    let lines = records.join("\n");
    let compact = format!("[{}]", records.join(","));
    let pretty = format!("[\n  {}\n]\n", records.join(",\n  ").replace(",\"", ",\n    \""));
    let envelope = format!("{{\"count\":2,\"logs\":{compact}}}");
    for (text, line) in [(&lines, 2), (&compact, 1), (&pretty, 4), (&envelope, 1)] {
        let error = event(text);
        assert_eq!(
            (error.message.as_str(), error.first.line),
            ("run aborted · a.PoolException: no slot", line),
            "{text}"
        );
    }
    let embedded_record = format!(
        "starting\nmore\n{{\n  {}\n}}\nbye\n",
        records[1].trim_matches(['{', '}']).replace(",\"", ",\n  \"")
    );
    let error = event(&embedded_record);
    assert_eq!(
        (error.message.as_str(), error.first.line),
        ("run aborted · a.PoolException: no slot", 3),
        "{embedded_record}"
    );
    assert_eq!(
        errors(&format!("{embedded_record}2026-05-12 10:00:00 ERROR the ring is full\n")).len(),
        2
    );
    // Text after a document, or that only looks like one, is read as lines.
    let list = errors(&format!("{compact}\n2026-05-12 10:00:00 ERROR the ring is full\n"));
    assert_eq!(list.len(), 2, "{list:#?}");
    assert_eq!(
        event("{\n  \"no json\n2026-05-12 10:00:00 ERROR the ring is full\n").message,
        "the ring is full"
    );
}

/// Returns the messages of the errors of a log, in order of their lines.
fn messages(text: &str) -> Vec<String> {
    let mut list = errors(text);
    list.sort_by_key(|error| error.first.line);
    list.into_iter().map(|error| error.message).collect()
}

#[test]
fn log_records_end_other_formats() {
    let error = "2026-05-12 10:00:00 ERROR no slot left\n";
    let ticks = "2026-05-12 10:00:00 INFO tick of the pump in hall three\n".repeat(50_000);
    for text in [
        "Event[0]:\n  Source: Acme\n  Event ID: 7\n  Level: Information\n  Description: \nfine\n\n",
        "Index : 3\n",
        "Name:   web-1\nNamespace: prod\nEvents:  <none>\n",
        &format!("up\n{{\n  \"a\": [1,\n{ticks}"),
    ] {
        assert_eq!(
            messages(&format!("{text}{error}")),
            ["no slot left"],
            "{:?}",
            text.lines().next()
        );
    }
    let pod = "Name:   web-1\nNamespace: prod\nEvents:  <none>\nERROR: no slot left\n";
    assert_eq!(messages(pod), ["no slot left"]);
    let broken = "{\n\"a\": [1 } ERROR: no slot left\n";
    assert_eq!(messages(broken), ["\"a\": [1 } ERROR: no slot left"]);
}

#[test]
fn record_may_begin_at_the_end_of_a_block() {
    let blocks = ["up\n{\n", "  \"level\": \"error\",\n  \"message\": \"no slot left\"\n}\nbye\n"];
    let logs = read_blocks(&blocks.map(str::to_owned), false);
    let messages: Vec<&str> = logs.groups.iter().map(|g| g.message.as_str()).collect();
    assert_eq!((messages, logs.lines), (vec!["no slot left"], 6));
}

#[test]
fn message_below_its_category_is_named() {
    let text = "fail: Acme.Orders[0]\n      no slot left\nfail: Acme.Orders[0]\n      the ring is broken\ninfo: Acme.Web[0]\n      no error\n";
    assert_eq!(
        messages(text),
        ["Acme.Orders[0]: no slot left", "Acme.Orders[0]: the ring is broken"]
    );
}

#[test]
fn level_beside_a_wrapped_line_counts() {
    for text in [
        r#"{"log":"no slot left","level":"error"}"#,
        r#"{"log":"main","msg":"no slot left","level":"error"}"#,
        r#"{"log":"ERROR no slot left","level":"info"}"#,
        r#"severity=critical msg="no slot left""#,
    ] {
        assert_eq!(messages(text), ["no slot left"], "{text}");
    }
}

/// Returns the result of reading blocks of lines, with their quiet lines marked or not.
fn read_blocks(blocks: &[String], is_marked: bool) -> ParsedLogs {
    let mut reader = Reader::default();
    reader.read_part(InputPart::Begin("a.log".to_owned()));
    for block in blocks {
        let part = InputPart::Block(block.clone().into_bytes(), Vec::new());
        reader.read_part(if is_marked { part.mark_quiet_lines() } else { part });
    }
    reader.read_part(InputPart::End);
    reader.finish()
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2_000))]

    #[test]
    fn marked_quiet_lines_change_no_result(
        blocks in proptest::collection::vec(proptest::collection::vec(0_usize..42, 0..12), 1..4),
    ) {
        const LINES: [&str; 42] = [
            "2026-05-12 10:00:00 INFO tick", "2026-05-12 10:00:01 [main] DEBUG a.B - done",
            "2026-05-12 10:00:01 INFO tick", "2026-05-12T10:00:02Z started the pump",
            "2026-05-12 10:00:03 ERROR no slot left", "2026-05-12 10:00:03 WARN slow", "",
            "2026-05-12 10:00:04 INFO HB-3301: not valid", "2026-05-12 10:00:05", "the pump failed",
            "2026-05-12 10:00:06 the upload failed", "\tat a.B.c(B.java:3)", "Caused by: a.E: x",
            "a.StoreException: sealed", "Traceback (most recent call last):", "  File \"a.py\", line 3",
            "KeyError: 'slot'", "ORA-01555: snapshot too old", "panic: no ring", "goroutine 7 [running]:",
            "{\"level\":\"error\",\"msg\":\"no slot\"}", "{", "  \"level\": \"error\",", "  \"msg\": \"dry\"", "}",
            "2026-05-12 10:00:07 {\"level\":\"info\"}", "Event[0]:", "  Level: Error", "  Description: x",
            "Name:   web-1", "Namespace: prod", "      Reason:  OOMKilled", "FAIL a.test.js",
            "2026-05-12 10:00:08 INFO * What went wrong:", "FAILURE: Build failed with an exception.",
            "* What went wrong:", "It broke.", "* Try:", "2026-05-12 10:00:09 INFO severity=error msg=x",
            "web-1  | 2026-05-12 10:00:10 INFO tick", "web-1  | 2026-05-12 10:00:10 ERROR no slot",
            "2026-05-12 10:00:11 === FAILURES ===",
        ];
        let text = |lines: &Vec<usize>| -> String {
            lines.iter().map(|line| format!("{}\n", LINES[*line])).collect()
        };
        let blocks: Vec<String> = blocks.iter().map(text).collect();
        proptest::prop_assert_eq!(read_blocks(&blocks, true), read_blocks(&blocks, false));
    }
}
