-- The casebook: all mirrored data and all user decisions. Indexes and vectors are derived from it and are in separate
-- files. Times are seconds since 1970-01-01T00:00:00Z.

CREATE TABLE casebook (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    -- Bumped once by every transaction that changes a document or a comment.
    revision  INTEGER NOT NULL,
    -- Up to where the links of kind 'text' have been read out of the texts.
    links_revision INTEGER NOT NULL
) STRICT;
INSERT INTO casebook (id, revision, links_revision) VALUES (1, 0, 0);

CREATE TABLE sources (
    id         INTEGER PRIMARY KEY,
    key        TEXT NOT NULL UNIQUE COLLATE NOCASE,  -- owner/name
    kind       TEXT NOT NULL,                        -- github
    added_at   INTEGER NOT NULL,
    changed_at INTEGER,                              -- when it last received something
    -- How many documents the template skeleton was found from; it is found again when there are twice as many.
    skeleton_documents INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Everything that a search can return: issues, pull requests and wiki pages.
CREATE TABLE documents (
    id            INTEGER PRIMARY KEY,
    source_id     INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    kind          TEXT NOT NULL CHECK (kind IN ('issue', 'pull_request', 'page')),
    key           TEXT NOT NULL UNIQUE,              -- owner/name#12 or owner/name:Page-Name
    number        INTEGER,                           -- pages have none
    remote_id     TEXT,                              -- the tracker's own id; survives a transfer
    title         TEXT NOT NULL,
    body          TEXT NOT NULL,                     -- as written (Markdown)
    url           TEXT,
    state         TEXT CHECK (state IN ('open', 'closed', 'merged')),
    state_reason  TEXT,                              -- as the tracker says it
    author        TEXT,
    author_bot    INTEGER NOT NULL DEFAULT 0,
    association   TEXT,                              -- MEMBER, CONTRIBUTOR, NONE, …
    labels        TEXT NOT NULL DEFAULT '[]',        -- JSON array of names
    milestone     TEXT,
    locked        INTEGER NOT NULL DEFAULT 0,
    comment_count INTEGER NOT NULL DEFAULT 0,        -- what the tracker says; the mirror may hold fewer
    created_at    INTEGER,
    updated_at    INTEGER,
    closed_at     INTEGER,
    merged_at     INTEGER,
    revision      INTEGER NOT NULL,                  -- of the last change to it or to one of its comments
    deleted_at    INTEGER,                           -- tombstone: the tracker no longer has it
    raw_hash      BLOB NOT NULL                      -- BLAKE3, 16 bytes, of the record it came from
) STRICT;
CREATE UNIQUE INDEX documents_by_number ON documents (source_id, number) WHERE number IS NOT NULL;
CREATE INDEX documents_by_revision ON documents (revision);
-- Tombstones are few; counting the other rows must not read them all.
CREATE INDEX documents_deleted ON documents (id) WHERE deleted_at IS NOT NULL;

-- Comments refer to their item by number, not by row, because they may arrive before it.
CREATE TABLE comments (
    id          INTEGER PRIMARY KEY,
    source_id   INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    remote_id   TEXT NOT NULL,
    author      TEXT,
    author_bot  INTEGER NOT NULL DEFAULT 0,
    association TEXT,
    body        TEXT NOT NULL,
    url         TEXT,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    deleted_at  INTEGER,
    raw_hash    BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX comments_by_remote_id ON comments (source_id, remote_id);
CREATE INDEX comments_by_item ON comments (source_id, number, created_at);

-- The original records of the tracker, so that a later version can extract more from them without another sync.
CREATE TABLE document_raw (
    document_id   INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    dictionary_id INTEGER REFERENCES raw_dictionaries (id),
    data          BLOB NOT NULL                      -- zstd
) STRICT;
CREATE TABLE comment_raw (
    comment_id    INTEGER PRIMARY KEY REFERENCES comments (id) ON DELETE CASCADE,
    dictionary_id INTEGER REFERENCES raw_dictionaries (id),
    data          BLOB NOT NULL
) STRICT;
-- Trained zstd dictionaries, because records of one kind share most of their bytes.
CREATE TABLE raw_dictionaries (
    id   INTEGER PRIMARY KEY,
    kind TEXT NOT NULL UNIQUE,                       -- document, comment
    data BLOB NOT NULL
) STRICT;

-- Typed links between documents. They refer to keys, because the target may not be mirrored (yet).
CREATE TABLE links (
    from_key TEXT NOT NULL,
    to_key   TEXT NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('duplicate_of', 'relates_to', 'closes', 'mentions')),
    origin   TEXT NOT NULL CHECK (origin IN ('tracker', 'text', 'person', 'engine')),
    PRIMARY KEY (from_key, to_key, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_target ON links (to_key);

-- User decisions about pairs. They refer to keys, so that they survive a new sync, new vectors and another model.
CREATE TABLE verdicts (
    first_key  TEXT NOT NULL,                        -- the smaller key of the two
    second_key TEXT NOT NULL,
    verdict    TEXT NOT NULL CHECK (verdict IN ('duplicate', 'related', 'not_duplicate')),
    reason     TEXT,
    actor      TEXT NOT NULL,
    decided_at INTEGER NOT NULL,
    PRIMARY KEY (first_key, second_key),
    CHECK (first_key < second_key)
) STRICT, WITHOUT ROWID;

-- Hashes of the lines of a source's issue template, which are not indexed.
CREATE TABLE skeleton_lines (
    source_id INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    hash      INTEGER NOT NULL,
    PRIMARY KEY (source_id, hash)
) STRICT, WITHOUT ROWID;
