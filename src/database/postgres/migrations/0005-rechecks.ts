/** Captures that are asked for again through another worker, to see whether the first brought what the site sends. */
import { distribute } from './distribute.ts'
import type { PostgresMigration } from './migration.ts'

const iso = (column: string) =>
  `to_char(to_timestamp(${column} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${column}`

export const migration: PostgresMigration = {
  number: 5,
  name: 'rechecks',
  sql: `
CREATE TABLE recheck (                      -- a capture that is asked for again through another worker
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  url text COLLATE "C" NOT NULL,
  first_worker text COLLATE "C" NOT NULL,
  first_at bigint NOT NULL,
  digest text COLLATE "C" NOT NULL,         -- what the first brought
  text_digest bigint NOT NULL,
  simhash bigint NOT NULL,
  second_worker text COLLATE "C",
  second_at bigint,
  comparison text COLLATE "C",                 -- equal, similar, different; unused: the same worker came; null: not asked yet
  PRIMARY KEY (bucket, site, key)
);
${distribute(['recheck'], 'bucket')}

CREATE VIEW rechecks AS
  SELECT url, first_worker, ${iso('first_at')}, second_worker, ${iso('second_at')}, comparison FROM recheck;
`,
}
