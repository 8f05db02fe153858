-- Whose hosts may see a token, and how complete a check for duplicates was.

-- Whether the person knows this host. A source that came with a casebook file gets no token before that was confirmed.
ALTER TABLE remotes ADD COLUMN trusted INTEGER NOT NULL DEFAULT 1;

-- Of a check that was made by a part of the indexes: how many documents the full text covered, and how many chunks had a
-- vector. It is made anew once they cover more. NULL: nothing was lacking. Of earlier checks nobody knows.
ALTER TABLE checks ADD COLUMN full_text INTEGER;
ALTER TABLE checks ADD COLUMN embedded INTEGER;
UPDATE checks SET embedded = 0;
