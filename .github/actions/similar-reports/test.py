#!/usr/bin/env python3
"""Tests the action with the sample and a `gh` that records its arguments.

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
    import_command = [program, "--casebook", environment["CASEBOOK"], "import", "sample", "--quiet"]
    subprocess.run(import_command, check=True, env=environment, capture_output=True)

    def run_action(comments=(), **overrides):
        """Runs the action; returns its exit code, its output, and the writing calls of gh."""
        (record / "comments").write_text("".join(json.dumps(c) + "\n" for c in comments))
        (record / "arguments").write_text("")
        command = [sys.executable, SCRIPT]
        env = {**environment, **overrides}
        result = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        calls = (record / "arguments").read_text().splitlines()
        writes = [call for call in calls if "--method" in call]
        return result.returncode, result.stdout + result.stderr, writes

    def expect(result, code, text, calls):
        assert (result[0], text in result[1], result[2]) == (code, True, calls), result

    def call(method, path):
        return f"api --method {method} repos/ferrywire/ferrywire/issues/{path} --input -"

    post = call("POST", "59/comments")
    expect(run_action(), 0, "- #57 (closed): ", [])
    expect(run_action(DRY_RUN="false"), 0, "posted", [post])
    body = json.loads((record / "input").read_text())["body"]
    assert body.startswith(comment.MARKER) and "#57" in body and "FW-4101" not in body, body

    own_comment = {"id": 7, "login": "github-actions[bot]", "body": body}
    other_comment = {"id": 6, "login": "somebody", "body": comment.MARKER}
    expect(run_action([other_comment, own_comment], DRY_RUN="false"), 0, "unchanged", [])
    old_comment = {**own_comment, "body": f"{comment.MARKER}\nold"}
    patch = call("PATCH", "comments/7")
    expect(run_action([other_comment, old_comment], DRY_RUN="false"), 0, "updated", [patch])
    expect(run_action([other_comment], DRY_RUN="false"), 0, "posted", [post])

    expect(run_action(ISSUE="1", DRY_RUN="false"), 0, "no similar report", [])
    expect(run_action(ISSUE="9999", DRY_RUN="false"), 1, "not found in this casebook", [])
    invalid_values = (("ISSUE", "59; id"), ("ISSUE", ""), ("REPOSITORY", "-R"), ("MATCH", "none"))
    for name, value in invalid_values:
        expect(run_action(DRY_RUN="false", **{name: value}), 1, "", [])


if __name__ == "__main__":
    assert not doctest.testmod(comment).failed
    with tempfile.TemporaryDirectory() as folder:
        test(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))
    print("passed")
