-- Whose hosts may see a token, and how complete a check for duplicates was.

-- Whether the person knows this host. A source that came with a casebook file gets no token before that was confirmed.
ALTER TABLE remotes ADD COLUMN trusted INTEGER NOT NULL DEFAULT 1;
