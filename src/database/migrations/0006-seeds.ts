/** Where each seed came from: what the operator named, a list of names, somebody else's archive. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  number: 6,
  name: 'seeds',
  sql: `
ALTER TABLE seed ADD COLUMN source TEXT NOT NULL DEFAULT 'given';  -- given, file, names, collection, sitemap, cdx, warc
CREATE INDEX seed_source ON seed (source);

CREATE VIEW seeds AS                        -- what the collection begins with, and how it stands
  SELECT s.url, f.name AS site, s.source,
    CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 7 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      ELSE 'gone' END AS state,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.added_at / 1000.0, 'unixepoch') AS added_at
  FROM seed s JOIN url u ON u.site = s.site AND u.key = s.key JOIN site f ON f.key = s.site;
`,
}
