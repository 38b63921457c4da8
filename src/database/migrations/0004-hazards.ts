/** What detectors and senses say of pages and sites: the true type, the language, the URLs that a hazard concerns. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  number: 4,
  name: 'hazards',
  sql: `
ALTER TABLE page ADD COLUMN sniffed TEXT;   -- what the bytes are, when that is not what media_type says
ALTER TABLE page ADD COLUMN language TEXT;  -- as the page declares it
ALTER TABLE finding ADD COLUMN pattern TEXT;   -- the URLs that it concerns; null: the site as a whole
ALTER TABLE finding ADD COLUMN examples TEXT;  -- JSON, at most three URLs
CREATE INDEX verdict_rule ON finding (rule);

DROP VIEW pages;
CREATE VIEW pages AS
  SELECT p.url, s.name AS site, p.depth, p.via, p.path, p.status, p.outcome, p.why, p.detail, p.media_type, p.sniffed,
    p.language, p.bytes, p.took_ms, p.tries, p.looks, p.digest, p.title, p.annotations,
    strftime('%Y-%m-%dT%H:%M:%fZ', p.first_at / 1000.0, 'unixepoch') AS first_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', p.at / 1000.0, 'unixepoch') AS at
  FROM page p LEFT JOIN site_stats s ON s.site = p.site;
DROP VIEW hazards;
CREATE VIEW hazards AS
  SELECT s.name AS site, v.rule, v.pattern, v.evidence, v.examples,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.at / 1000.0, 'unixepoch') AS at
  FROM finding v LEFT JOIN site_stats s ON s.site = v.site;
DROP VIEW urls;
CREATE VIEW urls AS                         -- every URL that is known, asked for or not
  SELECT u.url, f.name AS site, u.depth, u.path, v.url AS via, u.tries,
    CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      ELSE 'gone' END AS state,
    strftime('%Y-%m-%dT%H:%M:%fZ', u.enqueued_at / 1000.0, 'unixepoch') AS enqueued_at
  FROM url u JOIN site f ON f.key = u.site LEFT JOIN url v ON v.site = u.via_site AND v.key = u.via_key;
`,
}
