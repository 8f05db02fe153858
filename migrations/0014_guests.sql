-- What came with a casebook file is not this person's own decision, and what was removed leaves nothing behind.

-- Whether the decision came with a casebook file. It is shown as any other, and never told to a tracker.
ALTER TABLE verdicts ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
ALTER TABLE verdict_journal ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;

-- Whether dictionaries or free pages may hold words of what was removed. Earlier versions kept no account of it.
ALTER TABLE casebook ADD COLUMN residue INTEGER NOT NULL DEFAULT 0;
UPDATE casebook SET residue = 1 WHERE EXISTS (SELECT 1 FROM raw_dictionaries);
