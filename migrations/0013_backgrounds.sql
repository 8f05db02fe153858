-- Score baselines: the typical log-odds of the first results of a source. Reports of some trackers have more in common
-- than those of others.
CREATE TABLE backgrounds (
    source_id INTEGER PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
    level     REAL NOT NULL,      -- their median
    spread    REAL NOT NULL,      -- from their lower to their upper quartile
    issues    INTEGER NOT NULL,   -- how many issues the source had
    made_with TEXT NOT NULL       -- the weights, rules and model that they were judged by (casebook.checked_with)
) STRICT;
