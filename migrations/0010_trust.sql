-- The hosts that may receive a token, and the index coverage of duplicate checks.

-- Whether the user trusts this host. A source from a casebook file gets no token until the user confirms that.
ALTER TABLE remotes ADD COLUMN trusted INTEGER NOT NULL DEFAULT 1;

-- For checks on incomplete indexes: the number of documents in the full text, and of chunks with a vector. The check is
-- repeated once the indexes cover more. NULL: the index was complete. The coverage of earlier checks is unknown.
ALTER TABLE checks ADD COLUMN full_text INTEGER;
ALTER TABLE checks ADD COLUMN embedded INTEGER;
UPDATE checks SET embedded = 0;
