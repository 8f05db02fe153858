-- The results of duplicate checks, for clustering a backlog, and the changes made on trackers.

-- The best undecided candidates of a document's last check.
CREATE TABLE check_candidates (
    key        TEXT NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
    other_key  TEXT NOT NULL,                        -- the earlier report
    confidence REAL NOT NULL,                        -- 0 to 1
    PRIMARY KEY (key, other_key)
) STRICT, WITHOUT ROWID;

-- Earlier checks have no stored candidates and are repeated.
DELETE FROM checks;

-- Closings of duplicates on their tracker. Each step is recorded before it is sent. After a lost connection or a kill,
-- the tracker is queried, so that no step is repeated blindly.
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
