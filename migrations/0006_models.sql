-- Which model answers, where it is not the built-in one, and which one's vectors are being made beside it.

ALTER TABLE casebook ADD COLUMN model TEXT;          -- NULL: the built-in one
ALTER TABLE casebook ADD COLUMN next_model TEXT;     -- NULL: none; 'builtin' on the way back
