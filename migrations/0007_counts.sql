-- What a source holds is told often; without these, counting it reads every text.

CREATE INDEX documents_by_kind ON documents (source_id, kind, comment_count) WHERE deleted_at IS NULL;
CREATE INDEX comments_deleted ON comments (source_id, number, remote_id) WHERE deleted_at IS NOT NULL;
