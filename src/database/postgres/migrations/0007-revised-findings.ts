/** Findings can be withdrawn, and what they held back is asked for after all. */
import type { PostgresMigration } from './migration.ts'

const iso = (column: string) =>
  `to_char(to_timestamp(${column} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const STATE = `CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      WHEN 7 THEN 'moved' WHEN 8 THEN 'held' ELSE 'gone' END`

export const migration: PostgresMigration = {
  number: 7,
  name: 'revised-findings',
  sql: `
ALTER TABLE finding ADD COLUMN withdrawn_at bigint;              -- samples contradicted it; null: it stands
CREATE INDEX url_held ON url (bucket, site) WHERE mark = 8;       -- held back by a finding; asked for if that is withdrawn

DROP VIEW hazards;
CREATE VIEW hazards AS
  SELECT s.name AS site, v.rule, v.pattern, v.evidence, v.examples, ${iso('v.at')} AS at,
    ${iso('v.withdrawn_at')} AS withdrawn_at
  FROM finding v LEFT JOIN site_stats s ON s.bucket = v.bucket AND s.site = v.site;
DROP VIEW urls;
CREATE VIEW urls AS                         -- every URL that is known, asked for or not
  SELECT u.url, f.name AS site, u.depth, u.path, v.url AS via, u.tries,
    ${STATE} AS state,
    ${iso('u.enqueued_at')} AS enqueued_at, ${iso('u.lastmod')} AS lastmod
  FROM url u JOIN site f ON f.bucket = u.bucket AND f.key = u.site
    LEFT JOIN url v ON v.bucket = (u.via_site >> 56) & 255 AND v.site = u.via_site AND v.key = u.via_key;
DROP VIEW seeds;
CREATE VIEW seeds AS                        -- what the collection begins with, and how it stands
  SELECT s.url, f.name AS site, s.source,
    ${STATE} AS state,
    ${iso('s.added_at')} AS added_at
  FROM seed s JOIN url u ON u.bucket = s.bucket AND u.site = s.site AND u.key = s.key
    JOIN site f ON f.bucket = s.bucket AND f.key = s.site;
`,
}
