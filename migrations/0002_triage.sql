-- User decisions about pairs with their history, and the results of duplicate checks.

-- The canonical report if the verdict is `duplicate`; the other report is its duplicate.
ALTER TABLE verdicts ADD COLUMN canonical_key TEXT;

-- All decisions and undone decisions, in order. `verdicts` is the resulting state.
CREATE TABLE verdict_journal (
    id            INTEGER PRIMARY KEY,
    first_key     TEXT NOT NULL,
    second_key    TEXT NOT NULL,
    verdict       TEXT CHECK (verdict IN ('duplicate', 'related', 'not_duplicate')),  -- NULL: taken back
    canonical_key TEXT,
    reason        TEXT,
    actor         TEXT NOT NULL,
    decided_at    INTEGER NOT NULL,
    CHECK (first_key < second_key)
) STRICT;

-- Duplicate checks. A check without a match is stored; a missing row means "not checked".
CREATE TABLE checks (
    key        TEXT PRIMARY KEY,
    checked_at INTEGER NOT NULL,
    revision   INTEGER NOT NULL,                     -- of the document when it was checked; later changes ask anew
    band       TEXT NOT NULL CHECK (band IN ('high', 'review', 'none')),
    best_key   TEXT,                                 -- the best candidate, if there was any
    confidence REAL NOT NULL,                        -- 0 to 1, of the best candidate
    closed     INTEGER NOT NULL                      -- whether closed reports were compared too
) STRICT, WITHOUT ROWID;

-- Calibration of the confidence on a source's own duplicates: p = 1 / (1 + exp(-(slope * logit(confidence) + intercept))).
CREATE TABLE calibrations (
    source_id INTEGER PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
    slope     REAL NOT NULL,
    intercept REAL NOT NULL,
    labels    INTEGER NOT NULL,                      -- reports with a known earlier duplicate that it rests on
    made_at   INTEGER NOT NULL
) STRICT;
