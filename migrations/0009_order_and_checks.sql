-- Orders decisions about a pair made within one second by their position in the journal.

CREATE INDEX verdict_journal_of_pairs ON verdict_journal (first_key, second_key, decided_at);

-- The built-in weights, rules and model that the checks were made with; NULL until all vectors have existed once.
ALTER TABLE casebook ADD COLUMN checked_with TEXT;
