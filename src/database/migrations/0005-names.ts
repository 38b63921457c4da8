/** What is learnt of names: other texts of a URL, other names of a site; what sitemaps say; who comes after the others. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  number: 5,
  name: 'names',
  sql: `
ALTER TABLE url ADD COLUMN lastmod INTEGER; -- when a sitemap last said that it changed; null: none did
ALTER TABLE site ADD COLUMN deferral INTEGER NOT NULL DEFAULT 0; -- free: a bigger one comes later, whatever the order
DROP INDEX site_free;
CREATE INDEX site_free ON site (bucket, holder, losses, deferral, rank) WHERE state = 'free';

CREATE TABLE url_spelling (                 -- other texts of a URL: when one is not found, the next is asked for
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  position INTEGER NOT NULL, -- 1, 2, 3: as they were seen; there are no more
  url TEXT NOT NULL,
  depth INTEGER NOT NULL,
  via_site INTEGER,
  via_key INTEGER,
  path TEXT NOT NULL,
  tried INTEGER NOT NULL,                   -- 1: it was asked for
  PRIMARY KEY (site, key, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE site_alias (                   -- a site that is another name of an original: links into it are entered there
  site INTEGER PRIMARY KEY,                 -- 64 bits of the name
  name TEXT NOT NULL,
  original TEXT NOT NULL,
  how TEXT NOT NULL,                        -- list: the operator's; www: learnt
  https INTEGER NOT NULL,                   -- 1: what is entered there is asked for by https
  since INTEGER NOT NULL,
  evidence TEXT NOT NULL,
  pending INTEGER NOT NULL                  -- 1: URLs that waited under the name are still to be moved
) STRICT;
CREATE INDEX site_alias_original ON site_alias (original);
CREATE INDEX site_alias_pending ON site_alias (site) WHERE pending = 1;

DROP VIEW urls;
CREATE VIEW urls AS                         -- every URL that is known, asked for or not
  SELECT u.url, f.name AS site, u.depth, u.path, v.url AS via, u.tries,
    CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      WHEN 7 THEN 'moved' ELSE 'gone' END AS state,
    strftime('%Y-%m-%dT%H:%M:%fZ', u.enqueued_at / 1000.0, 'unixepoch') AS enqueued_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', u.lastmod / 1000.0, 'unixepoch') AS lastmod
  FROM url u JOIN site f ON f.key = u.site LEFT JOIN url v ON v.site = u.via_site AND v.key = u.via_key;
CREATE VIEW aliases AS
  SELECT name AS site, original, how, strftime('%Y-%m-%dT%H:%M:%fZ', since / 1000.0, 'unixepoch') AS since, evidence
  FROM site_alias;
`,
}
