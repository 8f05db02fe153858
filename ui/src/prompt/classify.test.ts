import { expect, it } from "vitest";
import { describeInput, classifyInput, inputLabel, type InputKind } from "./classify";

const kindOf = (text: string) => classifyInput(text, [])?.kind;

const TRACES: Record<string, string> = {
  java: 'Exception in thread "main" java.lang.IllegalStateException: pool is dry\n\tat com.acme.Pool.take(Pool.java:42)\n\tat com.acme.Main.main(Main.java:7)',
  javascript: "TypeError: cannot read properties of undefined (reading 'slot')\n    at take (/srv/pool.js:12:9)\n    at /srv/main.js:3:1",
  python: 'Traceback (most recent call last):\n  File "/srv/pool.py", line 12, in take\n    raise Dry()\nacme.Dry: pool is dry',
  rust: "thread 'main' panicked at src/pool.rs:12:9:\npool is dry\n   0: rust_begin_unwind\n   1: acme::pool::take\n             at ./src/pool.rs:12:9",
  go: "panic: pool is dry\n\ngoroutine 1 [running]:\nmain.take(0x0)\n\t/srv/pool.go:12 +0x1d",
  csharp: "System.InvalidOperationException: pool is dry\n   at Acme.Pool.Take() in C:\\src\\Pool.cs:line 42",
  gdb: "#0  0x00007f3a in take (pool=0x0) at pool.c:12\n#1  0x00007f3b in main () at main.c:3",
  php: "PHP Fatal error:  Uncaught Exception: pool is dry\n#0 /srv/main.php(3): take()\n#1 {main}",
  ruby: "pool.rb:12:in `take': pool is dry (Acme::Error)\n\tfrom main.rb:3:in `<main>'",
};

it.each(Object.entries(TRACES))("recognizes a %s stack trace", (_, text) => {
  expect(kindOf(text)).toBe("trace");
});

it.each<[InputKind, string]>([
  ["key", " acme/app#12\n"],
  ["link", "https://tracker.example/acme/app/issues/12"],
  ["link", "https://tracker.example/acme/app#12"],
  ["trace", "Caused by: com.acme.DryException: pool is dry\n\tat com.acme.Pool.take(Pool.java:42)"],
  ["mail", "From: Erika <erika@example.org>\nSubject: It stops\n\nIt stops after a day."],
  ["mail", "Von: Erika\nGesendet: Montag\nBetreff: Abbruch\n\nTypeError: x\n  at take (/srv/pool.js:12:9)\n  at /srv/main.js:3:1"],
  ["mail", "发件人：王小明\n主题：同步停止\n\n更新证书后同步停止。"],
  ["mail", "Hello support,\n\nit stops after a day.\n\nKind regards\nErika"],
  ["mail", "On Mon, 2 Mar 2026 at 08:11, Erika wrote:\n> it stops"],
  ["words", "slot disk full"],
  ["words", "更新证书后同步停止"],
  ["text", "更新证书后同步停止:日志反复显示“证书由未知机构签发”"],
  ["words", "更新证书 2.3.1 agent"],
  ["words", "#12"],
  ["words", "is:open label:bug tls"],
  ["text", "after the chain was renewed the agent never reads it again until somebody restarts it"],
  ["text", "it stops\nafter a day"],
  ["text", "2026-03-02 ERROR no slot left\n2026-03-02 ERROR no slot left"],
  ["text", "to: storage\nfrom: network"],
  ["text", "See https://tracker.example/acme/app/issues/12 and\nits comments"],
])("recognizes %s: %j", (expected, text) => {
  expect(kindOf(text)).toBe(expected);
});

it("ignores empty text", () => {
  expect([classifyInput("", []), classifyInput(" \n ", [])]).toEqual([null, null]);
});

it("finds the item of a mirrored link", () => {
  const key = (link: string) => classifyInput(link, ["acme/app", "group/sub/mill"])?.key;
  expect(key("https://github.com/Acme/App/issues/12#issuecomment-3")).toBe("acme/app#12");
  expect(key("https://github.com/acme/app/pull/9/files")).toBe("acme/app#9");
  expect(key("https://gitlab.com/group/sub/mill/-/issues/7")).toBe("group/sub/mill#7");
  expect(key("precedent://item/acme/app%2312")).toBe("acme/app#12");
  expect(key("precedent://item/acme/app#12")).toBe("acme/app#12");
  expect(key("https://github.com/acme/other/issues/12")).toBe(null);
  expect(key("https://github.com/acme/app")).toBe(null);
});

it("describes kind and size", () => {
  const describe = (text: string) => {
    const input = classifyInput(text, ["acme/app"]);
    return input && describeInput(input);
  };
  expect(describe(TRACES["python"] ?? "")).toBe("a stack trace, 4 lines");
  expect(describe("acme/app#12")).toBe("a key: acme/app#12");
  expect(describe("https://github.com/acme/app/issues/12")).toBe("a link to acme/app#12");
  expect(describe("https://example.org/")).toBe("a link: https://example.org/");
  expect(describe("slot disk full")).toBe("text: slot disk full");
  expect(describe("one\r\ntwo")).toBe("text, 2 lines");
  const input = classifyInput("slot disk full", []);
  expect(input && inputLabel(input)).toBe("a search");
});

it("is fast for large texts", () => {
  const hostile = ["On " + "a ".repeat(50_000), "at ".repeat(33_000), "a.".repeat(50_000), "#".repeat(100_000), "From: x\n".repeat(12_000), ("at " + "a".repeat(200) + "\n").repeat(490)];
  const start = performance.now();
  for (const text of hostile) classifyInput(text, ["acme/app"]);
  expect(performance.now() - start).toBeLessThan(1500);
});

it("expands unambiguous short keys", () => {
  const key = (text: string, ...sources: string[]) => classifyInput(text, sources)?.key;
  expect(key("app#12", "acme/app", "acme/web")).toBe("acme/app#12");
  expect(key("APP#12", "acme/app")).toBe("acme/app#12");
  expect(key("#12", "acme/app")).toBe("acme/app#12");
  expect([key("#12", "acme/app", "acme/web"), key("app#12", "acme/app", "other/app"), key("other#12", "acme/app")]).toEqual([null, null, null]);
});
