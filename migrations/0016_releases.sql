-- Releases, and articles as a kind of note.

CREATE TABLE releases (
    source_id   INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,                       -- as the tracker names it: v1.2.0
    released_at INTEGER,                             -- null if unknown
    is_released INTEGER NOT NULL,                    -- 0 for a version that is only planned
    url         TEXT,
    PRIMARY KEY (source_id, name)
) STRICT, WITHOUT ROWID;

-- The items that the notes of a release name as fixed.
CREATE TABLE release_items (
    source_id INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    number    INTEGER NOT NULL,
    name      TEXT NOT NULL,
    PRIMARY KEY (source_id, number, name)
) STRICT, WITHOUT ROWID;

PRAGMA writable_schema = ON;
UPDATE sqlite_schema
    SET sql = replace(sql, '''watchpoint'', ''summary'')', '''watchpoint'', ''summary'', ''article'')')
    WHERE type = 'table' AND name = 'notes';
PRAGMA writable_schema = RESET;
