//! Invented traces: those of one failure match across builds and runs; others do not.

use precedent_text::failure::{Failure, FailureMatch};

/// The failure, the variation, and the trace.
const TRACES: &[(&str, &str, &str)] = &[
    // Rust
    (
        "rust-pool",
        "a panic",
        "thread 'main' panicked at src/pool.rs:12:9:\nindex out of bounds: the len is 3 but the index is 7\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/0123456789abcdef/library/std/src/panicking.rs:665:5\n   1: core::panicking::panic_fmt\n   2: core::panicking::panic_bounds_check\n   3: heron::pool::Pool::take\n             at ./src/pool.rs:12:9\n   4: heron::serve::run\n             at ./src/serve.rs:40:5\n   5: heron::main\n",
    ),
    (
        "rust-pool",
        "another build, with hashes and addresses",
        "thread 'worker-3' panicked at 'index out of bounds: the len is 0 but the index is 0', /build/heron/src/pool.rs:19:13\nstack backtrace:\n   0:     0x55d0c0a1 - std::panicking::begin_panic_handler::h0f1e2d3c4b5a6978\n   1:     0x55d0c0a2 - heron::pool::Pool::take::h0011223344556677\n   2:     0x55d0c0a3 - heron::serve::run::{{closure}}::h8899aabbccddeeff\n",
    ),
    (
        "rust-pool",
        "mangled",
        "thread 'main' panicked at src/pool.rs:12:9:\nindex out of bounds: the len is 8 but the index is 9\n   3:     0x5610 - _ZN5heron4pool4Pool4take17h0123456789abcdefE\n   4:     0x5611 - _ZN5heron5serve3run17hfedcba9876543210E\n",
    ),
    (
        "rust-frame",
        "the same panic elsewhere",
        "thread 'main' panicked at src/frame.rs:7:1:\nindex out of bounds: the len is 3 but the index is 7\nstack backtrace:\n   0: rust_begin_unwind\n   1: core::panicking::panic_bounds_check\n   2: heron::frame::Frame::decode\n   3: heron::wire::read\n",
    ),
    (
        "rust-slot",
        "a message of its own",
        "thread 'main' panicked at src/pool.rs:44:5:\nslot 17 was released twice\n",
    ),
    (
        "rust-slot",
        "other numbers",
        "thread 'main' panicked at 'slot 4 was released twice', src/pool.rs:52:5",
    ),
    (
        "rust-unwrap-a",
        "unwrap in one place",
        "thread 'main' panicked at src/conf.rs:9:30:\ncalled `Option::unwrap()` on a `None` value\n   2: core::option::unwrap_failed\n   3: heron::conf::load\n   4: heron::main\n",
    ),
    (
        "rust-unwrap-b",
        "unwrap in another",
        "thread 'main' panicked at src/tls.rs:2:30:\ncalled `Option::unwrap()` on a `None` value\n   2: core::option::unwrap_failed\n   3: heron::tls::accept\n   4: heron::listen\n",
    ),
    (
        "rust-entry-struct",
        "a message with a quote in it",
        "thread 'heron' panicked at 'Didn't find entry for Slot { id: 42 } in pool.struct_slots', /opt/src/pool.rs:20\n",
    ),
    (
        "rust-entry-struct",
        "another number and place",
        "thread 'heron' panicked at 'Didn't find entry for Slot { id: 7 } in pool.struct_slots', C:/build dir/pool.rs:22\n",
    ),
    (
        "rust-entry-table",
        "another end",
        "thread 'heron' panicked at 'Didn't find entry for Slot { id: 42 } in pool.table_slots', /opt/src/pool.rs:20\n",
    ),
    // Python
    (
        "python-pool",
        "a traceback",
        "Traceback (most recent call last):\n  File \"/srv/heron/serve.py\", line 40, in run\n    slot = pool.take()\n  File \"/srv/heron/pool.py\", line 12, in take\n    return slots.pop()\nIndexError: pop from empty list\n",
    ),
    (
        "python-pool",
        "another folder and line",
        "Traceback (most recent call last):\n  File \"C:\\apps\\heron\\cli.py\", line 3, in main\n  File \"C:\\apps\\heron\\serve.py\", line 44, in run\n  File \"C:\\apps\\heron\\pool.py\", line 19, in take\nIndexError: pop from empty list\n",
    ),
    (
        "python-queue",
        "the same exception elsewhere",
        "Traceback (most recent call last):\n  File \"/srv/heron/queue.py\", line 8, in drain\n    return items.pop()\n  File \"/srv/heron/batch.py\", line 2, in flush\nIndexError: pop from empty list\n",
    ),
    (
        "python-lease",
        "a message of its own",
        "heron.errors.LeaseError: lease 4411 of node-7 has ended before it was renewed\n",
    ),
    (
        "python-lease",
        "chained",
        "Traceback (most recent call last):\n  File \"/srv/x.py\", line 1, in a\nheron.errors.LeaseError: lease 9 of node-12 has ended before it was renewed\n\nDuring handling of the above exception, another exception occurred:\n",
    ),
    // Java and Kotlin
    (
        "java-npe-store",
        "no message",
        "java.lang.NullPointerException\n\tat com.heron.Store.put(Store.java:120)\n\tat com.heron.Orders.save(Orders.java:44)\n\tat com.heron.Web.handle(Web.java:9)\n\tat java.base/java.lang.Thread.run(Thread.java:840)\n",
    ),
    (
        "java-npe-store",
        "another version, through proxies",
        "Exception in thread \"http-9\" java.lang.NullPointerException: Cannot invoke \"com.heron.Row.id()\" because \"row\" is null\n\tat app//com.heron.Store.put(Store.java:133)\n\tat com.heron.Orders$$EnhancerBySpringCGLIB$$9f8e7d6c.save(<generated>)\n\tat com.heron.Orders.save(Orders.java:51)\n",
    ),
    (
        "java-npe-user",
        "no message elsewhere",
        "java.lang.NullPointerException\n\tat com.heron.Users.find(Users.java:12)\n\tat com.heron.Login.check(Login.java:4)\n\tat com.heron.Web.handle(Web.java:9)\n",
    ),
    (
        "java-ring",
        "a message of its own",
        "com.heron.RingException: ring segment 17 has no owner left\n\tat com.heron.Ring.own(Ring.java:9)\n",
    ),
    (
        "java-ring",
        "as a cause",
        "java.lang.RuntimeException: start failed\n\tat com.heron.Main.main(Main.java:3)\nCaused by: com.heron.RingException: ring segment 4 has no owner left\n\tat com.heron.Ring.own(Ring.java:12)\n\t... 4 more\n",
    ),
    (
        "kotlin-flow",
        "a lambda",
        "java.lang.IllegalStateException: Flow exception transparency is violated\n\tat heron.FlowKt$collect$1.invokeSuspend(Flow.kt:31)\n\tat kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:33)\n",
    ),
    // .NET
    (
        "net-take",
        "a debug build",
        "System.NullReferenceException: Object reference not set to an instance of an object.\n   at Heron.Pool.Take(Int32 n) in C:\\src\\Pool.cs:line 12\n   at Heron.Serve.Run() in C:\\src\\Serve.cs:line 40\n   at System.Threading.Tasks.Task.Execute()\n",
    ),
    (
        "net-take",
        "a release build on Linux",
        "Unhandled exception. System.NullReferenceException: Object reference not set to an instance of an object.\n   at Heron.Pool.Take(Int32 n)\n   at Heron.Serve.<Run>d__7.MoveNext()\n--- End of stack trace from previous location ---\n",
    ),
    (
        "net-find",
        "the same exception elsewhere",
        "System.NullReferenceException: Object reference not set to an instance of an object.\n   at Heron.Users.Find(String name)\n   at Heron.Login.<>c__DisplayClass3_0.<Check>b__0()\n",
    ),
    // JavaScript and Node
    (
        "js-props",
        "node",
        "TypeError: Cannot read properties of undefined (reading 'slot')\n    at Pool.take (/srv/heron/pool.js:12:9)\n    at async run (/srv/heron/serve.js:40:5)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)\n",
    ),
    (
        "js-props",
        "a bundle in a browser",
        "TypeError: Cannot read properties of undefined (reading 'slot')\n    at Pool.take (https://heron.example/assets/app.9f8e7d.js:1:20345)\n    at run (https://heron.example/assets/app.9f8e7d.js:1:9981)\n",
    ),
    (
        "js-props-menu",
        "the same error elsewhere",
        "TypeError: Cannot read properties of undefined (reading 'items')\n    at Menu.open (/srv/heron/menu.js:3:9)\n    at onclick (/srv/heron/menu.js:40:5)\n",
    ),
    (
        "js-manifest",
        "a message of its own",
        "Error: manifest entry heron-core is signed by an unknown key\n    at verify (/srv/heron/manifest.js:7:11)\n",
    ),
    (
        "js-manifest",
        "without a trace",
        "[heron] Error: manifest entry heron-core is signed by an unknown key",
    ),
    // Go
    (
        "go-nil-pool",
        "a nil pointer",
        "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4a1b2c]\n\ngoroutine 17 [running]:\ngithub.com/heron/heron/pool.(*Pool).Take(0x0)\n\t/src/pool/pool.go:12 +0x1d\ngithub.com/heron/heron/serve.Run(0xc000012345)\n\t/src/serve/serve.go:40 +0x2a\n",
    ),
    (
        "go-nil-pool",
        "another version and folder",
        "panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 1 [running]:\ngithub.com/heron/heron/v2/pool.(*Pool).Take(0x0)\n\t/home/b/go/pkg/mod/pool.go:19 +0x3f\ngithub.com/heron/heron/v2/serve.Run(...)\n\t/home/b/serve.go:44\n",
    ),
    (
        "go-nil-tls",
        "a nil pointer elsewhere",
        "panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 1 [running]:\ngithub.com/heron/heron/tls.(*Conn).Accept(0x0)\n\t/src/tls/conn.go:12 +0x1d\ngithub.com/heron/heron/listen.Loop()\n\t/src/listen/loop.go:3 +0x2a\n",
    ),
    (
        "go-closed",
        "a message of its own",
        "panic: lease table was closed while 3 leases were held\n\ngoroutine 5 [running]:\nmain.main.func1()\n\t/src/main.go:9 +0x1\n",
    ),
    // Ruby
    (
        "ruby-take",
        "3.3",
        "/srv/heron/lib/pool.rb:12:in `take': undefined method `slot' for nil (NoMethodError)\n\tfrom /srv/heron/lib/serve.rb:40:in `block in run'\n\tfrom /srv/heron/bin/heron:3:in `<main>'\n",
    ),
    (
        "ruby-take",
        "3.4",
        "lib/pool.rb:14:in 'Heron::Pool#take': undefined method 'slot' for nil (NoMethodError)\n\tfrom lib/serve.rb:44:in 'Heron::Serve.run'\n",
    ),
    (
        "ruby-find",
        "elsewhere",
        "lib/users.rb:14:in 'Heron::Users#find': undefined method 'name' for nil (NoMethodError)\n\tfrom lib/login.rb:4:in 'Heron::Login.check'\n",
    ),
    // PHP
    (
        "php-take",
        "one server",
        "PHP Fatal error:  Uncaught TypeError: Heron\\Pool::take(): Argument #1 ($n) must be of type int, null given, called in /srv/www/serve.php on line 40\nStack trace:\n#0 /srv/www/serve.php(40): Heron\\Pool->take()\n#1 /srv/www/index.php(3): Heron\\serve()\n#2 {main}\n",
    ),
    (
        "php-take",
        "another",
        "TypeError: Heron\\Pool::take(): Argument #1 ($n) must be of type int, null given, called in C:\\web\\serve.php on line 44\n#0 C:\\web\\serve.php(44): Heron\\Pool->take()\n#1 C:\\web\\index.php(3): Heron\\serve()\n",
    ),
    // C and C++
    (
        "cpp-take",
        "gdb",
        "Program received signal SIGSEGV, Segmentation fault.\n#0  0x00005555555551a9 in heron::Pool<int>::take (this=0x0, n=3) at src/pool.cc:12\n#1  0x00005555555552b0 in heron::run (argc=1) at src/serve.cc:40\n#2  0x00005555555553c1 in main () at src/main.cc:3\n",
    ),
    (
        "cpp-take",
        "AddressSanitizer",
        "==4711==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000010 (pc 0x55d bp 0x7ffe sp 0x7ffd T0)\n    #0 0x55d0c0a1 in heron::Pool<long>::take(long) /build/src/pool.cc:14:7\n    #1 0x55d0c0a2 in heron::run(int) /build/src/serve.cc:44:3\n    #2 0x7f0a1b2c in __libc_start_main (/lib/libc.so.6+0x29d90)\n",
    ),
    (
        "cpp-take",
        "a minidump",
        "Crash reason:  SIGSEGV /SEGV_MAPERR\nThread 0 (crashed)\n 0  heron!heron::Pool<int>::take(int) [pool.cc : 12 + 0x3]\n    rax = 0x0000000000000000   rdx = 0x0000000000000001\n 1  heron!heron::run(int) [serve.cc : 40 + 0x8]\n",
    ),
    (
        "cpp-take",
        "mangled",
        "#0 0x55d0c0a1 in _ZN5heron4PoolIiE4takeEi (/usr/bin/heron+0x1a1)\n#1 0x55d0c0a2 in _ZN5heron3runEi (/usr/bin/heron+0x2b0)\n",
    ),
    (
        "cpp-free",
        "the same signal elsewhere",
        "Program received signal SIGSEGV, Segmentation fault.\n#0  0x00007ffff7e4f1a9 in heron::Frame::decode (this=0x5, n=3) at src/frame.cc:9\n#1  0x00005555555552b0 in heron::wire::read (fd=3) at src/wire.cc:4\n",
    ),
    // Swift and Objective-C
    (
        "swift-take",
        "a crash report",
        "Thread 0 Crashed:\n0   libswiftCore.dylib   0x00000001a1b2c3d4 _assertionFailure(_:_:file:line:flags:) + 228\n1   Heron                0x0000000104a3c2f4 specialized Pool.take(_:) + 44 (Pool.swift:12)\n2   Heron                0x0000000104a3d000 closure #1 in Serve.run() + 80 (Serve.swift:40)\n",
    ),
    (
        "swift-take",
        "another build",
        "Thread 3 Crashed:\n0   Heron   0x0000000100f00010 Pool.take(_:) + 60\n1   Heron   0x0000000100f00200 Serve.run() + 12\n",
    ),
    (
        "objc-open",
        "Objective-C",
        "Last Exception Backtrace:\n0   CoreFoundation   0x00000001a0000001 -[NSException raise] + 8\n1   Heron   0x0000000100f00010 -[HRNMenu openItem:] + 60\n2   Heron   0x0000000100f00200 -[HRNWindow click:] + 12\n",
    ),
    // Codes and lines of logs
    (
        "code-own",
        "a product's own code",
        "2026-05-12T10:00:00Z ERROR HR-4711 upload stopped at offset 12",
    ),
    ("code-own", "another offset", "upload ends with HR-4711 since Monday"),
    ("code-errno", "a system's code", "connect ECONNREFUSED 10.0.0.7:5432"),
    (
        "code-errno-b",
        "the same code of another service",
        "Error: connect ECONNREFUSED 127.0.0.1:6379",
    ),
    ("exit", "an exit code", "error: script exited with code 1"),
    ("exit-b", "the same exit code", "fatal: process exited with code 1"),
];

/// Compares two texts in both directions.
fn compare(first: &str, second: &str) -> FailureMatch {
    let (first, second) = (Failure::parse(first), Failure::parse(second));
    let result = first.compare(&second);
    assert_eq!(result, second.compare(&first), "in both directions");
    result
}

#[test]
fn traces_never_contradict_their_failure() {
    let mut match_count = 0;
    let mut wrong = Vec::new();
    for (at, (failure, what, text)) in TRACES.iter().enumerate() {
        for (other_failure, other_what, other_text) in &TRACES[at + 1..] {
            let result = compare(text, other_text);
            match_count += usize::from(result == FailureMatch::Same);
            let contradicts = match failure == other_failure {
                true => result == FailureMatch::Different,
                false => result == FailureMatch::Same,
            };
            if contradicts {
                wrong.push(format!(
                    "{failure} ({what}), {other_failure} ({other_what}): {result:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(match_count > 0);
}

#[test]
fn invented_pairs_are_compared_correctly() {
    #[derive(serde::Deserialize)]
    struct Group {
        name: String,
        stored: Text,
        same: Vec<Text>,
        different: Vec<Text>,
    }
    #[derive(serde::Deserialize)]
    struct Text {
        title: String,
        body: String,
    }
    let join = |text: &Text| format!("{}\n{}", text.title, text.body);
    let groups: Vec<Group> = serde_json::from_str(include_str!("trace_pairs.json")).unwrap();
    let (mut counts, mut wrong) = ([0; 2], Vec::new());
    for group in &groups {
        for (texts, expected, opposite) in [
            (&group.same, FailureMatch::Same, FailureMatch::Different),
            (&group.different, FailureMatch::Different, FailureMatch::Same),
        ] {
            for text in texts {
                let result = compare(&join(&group.stored), &join(text));
                counts[usize::from(expected == FailureMatch::Different)] +=
                    usize::from(result == expected);
                if result == opposite {
                    wrong.push(format!("{}: {result:?}", group.name));
                }
            }
        }
    }
    assert!(counts[0] >= 34 && counts[1] >= 59, "{counts:?}");
    assert!(wrong.len() <= 9, "{}", wrong.join("\n"));
}

#[test]
fn text_without_a_failure_is_unknown() {
    let words = "The pool runs dry every Monday, in version 2.3.1.";
    assert_eq!(compare(words, words), FailureMatch::Unknown);
}
