/** Report parts, durable before they are applied, and gone with the transaction that applies them. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  number: 3,
  name: 'inbox',
  sql: `
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,     -- order of arrival
  visit TEXT NOT NULL,
  part INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  site TEXT NOT NULL,
  last INTEGER NOT NULL,                    -- 1: the lease ends with it
  body BLOB NOT NULL,                       -- visit/report-columns
  corrupt TEXT,                              -- why it cannot be read: set aside, never lost, never in the way
  UNIQUE (visit, part)
) STRICT;
`,
}
