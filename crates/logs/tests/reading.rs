//! Tests that each distinct error is found once in logs of many formats, plain and in bundles.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use precedent_core::{
    Code,
    model::{LogGroup, LogSeverity},
    task::Task,
};
use precedent_logs::{ParsedLogs, read};

fn read_file(name: &str, content: impl AsRef<[u8]>) -> ParsedLogs {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    read(&[path], &Task::new()).unwrap()
}

/// Returns severity, count and message of each group.
fn summaries(groups: &[LogGroup]) -> Vec<(LogSeverity, u64, &str)> {
    groups.iter().map(|g| (g.severity, g.count, g.message.as_str())).collect()
}

#[test]
fn java_errors_are_grouped_with_their_causes() {
    let mut log = String::new();
    for n in 0..500 {
        log.push_str(&format!(
            "2026-05-12 10:{:02}:{:02},123 [http-{n}] INFO  c.a.Web - GET /orders/{n} took {n} ms\n",
            n / 60,
            n % 60
        ));
        if n % 50 == 0 {
            log.push_str(&format!(
                "2026-05-12 10:{:02}:{:02},456 [http-{n}] ERROR c.a.Orders - cannot store order {n}\n\
                 com.acme.StoreException: pool is dry\n\tat com.acme.Pool.take(Pool.java:{n})\n\tat com.acme.Orders.put(Orders.java:9)\n\
                 Caused by: java.net.ConnectException: Connection refused\n\tat com.acme.Pg.open(Pg.java:12)\n\t... 3 more\n",
                n / 60,
                n % 60
            ));
        }
    }
    log.push_str("2026-05-12 10:59:00,000 [main] WARN  c.a.Cache - cache is cold\n");
    let result = read_file("server.log", log);
    assert_eq!(
        summaries(&result.groups),
        [
            (
                LogSeverity::Error,
                10,
                "c.a.Orders - cannot store order 0 · java.net.ConnectException: Connection refused"
            ),
            (LogSeverity::Warning, 1, "c.a.Cache - cache is cold"),
        ]
    );
    let group = &result.groups[0];
    assert_eq!((group.first.line, group.first.at.as_deref()), (2, Some("2026-05-12 10:00:00,456")));
    assert!(
        group.last.line > group.first.line
            && group.last.at.as_deref() == Some("2026-05-12 10:07:30,456")
    );
    assert!(group.example.contains("com.acme.Pool.take") && group.example.contains("Caused by"));
    assert_eq!(result.lines, 500 + 10 * 7 + 1);
}

#[test]
fn traces_without_times_are_one_error() {
    for (log, severity, message, contained) in [
        (
            "starting\nTraceback (most recent call last):\n  File \"/srv/app/pool.py\", line 12, in take\n    return slots.pop()\nIndexError: pop from empty list\nbye\n",
            LogSeverity::Error,
            "IndexError: pop from empty list",
            "pool.py",
        ),
        (
            "thread 'main' panicked at src/pool.rs:12:9:\nindex out of bounds: the len is 3 but the index is 7\nstack backtrace:\n   0: rust_begin_unwind\n   1: app::pool::take\n             at ./src/pool.rs:12:9\nnote: run with `RUST_BACKTRACE=full`\n",
            LogSeverity::Fatal,
            "thread 'main' panicked at src/pool.rs:12:9: index out of bounds: the len is 3 but the index is 7",
            "app::pool::take",
        ),
        (
            "panic: send on closed channel\n\ngoroutine 7 [running]:\nmain.(*Pool).take(0xc000012345)\n\t/srv/pool.go:12 +0x1d\nmain.main()\n\t/srv/main.go:3 +0x2a\nexit status 2\n",
            LogSeverity::Fatal,
            "panic: send on closed channel",
            "pool.go:12",
        ),
        (
            "Exception in thread \"main\" java.lang.IllegalStateException: pool is dry\n\tat com.acme.Pool.take(Pool.java:12)\n",
            LogSeverity::Error,
            "Exception in thread \"main\" java.lang.IllegalStateException: pool is dry",
            "Pool.take",
        ),
        (
            "Unhandled exception. System.InvalidOperationException: pool is dry\n   at Acme.Pool.Take() in /src/Pool.cs:line 12\n",
            LogSeverity::Fatal,
            "Unhandled exception. System.InvalidOperationException: pool is dry",
            "Acme.Pool.Take",
        ),
        (
            "/srv/pool.js:12\n    throw new PoolError('dry')\n    ^\n\nPoolError: dry\n    at Pool.take (/srv/pool.js:12:9)\n    at main (/srv/main.js:3:1)\n",
            LogSeverity::Error,
            "PoolError: dry",
            "Pool.take",
        ),
        (
            "pool.rb:12:in 'take': dry (PoolError)\n\tfrom main.rb:3:in '<main>'\n",
            LogSeverity::Error,
            "pool.rb:12:in 'take': dry (PoolError)",
            "main.rb:3",
        ),
        (
            "PHP Fatal error:  Uncaught Exception: dry in /srv/pool.php:12\nStack trace:\n#0 /srv/main.php(3): take()\n#1 {main}\n  thrown in /srv/pool.php on line 12\n",
            LogSeverity::Fatal,
            "PHP Fatal error:  Uncaught Exception: dry in /srv/pool.php:12",
            "main.php(3)",
        ),
        (
            "==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x6020000000f0\nREAD of size 4 at 0x6020000000f0 thread T0\n    #0 0x4f5b5c in take pool.c:12\n    #1 0x4f5c5d in main main.c:3\n",
            LogSeverity::Fatal,
            "==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x6020000000f0",
            "pool.c:12",
        ),
    ] {
        let result = read_file("err.log", log);
        assert_eq!(result.groups.len(), 1, "{log}\n{:#?}", result.groups);
        let group = &result.groups[0];
        assert_eq!((group.severity, group.message.as_str()), (severity, message), "{log}");
        assert!(group.example.contains(contained), "{contained}: {}", group.example);
    }
}

#[test]
fn structured_records_are_parsed() {
    for (name, log, message) in [
        (
            "app.json",
            "{\"level\":30,\"msg\":\"fine\"}\n{\"level\":50,\"time\":1778580000000,\"msg\":\"no slot\",\"err\":{\"stack\":\"PoolError: dry\\n    at take (pool.js:12)\"}}\n",
            "no slot · PoolError: dry",
        ),
        (
            "app.log",
            "time=2026-05-12T10:00:00Z level=info msg=fine\ntime=2026-05-12T10:00:01Z level=error msg=\"no slot\" err=dry\n",
            "no slot",
        ),
        (
            "docker.log",
            "{\"log\":\"2026-05-12 10:00:00 ERROR no slot\\n\",\"stream\":\"stderr\",\"time\":\"2026-05-12T10:00:00Z\"}\n{\"log\":\"\\tat a.Pool.take(Pool.java:3)\\n\",\"stream\":\"stderr\",\"time\":\"2026-05-12T10:00:00Z\"}\n",
            "no slot",
        ),
        (
            "pod.log",
            "2026-05-12T10:00:00Z stdout F fine\n2026-05-12T10:00:01Z stderr F ERROR no slot\n",
            "no slot",
        ),
        (
            "pod.json.log",
            "2026-05-12T10:00:00Z stdout F {\"level\":\"info\",\"msg\":\"error corrected\"}\n2026-05-12T10:00:01Z stderr F {\"level\":\"error\",\"msg\":\"no slot\"}\n",
            "no slot",
        ),
        (
            "compose.log",
            "web-1  | 2026-05-12T10:00:00Z INFO fine\nweb-1  | 2026-05-12T10:00:01Z ERROR no slot\n",
            "no slot",
        ),
        (
            "syslog",
            "May 12 10:00:00 web1 app[12]: fine\nMay 12 10:00:01 web1 app[12]: ERROR no slot\n",
            "no slot",
        ),
        (
            "journal.json",
            "{\"MESSAGE\":\"fine\",\"PRIORITY\":\"6\"}\n{\"MESSAGE\":\"no slot\",\"PRIORITY\":\"3\",\"__REALTIME_TIMESTAMP\":\"1778580000000000\"}\n",
            "no slot",
        ),
        (
            "coloured.log",
            "\u{1b}[2m2026-05-12T10:00:00Z\u{1b}[0m \u{1b}[31mERROR\u{1b}[0m no slot\n",
            "no slot",
        ),
        (
            "access.log",
            "10.0.0.1 - - [12/May/2026:10:00:00 +0000] \"GET /a HTTP/1.1\" 200 12\n10.0.0.1 - - [12/May/2026:10:00:00 +0000] \"GET /b HTTP/1.1\" 502 12\n",
            "\"GET /b HTTP/1.1\" 502",
        ),
        (
            "events.txt",
            "Event[0]:\n  Log Name: Application\n  Source: Acme Service\n  Date: 2026-05-12T10:00:00.000\n  Event ID: 1026\n  Level: Error\n  Description: \nno slot\nin the pool\n\nEvent[1]:\n  Source: Acme Service\n  Level: Information\n  Description: \nerror corrected\n",
            "Acme Service event 1026: no slot",
        ),
        (
            "winevent.txt",
            "\nTimeCreated      : 12.05.2026 10:00:00\nProviderName     : Acme Service\nId               : 1026\nLevelDisplayName : Fehler\nMessage          : no slot\n                   in the pool\n\n\nTimeCreated      : 12.05.2026 10:00:01\nProviderName     : Acme Service\nId               : 1\nLevelDisplayName : Informationen\nMessage          : fine\n",
            "Acme Service event 1026: no slot",
        ),
    ] {
        let result = read_file(name, log);
        assert_eq!(
            result.groups.iter().map(|g| g.message.as_str()).collect::<Vec<_>>(),
            [message],
            "{name}"
        );
    }
}

#[test]
fn utf_16_file_is_decoded() {
    let text = "2026-05-12T10:00:00Z ERROR größer geworden\r\n";
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    let result = read_file("out.log", bytes);
    assert_eq!(summaries(&result.groups), [(LogSeverity::Error, 1, "größer geworden")]);
}

#[test]
fn errors_before_a_crash_rank_first() {
    let mut log = String::new();
    log.push_str("2026-05-12T09:00:00Z ERROR certificate expires soon\n");
    for n in 0..5_000 {
        log.push_str(&format!("2026-05-12T10:00:00Z INFO tick {n}\n"));
    }
    log.push_str(
        "2026-05-12T11:00:00Z ERROR ring has no slot\n2026-05-12T11:00:01Z FATAL giving up\n",
    );
    let result = read_file("app.log", log);
    let order: Vec<&str> = result.groups.iter().map(|g| g.message.as_str()).collect();
    assert_eq!(order, ["giving up", "ring has no slot", "certificate expires soon"]);
    assert!(
        result.groups[1].before_crash
            && result.groups[1].near_end
            && !result.groups[2].before_crash
    );
}

#[test]
fn trace_at_a_low_level_is_an_error() {
    let quiet = "2026-05-12T10:00:00Z INFO 0 errors, error_log is /var/log/error.log\n    failed: 0\n2026-05-12T10:00:01Z DEBUG retry\n";
    assert_eq!(read_file("app.log", quiet).groups, []);
    let loud = "2026-05-12T10:00:00Z INFO worker ended\njava.lang.IllegalStateException: dry\n\tat a.Pool.take(Pool.java:3)\n";
    assert_eq!(
        summaries(&read_file("app.log", loud).groups),
        [(LogSeverity::Error, 1, "java.lang.IllegalStateException: dry")]
    );
}

#[test]
fn failing_pod_is_found_among_many() {
    let mut log = String::new();
    for n in 0..30 {
        let (state, events) = if n == 11 {
            (
                "Waiting\n      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137",
                "\n  Warning  BackOff  66s (x19 over 9m)  kubelet  Back-off restarting failed container",
            )
        } else {
            ("Running\n    Ready:          True", "           <none>")
        };
        log.push_str(&format!("Name:             web-{n}\nNamespace:        prod\nContainers:\n  web:\n    Image:   acme/web:4\n    State:          {state}\nEvents:{events}\n\n"));
    }
    let timed_log: String = log.lines().map(|l| format!("2026-11-20T10:03:01.1Z {l}\n")).collect();
    for log in [log, timed_log] {
        let result = read_file("describe.txt", log);
        assert_eq!(
            summaries(&result.groups),
            [(
                LogSeverity::Fatal,
                1,
                "web-11: CrashLoopBackOff, OOMKilled, BackOff (exit code 137) · Back-off restarting failed container"
            )]
        );
        assert!(result.groups[0].example.contains("acme/web:4"));
    }
    let rows = "LAST SEEN   TYPE      REASON      OBJECT   MESSAGE\n4m          Warning   Evicted     pod/a-1     The node was low on resource: ephemeral-storage.\n4m          Normal    Killing     pod/a-1     Stopping container export\n";
    assert_eq!(
        summaries(&read_file("events.txt", rows).groups),
        [(LogSeverity::Error, 1, "Evicted: The node was low on resource: ephemeral-storage.")]
    );
    assert_eq!(read_file("a.txt", "Name:   x\nCity:   y\n").groups, []);
}

#[test]
fn lines_without_a_level_are_found_by_code() {
    let mut log = String::new();
    for n in 0..300 {
        log.push_str(&format!("2026-11-20T10:00:00Z tick {n}\n"));
    }
    log.push_str("2026-11-20T10:06:01Z HB-3301: licence is not valid yet\n");
    log.push_str("2026-11-20T10:06:02Z INFO HB-3301: licence is not valid yet\n");
    let result = read_file("app.log", log);
    assert_eq!(result.groups, []);
    let codes: Vec<_> = result
        .code_lines
        .iter()
        .map(|c| (c.code.as_str(), c.line.count, c.line.first.line))
        .collect();
    assert_eq!(codes, [("HB-3301", 2, 301)]);
    let alert = "Fri Nov 20 02:11:40 2026\nThread 1 advanced\nFri Nov 20 02:11:41 2026\nORA-12012: error on auto execute of job 4\nORA-01555: snapshot too old\nORA-06512: at \"A.B\", line 211\n";
    let result = read_file("alert.log", alert);
    assert_eq!(result.groups.len(), 1, "{result:#?}");
    assert_eq!(result.groups[0].first.at.as_deref(), Some("Fri Nov 20 02:11:41 2026"));
    assert!(result.groups[0].message.ends_with("ORA-01555: snapshot too old"));
}

const ERROR: &str = "2026-05-12T10:00:00Z ERROR no slot left\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// Returns the files of a support bundle, some of which are not logs.
fn members() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("bundle/app/server.log", ERROR.repeat(3).into_bytes()),
        ("bundle/app/server.log.1.gz", gzip(ERROR.as_bytes())),
        ("bundle/old.log.zst", zstd::encode_all(ERROR.as_bytes(), 1).unwrap()),
        ("bundle/app/heap.hprof", b"JAVA PROFILE\0\0".to_vec()),
        ("bundle/etc/app.conf", b"error_page 500 = fatal error\n".to_vec()),
    ]
}

fn tar(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, &bytes[..]).unwrap();
    }
    tar.into_inner().unwrap()
}

fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn archives_of_every_kind_are_read() {
    let whole = members();
    for (name, bytes) in [
        ("bundle.tar", tar(&whole)),
        ("bundle.tar.gz", gzip(&tar(&whole))),
        ("bundle.zip", zip(&whole)),
        ("outer.zip", zip(&[("inner/bundle.tar.gz", gzip(&tar(&whole)))])),
    ] {
        let result = read_file(name, bytes);
        assert_eq!(summaries(&result.groups), [(LogSeverity::Error, 5, "no slot left")], "{name}");
        let skipped_names: Vec<&str> = result
            .files
            .iter()
            .filter(|f| f.skipped.is_some())
            .map(|f| f.name.rsplit('/').next().unwrap())
            .collect();
        assert_eq!(skipped_names, ["heap.hprof", "app.conf"], "{name}");
    }
}

#[test]
fn folders_are_read_without_following_links() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in members() {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc", folder.path().join("bundle/link")).unwrap();
    let result = read(&[folder.path().to_owned()], &Task::new()).unwrap();
    assert_eq!(summaries(&result.groups), [(LogSeverity::Error, 5, "no slot left")]);
    assert!(result.files.iter().all(|f| !f.name.contains("passwd")));
}

#[test]
fn files_that_are_not_logs_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let read_error = |name: &str, bytes: &[u8]| {
        let path: PathBuf = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        read(&[path], &Task::new()).unwrap_err()
    };
    let error = read_error("a.evtx", b"ElfFile\0\0\0\0");
    assert_eq!(error.code(), Code::InvalidInput);
    assert!(error.to_string().contains("wevtutil"), "{error}");
    assert_eq!(read_error("empty.log", b"").to_string(), "empty.log is empty");
    assert!(read_error("a.bin", b"\x7fELF\0\0\0").to_string().contains("not a text"));
    assert!(
        read_error("cut.log.gz", &gzip(ERROR.repeat(1_000).as_bytes())[..30])
            .to_string()
            .contains("damaged")
    );
    let not_found = read(&[Path::new("/no/such.log").to_owned()], &Task::new()).unwrap_err();
    assert_eq!(not_found.code(), Code::NotFound);
}

#[test]
fn reading_can_be_cancelled() {
    let task = Task::new();
    task.cancel();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.log"), ERROR).unwrap();
    assert_eq!(read(&[folder.path().to_owned()], &task).unwrap_err().code(), Code::Cancelled);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn every_line_is_counted(lines in proptest::collection::vec("(ERROR |\\{\"level\":|  at |Event\\[0\\]:|Traceback |panic: |\\t|<3>)?[ -~é]{0,60}", 0..80)) {
        let text = lines.join("\n");
        proptest::prop_assume!(!text.is_empty());
        let result = read_file("a.log", &text);
        proptest::prop_assert_eq!(result.lines, text.lines().count() as u64);
        for group in &result.groups {
            proptest::prop_assert!(group.first.line <= group.last.line && group.last.line <= result.lines);
            proptest::prop_assert!(group.count >= 1 && !group.message.is_empty());
        }
    }
}
