#!/usr/bin/env python3
"""Tests the action with the sample and a `gh` that records what it is asked to do.

    python3 .github/actions/similar-reports/test.py target/debug/precedent
"""

import doctest
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import comment

SCRIPT = pathlib.Path(__file__).with_name("comment.py")
# Records arguments and input; lists the comments of a file.
GH = """#!/bin/sh
printf '%s\\n' "$*" >> "$RECORD/arguments"
case "$*" in
    *"--input -"*) cat > "$RECORD/input" ;;
    *) cat "$RECORD/comments" ;;
esac
"""


def test(program, folder):
    record, tools = folder / "record", folder / "tools"
    record.mkdir()
    tools.mkdir()
    (tools / "precedent").symlink_to(program)
    (tools / "gh").write_text(GH)
    (tools / "gh").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "RECORD": str(record),
        "REPOSITORY": "ferrywire/ferrywire",
        "ISSUE": "59",
        "MATCH": "possible",
        "SYNC": "false",
        "CASEBOOK": str(folder / "casebook"),
        "AUTHOR": "github-actions[bot]",
        "DRY_RUN": "true",
    }
    environment.pop("GITHUB_STEP_SUMMARY", None)
    imported = [program, "--casebook", environment["CASEBOOK"], "import", "sample", "--quiet"]
    subprocess.run(imported, check=True, env=environment, capture_output=True)

    def action(comments=(), **changes):
        """Runs the action; returns its exit code, its output, and the calls of gh that write."""
        (record / "comments").write_text("".join(json.dumps(c) + "\n" for c in comments))
        (record / "arguments").write_text("")
        command = [sys.executable, SCRIPT]
        changed = {**environment, **changes}
        ended = subprocess.run(command, env=changed, capture_output=True, text=True, check=False)
        calls = (record / "arguments").read_text().splitlines()
        writes = [call for call in calls if "--method" in call]
        return ended.returncode, ended.stdout + ended.stderr, writes

    def expect(result, code, text, calls):
        assert (result[0], text in result[1], result[2]) == (code, True, calls), result

    one, many = "api --method {} repos/ferrywire/ferrywire/issues/{} --input -", "59/comments"
    expect(action(), 0, "- #57 (closed): ", [])
    expect(action(DRY_RUN="false"), 0, "posted", [one.format("POST", many)])
    body = json.loads((record / "input").read_text())["body"]
    assert body.startswith(comment.MARKER) and "#57" in body and "FW-4101" not in body, body

    own = {"id": 7, "login": "github-actions[bot]", "body": body}
    foreign = {"id": 6, "login": "somebody", "body": comment.MARKER}
    expect(action([foreign, own], DRY_RUN="false"), 0, "unchanged", [])
    old = {**own, "body": f"{comment.MARKER}\nold"}
    changed = [one.format("PATCH", "comments/7")]
    expect(action([foreign, old], DRY_RUN="false"), 0, "updated", changed)
    expect(action([foreign], DRY_RUN="false"), 0, "posted", [one.format("POST", many)])

    expect(action(ISSUE="1", DRY_RUN="false"), 0, "no similar report", [])
    expect(action(ISSUE="9999", DRY_RUN="false"), 1, "not found in this casebook", [])
    wrong = (("ISSUE", "59; id"), ("ISSUE", ""), ("REPOSITORY", "-R"), ("MATCH", "none"))
    for name, value in wrong:
        expect(action(DRY_RUN="false", **{name: value}), 1, "", [])


if __name__ == "__main__":
    assert not doctest.testmod(comment).failed
    with tempfile.TemporaryDirectory() as folder:
        test(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))
    print("passed")
