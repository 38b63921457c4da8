/**
 * The tables of the catalogue and of the cluster. The text is SQLite's; `../postgres/baseline.ts` makes PostgreSQL's from it.
 * `docs/reference/catalogue.md` explains tables and views to those who query them.
 *
 * Pages are found by site and key but stored in the order of arrival: appending costs a third of a clustered insert of
 * 400-byte rows, and the pages of one report, which are of one site, are adjacent anyway.
 */

export const CATALOGUE = `
CREATE TABLE site_stats (                   -- sums of a visited site (C10)
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  requests INTEGER NOT NULL DEFAULT 0,
  documents INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  errors INTEGER NOT NULL DEFAULT 0,        -- requests that failed, statuses of 400 and above among them
  visit_ms INTEGER NOT NULL DEFAULT 0       -- the time of its visits
) STRICT;

CREATE TABLE site_visits (                  -- the last visits to a site: collection/counters/last-visits.ts
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER PRIMARY KEY,
  visits TEXT NOT NULL                      -- a line each, newest first: end, why, worker, and the sums of site_stats by then
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
CREATE TABLE page_sketch (                  -- the text of a page as hashes: what its next look is compared with
  bucket INTEGER AS (0) VIRTUAL,
  page INTEGER PRIMARY KEY REFERENCES page,
  sketch BLOB NOT NULL
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
CREATE INDEX finding_rule ON finding (rule, at, id);
CREATE INDEX finding_at ON finding (at, id);
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
  "offset" INTEGER NOT NULL,
  length INTEGER NOT NULL,
  digest TEXT NOT NULL,
  status INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  kind TEXT NOT NULL,                       -- response, revisit
  duplicate INTEGER NOT NULL,               -- 1: the collection already had this payload
  change TEXT,                              -- since the look before: markup, volatile, small, medium, large, complete, binary; null: first look, or the same
  place TEXT                                -- where, for people
) STRICT;
CREATE INDEX capture_of ON capture (site, key, at);
CREATE INDEX capture_change ON capture (id) WHERE change IS NOT NULL;
CREATE INDEX capture_in ON capture (volume, "offset");
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
  bucket INTEGER AS (0) VIRTUAL,
  name TEXT NOT NULL,
  day TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (name, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE minute (                       -- the crawl's pace and progress (C14)
  bucket INTEGER AS (0) VIRTUAL,
  minute INTEGER PRIMARY KEY,               -- minutes since 1970
  requests INTEGER NOT NULL DEFAULT 0,
  documents INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  known INTEGER,
  collected INTEGER,
  waiting INTEGER,
  visit_ms INTEGER NOT NULL DEFAULT 0,      -- the time of visits, summed over those at once
  freshness REAL,                           -- of a collection that is refreshed, when it was measured
  freshness_bound REAL
) STRICT;

CREATE TABLE server (                       -- a server of this crawl
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,                        -- how workers reach it
  version TEXT NOT NULL,
  settings TEXT NOT NULL DEFAULT '{}',      -- JSON: keys that differ from the default, with digests of their values
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  computer TEXT                             -- JSON, as of workers
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
  pages_per_second REAL NOT NULL DEFAULT 0,
  computer TEXT,                            -- JSON: processors, memory, connection, as it last reported them
  clock_offset_ms REAL
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
`
