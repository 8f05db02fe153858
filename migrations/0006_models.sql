-- The model in use, if it is not the built-in one, and the model whose vectors are being computed.

ALTER TABLE casebook ADD COLUMN model TEXT;          -- NULL: the built-in one
ALTER TABLE casebook ADD COLUMN next_model TEXT;     -- NULL: none; 'builtin' when switching back
