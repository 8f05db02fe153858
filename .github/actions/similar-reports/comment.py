#!/usr/bin/env python3
"""Posts a comment with reports similar to an issue, from the local casebook. It never closes an issue.

The environment contains the REPOSITORY, the ISSUE and the options of action.yml. The comment contains
only numbers and fixed words, no text of a report.
"""

import json
import os
import re
import subprocess
import sys

MARKER = "<!-- precedent: similar reports -->"
# The bands of `precedent duplicates --json`, best first, in the words of the window.
BANDS = {
    "high": "duplicate",
    "likely": "likely duplicate",
    "possible": "possible duplicate",
    "related": "related",
}
STATES = ("open", "closed", "merged")
MAX_REPORTS = 5


def run(*command, stdin=None):
    """Runs a program without a shell and returns its output."""
    result = subprocess.run(command, input=stdin, capture_output=True, encoding="utf-8", check=False)
    if result.returncode != 0:
        sys.exit(f"{command[0]} {command[1]} failed:\n{result.stderr}")
    return result.stdout


def comment(answer, weakest):
    """Returns the comment on an answer of `precedent duplicates --json`, or None without a match.

    >>> candidate = {"number": 57, "state": "closed", "band": "likely", "confidence": 0.748}
    >>> print(comment({"candidates": [candidate]}, "possible"))
    <!-- precedent: similar reports -->
    Similar reports:
    <BLANKLINE>
    - #57 (closed): likely duplicate, 75%
    <BLANKLINE>
    Found by Precedent. Please check whether one of them solves the problem. Nothing is closed.
    >>> comment({"candidates": [candidate]}, "high")
    """
    bands = list(BANDS)[: list(BANDS).index(weakest) + 1]
    matches = [c for c in answer["candidates"] if c["band"] in bands and c["number"] is not None]
    lines = []
    for candidate in matches[:MAX_REPORTS]:
        band = candidate["band"]
        percent = "" if band == "related" else f", {candidate['confidence']:.0%}"
        state = f" ({candidate['state']})" if candidate["state"] in STATES else ""
        lines.append(f"- #{candidate['number']}{state}: {BANDS[band]}{percent}")
    if not lines:
        return None
    advice = "Please check whether one of them solves the problem. Nothing is closed."
    return "\n".join([MARKER, "Similar reports:", "", *lines, "", f"Found by Precedent. {advice}"])


def post(repository, issue, body, author):
    """Posts the comment, or updates the one that the same author posted before."""
    url = f"repos/{repository}/issues/{issue}/comments"
    fields = ".[] | {id, body, login: .user.login}"
    lines = run("gh", "api", "--paginate", url, "--jq", fields).splitlines()
    comments = [json.loads(line) for line in lines if line]
    # Anybody can write the marker; only a comment of this author may be changed.
    own_comments = [
        c for c in comments if c["login"] == author and (c["body"] or "").startswith(MARKER)
    ]
    text = json.dumps({"body": body})
    if not own_comments:
        run("gh", "api", "--method", "POST", url, "--input", "-", stdin=text)
        return "posted"
    earlier_comment = own_comments[0]
    if earlier_comment["body"].replace("\r\n", "\n") == body:
        return "unchanged"
    comment_url = f"repos/{repository}/issues/comments/{int(earlier_comment['id'])}"
    run("gh", "api", "--method", "PATCH", comment_url, "--input", "-", stdin=text)
    return "updated"


def main():
    names = ("DRY_RUN", "MATCH", "SYNC", "CASEBOOK", "AUTHOR")
    options = {name: os.environ.get(name, "").strip() for name in names}
    repository, issue = os.environ["REPOSITORY"], os.environ["ISSUE"].strip()
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*/[\w.-]+", repository, re.ASCII):
        sys.exit("REPOSITORY is not OWNER/NAME")
    if not re.fullmatch(r"[0-9]{1,18}", issue):
        sys.exit("ISSUE is not a number; the workflow runs on issues")
    if options["MATCH"] not in BANDS:
        sys.exit(f"match must be one of {', '.join(BANDS)}")
    if options["CASEBOOK"]:
        os.environ["PRECEDENT_CASEBOOK"] = options["CASEBOOK"]
    if options["SYNC"] != "false":
        run("precedent", "sync", repository, "--quiet")
    key = f"{repository}#{issue}"
    answer = run("precedent", "duplicates", key, "--include-closed", "--quiet", "--json")
    body = comment(json.loads(answer), options["MATCH"])
    if body is None:
        outcome = "no similar report"
    elif options["DRY_RUN"] != "false":
        outcome = f"dry run, nothing is posted:\n\n{body.removeprefix(MARKER).strip()}"
    else:
        outcome = post(repository, issue, body, options["AUTHOR"])
    print(f"{key}: {outcome}")
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(summary, "a", encoding="utf-8") as file:
            file.write(f"{key}: {outcome}\n")


if __name__ == "__main__":
    main()
