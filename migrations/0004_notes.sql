-- Private notes. A note is a document of the source 'note' (note#12), so that every search finds it. This table has the
-- columns that only notes need.

-- Documents may be notes. SQLite cannot alter a CHECK; this is the documented way to change one without changing rows
-- (https://sqlite.org/lang_altertable.html#otheralter).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
    SET sql = replace(sql, '''pull_request'', ''page'')', '''pull_request'', ''page'', ''note'')')
    WHERE type = 'table' AND name = 'documents';
PRAGMA writable_schema = RESET;

CREATE TABLE notes (
    document_id  INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    kind         TEXT NOT NULL CHECK (kind IN ('lesson', 'curiosity', 'thesis', 'signal', 'episode', 'watchpoint', 'summary')),
    lifecycle    TEXT NOT NULL CHECK (lifecycle IN ('active', 'archived')),
    -- BLAKE3, 16 bytes, of title and text with their white space evened out: the same note again.
    content_hash BLOB NOT NULL
) STRICT;
CREATE INDEX notes_by_content ON notes (kind, content_hash);
