/**
 * The schema of `collection.db`, pinned in `schema.sql`. `docs/reference/catalogue.md` explains the tables and views to
 * those who query them.
 */
import type { Migration } from '../database.ts'
import { FRONTIER, STOPPED_SITES } from './baseline-frontier.ts'

/** An instant as the views show it: 2024-02-29T12:00:00.123Z. */
const iso = (column: string, name = column.replace(/^\w+\./, '')) =>
  `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch') AS ${name}`

/**
 * Pages are found by site and key but stored in the order of arrival: appending costs a third of a clustered insert of
 * 400-byte rows, and the pages of one report, which are of one site, are adjacent anyway.
 */
const PAGES = `
CREATE TABLE site_stats (                   -- sums of a visited site (C10)
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  requests INTEGER NOT NULL DEFAULT 0,
  documents INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT;

CREATE TABLE page (                         -- the latest result for a URL
  bucket INTEGER AS (0) VIRTUAL,
  id INTEGER PRIMARY KEY,
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  url TEXT NOT NULL,
  depth INTEGER NOT NULL,
  via TEXT,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  outcome TEXT NOT NULL,                    -- kept, moved, read, refused, gone, later
  why TEXT,                                 -- how it was kept, what refused it, which failure
  detail TEXT,                              -- the rule that refused it, the URL it moved to
  media_type TEXT NOT NULL,
  sniffed TEXT,                             -- what the bytes are, if not what media_type says
  language TEXT,                            -- as the page declares it
  bytes INTEGER NOT NULL,
  took_ms INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  at INTEGER NOT NULL,
  looks INTEGER NOT NULL DEFAULT 1,
  digest TEXT,                              -- of the payload, as in the volumes: sha1:…
  text_digest INTEGER,
  simhash INTEGER,
  etag TEXT,                                -- validators as the server sent them
  last_modified TEXT,
  title TEXT NOT NULL,
  annotations TEXT NOT NULL,
  UNIQUE (site, key)
) STRICT;
CREATE INDEX page_content ON page (digest) WHERE outcome = 'kept';

CREATE TABLE page_links (                   -- out-links, packed: one value per page instead of forty rows
  bucket INTEGER AS (0) VIRTUAL,
  page INTEGER PRIMARY KEY REFERENCES page,
  links BLOB NOT NULL
) STRICT;
CREATE TABLE links_changed (                -- pages whose links changed since the reverse index read them
  bucket INTEGER AS (0) VIRTUAL,
  page INTEGER PRIMARY KEY REFERENCES page,
  before BLOB                               -- the links in the reverse index; null: none
) STRICT;
CREATE TABLE inlink (                       -- the reverse index of links: a row per site and indexed piece
  bucket INTEGER AS (0) VIRTUAL,
  id INTEGER PRIMARY KEY,                   -- in the order of pieces
  site INTEGER NOT NULL,
  slot INTEGER NOT NULL,                    -- -1: all targets of the piece; else those whose key begins with this byte
  targets BLOB NOT NULL                     -- their keys and the pages that gained or lost the link, packed
) STRICT;
CREATE INDEX inlink_of ON inlink (site, slot);
CREATE TABLE inlink_upto (                  -- pages up to this one are in the reverse index, except those in links_changed
  bucket INTEGER AS (0) VIRTUAL,
  one INTEGER PRIMARY KEY CHECK (one = 1),
  page INTEGER NOT NULL
) STRICT;
INSERT INTO inlink_upto VALUES (1, 0);

CREATE TABLE failed_look (                  -- looks at known pages that left no capture: refused, or without an answer
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  slot INTEGER NOT NULL,                    -- 0 to 49: a page has at most so many, a new one replaces an old one
  at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  outcome TEXT NOT NULL,                    -- refused, gone, later
  why TEXT,                                 -- as in page
  detail TEXT,
  PRIMARY KEY (site, key, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE finding (                      -- a hazard: the rule and its evidence
  bucket INTEGER AS (0) VIRTUAL,
  id INTEGER PRIMARY KEY,
  site INTEGER NOT NULL,
  rule TEXT NOT NULL,
  pattern TEXT,                             -- the URLs it concerns; null: the whole site
  evidence TEXT NOT NULL,
  examples TEXT,                            -- JSON, at most three URLs
  at INTEGER NOT NULL,
  withdrawn_at INTEGER                      -- when samples contradicted it; null: it is in force
) STRICT;
CREATE INDEX finding_of ON finding (site);
CREATE INDEX finding_rule ON finding (rule);
`

const CAPTURES = `
CREATE TABLE volume (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  removed_bytes INTEGER NOT NULL DEFAULT 0  -- of records that retention removed from the catalogue
) STRICT;
CREATE TABLE volume_location (              -- volumes that are not in the collection's archive/
  name TEXT NOT NULL,
  node TEXT NOT NULL,                       -- the server that received it, dir:/PATH of its worker, or s3://BUCKET/PREFIX
  worker TEXT NOT NULL,
  bytes INTEGER NOT NULL,                   -- how many are durable there
  sealed INTEGER NOT NULL,                  -- 1: complete
  PRIMARY KEY (name, node)
) STRICT, WITHOUT ROWID;
CREATE TABLE capture (
  bucket INTEGER AS (0) VIRTUAL,
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
  duplicate INTEGER NOT NULL                -- 1: the collection already had this payload
) STRICT;
CREATE INDEX capture_of ON capture (site, key, at);
CREATE INDEX capture_in ON capture (volume, offset);
CREATE INDEX capture_content ON capture (digest) WHERE kind = 'response';
CREATE TABLE cdxj_upto (                    -- captures up to this one are in indexes/index.cdxj, if the file has this size
  one INTEGER PRIMARY KEY CHECK (one = 1),
  capture INTEGER NOT NULL,
  size INTEGER NOT NULL
) STRICT;
INSERT INTO cdxj_upto VALUES (1, 0, 0);

CREATE TABLE recheck (                      -- a capture that is requested again through another worker
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  url TEXT NOT NULL,
  first_worker TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  digest TEXT NOT NULL,                     -- of what the first worker brought
  text_digest INTEGER NOT NULL,
  simhash INTEGER NOT NULL,
  second_worker TEXT,
  second_at INTEGER,
  comparison TEXT,                          -- equal, similar, different; unused: the same worker came; null: not yet
  PRIMARY KEY (site, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE counter (                      -- what visits counted, by day (UTC)
  name TEXT NOT NULL,
  day TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (name, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE minute (                       -- the crawl's pace and progress (C14)
  minute INTEGER PRIMARY KEY,               -- minutes since 1970
  requests INTEGER NOT NULL DEFAULT 0,
  documents INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  known INTEGER,
  collected INTEGER,
  waiting INTEGER
) STRICT;

CREATE TABLE crawl_log (                    -- how many bytes of logs/crawl.log are durable
  one INTEGER PRIMARY KEY CHECK (one = 1),
  synced INTEGER NOT NULL
) STRICT;
INSERT INTO crawl_log VALUES (1, 0);
CREATE TABLE crawl_log_tail (               -- the lines after those, until they are durable too
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  lines TEXT NOT NULL
) STRICT;
`

const CLUSTER = `
CREATE TABLE inbox (                        -- report parts, durable before they are applied; applying deletes them
  bucket INTEGER AS (0) VIRTUAL,
  id INTEGER PRIMARY KEY AUTOINCREMENT,     -- order of arrival
  visit TEXT NOT NULL,
  part INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  site TEXT NOT NULL,
  last INTEGER NOT NULL,                    -- 1: the lease ends with it
  body BLOB NOT NULL,                       -- contracts/encode-report.ts
  corrupt TEXT,                             -- why it can't be read: kept, and skipped from then on
  UNIQUE (visit, part)
) STRICT;

CREATE TABLE server (                       -- a server of this crawl
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,                        -- how workers reach it
  version TEXT NOT NULL,
  settings TEXT NOT NULL DEFAULT '{}',      -- JSON: keys that differ from the default, with digests of their values
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE worker (                       -- a process on another machine; each of its threads calls as id.thread
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  region TEXT,
  secret_hash BLOB NOT NULL,                -- SHA-256
  version TEXT NOT NULL,
  state TEXT NOT NULL,                      -- working, ending, barred
  registered_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  visits INTEGER NOT NULL DEFAULT 0,        -- these three as it last reported them
  late_ms REAL NOT NULL DEFAULT 0,
  pages_per_second REAL NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE worker_call (                  -- every call of a worker (W3), for as long as --keep-calls says
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  worker TEXT NOT NULL,
  call TEXT NOT NULL,                       -- checkOut, checkIn, renew …
  visit TEXT,                               -- if it was about one
  result TEXT NOT NULL,                     -- ok, here, elsewhere, or an error code
  items INTEGER NOT NULL,                   -- visits handed out, parts stored, digests looked up
  bytes INTEGER NOT NULL,                   -- of the request's body
  took_ms REAL NOT NULL
) STRICT;
CREATE INDEX worker_call_at ON worker_call (at);
CREATE INDEX worker_call_of ON worker_call (worker, at);

CREATE TABLE cluster_key (                  -- the key of the tickets that any server of the crawl accepts
  one INTEGER PRIMARY KEY CHECK (one = 1),
  key BLOB NOT NULL
) STRICT;
`

const URL_STATE = `CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      WHEN 7 THEN 'moved' WHEN 8 THEN 'held' ELSE 'gone' END AS state`

const VIEWS = `
CREATE VIEW urls AS                         -- every known URL, requested or not
  SELECT u.url, f.name AS site, u.depth, u.path, v.url AS via, u.tries,
    ${URL_STATE},
    ${iso('u.enqueued_at')},
    ${iso('u.lastmod')},
    ${iso('k.looked_at')},
    ${iso('k.refresh_at')},
    k.rate, k.weight
  FROM url u JOIN site f ON f.key = u.site LEFT JOIN url v ON v.site = u.via_site AND v.key = u.via_key
    LEFT JOIN known_page k ON k.site = u.site AND k.key = u.key;
CREATE VIEW seeds AS                        -- every seed and its state
  SELECT s.url, f.name AS site, s.source,
    ${URL_STATE},
    ${iso('s.added_at')}
  FROM seed s JOIN url u ON u.site = s.site AND u.key = s.key JOIN site f ON f.key = s.site;
CREATE VIEW aliases AS
  SELECT name AS site, original, how, ${iso('since')}, evidence
  FROM site_alias;
CREATE VIEW domains AS
  SELECT name AS domain, sites, sites - unendorsed AS endorsed, held, wildcard, addresses,
    ${iso('probed_at')}
  FROM domain;
CREATE VIEW pages AS
  SELECT p.url, s.name AS site, p.depth, p.via, p.path, p.status, p.outcome, p.why, p.detail, p.media_type, p.sniffed,
    p.language, p.bytes, p.took_ms, p.tries, p.looks, p.digest, p.title, p.annotations,
    ${iso('p.first_at')},
    ${iso('p.at')}
  FROM page p LEFT JOIN site_stats s ON s.site = p.site;
CREATE VIEW failed_looks AS
  SELECT p.url, ${iso('l.at')}, l.status, l.outcome, l.why, l.detail
  FROM failed_look l JOIN page p ON p.site = l.site AND p.key = l.key;
CREATE VIEW captures AS
  SELECT c.id, c.url, s.name AS site, ${iso('c.at')}, c.status,
    c.media_type, c.kind, c.duplicate, c.digest, v.name AS volume, c.offset, c.length
  FROM capture c JOIN volume v ON v.id = c.volume LEFT JOIN site_stats s ON s.site = c.site;
CREATE VIEW sites AS                        -- every known site, visited or not
  SELECT f.name AS site, f.state, f.reason, f.seed, f.known AS urls, f.waiting, f.refreshing, f.address,
    coalesce(s.requests, 0) AS requests, coalesce(s.documents, 0) AS documents, coalesce(s.bytes, 0) AS bytes,
    ${iso('s.first_at')},
    ${iso('s.last_at')}
  FROM site f LEFT JOIN site_stats s ON s.site = f.key;
CREATE VIEW duplicates AS
  SELECT p.digest, count(*) AS pages, min(p.bytes) AS bytes, min(p.url) AS one_url
  FROM page p WHERE p.outcome = 'kept' AND p.digest IS NOT NULL GROUP BY p.digest HAVING count(*) > 1;
CREATE VIEW hazards AS
  SELECT s.name AS site, v.rule, v.pattern, v.evidence, v.examples,
    ${iso('v.at')},
    ${iso('v.withdrawn_at')}
  FROM finding v LEFT JOIN site_stats s ON s.site = v.site;
CREATE VIEW rechecks AS
  SELECT url, first_worker, ${iso('first_at')}, second_worker,
    ${iso('second_at')}, comparison
  FROM recheck;
CREATE VIEW counters AS SELECT name, sum(value) AS value FROM counter GROUP BY name;
CREATE VIEW workers AS
  SELECT id AS worker, name, region, version, state, visits, pages_per_second, late_ms,
    ${iso('registered_at')},
    ${iso('seen_at')}
  FROM worker;
CREATE VIEW worker_calls AS
  SELECT c.id, ${iso('c.at')}, w.name, c.worker, c.call, c.visit,
    c.result, c.items, c.bytes, c.took_ms
  FROM worker_call c LEFT JOIN worker w ON w.id = c.worker;
`

/** How much of a page each look found changed. */
const CHANGES = `
CREATE TABLE page_sketch (                  -- the text of a page as hashes: what its next look is compared with
  bucket INTEGER AS (0) VIRTUAL,
  page INTEGER PRIMARY KEY REFERENCES page,
  sketch BLOB NOT NULL
) STRICT;
ALTER TABLE capture ADD COLUMN change TEXT; -- since the look before: markup, volatile, small, medium, large, complete, binary; null: first look, or the same
ALTER TABLE capture ADD COLUMN place TEXT;  -- where, for people
CREATE INDEX capture_change ON capture (id) WHERE change IS NOT NULL;
DROP VIEW captures;
CREATE VIEW captures AS
  SELECT c.id, c.url, s.name AS site, ${iso('c.at')}, c.status,
    c.media_type, c.kind, c.duplicate, c.digest, v.name AS volume, c.offset, c.length, c.change, c.place
  FROM capture c JOIN volume v ON v.id = c.volume LEFT JOIN site_stats s ON s.site = c.site;
`

/** What operators decided while the crawl runs, who did what, what is wrong now, and the computers of workers. */
const CONTROL = `
CREATE TABLE control (                      -- what operators decided, in force until they undo it
  subject TEXT PRIMARY KEY,                 -- the name of a site; '': the whole crawl
  choice TEXT NOT NULL,                     -- JSON
  version INTEGER NOT NULL                  -- grows with every decision: workers ask for what came after the last they know
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX control_version ON control (version);
CREATE TABLE audit (                        -- every action of an operator
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,                        -- role and address, or the user of the command line
  action TEXT NOT NULL,
  subject TEXT NOT NULL,                    -- a site, a worker, a finding; '': the whole crawl
  before TEXT,                              -- JSON
  after TEXT
) STRICT;
CREATE TABLE problem (                      -- what is wrong now, or was until it was reported as over
  name TEXT PRIMARY KEY,
  what TEXT NOT NULL,                       -- for people, with what to do
  since INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  mailed_at INTEGER                         -- null: no mail about it yet
) STRICT, WITHOUT ROWID;
ALTER TABLE worker ADD COLUMN computer TEXT;  -- JSON: processors, memory, connection, as it last reported them
ALTER TABLE worker ADD COLUMN clock_offset_ms REAL;
ALTER TABLE minute ADD COLUMN visit_ms INTEGER NOT NULL DEFAULT 0;  -- the time of visits, summed over those at once
ALTER TABLE minute ADD COLUMN freshness REAL;  -- of a collection that is refreshed, when it was measured
ALTER TABLE minute ADD COLUMN freshness_bound REAL;
CREATE INDEX site_name ON site (name);
ALTER TABLE site_stats ADD COLUMN errors INTEGER NOT NULL DEFAULT 0;  -- requests that failed, statuses of 400 and above among them
DROP INDEX finding_rule;
CREATE INDEX finding_rule ON finding (rule, at, id);
CREATE INDEX finding_at ON finding (at, id);
CREATE VIEW audits AS SELECT id, ${iso('at')}, who, action, subject, before, after FROM audit;
`

export const migrations: readonly Migration[] = [
  { number: 1, name: 'baseline 2', sql: FRONTIER + PAGES + CAPTURES + CLUSTER + VIEWS },
  { number: 2, name: 'changes', sql: CHANGES },
  { number: 3, name: 'control', sql: CONTROL + STOPPED_SITES },
]
