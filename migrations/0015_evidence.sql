-- A date in the future is not reliable: it is clamped when it is stored, and any later state replaces the row.

ALTER TABLE documents ADD COLUMN dated_ahead INTEGER NOT NULL DEFAULT 0;
ALTER TABLE comments ADD COLUMN dated_ahead INTEGER NOT NULL DEFAULT 0;
CREATE INDEX documents_dated_ahead ON documents (source_id) WHERE dated_ahead = 1;
CREATE INDEX comments_dated_ahead ON comments (source_id) WHERE dated_ahead = 1;

-- Earlier versions did not recognize all internal comments, so the next sync reads these lists again.
UPDATE streams SET watermark = NULL, next_page = NULL, etag = NULL, etag_page = NULL
WHERE (name = 'comments' AND source_id IN (SELECT id FROM sources WHERE kind IN ('jira', 'zendesk')))
   OR (name = 'items' AND source_id IN (SELECT id FROM sources WHERE kind = 'discourse'));

-- Internal comments are removed from the indexes: documents that have one are indexed again.
UPDATE casebook SET revision = revision + 1
WHERE EXISTS (SELECT 1 FROM comments WHERE association = 'PRIVATE');
UPDATE documents SET revision = (SELECT revision FROM casebook)
WHERE (source_id, number) IN (SELECT source_id, number FROM comments WHERE association = 'PRIVATE');
