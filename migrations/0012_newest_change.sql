-- Every question of a report asks when the casebook last learnt something; without this all documents were read for it.
CREATE INDEX documents_by_change ON documents (updated_at) WHERE kind <> 'note';
