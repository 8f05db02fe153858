"""Splits tracker comments into sentences and sentences into tokens.

`roles.rs` implements the same steps; every pattern here means the same in Python's `re` and in
Rust's `regex`. The rules, in order:

1. Text: the first 20,000 characters; CRLF becomes LF, typographic quotes, dashes, ellipses and
   no-break spaces become ASCII.
2. Lines: fenced blocks (``` or ~~~), `{code}` and `{noformat}` blocks, and lines indented by four
   spaces or a tab after a blank line are code; the paragraph before ends with BLOCK. Lines that
   start with `>` or `bq.`, `{quote}` blocks, and mail headers ("On ... wrote:") are dropped.
3. Inline: `code` and {{code}} become CODE; `![alt](url)` is dropped, `[text](url)` becomes
   `text url`, `<tags>` become a space, five HTML entities are decoded.
4. Paragraphs: a blank or dropped line, a heading or a list item starts a new one. A line
   continues the line before it if it starts with an ASCII lower-case letter, or if the line
   before has at least 60 characters; a line that ends with ":" is never continued.
5. Sentences: a paragraph is split after a run of `.`, `!`, `?` and closing quotes or brackets, or
   after `;`, where white space or the end follows, and after each of 。！？. A single
   "." after an abbreviation (ABBREVIATIONS) or after a number that starts the paragraph does
   not split. Sentences without a token are dropped.
6. Tokens: the first 64 matches of TOKEN, see `tokenize`.
"""

import re

MAX_CHARS = 20_000
MAX_TOKENS = 64
LONG_LINE = 60
CODE = "\ue000"
BLOCK = "\ue001"
ABBREVIATIONS = {
    "e.g",
    "i.e",
    "eg",
    "ie",
    "etc",
    "vs",
    "cf",
    "ca",
    "approx",
    "resp",
    "al",
    "mr",
    "dr",
    "fig",
    "incl",
}
ASCII = str.maketrans(
    {
        "\r": "",
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "–": "-",
        "—": "-",
        "…": "...",
        "\u00a0": " ",
        CODE: " ",
        BLOCK: " ",
    }
)

INLINE_CODE = re.compile(r"``[^\n]+?``|`[^`\n]+`|\{\{[^\n]+?\}\}")
IMAGE = re.compile(r"!\[[^\]\[]*\]\([^()\s]*\)")
LINK = re.compile(r"\[([^\]\[]*)\]\(([^()\s]*)\)")
TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}>")
ENTITIES = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&amp;", "&")]
MAIL_HEADER = re.compile(r"^On .{5,200} wrote:$")
MARKER = re.compile(r"^(?:#{1,6}[ \t]+|[-*+][ \t]+|[0-9]{1,3}[.)][ \t]+)")
TOKEN = re.compile(
    r"(?P<url>https?://[^ \t\])>|]+|www\.[^ \t\])>|]+)"
    r"|(?P<ref>(?:[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)?#[0-9]+|[A-Z][A-Z0-9]+-[0-9]+)"
    r"|(?P<mention>@[A-Za-z0-9_-]+)"
    r"|(?P<vote>[+-]1\b)"
    r"|(?P<version>[vV]?[0-9]+(?:\.[0-9xX]+)+[A-Za-z0-9_.+-]*)"
    r"|(?P<flag>--?[A-Za-z][A-Za-z0-9_-]*)"
    r"|(?P<path>[A-Za-z0-9_.-]*(?:::|/|\\)[A-Za-z0-9_.:/\\-]+|[A-Za-z0-9_]+\(\))"
    r"|(?P<word>[A-Za-z][A-Za-z0-9]*(?:[_'-][A-Za-z0-9]+)*)"
    r"|(?P<number>[0-9][0-9A-Za-z,]*)"
    r"|(?P<foreign>[^\x00-\x7f]+)"
    r"|(?P<smile>[:;]-?[()DP])"
    r"|(?P<mark>[?!:])"
)
CONTRACTIONS = {
    "cannot": ("can", "not"),
    "can't": ("can", "not"),
    "cant": ("can", "not"),
    "won't": ("will", "not"),
    "wont": ("will", "not"),
    "shan't": ("shall", "not"),
    "dont": ("do", "not"),
    "doesnt": ("does", "not"),
    "didnt": ("did", "not"),
    "isnt": ("is", "not"),
    "wasnt": ("was", "not"),
    "im": ("i", "'m"),
    "ive": ("i", "'ve"),
    "anymore": ("any", "more"),
    "nvm": ("nevermind",),
}
# Words that mean the same for a role; `fit.py` writes them into `roles.json` too.
SYNONYMS = {
    word: key
    for key, words in {
        "fix": "resolve solve",
        "fixed": "resolved solved corrected repaired addressed",
        "fixes": "resolves solves addresses",
        "fixing": "resolving solving addressing",
        "workaround": "workarounds",
        "issue": "bug problem ticket defect",
        "issues": "bugs problems tickets defects",
        "pr": "prs",
        "thanks": "thx thank ty",
        "reproduce": "replicate recreate repro reproducing",
        "reproduces": "repros",
        "reproduced": "replicated recreated",
        "reproducible": "reproducable reproduceable",
        "duplicate": "dup dupe duplicated",
        "favor": "favour",
        "behavior": "behaviour",
        "close": "closes",
        "landed": "merged",
        "latest": "newest current recent",
        "version": "release build",
        "master": "main trunk head nightly",
        "sorry": "apologies apology",
        "downgrade": "downgrading downgraded",
        "update": "upgrade",
        "updating": "upgrading",
        "updated": "upgraded",
        "screen": "screencast screenshot",
        "please": "pls plz",
        "persists": "persist remains",
        "yesterday": "today",
        "weeks": "days months years",
    }.items()
    for word in words.split()
}
AROUND = {
    "work": "workaround",
    "works": "workaround",
    "working": "workaround",
    "worked": "workedaround",
}


def split_word(word):
    """Returns the tokens of a lower-case word: contractions are split ("isn't" is "is not")."""
    if word in CONTRACTIONS:
        return CONTRACTIONS[word]
    if word in SYNONYMS:
        return (SYNONYMS[word],)
    if word.endswith("n't") and len(word) > 3:
        return (word[:-3], "not")
    head, mark, tail = word.rpartition("'")
    if mark and head and tail in ("s", "m", "ve", "re", "ll", "d"):
        return (head, mark + tail)
    return (word.replace("'", ""),)


def is_hash(word):
    """Returns whether a token is a commit hash: 7 to 40 lower-case hex digits, one of them 0-9."""
    return (
        7 <= len(word) <= 40
        and all(c in "0123456789abcdef" for c in word)
        and any(c.isdigit() for c in word)
    )


def tokenize(sentence):
    """Returns at most MAX_TOKENS lower-case tokens; classes of tokens are written in capitals."""
    tokens = []
    for m in TOKEN.finditer(sentence):
        kind, text = m.lastgroup, m.group()
        if kind in ("url", "ref"):
            token = "REF"
        elif kind == "mention":
            token = "@"
        elif kind == "vote":
            token = text
        elif kind == "version":
            token = "VER"
        elif kind == "flag":
            # "work -around" and " - " at a word are no options.
            token = "CODE" if text.startswith("--") else text[1:].lower()
        elif kind == "path":
            token = "CODE"
        elif kind == "word":
            if is_hash(text) or "_" in text:
                token = "CODE" if "_" in text else "REF"
            else:
                parts = split_word(text.lower().replace("-", ""))
                token = parts[-1]
                tokens.extend(parts[:-1])
                if token in ("around", "arounds") and tokens and tokens[-1] in AROUND:
                    token = AROUND[tokens.pop()]
                elif token == "mind" and tokens and tokens[-1] == "never":
                    token = "nevermind"
                    tokens.pop()
        elif kind == "number":
            token = "REF" if is_hash(text) else "0"
        elif kind == "foreign":
            token = "CODE" if text[0] == CODE else "BLOCK" if text[0] == BLOCK else "FOREIGN"
        elif kind == "smile":
            token = ":)"
        else:
            token = text
        tokens.append(token)
        if len(tokens) >= MAX_TOKENS:
            break
    return tokens[:MAX_TOKENS]


def paragraphs(text):
    """Returns the paragraphs of a comment (rules 1 to 4)."""
    lines = text[:MAX_CHARS].translate(ASCII).split("\n")
    out, current, last_line = [], "", ""
    fence, after_blank, in_indent = None, True, False

    def flush(block=False):
        nonlocal current, last_line
        if current:
            out.append(current)
            current, last_line = "", ""
        if block and out and not out[-1].endswith(BLOCK):
            out[-1] += " " + BLOCK

    for line in lines:
        stripped = line.strip(" \t")
        if fence:
            if fence in ("```", "~~~"):
                if stripped.startswith(fence):
                    fence = None
            elif fence in stripped:
                fence = None
            continue
        if not stripped:
            flush()
            after_blank = True
            continue
        indented = line.startswith("    ") or line.startswith("\t")
        if indented and (after_blank or in_indent) and not MARKER.match(stripped):
            flush(block=True)
            in_indent, after_blank = True, False
            continue
        in_indent, after_blank = False, False
        opener = next((f for f in ("```", "~~~") if stripped.startswith(f)), None)
        if opener:
            flush(block=True)
            if opener not in stripped[3:]:
                fence = opener
            continue
        for name in ("{code", "{noformat", "{quote"):
            at = stripped.find(name)
            if at >= 0:
                close = stripped.find(name + "}", at + len(name))
                head = stripped[:at].strip(" \t")
                if close >= 0:
                    inner = stripped[at + len(name) : close].replace("`", "'")
                    rest = stripped[close + len(name) + 1 :]
                    stripped = f"{head} `{inner}` {rest}".strip(" \t")
                else:
                    fence, stripped = name + "}", head
                break
        if fence:
            if stripped:
                add = clean(stripped)
                current = current + " " + add if current else add
            flush(block=fence != "{quote}")
            continue
        if stripped.startswith(">") or stripped.startswith("bq.") or MAIL_HEADER.match(stripped):
            flush()
            continue
        marker = MARKER.match(stripped)
        if marker:
            flush()
            stripped = stripped[marker.end() :]
        add = clean(stripped)
        if not add:
            continue
        continues = (
            current
            and not last_line.endswith(":")
            and ("a" <= add[0] <= "z" or len(last_line) >= LONG_LINE)
        )
        if continues:
            current += " " + add
        else:
            flush()
            current = add
        last_line = add
    flush()
    return out


def clean(line):
    """Replaces inline code, links, tags and entities of a line (rule 3)."""
    line = INLINE_CODE.sub(CODE, line)
    line = IMAGE.sub("", line)
    line = LINK.sub(r"\1 \2", line)
    line = TAG.sub(" ", line)
    for entity, char in ENTITIES:
        line = line.replace(entity, char)
    return line.strip(" \t")


def split_paragraph(paragraph):
    """Returns the sentences of a paragraph (rule 5)."""
    out, start, i, n = [], 0, 0, len(paragraph)
    while i < n:
        c = paragraph[i]
        if c in "。！？":
            out.append(paragraph[start : i + 1])
            i += 1
            start = i
            continue
        if c not in ".!?;":
            i += 1
            continue
        j = i
        while j < n and paragraph[j] in ".!?;)]\"'*_":
            j += 1
        if j < n and paragraph[j] not in " \t":
            i = j
            continue
        if c == "." and j == i + 1:
            word = paragraph[start:i].rsplit(" ", 1)[-1].lstrip("([\"'")
            if word.lower() in ABBREVIATIONS or (
                word.isascii() and word.isdigit() and paragraph[start:i].strip(" ") == word
            ):
                i = j
                continue
        out.append(paragraph[start:j])
        i = start = j
    out.append(paragraph[start:])
    out = [s.strip(" \t") for s in out]
    # A block marker alone belongs to the sentence before it.
    if len(out) > 1 and out[-1] == BLOCK:
        out[-2:] = [out[-2] + " " + BLOCK]
    return out


def sentences(text):
    """Returns (sentence, tokens) for each sentence of a comment that has a token."""
    out = []
    for paragraph in paragraphs(text):
        for sentence in split_paragraph(paragraph):
            tokens = tokenize(sentence)
            if any(t not in ("CODE", "BLOCK", "?", "!", ":", "0") for t in tokens):
                out.append((sentence, tokens))
    return out
