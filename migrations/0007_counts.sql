-- The counts of a source are queried often; without these indexes, counting reads every text.

CREATE INDEX documents_by_kind ON documents (source_id, kind, comment_count) WHERE deleted_at IS NULL;
CREATE INDEX comments_deleted ON comments (source_id, number, remote_id) WHERE deleted_at IS NOT NULL;
