-- Every duplicate check needs the time of the casebook's last change; without this index, it reads all documents.
CREATE INDEX documents_by_change ON documents (updated_at) WHERE kind <> 'note';
