-- Of decisions made within one second the journal says which came last: per pair, wherever verdicts are put in order.

CREATE INDEX verdict_journal_of_pairs ON verdict_journal (first_key, second_key, decided_at);

-- The built-in weights and rules, and the model, that the checks were made with; NULL before all vectors were there once.
ALTER TABLE casebook ADD COLUMN checked_with TEXT;
