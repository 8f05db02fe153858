-- Texts also refer to items by project keys (APP-12): read all of them again.
UPDATE casebook SET links_revision = 0;
