-- What a check for duplicates found, so that a backlog can be put into clusters; and what was told to trackers.

-- The candidates of a document's last check that nobody had decided about, the best few.
CREATE TABLE check_candidates (
    key        TEXT NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
    other_key  TEXT NOT NULL,                        -- the earlier report
    confidence REAL NOT NULL,                        -- 0 to 1
    PRIMARY KEY (key, other_key)
) STRICT, WITHOUT ROWID;

-- Checks that were made before candidates were kept are made again.
DELETE FROM checks;

-- Reports that were to be closed as duplicates at their tracker. A step is noted before it is sent, so that after a broken
-- connection or a kill it is looked up there and never repeated blindly.
CREATE TABLE closures (
    key           TEXT NOT NULL,                     -- the report
    canonical_key TEXT NOT NULL,                     -- the one that stays
    step          TEXT NOT NULL CHECK (step IN ('commenting', 'commented', 'closed', 'refused')),
    comment_url   TEXT,
    problem       TEXT,                              -- why it was refused, or what was different
    actor         TEXT NOT NULL,
    began_at      INTEGER NOT NULL,
    changed_at    INTEGER NOT NULL,
    PRIMARY KEY (key, canonical_key)
) STRICT, WITHOUT ROWID;
