-- Ranking weights fitted on a source's own duplicates, in addition to the curve of the confidence.

ALTER TABLE calibrations ADD COLUMN weights TEXT;    -- a JSON object, feature: weight; NULL: the built-in weights are used
ALTER TABLE calibrations ADD COLUMN model   TEXT;    -- fingerprint of the model that the weights were fitted with

-- Known duplicates are a small share of the links and are counted often.
CREATE INDEX links_of_duplicates ON links (from_key, to_key) WHERE kind = 'duplicate_of';
