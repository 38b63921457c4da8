/**
 * What we have: pages, their links and captures, hazards, counters. `docs/reference/catalogue.md` explains every table
 * and view to those who ask in SQL.
 *
 * Sites and URLs go by 64-bit hashes (as `site.key` and `url.key` of the frontier); rows are found by them but kept in
 * order of arrival: appending costs a third of what a clustered insert of 400-byte rows does, and a part's pages, which
 * are of one site, lie together anyway.
 */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  number: 2,
  name: 'collection',
  sql: `
CREATE TABLE site_stats (                       -- a site that was visited, with its sums (C10)
  site INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  requests INTEGER NOT NULL DEFAULT 0,
  documents INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT;

CREATE TABLE page (                         -- the last that was learnt of a URL
  id INTEGER PRIMARY KEY,
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  url TEXT NOT NULL,
  depth INTEGER NOT NULL,
  via TEXT,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  outcome TEXT NOT NULL,                    -- kept, moved, refused, gone, later
  why TEXT,                                 -- how it was kept, by whom refused, which failure
  detail TEXT,                              -- the rule that refused it, the URL it moved to
  media_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  took_ms INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  at INTEGER NOT NULL,
  looks INTEGER NOT NULL DEFAULT 1,
  digest TEXT,                              -- of the payload, as in the volumes: sha1:…
  text_digest INTEGER,
  simhash INTEGER,
  title TEXT NOT NULL,
  annotations TEXT NOT NULL,
  UNIQUE (site, key)
) STRICT;
CREATE INDEX page_content ON page (digest) WHERE outcome = 'kept';

CREATE TABLE page_links (                   -- out-links, packed: one value a page instead of forty rows
  page INTEGER PRIMARY KEY REFERENCES page,
  links BLOB NOT NULL
) STRICT;
CREATE TABLE links_changed (                -- pages whose links the reverse index has not seen yet
  page INTEGER PRIMARY KEY REFERENCES page,
  before BLOB                               -- the links that it knows of; null: none
) STRICT;
CREATE TABLE inlink (                       -- who links here: a row for each target and piece of work
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  piece INTEGER NOT NULL,
  net INTEGER NOT NULL,                     -- pages that link here, won minus lost
  won BLOB NOT NULL,                        -- their page ids, packed
  lost BLOB NOT NULL,
  PRIMARY KEY (site, key, piece)
) STRICT, WITHOUT ROWID;
CREATE TABLE inlink_pieces (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  made INTEGER NOT NULL
) STRICT;
INSERT INTO inlink_pieces VALUES (1, 0);

CREATE TABLE volume (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE capture (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  url TEXT NOT NULL,
  at INTEGER NOT NULL,
  volume INTEGER NOT NULL REFERENCES volume,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  digest TEXT NOT NULL,
  status INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  kind TEXT NOT NULL,                       -- response, revisit
  duplicate INTEGER NOT NULL                -- 1: its payload was in the collection already
) STRICT;
CREATE INDEX capture_of ON capture (site, key, at);
CREATE INDEX capture_in ON capture (volume, offset);
CREATE INDEX capture_content ON capture (digest) WHERE kind = 'response';

CREATE TABLE finding (                      -- a hazard: the rule and the evidence that says so
  id INTEGER PRIMARY KEY,
  site INTEGER NOT NULL,
  rule TEXT NOT NULL,
  evidence TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX verdict_of ON finding (site);

CREATE TABLE counter (                      -- sums of what visits counted, by day (UTC)
  name TEXT NOT NULL,
  day TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (name, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE minute (                       -- the pace of the crawl, and how far it was (C14)
  minute INTEGER PRIMARY KEY,               -- minutes since 1970
  requests INTEGER NOT NULL DEFAULT 0,
  documents INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  known INTEGER,
  collected INTEGER,
  waiting INTEGER
) STRICT;

CREATE TABLE crawl_log (                    -- how much of logs/crawl.log is on the disk for good
  one INTEGER PRIMARY KEY CHECK (one = 1),
  synced INTEGER NOT NULL
) STRICT;
INSERT INTO crawl_log VALUES (1, 0);
CREATE TABLE crawl_log_tail (               -- the lines after that, until they are
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  lines TEXT NOT NULL
) STRICT;

CREATE VIEW pages AS
  SELECT p.url, s.name AS site, p.depth, p.via, p.path, p.status, p.outcome, p.why, p.detail, p.media_type, p.bytes,
    p.took_ms, p.tries, p.looks, p.digest, p.title, p.annotations,
    strftime('%Y-%m-%dT%H:%M:%fZ', p.first_at / 1000.0, 'unixepoch') AS first_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', p.at / 1000.0, 'unixepoch') AS at
  FROM page p LEFT JOIN site_stats s ON s.site = p.site;
CREATE VIEW captures AS
  SELECT c.id, c.url, s.name AS site, strftime('%Y-%m-%dT%H:%M:%fZ', c.at / 1000.0, 'unixepoch') AS at, c.status,
    c.media_type, c.kind, c.duplicate, c.digest, v.name AS volume, c.offset, c.length
  FROM capture c JOIN volume v ON v.id = c.volume LEFT JOIN site_stats s ON s.site = c.site;
CREATE VIEW sites AS                        -- every site that is known, visited or not
  SELECT f.name AS site, f.state, f.reason, f.seed, f.known AS urls, f.waiting, f.address,
    coalesce(s.requests, 0) AS requests, coalesce(s.documents, 0) AS documents, coalesce(s.bytes, 0) AS bytes,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.first_at / 1000.0, 'unixepoch') AS first_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.last_at / 1000.0, 'unixepoch') AS last_at
  FROM site f LEFT JOIN site_stats s ON s.site = f.key;
CREATE VIEW urls AS                         -- every URL that is known, asked for or not
  SELECT u.url, f.name AS site, u.depth, u.path, v.url AS via, u.tries,
    CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' ELSE 'gone' END
      AS state,
    strftime('%Y-%m-%dT%H:%M:%fZ', u.enqueued_at / 1000.0, 'unixepoch') AS enqueued_at
  FROM url u JOIN site f ON f.key = u.site LEFT JOIN url v ON v.site = u.via_site AND v.key = u.via_key;
CREATE VIEW duplicates AS
  SELECT p.digest, count(*) AS pages, min(p.bytes) AS bytes, min(p.url) AS one_url
  FROM page p WHERE p.outcome = 'kept' AND p.digest IS NOT NULL GROUP BY p.digest HAVING count(*) > 1;
CREATE VIEW hazards AS
  SELECT s.name AS site, v.rule, v.evidence, strftime('%Y-%m-%dT%H:%M:%fZ', v.at / 1000.0, 'unixepoch') AS at
  FROM finding v LEFT JOIN site_stats s ON s.site = v.site;
CREATE VIEW counters AS SELECT name, sum(value) AS value FROM counter GROUP BY name;
`,
}
