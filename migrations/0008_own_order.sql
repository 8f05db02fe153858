-- What a source's own duplicates teach of the order of candidates, beside the curve of their confidence.

ALTER TABLE calibrations ADD COLUMN weights TEXT;    -- a JSON object, feature: weight; NULL: the built-in weights order as well
ALTER TABLE calibrations ADD COLUMN model   TEXT;    -- fingerprint of the model whose vectors the weights were learnt with

-- Known duplicates are a small part of the links, and are counted often.
CREATE INDEX links_of_duplicates ON links (from_key, to_key) WHERE kind = 'duplicate_of';
