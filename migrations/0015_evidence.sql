-- A date ahead of this computer's clock is no evidence: it is cut when it is stored, and any later state takes its place.

ALTER TABLE documents ADD COLUMN dated_ahead INTEGER NOT NULL DEFAULT 0;
ALTER TABLE comments ADD COLUMN dated_ahead INTEGER NOT NULL DEFAULT 0;
CREATE INDEX documents_dated_ahead ON documents (source_id) WHERE dated_ahead = 1;
CREATE INDEX comments_dated_ahead ON comments (source_id) WHERE dated_ahead = 1;

-- Earlier versions did not read all marks of internal comments: the next sync reads these lists once more.
UPDATE streams SET watermark = NULL, next_page = NULL, etag = NULL, etag_page = NULL
WHERE (name = 'comments' AND source_id IN (SELECT id FROM sources WHERE kind IN ('jira', 'zendesk')))
   OR (name = 'items' AND source_id IN (SELECT id FROM sources WHERE kind = 'discourse'));

-- Internal comments leave the indexes: what has one is read again.
UPDATE casebook SET revision = revision + 1
WHERE EXISTS (SELECT 1 FROM comments WHERE association = 'PRIVATE');
UPDATE documents SET revision = (SELECT revision FROM casebook)
WHERE (source_id, number) IN (SELECT source_id, number FROM comments WHERE association = 'PRIVATE');
