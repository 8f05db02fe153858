#!/usr/bin/env python3
"""Posts a comment with reports similar to an issue, from the local casebook. It never closes an issue.

The environment names the REPOSITORY, the ISSUE and the options of action.yml. The comment holds
numbers and fixed words only, no text of a report.
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
MOST = 5


def run(*command, stdin=None):
    """Returns the output of a program, which is started without a shell."""
    ended = subprocess.run(command, input=stdin, capture_output=True, encoding="utf-8", check=False)
    if ended.returncode != 0:
        sys.exit(f"{command[0]} {command[1]} failed:\n{ended.stderr}")
    return ended.stdout


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
    for candidate in matches[:MOST]:
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
    comments = f"repos/{repository}/issues/{issue}/comments"
    fields = ".[] | {id, body, login: .user.login}"
    listed = run("gh", "api", "--paginate", comments, "--jq", fields)
    earlier = [json.loads(line) for line in listed.splitlines() if line]
    # Anybody can write the marker; only the comment of this author may be changed.
    own = [c for c in earlier if c["login"] == author and (c["body"] or "").startswith(MARKER)]
    text = json.dumps({"body": body})
    if not own:
        run("gh", "api", "--method", "POST", comments, "--input", "-", stdin=text)
        return "posted"
    if own[0]["body"].replace("\r\n", "\n") == body:
        return "unchanged"
    own_comment = f"repos/{repository}/issues/comments/{int(own[0]['id'])}"
    run("gh", "api", "--method", "PATCH", own_comment, "--input", "-", stdin=text)
    return "updated"


def main():
    names = ("DRY_RUN", "MATCH", "SYNC", "CASEBOOK", "AUTHOR")
    option = {name: os.environ.get(name, "").strip() for name in names}
    repository, issue = os.environ["REPOSITORY"], os.environ["ISSUE"].strip()
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*/[\w.-]+", repository, re.ASCII):
        sys.exit("REPOSITORY is not OWNER/NAME")
    if not re.fullmatch(r"[0-9]{1,18}", issue):
        sys.exit("ISSUE is not a number; the workflow runs on issues")
    if option["MATCH"] not in BANDS:
        sys.exit(f"match is one of {', '.join(BANDS)}")
    if option["CASEBOOK"]:
        os.environ["PRECEDENT_CASEBOOK"] = option["CASEBOOK"]
    if option["SYNC"] != "false":
        run("precedent", "sync", repository, "--quiet")
    key = f"{repository}#{issue}"
    found = run("precedent", "duplicates", key, "--include-closed", "--quiet", "--json")
    body = comment(json.loads(found), option["MATCH"])
    if body is None:
        outcome = "no similar report"
    elif option["DRY_RUN"] != "false":
        outcome = f"dry run, nothing is posted:\n\n{body.removeprefix(MARKER).strip()}"
    else:
        outcome = post(repository, issue, body, option["AUTHOR"])
    print(f"{key}: {outcome}")
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(summary, "a", encoding="utf-8") as file:
            file.write(f"{key}: {outcome}\n")


if __name__ == "__main__":
    main()
