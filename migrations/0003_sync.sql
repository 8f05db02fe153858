-- Live mirrors. A source without a row in `remotes` comes from files only. Nothing here is a secret: tokens are in the
-- system's keyring or the environment.

CREATE TABLE remotes (
    source_id  INTEGER PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
    host       TEXT NOT NULL,                        -- github.com, git.acme.example
    base_url   TEXT NOT NULL,                        -- where its interface is: https://api.github.com
    project    TEXT NOT NULL,                        -- what the tracker calls it now; the source keeps its key
    remote_id  TEXT,                                 -- the tracker's own id; survives a rename
    wiki       INTEGER NOT NULL DEFAULT 0,           -- whether to mirror its wiki too
    synced_at  INTEGER,                              -- when a sync last ended, however
    problem    TEXT,                                 -- what ended it, if not the end of the work
    swept_at   INTEGER                               -- when what is here was last compared with what is still there
) STRICT;

-- The read position of each list of a tracker. A page's rows, the watermark and the next link are written in one
-- transaction.
CREATE TABLE streams (
    source_id  INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,                        -- items, comments, review_comments
    watermark  INTEGER,                              -- everything that changed before this is here
    next_page  TEXT,                                 -- the page to go on with; none between two passes
    finished_at INTEGER,                             -- when a pass last reached the end
    pages      INTEGER NOT NULL DEFAULT 0,           -- read in the pass that is under way
    unreadable INTEGER NOT NULL DEFAULT 0,           -- records that could not be used since the last full pass
    refused    TEXT,                                 -- why the tracker does not give it
    -- The tag of the last answer with the address it belongs to, kept only with that answer's records.
    etag       TEXT,
    etag_page  TEXT,
    PRIMARY KEY (source_id, name)
) STRICT, WITHOUT ROWID;

-- The sweep checks whether the tracker still has the items that are open in the casebook.
CREATE INDEX documents_open ON documents (source_id, number) WHERE state = 'open' AND deleted_at IS NULL;

-- Closed items whose closing change and canonical report were requested, with the state of the item at that time.
CREATE TABLE relations_read (
    source_id  INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,                     -- the item's, then
    PRIMARY KEY (source_id, number)
) STRICT, WITHOUT ROWID;

-- The progress of a running sync, for other processes. It is valid while the source's lock is held.
CREATE TABLE sync_progress (
    source_id  INTEGER PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
    phase      TEXT NOT NULL,                        -- sync, wait
    done       INTEGER NOT NULL,
    total      INTEGER,
    unit       TEXT NOT NULL,                        -- records, seconds
    started_at INTEGER NOT NULL,                     -- when this part began
    told_at    INTEGER NOT NULL
) STRICT;
