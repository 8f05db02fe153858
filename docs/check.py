#!/usr/bin/env python3
"""Checks the pages beyond their links: promises name tests that exist, pages that files name exist,
every schema is listed, sentences are short, and the README fits on one screen.

    python3 docs/check.py    # prints the problems and fails, or prints the number of pages
"""

import doctest
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Samples of tracker data.
SAMPLES = ("samples/ferrywire/", "tests/fixtures/", "tests/data/", "tests/fuzz/seeds/")
# Samples and records of decisions may have longer sentences.
RECORDS = ("docs/decisions/", "models/", "samples/", "benches/", "CHANGELOG.md", "docs/gallery.md")
MAX_MEDIAN_WORDS, MAX_WORDS = 20, 40
SCREEN_LINES, SCREEN_COLUMNS = 60, 100


def missing_tests(page, tests):
    r"""Returns the tests that a page names in code but that do not exist.

    >>> missing_tests("`sync.rs`, `a_token_is_kept`, `nobody_wrote_this`, `precedent sync`", {"sync.rs", "a_token_is_kept"})
    ['nobody_wrote_this']
    """
    codes = re.findall(r"`([^`\n]+)`", page)
    is_test = re.compile(r"\S*\.rs|(?=(?:[^_]*_){2})[a-z0-9_]+")
    return [code for code in codes if is_test.fullmatch(code) and code not in tests]


def named_pages(text):
    r"""Returns the documentation pages that a text names; skips folders of other sites.

    >>> named_pages("// see docs/trust.md, not https://a.example/docs/b.md or site/docs/c.md")
    ['docs/trust.md']
    """
    return re.findall(r"(?<![\w/.-])docs/[A-Za-z0-9/._-]+?\.md", text)


def sentence_lengths(page):
    r"""Returns the number of words of each sentence outside code, tables and headings, with its beginning.

    >>> sentence_lengths("# A heading\n\nOne `two three` [four](five).\nSix seven.\n\n| a | table |\n")
    [(3, 'One Code four.'), (2, 'Six seven.')]
    """
    page = re.sub(r"\A---\n.*?\n---\n", "", page, flags=re.S)
    page = re.sub(r"^ *(```+|~~~+).*?^ *\1 *$", "", page, flags=re.M | re.S)
    page = re.sub(r"<!--.*?-->|<[/a-zA-Z][^>]*>", "", page, flags=re.S)
    page = re.sub(r"`+[^`]+`+", "Code", page)
    page = re.sub(r"!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])", r"\1", page)
    page = re.sub(r"^ {0,3}(#+ .*|\|.*|\[[^\]]+\]: .*|[-*_=]{3,} *)$", "", page, flags=re.M)
    page = re.sub(r"^( |>)*([-*+]|\d+[.)])( +|$)", "\n\n", page, flags=re.M)
    lengths = []
    for block in re.split(r"\n[ >]*\n", page):
        for sentence in re.split(r"""(?<=[.!?:])[)"*”]*\s+(?![a-zà-ÿ])""", " ".join(block.split())):
            words = [word for word in sentence.split() if any(map(str.isalnum, word))]
            if words:
                lengths.append((len(words), " ".join(sentence.split()[:6])))
    return lengths


def long_sentences(file, page):
    r"""Returns the sentence-length problems of a page; records may have single long sentences.

    >>> [len(long_sentences(file, "One " * 41 + "end.")) for file in ("a.md", "CHANGELOG.md")]
    [2, 1]
    """
    lengths = sentence_lengths(page)
    problems = []
    median = statistics.median_high([words for words, _ in lengths] or [0])
    if median > MAX_MEDIAN_WORDS:
        problems.append(f"{file}: half of the sentences have {median} words or more; the maximum is {MAX_MEDIAN_WORDS}")
    if not file.startswith(RECORDS):
        for words, start in lengths:
            if words > MAX_WORDS:
                problems.append(f'{file}: a sentence of {words} words: "{start} …"; the maximum is {MAX_WORDS}')
    return problems


def screen_overflow(page):
    r"""Returns the problems of a page that does not fit on one screen; pictures do not count.

    >>> screen_overflow("<picture>\n" + "a" * 200 + "\n</picture>\nshort\n")
    []
    >>> len(screen_overflow("long " * 30 + "\n" * 70))
    2
    """
    lines = re.sub(r"<picture.*?</picture>\n|^!\[.*\n", "", page, flags=re.M | re.S).splitlines()
    problems = [f"README.md: {len(line)} columns: {line[:60]} …" for line in lines if len(line) > SCREEN_COLUMNS]
    if len(lines) > SCREEN_LINES:
        problems.append(f"README.md has {len(lines)} lines without pictures; the maximum is {SCREEN_LINES}")
    return problems


def check():
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    names = [name for name in names if name and not name.startswith(SAMPLES) and (ROOT / name).is_file()]
    files = {name: (ROOT / name).read_text(encoding="utf-8", errors="replace") for name in names}
    pages = {name: text for name, text in files.items() if name.endswith(".md")}

    tests = {name for name in files if name.endswith(".rs")}
    tests |= {name.removeprefix("tests/it/") for name in tests}
    for name in [name for name in files if name.endswith(".rs")]:
        tests.update(re.findall(r"\bfn ([a-z0-9_]+)", files[name]))
    problems = [f"docs/trust.md: there is no test {test}" for test in missing_tests(pages["docs/trust.md"], tests)]
    for name, text in files.items():
        if not name.endswith((".md", ".snap", "docs/check.py")):
            missing = [page for page in named_pages(text) if not (ROOT / page).is_file()]
            problems += [f"{name}: {page} does not exist" for page in missing]
    for schema in sorted((ROOT / "docs/schema").glob("*.json")):
        if f"/{schema.name})" not in pages["docs/reference/json.md"]:
            problems.append(f"docs/reference/json.md: {schema.name} is not listed")
    for name, text in pages.items():
        problems += long_sentences(name, text)
    problems += screen_overflow(pages["README.md"])
    print("\n".join(problems) if problems else f"{len(pages)} pages")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(check() or doctest.testmod().failed > 0)
