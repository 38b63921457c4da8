/** Findings can be withdrawn, and what they held back is asked for after all. */
import type { Migration } from './migration.ts'

const STATE = `CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      WHEN 7 THEN 'moved' WHEN 8 THEN 'held' ELSE 'gone' END`

export const migration: Migration = {
  number: 13,
  name: 'revised-findings',
  sql: `
ALTER TABLE finding ADD COLUMN withdrawn_at INTEGER;   -- samples contradicted it; null: it stands
CREATE INDEX url_held ON url (site) WHERE mark = 8;     -- held back by a finding; asked for if that is withdrawn

DROP VIEW hazards;
CREATE VIEW hazards AS
  SELECT s.name AS site, v.rule, v.pattern, v.evidence, v.examples,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.at / 1000.0, 'unixepoch') AS at,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.withdrawn_at / 1000.0, 'unixepoch') AS withdrawn_at
  FROM finding v LEFT JOIN site_stats s ON s.site = v.site;
DROP VIEW urls;
CREATE VIEW urls AS                         -- every URL that is known, asked for or not
  SELECT u.url, f.name AS site, u.depth, u.path, v.url AS via, u.tries,
    ${STATE} AS state,
    strftime('%Y-%m-%dT%H:%M:%fZ', u.enqueued_at / 1000.0, 'unixepoch') AS enqueued_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', u.lastmod / 1000.0, 'unixepoch') AS lastmod
  FROM url u JOIN site f ON f.key = u.site LEFT JOIN url v ON v.site = u.via_site AND v.key = u.via_key;
DROP VIEW seeds;
CREATE VIEW seeds AS                        -- what the collection begins with, and how it stands
  SELECT s.url, f.name AS site, s.source,
    ${STATE} AS state,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.added_at / 1000.0, 'unixepoch') AS added_at
  FROM seed s JOIN url u ON u.site = s.site AND u.key = s.key JOIN site f ON f.key = s.site;
`,
}
