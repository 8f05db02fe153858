-- What first answers look like in a source where nothing is known of them, in log-odds of the judge (duplicates::background): reports
-- of one tracker have more in common with each other than those of another.
CREATE TABLE backgrounds (
    source_id INTEGER PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
    level     REAL NOT NULL,      -- their median
    spread    REAL NOT NULL,      -- from their lower to their upper quartile
    issues    INTEGER NOT NULL,   -- how many issues the source had
    made_with TEXT NOT NULL       -- the weights, rules and model that they were judged by (casebook.checked_with)
) STRICT;
