-- Checks with five bands, and the probability that the best candidate is worth reading.

-- Earlier checks have other bands. They are derived data, so all of them are repeated.
DROP TABLE check_candidates;
DROP TABLE checks;

-- Duplicate checks. A check without a match is stored; a missing row means "not checked".
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

-- The best undecided candidates of a document's last check.
CREATE TABLE check_candidates (
    key        TEXT NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
    other_key  TEXT NOT NULL,                        -- the earlier report
    confidence REAL NOT NULL,                        -- 0 to 1
    PRIMARY KEY (key, other_key)
) STRICT, WITHOUT ROWID;

-- The time scale: the factor by which the time until a problem is reported again is longer than elsewhere.
ALTER TABLE sources ADD COLUMN pace REAL NOT NULL DEFAULT 1.0;

-- Earlier curves apply to the earlier confidence and are fitted again.
DELETE FROM calibrations;
