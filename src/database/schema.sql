CREATE TABLE address (                      -- an address belongs to one worker at a time
  address TEXT PRIMARY KEY,
  worker TEXT NOT NULL,
  visits INTEGER NOT NULL,                  -- leases that hold it
  until INTEGER NOT NULL                    -- when none does: the end of the address pause
) STRICT, WITHOUT ROWID;

CREATE INDEX address_idle ON address (until) WHERE visits = 0;

CREATE TABLE address_sites (                -- how many sites were found at an address
  address TEXT PRIMARY KEY,
  sites INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIEW aliases AS
  SELECT name AS site, original, how, strftime('%Y-%m-%dT%H:%M:%fZ', since / 1000.0, 'unixepoch') AS since, evidence
  FROM site_alias;

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
, bucket INTEGER AS (0) VIRTUAL) STRICT;

CREATE INDEX capture_content ON capture (digest) WHERE kind = 'response';

CREATE INDEX capture_in ON capture (volume, offset);

CREATE INDEX capture_of ON capture (site, key, at);

CREATE VIEW captures AS
  SELECT c.id, c.url, s.name AS site, strftime('%Y-%m-%dT%H:%M:%fZ', c.at / 1000.0, 'unixepoch') AS at, c.status,
    c.media_type, c.kind, c.duplicate, c.digest, v.name AS volume, c.offset, c.length
  FROM capture c JOIN volume v ON v.id = c.volume LEFT JOIN site_stats s ON s.site = c.site;

CREATE TABLE cdxj_upto (                    -- captures up to this one are in indexes/index.cdxj, if it has this size
  one INTEGER PRIMARY KEY CHECK (one = 1),
  capture INTEGER NOT NULL,
  size INTEGER NOT NULL
) STRICT;

CREATE TABLE cluster_key (                  -- by which servers know the tickets that any of them gave out
  one INTEGER PRIMARY KEY CHECK (one = 1),
  key BLOB NOT NULL
) STRICT;

CREATE TABLE counter (                      -- sums of what visits counted, by day (UTC)
  name TEXT NOT NULL,
  day TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (name, day)
) STRICT, WITHOUT ROWID;

CREATE VIEW counters AS SELECT name, sum(value) AS value FROM counter GROUP BY name;

CREATE TABLE crawl_log (                    -- how much of logs/crawl.log is on the disk for good
  one INTEGER PRIMARY KEY CHECK (one = 1),
  synced INTEGER NOT NULL
) STRICT;

CREATE TABLE crawl_log_tail (               -- the lines after that, until they are
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  lines TEXT NOT NULL
) STRICT;

CREATE TABLE domain (                       -- a registrable domain; a host, where there is none
  key INTEGER PRIMARY KEY,                  -- 64 bits of its name
  name TEXT NOT NULL,
  sites INTEGER NOT NULL,                   -- that are known
  unendorsed INTEGER NOT NULL,               -- of them, those that nobody vouches for
  held INTEGER NOT NULL,                    -- of the unendorsed, those that are not handed out
  wildcard INTEGER NOT NULL,                -- 1: every name under it resolves, so that anybody can make up sites
  pending INTEGER NOT NULL,                 -- 1: sites are still to be held or released
  addresses TEXT,                           -- JSON: what absurd names under it resolve to
  probed_at INTEGER
) STRICT;

CREATE INDEX domain_held ON domain (key) WHERE held > 0;

CREATE INDEX domain_pending ON domain (key) WHERE pending = 1;

CREATE VIEW domains AS
  SELECT name AS domain, sites, sites - unendorsed AS endorsed, held, wildcard, addresses,
    strftime('%Y-%m-%dT%H:%M:%fZ', probed_at / 1000.0, 'unixepoch') AS probed_at
  FROM domain;

CREATE VIEW duplicates AS
  SELECT p.digest, count(*) AS pages, min(p.bytes) AS bytes, min(p.url) AS one_url
  FROM page p WHERE p.outcome = 'kept' AND p.digest IS NOT NULL GROUP BY p.digest HAVING count(*) > 1;

CREATE TABLE finding (                      -- a hazard: the rule and the evidence that says so
  id INTEGER PRIMARY KEY,
  site INTEGER NOT NULL,
  rule TEXT NOT NULL,
  evidence TEXT NOT NULL,
  at INTEGER NOT NULL
, pattern TEXT, examples TEXT, bucket INTEGER AS (0) VIRTUAL, withdrawn_at INTEGER) STRICT;

CREATE INDEX verdict_of ON finding (site);

CREATE INDEX verdict_rule ON finding (rule);

CREATE TABLE frontier_meta (                -- order: the one that wrote the ranks; opened_at
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE frontier_total (               -- kept by the triggers below, so that nobody ever counts
  bucket INTEGER PRIMARY KEY,
  sites_waiting INTEGER NOT NULL DEFAULT 0,       -- sites by state
  sites_free INTEGER NOT NULL DEFAULT 0,
  sites_leased INTEGER NOT NULL DEFAULT 0,
  sites_returning INTEGER NOT NULL DEFAULT 0,
  sites_crawled INTEGER NOT NULL DEFAULT 0,
  sites_barred INTEGER NOT NULL DEFAULT 0,
  urls_known INTEGER NOT NULL DEFAULT 0,
  urls_waiting INTEGER NOT NULL DEFAULT 0,
  pages_granted INTEGER NOT NULL DEFAULT 0
, sites_held INTEGER NOT NULL DEFAULT 0, urls_held INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE VIEW hazards AS
  SELECT s.name AS site, v.rule, v.pattern, v.evidence, v.examples,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.at / 1000.0, 'unixepoch') AS at,
    strftime('%Y-%m-%dT%H:%M:%fZ', v.withdrawn_at / 1000.0, 'unixepoch') AS withdrawn_at
  FROM finding v LEFT JOIN site_stats s ON s.site = v.site;

CREATE TABLE inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,     -- order of arrival
  visit TEXT NOT NULL,
  part INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  site TEXT NOT NULL,
  last INTEGER NOT NULL,                    -- 1: the lease ends with it
  body BLOB NOT NULL,                       -- visit/report-columns
  corrupt TEXT, bucket INTEGER AS (0) VIRTUAL,                              -- why it cannot be read: set aside, never lost, never in the way
  UNIQUE (visit, part)
) STRICT;

CREATE TABLE inlink (                       -- who links here: a row for each site and piece of work
  id INTEGER PRIMARY KEY,                   -- in the order of pieces
  site INTEGER NOT NULL,
  slot INTEGER NOT NULL,                    -- -1: all its targets of the piece; else those whose key begins with this byte
  targets BLOB NOT NULL                     -- their keys and the pages that won or lost the link, packed
, bucket INTEGER AS (0) VIRTUAL) STRICT;

CREATE INDEX inlink_of ON inlink (site, slot);

CREATE TABLE inlink_upto (                  -- pages up to this one are in it, but for those in links_changed
  one INTEGER PRIMARY KEY CHECK (one = 1),
  page INTEGER NOT NULL
, bucket INTEGER AS (0) VIRTUAL) STRICT;

CREATE TABLE links_changed (                -- pages whose links the reverse index has not seen yet
  page INTEGER PRIMARY KEY REFERENCES page,
  before BLOB                               -- the links that it knows of; null: none
, bucket INTEGER AS (0) VIRTUAL) STRICT;

CREATE TABLE minute (                       -- the pace of the crawl, and how far it was (C14)
  minute INTEGER PRIMARY KEY,               -- minutes since 1970
  requests INTEGER NOT NULL DEFAULT 0,
  documents INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  known INTEGER,
  collected INTEGER,
  waiting INTEGER
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
  annotations TEXT NOT NULL, sniffed TEXT, language TEXT, bucket INTEGER AS (0) VIRTUAL,
  UNIQUE (site, key)
) STRICT;

CREATE INDEX page_content ON page (digest) WHERE outcome = 'kept';

CREATE TABLE page_links (                   -- out-links, packed: one value a page instead of forty rows
  page INTEGER PRIMARY KEY REFERENCES page,
  links BLOB NOT NULL
, bucket INTEGER AS (0) VIRTUAL) STRICT;

CREATE VIEW pages AS
  SELECT p.url, s.name AS site, p.depth, p.via, p.path, p.status, p.outcome, p.why, p.detail, p.media_type, p.sniffed,
    p.language, p.bytes, p.took_ms, p.tries, p.looks, p.digest, p.title, p.annotations,
    strftime('%Y-%m-%dT%H:%M:%fZ', p.first_at / 1000.0, 'unixepoch') AS first_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', p.at / 1000.0, 'unixepoch') AS at
  FROM page p LEFT JOIN site_stats s ON s.site = p.site;

CREATE TABLE recheck (                      -- a capture that is asked for again through another worker
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  url TEXT NOT NULL,
  first_worker TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  digest TEXT NOT NULL,                     -- what the first brought
  text_digest INTEGER NOT NULL,
  simhash INTEGER NOT NULL,
  second_worker TEXT,
  second_at INTEGER,
  comparison TEXT,                             -- equal, similar, different; unused: the same worker came; null: not asked yet
  bucket INTEGER AS (0) VIRTUAL,
  PRIMARY KEY (site, key)
) STRICT, WITHOUT ROWID;

CREATE VIEW rechecks AS
  SELECT url, first_worker, strftime('%Y-%m-%dT%H:%M:%fZ', first_at / 1000.0, 'unixepoch') AS first_at, second_worker,
    strftime('%Y-%m-%dT%H:%M:%fZ', second_at / 1000.0, 'unixepoch') AS second_at, comparison
  FROM recheck;

CREATE TABLE seed (
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  url TEXT NOT NULL,
  added_at INTEGER NOT NULL, source TEXT NOT NULL DEFAULT 'given', bucket INTEGER AS (0) VIRTUAL,
  PRIMARY KEY (site, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX seed_source ON seed (source);

CREATE VIEW seeds AS                        -- what the collection begins with, and how it stands
  SELECT s.url, f.name AS site, s.source,
    CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      WHEN 7 THEN 'moved' WHEN 8 THEN 'held' ELSE 'gone' END AS state,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.added_at / 1000.0, 'unixepoch') AS added_at
  FROM seed s JOIN url u ON u.site = s.site AND u.key = s.key JOIN site f ON f.key = s.site;

CREATE TABLE server (                        -- a server of this crawl
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,                        -- how workers reach it
  version TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
, settings TEXT NOT NULL DEFAULT '{}') STRICT, WITHOUT ROWID;

CREATE TABLE site (
  key INTEGER PRIMARY KEY,                  -- 64 bits of its name
  bucket INTEGER NOT NULL,                  -- the shard; embedded has one
  name TEXT NOT NULL,                       -- www.example.org, or with :port when that is neither 80 nor 443
  state TEXT NOT NULL,                      -- waiting, free, leased, returning, crawled, barred
  reason TEXT,                              -- why it is barred
  since INTEGER NOT NULL,                   -- when it began to wait (ms since 1970, as all times)
  seed INTEGER NOT NULL DEFAULT 0,          -- 1: named by a seed
  rank REAL NOT NULL,                       -- the order's number: the smallest comes first
  losses INTEGER NOT NULL DEFAULT 0,        -- visits lost in a row; such sites come after the others (V9)
  not_before INTEGER NOT NULL DEFAULT 0,    -- waiting: when it becomes free; the later of the next two
  polite_at INTEGER NOT NULL DEFAULT 0,     -- courtesy: nothing is asked before
  pause INTEGER NOT NULL DEFAULT 0,         -- learnt from the site, when longer than the configured pause
  address TEXT,                             -- where it was found last
  holder TEXT NOT NULL DEFAULT '',          -- free: the worker that was seen to hold its address
  fence INTEGER NOT NULL DEFAULT 0,         -- leases so far
  worker TEXT,                              -- leased: to whom
  lease_until INTEGER,                      -- leased: how long; returning: when its parts are waited for no more
  entered TEXT,                             -- leased: the address that this visit holds
  granted INTEGER NOT NULL DEFAULT 0,       -- leased: pages that may still be asked for
  part INTEGER NOT NULL DEFAULT 0,          -- the last part of the visit that was applied
  seq INTEGER NOT NULL DEFAULT 0,           -- the last place in its queue that was given away
  known INTEGER NOT NULL DEFAULT 0,         -- its URLs
  waiting INTEGER NOT NULL DEFAULT 0        -- of them, those not marked
, deferral INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX site_free ON site (bucket, holder, losses, deferral, rank) WHERE state = 'free';

CREATE INDEX site_held ON site (address) WHERE holder > '';

CREATE INDEX site_out ON site (lease_until) WHERE lease_until IS NOT NULL;

CREATE INDEX site_waiting ON site (bucket, not_before) WHERE state = 'waiting';

CREATE INDEX site_worker ON site (worker) WHERE worker IS NOT NULL;

CREATE TRIGGER site_added AFTER INSERT ON site BEGIN
  UPDATE frontier_total SET
    sites_waiting = sites_waiting + (new.state = 'waiting'),
    sites_free = sites_free + (new.state = 'free'),
    sites_leased = sites_leased + (new.state = 'leased'),
    sites_returning = sites_returning + (new.state = 'returning'),
    sites_crawled = sites_crawled + (new.state = 'crawled'),
    sites_barred = sites_barred + (new.state = 'barred'),
    sites_held = sites_held + (new.state = 'held'),
    urls_known = urls_known + new.known,
    urls_waiting = urls_waiting + new.waiting,
    urls_held = urls_held + (new.state = 'held') * new.waiting,
    pages_granted = pages_granted + new.granted
  WHERE bucket = new.bucket;
END;

CREATE TRIGGER site_changed AFTER UPDATE ON site
WHEN old.state <> new.state OR old.known <> new.known OR old.waiting <> new.waiting OR old.granted <> new.granted
BEGIN
  UPDATE frontier_total SET
    sites_waiting = sites_waiting + (new.state = 'waiting') - (old.state = 'waiting'),
    sites_free = sites_free + (new.state = 'free') - (old.state = 'free'),
    sites_leased = sites_leased + (new.state = 'leased') - (old.state = 'leased'),
    sites_returning = sites_returning + (new.state = 'returning') - (old.state = 'returning'),
    sites_crawled = sites_crawled + (new.state = 'crawled') - (old.state = 'crawled'),
    sites_barred = sites_barred + (new.state = 'barred') - (old.state = 'barred'),
    sites_held = sites_held + (new.state = 'held') - (old.state = 'held'),
    urls_known = urls_known + new.known - old.known,
    urls_waiting = urls_waiting + new.waiting - old.waiting,
    urls_held = urls_held + (new.state = 'held') * new.waiting - (old.state = 'held') * old.waiting,
    pages_granted = pages_granted + new.granted - old.granted
  WHERE bucket = new.bucket;
END;

CREATE TRIGGER site_removed AFTER DELETE ON site BEGIN
  UPDATE frontier_total SET
    sites_waiting = sites_waiting - (old.state = 'waiting'),
    sites_free = sites_free - (old.state = 'free'),
    sites_leased = sites_leased - (old.state = 'leased'),
    sites_returning = sites_returning - (old.state = 'returning'),
    sites_crawled = sites_crawled - (old.state = 'crawled'),
    sites_barred = sites_barred - (old.state = 'barred'),
    sites_held = sites_held - (old.state = 'held'),
    urls_known = urls_known - old.known,
    urls_waiting = urls_waiting - old.waiting,
    urls_held = urls_held - (old.state = 'held') * old.waiting,
    pages_granted = pages_granted - old.granted
  WHERE bucket = old.bucket;
END;

CREATE TABLE site_alias (                   -- a site that is another name of an original: links into it are entered there
  site INTEGER PRIMARY KEY,                 -- 64 bits of the name
  name TEXT NOT NULL,
  original TEXT NOT NULL,
  how TEXT NOT NULL,                        -- list: the operator's; www: learnt
  https INTEGER NOT NULL,                   -- 1: what is entered there is asked for by https
  since INTEGER NOT NULL,
  evidence TEXT NOT NULL,
  pending INTEGER NOT NULL                  -- 1: URLs that waited under the name are still to be moved
, bucket INTEGER AS (0) VIRTUAL) STRICT;

CREATE INDEX site_alias_original ON site_alias (original);

CREATE INDEX site_alias_pending ON site_alias (site) WHERE pending = 1;

CREATE TABLE site_memory (                  -- what visits know of a site and hand on; nobody here reads it
  site INTEGER PRIMARY KEY,
  memory TEXT NOT NULL                      -- JSON
, bucket INTEGER AS (0) VIRTUAL) STRICT;

CREATE TABLE site_robots (                  -- what the site's robots.txt said; nobody here reads it
  site INTEGER PRIMARY KEY,
  robots TEXT NOT NULL                      -- JSON
, bucket INTEGER AS (0) VIRTUAL) STRICT;

CREATE TABLE site_stats (                       -- a site that was visited, with its sums (C10)
  site INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  requests INTEGER NOT NULL DEFAULT 0,
  documents INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL
, bucket INTEGER AS (0) VIRTUAL) STRICT;

CREATE TABLE site_traps (                   -- what trap detectors counted; nobody here reads it
  site INTEGER PRIMARY KEY,
  traps TEXT NOT NULL                       -- JSON
, bucket INTEGER AS (0) VIRTUAL) STRICT;

CREATE VIEW sites AS                        -- every site that is known, visited or not
  SELECT f.name AS site, f.state, f.reason, f.seed, f.known AS urls, f.waiting, f.address,
    coalesce(s.requests, 0) AS requests, coalesce(s.documents, 0) AS documents, coalesce(s.bytes, 0) AS bytes,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.first_at / 1000.0, 'unixepoch') AS first_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.last_at / 1000.0, 'unixepoch') AS last_at
  FROM site f LEFT JOIN site_stats s ON s.site = f.key;

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE unendorsed_site (                     -- a site that nobody vouches for; gone when somebody does
  site INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL,
  referrer INTEGER,                          -- the one site that speaks for it: another one is enough
  since INTEGER NOT NULL,
  hold_state INTEGER NOT NULL                 -- 0 it may be held, 1 it is held, 2 it is not to be held
, bucket INTEGER AS (0) VIRTUAL) STRICT;

CREATE INDEX unendorsed_of ON unendorsed_site (domain, hold_state, since);

CREATE TABLE url (                          -- a URL is enqueued once, ever; a dequeued one is marked, not deleted (C1)
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,                     -- 64 bits of the normalised URL
  url TEXT NOT NULL,
  depth INTEGER NOT NULL,
  via_site INTEGER,                         -- the page on which it was found
  via_key INTEGER,
  path TEXT NOT NULL,                       -- how it was found, in Heritrix's letters
  seq INTEGER NOT NULL,                     -- its place in the site's queue
  enqueued_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,                  -- 0: never visited, which comes first (W10); else when it is asked for again
  tries INTEGER NOT NULL DEFAULT 0,
  mark INTEGER NOT NULL, lastmod INTEGER, bucket INTEGER AS (0) VIRTUAL,                    -- 0 waiting, 1 kept, 2 moved, 3 refused, 4 gone
  PRIMARY KEY (site, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX url_held ON url (site) WHERE mark = 8;

CREATE INDEX url_waiting ON url (site, due_at, seq) WHERE mark = 0;

CREATE TABLE url_spelling (                 -- other texts of a URL: when one is not found, the next is asked for
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  position INTEGER NOT NULL, -- 1, 2, 3: as they were seen; there are no more
  url TEXT NOT NULL,
  depth INTEGER NOT NULL,
  via_site INTEGER,
  via_key INTEGER,
  path TEXT NOT NULL,
  tried INTEGER NOT NULL, bucket INTEGER AS (0) VIRTUAL,                   -- 1: it was asked for
  PRIMARY KEY (site, key, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW urls AS                         -- every URL that is known, asked for or not
  SELECT u.url, f.name AS site, u.depth, u.path, v.url AS via, u.tries,
    CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      WHEN 7 THEN 'moved' WHEN 8 THEN 'held' ELSE 'gone' END AS state,
    strftime('%Y-%m-%dT%H:%M:%fZ', u.enqueued_at / 1000.0, 'unixepoch') AS enqueued_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', u.lastmod / 1000.0, 'unixepoch') AS lastmod
  FROM url u JOIN site f ON f.key = u.site LEFT JOIN url v ON v.site = u.via_site AND v.key = u.via_key;

CREATE TABLE volume (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE volume_location (                 -- where a volume of a worker lies, if not with the collection
  name TEXT NOT NULL,
  node TEXT NOT NULL,                       -- the server it was sent to, dir:/PATH of its worker, or s3://BUCKET/PREFIX
  worker TEXT NOT NULL,
  bytes INTEGER NOT NULL,                   -- of it that are durable there
  sealed INTEGER NOT NULL,                  -- 1: complete
  PRIMARY KEY (name, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE worker (                       -- a process on another machine; each of its threads asks as id.thread
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  region TEXT,
  secret_hash BLOB NOT NULL,                -- SHA-256
  version TEXT NOT NULL,
  state TEXT NOT NULL,                      -- working, ending, barred
  registered_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  visits INTEGER NOT NULL DEFAULT 0,        -- as it said last
  late_ms REAL NOT NULL DEFAULT 0,
  pages_per_second REAL NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE worker_call (                  -- every call of a worker (W3), for as long as --keep-calls says
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  worker TEXT NOT NULL,
  call TEXT NOT NULL,                       -- checkOut, checkIn, renew …
  visit TEXT,                               -- if it was about one
  result TEXT NOT NULL,                     -- ok, here, elsewhere, or the code of the error
  items INTEGER NOT NULL,                   -- visits handed out, parts stored, digests asked for
  bytes INTEGER NOT NULL,                   -- of the request's body
  took_ms REAL NOT NULL
) STRICT;

CREATE INDEX worker_call_at ON worker_call (at);

CREATE INDEX worker_call_of ON worker_call (worker, at);

CREATE VIEW worker_calls AS
  SELECT c.id, strftime('%Y-%m-%dT%H:%M:%fZ', c.at / 1000.0, 'unixepoch') AS at, w.name, c.worker, c.call, c.visit,
    c.result, c.items, c.bytes, c.took_ms
  FROM worker_call c LEFT JOIN worker w ON w.id = c.worker;

CREATE VIEW workers AS
  SELECT id AS worker, name, region, version, state, visits, pages_per_second, late_ms,
    strftime('%Y-%m-%dT%H:%M:%fZ', registered_at / 1000.0, 'unixepoch') AS registered_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', seen_at / 1000.0, 'unixepoch') AS seen_at
  FROM worker;
