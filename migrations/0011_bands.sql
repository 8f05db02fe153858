-- What a check came to, in five words, and how likely its best candidate is worth reading.

-- Checks are derived, and all of them are made again: their words were others.
DROP TABLE check_candidates;
DROP TABLE checks;

-- Checks for duplicates: that nothing was found is different from that nobody looked.
CREATE TABLE checks (
    key        TEXT PRIMARY KEY,
    checked_at INTEGER NOT NULL,
    revision   INTEGER NOT NULL,                     -- of the document when it was checked; later changes ask anew
    band       TEXT NOT NULL CHECK (band IN ('high', 'likely', 'possible', 'related', 'none')),
    best_key   TEXT,                                 -- the best candidate, if there was any
    confidence REAL NOT NULL,                        -- 0 to 1: the best candidate is the same problem
    worth      REAL NOT NULL,                        -- 0 to 1: it is the same or related
    closed     INTEGER NOT NULL,                     -- whether closed reports were compared too
    full_text  INTEGER,                              -- documents that the full text covered, if not all
    embedded   INTEGER                               -- chunks that had a vector, if not all
) STRICT, WITHOUT ROWID;

-- The candidates of a document's last check that nobody had decided about, the best few.
CREATE TABLE check_candidates (
    key        TEXT NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
    other_key  TEXT NOT NULL,                        -- the earlier report
    confidence REAL NOT NULL,                        -- 0 to 1
    PRIMARY KEY (key, other_key)
) STRICT, WITHOUT ROWID;

-- How many times as long as elsewhere it takes in this source until something is reported again (duplicates::pace).
ALTER TABLE sources ADD COLUMN pace REAL NOT NULL DEFAULT 1.0;

-- Curves over the confidence as it was stated before; they are made anew.
DELETE FROM calibrations;
