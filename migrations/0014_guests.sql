-- Marks decisions from casebook files, leaves nothing behind of removed data, and makes the last import undoable.

-- Whether the decision came from a casebook file. It is shown like any other, but never posted to a tracker.
ALTER TABLE verdicts ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
ALTER TABLE verdict_journal ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;

-- Whether dictionaries or free pages may contain words of removed data. Earlier versions did not record this.
ALTER TABLE casebook ADD COLUMN residue INTEGER NOT NULL DEFAULT 0;
UPDATE casebook SET residue = 1 WHERE EXISTS (SELECT 1 FROM raw_dictionaries);

-- The last import of files, so that it can be undone. Earlier imports are not kept.
CREATE TABLE imports (
    id       INTEGER PRIMARY KEY,
    began_at INTEGER NOT NULL,
    paths    TEXT NOT NULL                           -- as they were given
) STRICT;
CREATE TABLE import_changes (
    import_id  INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    table_name TEXT NOT NULL CHECK (table_name IN ('sources', 'documents', 'comments')),
    row_id     INTEGER NOT NULL,
    before     TEXT,                                 -- the row and its raw record as JSON; NULL: it was new
    after      BLOB,                                 -- raw_hash that the import left; a row that changed since stays
    PRIMARY KEY (import_id, table_name, row_id)
) STRICT, WITHOUT ROWID;
