/** Captures that are asked for again through another worker, to see whether the first brought what the site sends. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  number: 11,
  name: 'rechecks',
  sql: `
CREATE TABLE recheck (                      -- a capture that is asked for again through another worker
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  url TEXT NOT NULL,
  first_worker TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  digest TEXT NOT NULL,                     -- what the first brought
  text_digest INTEGER NOT NULL,
  simhash INTEGER NOT NULL,
  second_worker TEXT,
  second_at INTEGER,
  comparison TEXT,                             -- equal, similar, different; unused: the same worker came; null: not asked yet
  bucket INTEGER AS (0) VIRTUAL,
  PRIMARY KEY (site, key)
) STRICT, WITHOUT ROWID;

CREATE VIEW rechecks AS
  SELECT url, first_worker, strftime('%Y-%m-%dT%H:%M:%fZ', first_at / 1000.0, 'unixepoch') AS first_at, second_worker,
    strftime('%Y-%m-%dT%H:%M:%fZ', second_at / 1000.0, 'unixepoch') AS second_at, comparison
  FROM recheck;
`,
}
