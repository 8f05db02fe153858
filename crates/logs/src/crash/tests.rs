//! Tests of failures without a time, alone and after informational records.

use crate::read_text;
use precedent_core::model::{LogGroup, LogSeverity};

fn informational_records(count: usize) -> String {
    (0..count).map(|n| format!("2026-05-12 10:00:{:02} INFO berth {n} is free\n", n % 60)).collect()
}

/// Returns the failures of a text, after checking that they are the same among informational
/// records.
fn failures_among_records(text: &str) -> Vec<LogGroup> {
    let expected_groups = read_text(text).groups;
    let groups =
        read_text(&format!("{}{text}{}", informational_records(60), informational_records(20)))
            .groups;
    let summary = |groups: &[LogGroup]| {
        groups.iter().map(|g| (g.message.clone(), g.severity)).collect::<Vec<_>>()
    };
    assert_eq!(summary(&groups), summary(&expected_groups), "{text}");
    groups
}

#[test]
fn crash_without_a_time_follows_informational_records() {
    for (text, name, contained) in [
        (
            "  + Exception Group Traceback (most recent call last):\n  |   File \"/srv/ferry.py\", line 8, in <module>\n  |     run()\n  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"/srv/quay.py\", line 3, in moor\n    |     ropes[9]\n    | IndexError: list index out of range\n    +---------------- 2 ----------------\n    | Traceback (most recent call last):\n    |   File \"/srv/tide.py\", line 5, in low\n    | ferry.tide.TooLow\n    +------------------------------------\n",
            "ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions) · IndexError: list index out of range · ferry.tide.TooLow",
            "quay.py",
        ),
        (
            "ferry.exceptions.TicketExpired: (410, 'GONE')\n",
            "ferry.exceptions.TicketExpired: (410, 'GONE')",
            "GONE",
        ),
        (
            "=CRASH REPORT==== 12-May-2026::10:00:00.1 ===\n  crasher:\n    initial call: ferry_gate:init/1\n    registered_name: ferry_gate\n    exception error: no match of right hand side value {error,closed}\n      in function  ferry_gate:open/1 (src/ferry_gate.erl, line 12)\n=SUPERVISOR REPORT==== 12-May-2026::10:00:00.2 ===\n    errorContext: child_terminated\n    reason: {badmatch,{error,closed}}\n",
            "ferry_gate: exception error: no match of right hand side value {error,closed}",
            "child_terminated",
        ),
        (
            "pid: 77, tid: 78, name: ropes  >>> org.ferry <<<\nsignal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------\nAbort message: 'no rope'\n    r0  00000000  r1  c0a1b2c4\nbacktrace:\n      #00 pc 0001a2b4  /system/lib/libferry.so (Rope::cut()+48)\n",
            "signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------",
            "Rope::cut()",
        ),
        (
            "Guru Meditation Error: Core  0 panic'ed (StoreProhibited). Exception was unhandled.\n\nCore  0 register dump:\nPC      : 0x400d1111  PS      : 0x00060030\n\nBacktrace: 0x400d1111:0x3ffb1000\nRebooting...\n",
            "Guru Meditation Error: Core  0 panic'ed (StoreProhibited). Exception was unhandled.",
            "Backtrace: 0x400d1111",
        ),
        (
            "chunk.77.js:2 Uncaught (in promise) TypeError: Cannot read properties of null (reading 'berth')\n    at a.moor (chunk.77.js:2:1501)\n",
            "chunk.77.js:2 Uncaught (in promise) TypeError: Cannot read properties of null (reading 'berth')",
            "a.moor",
        ),
        (
            "Shader error in 'Ferry/Water': undeclared identifier 'foam' at line 12 (on metal)\n",
            "Shader error in 'Ferry/Water': undeclared identifier 'foam' at line 12 (on metal)",
            "foam",
        ),
        (
            "/srv/gems/pg-1/lib/pg.rb:87:in `open': could not connect: Connection refused (Ferry::NoDatabase)\n\tfrom /srv/gems/pg-1/lib/pg.rb:12:in `new'\n",
            "/srv/gems/pg-1/lib/pg.rb:87:in `open': could not connect: Connection refused (Ferry::NoDatabase)",
            "in `new'",
        ),
        ("/bin/sh: 1: mkquay: not found\n", "/bin/sh: 1: mkquay: not found", "mkquay"),
        (
            "Access to fetch at 'https://a.example/1' from origin 'https://b.example' has been blocked by CORS policy: No header.\na.example/1:1 Failed to load resource: net::ERR_FAILED\n",
            "Access to fetch at 'https://a.example/1' from origin 'https://b.example' has been blocked by CORS policy: No header.",
            "ERR_FAILED",
        ),
    ] {
        let groups = failures_among_records(text);
        assert_eq!(
            groups.iter().map(|g| &g.message[..]).collect::<Vec<_>>(),
            [name],
            "{text}\n{groups:#?}"
        );
        assert!(groups[0].example.contains(contained), "{groups:#?}");
        assert!(groups[0].severity <= LogSeverity::Error, "{groups:#?}");
    }
}

#[test]
fn lines_of_informational_records_are_not_failures() {
    for text in [
        "2026-05-12 10:00:00 INFO query\nSELECT id, error FROM faults\nWHERE state = 'failed' AND message LIKE '%Exception%'\n",
        "2026-05-12 10:00:00 INFO answer {\n  \"error\": \"the tide failed\"\n}\n",
        "2026-05-12 10:00:00 INFO threads\n\"gate-1\" #12 prio=5 tid=0x7f waiting on condition\n   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat org.ferry.Errors.wait(Errors.java:3)\nLocked ownable synchronizers:\n",
        "2026-05-12 10:00:00 INFO done\n0 errors, 3 warnings were fatal before\nerror rate 0.00\n",
        "2026-05-12 10:00:00 error budget 99.98 %\n2026-05-12 10:00:01 error rate 0.00\n",
        "2026-05-12 10:00:00 INFO classes\norg.ferry.errors.GateHandler: 3 methods\n",
        "2026-05-12 10:00:00 INFO notes\n  Uncaught TypeError was fixed\n  a.js:2 Uncaught TypeError: was seen\n",
        "2026-05-12 10:00:00 INFO up\n=INFO REPORT==== 12-May-2026::10:00:00 ===\n    an error was corrected\n",
    ] {
        let groups =
            read_text(&format!("{}{text}{}", informational_records(5), informational_records(5)))
                .groups;
        assert!(groups.is_empty(), "{text}\n{groups:#?}");
    }
}

#[test]
fn android_crash_is_named_by_its_exception() {
    let lines = [
        "FATAL EXCEPTION: main",
        "Process: org.ferry, PID: 77",
        "java.lang.IllegalStateException: gate is shut",
        "\tat org.ferry.Gate.open(Gate.kt:5)",
        "Caused by: java.io.IOException: no key",
        "\tat org.ferry.Key.turn(Key.kt:9)",
    ];
    let threadtime: String = lines
        .iter()
        .map(|l| format!("05-12 10:00:00.311    77    77 E AndroidRuntime: {l}\n"))
        .collect();
    let brief: String = lines.iter().map(|l| format!("E/AndroidRuntime(   77): {l}\n")).collect();
    let name = "java.lang.IllegalStateException: gate is shut · java.io.IOException: no key";
    for text in [&threadtime, &brief] {
        let groups = read_text(text).groups;
        assert_eq!(
            groups.iter().map(|g| &g.message[..]).collect::<Vec<_>>(),
            [name],
            "{groups:#?}"
        );
        assert_eq!(groups[0].severity, LogSeverity::Fatal);
        assert!(groups[0].example.contains("Key.turn"), "{groups:#?}");
    }
    assert_eq!(read_text(&format!("{threadtime}{threadtime}")).groups[0].count, 2);
    let errors: String = ["no key", "no rope"]
        .map(|l| format!("05-12 10:00:00.311    77    77 E Gate: {l}\n"))
        .concat();
    assert_eq!(read_text(&errors).groups.len(), 2);
}

#[test]
fn tombstone_in_a_device_log_is_one_failure() {
    let lines = [
        "*** *** *** *** *** *** *** ***",
        "Build fingerprint: 'ferry/quay/quay:14'",
        "pid: 77, tid: 78, name: ropes  >>> org.ferry <<<",
        "signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------",
        "Abort message: 'no rope'",
        "backtrace:",
        "      #00 pc 0001a2b4  /system/lib/libferry.so (Rope::cut()+48)",
    ];
    for user in ["", " 1000", "  root"] {
        let header = format!("05-12 10:00:00.311{user}  801  801 F DEBUG   : ");
        let text: String = lines.iter().map(|l| format!("{header}{l}\n")).collect();
        let groups = read_text(&text).groups;
        let messages: Vec<&str> = groups.iter().map(|g| g.message.as_str()).collect();
        assert_eq!(messages, [lines[3]], "{groups:#?}");
        assert!(groups[0].example.contains("Rope::cut()"), "{groups:#?}");
    }
}

#[test]
fn failure_on_several_lines_is_named_once() {
    for (text, name) in [
        (
            "Faulting application name: ferry.exe, version: 1.0.0.0, time stamp: 0x1\nFaulting module name: ropes.dll, version: 2.0, time stamp: 0x2\nException code: 0xc0000409\nFault offset: 0x00000000000000d8\nFaulting process id: 0x11\nReport Id: 1f2e\n",
            "Faulting application name: ferry.exe · Faulting module name: ropes.dll · Exception code: 0xc0000409",
        ),
        (
            "BugCheck 1A, {41, 2, 0, 1}\n*** WARNING: Unable to verify timestamp for ropes.sys\nProbably caused by : ropes.sys ( ropes+12 )\nMEMORY_MANAGEMENT (1a)\n",
            "MEMORY_MANAGEMENT (1a) · Probably caused by : ropes.sys ( ropes+12 )",
        ),
        (
            "Reporting-MTA: dns; mx.ferry.example\n\nFinal-Recipient: rfc822; kim@quay.example\nAction: failed\nStatus: 5.7.1\nRemote-MTA: dns; mx.quay.example\nDiagnostic-Code: smtp; 550 5.7.1 Message refused\n    by the harbour master\n",
            "550 5.7.1 Message refused by the harbour master",
        ),
        (
            "Remote server returned '550 5.1.10 no such berth'\nAction: failed\nStatus: 5.1.10\n",
            "Remote server returned '550 5.1.10 no such berth'",
        ),
        (
            "2026-05-12 10:00:01.123+00:00 [error] <0.7.0> Channel error on connection <0.5.0> (10.0.0.1:1 -> 10.0.0.2:5672), channel 1:\n2026-05-12 10:00:01.123+00:00 [error] <0.7.0> operation basic.ack caused a channel exception precondition_failed: unknown tag\n",
            "operation basic.ack caused a channel exception precondition_failed: unknown tag",
        ),
        (
            "2026-05-12T10:00:00.1Z pid=1 tid=a WARN: {\"context\":\"Job raised exception\",\"job\":{\"class\":\"Moor\"}}\n2026-05-12T10:00:00.2Z pid=1 tid=a WARN: Ferry::NoRope: the rope is gone\n2026-05-12T10:00:00.3Z pid=1 tid=a WARN: /srv/app/moor.rb:35:in `tie'\n",
            "Ferry::NoRope: the rope is gone",
        ),
        (
            "timestamp,message\n1778580000000,\"START RequestId: 1\"\n1778580000100,\"[ERROR] NoRope: the rope is gone\nTraceback (most recent call last):\n  File \"\"/srv/moor.py\"\", line 3, in tie\"\n1778580000200,\"END RequestId: 1\"\n",
            "NoRope: the rope is gone",
        ),
        (
            "E/flutter (   77): [ERROR:flutter/runtime/dart_vm_initializer.cc(41)] Unhandled Exception: Bad state: no rope\nE/flutter (   77): #0      Rope.tie (package:ferry/rope.dart:3:5)\n",
            "Unhandled Exception: Bad state: no rope",
        ),
    ] {
        let groups = read_text(text).groups;
        assert_eq!(
            groups.iter().map(|g| &g.message[..]).collect::<Vec<_>>(),
            [name],
            "{text}\n{groups:#?}"
        );
        assert!(!groups[0].example.contains("\"\""), "{groups:#?}");
    }
}

#[test]
fn consequences_rank_below_their_cause() {
    let groups = read_text(
        "$ git pull\nHost key verification failed.\nfatal: Could not read from remote repository.\n",
    )
    .groups;
    assert_eq!(groups[0].message, "Host key verification failed.", "{groups:#?}");
    let groups = read_text(
        "$ mkquay all\n/bin/sh: eval: line 9: mkquay: not found\nERROR: Job failed: exit code 127\n",
    )
    .groups;
    assert_eq!(groups[0].message, "/bin/sh: eval: line 9: mkquay: not found", "{groups:#?}");
    assert_eq!(groups[0].severity, LogSeverity::Error);
}

#[test]
fn unreal_crash_is_one_error_with_its_reason() {
    let line = |text: &str| format!("[2026.05.12-10.00.00:123][ 44]LogWindows: Error: {text}\n");
    let crash = [
        "=== Critical error: ===",
        "",
        "Fatal error: [File:D:\\engine\\Map.h] [Line: 71] ",
        "Key not found: 4 of 4 tried",
        "[Callstack] 0x00007ff6a1 Game.exe!UBelt::Tick() [D:\\game\\Belt.cpp:20]",
    ];
    let text: String = crash.iter().map(|l| line(l)).collect();
    let info_line = "[2026.05.12-09.59.00:001][ 43]LogNet: Display: joined\n";
    let groups = read_text(&format!("{info_line}{text}")).groups;
    let messages: Vec<&str> = groups.iter().map(|g| g.message.as_str()).collect();
    assert_eq!(messages, ["Fatal error: Key not found: 4 of 4 tried"], "{groups:#?}");
    assert!(
        groups[0].example.contains("UBelt::Tick()") && !groups[0].example.contains("[ 44]"),
        "{groups:#?}"
    );
    // Unrelated lines with the same time are not part of a crash.
    let unrelated_errors = [line("no texture"), line("no sound")].concat();
    assert_eq!(read_text(&unrelated_errors).groups.len(), 2);
}

#[test]
fn openssl_error_is_kept_whole() {
    let groups = read_text(
        "1795000000: OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed\n",
    )
    .groups;
    assert_eq!(
        groups[0].message,
        "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed"
    );
}
