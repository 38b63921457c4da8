CREATE TABLE address (                      -- an IP address belongs to one worker at a time
  shard INTEGER AS (0) VIRTUAL,
  address TEXT PRIMARY KEY,
  worker TEXT NOT NULL,
  visits INTEGER NOT NULL,                  -- leases that hold it
  until INTEGER NOT NULL                    -- without leases: the end of the address's pause
) STRICT, WITHOUT ROWID;

CREATE INDEX address_idle ON address (until) WHERE visits = 0;

CREATE TABLE address_sites (                -- how many sites were found at an address
  shard INTEGER AS (0) VIRTUAL,
  address TEXT PRIMARY KEY,
  sites INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIEW aliases AS
  SELECT name AS site, original, how, strftime('%Y-%m-%dT%H:%M:%fZ', since / 1000.0, 'unixepoch') AS since, evidence FROM site_alias;

CREATE TABLE audit (                        -- every action of an operator
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,                        -- role and address, or the user of the command line
  action TEXT NOT NULL,
  subject TEXT NOT NULL,                    -- a site, a worker, a finding; '': the whole crawl
  before TEXT,                              -- JSON
  after TEXT
) STRICT;

CREATE VIEW audits AS SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at, who, action, subject, before, after FROM audit;

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

CREATE INDEX capture_change ON capture (id) WHERE change IS NOT NULL;

CREATE INDEX capture_content ON capture (digest) WHERE kind = 'response';

CREATE INDEX capture_in ON capture (volume, "offset");

CREATE INDEX capture_of ON capture (site, key, at);

CREATE VIEW captures AS
  SELECT c.id, c.url, s.name AS site, strftime('%Y-%m-%dT%H:%M:%fZ', c.at / 1000.0, 'unixepoch') AS at, c.status, c.media_type, c.kind, c.duplicate, c.digest,
    v.name AS volume, c.offset, c.length, c.change, c.place
  FROM capture c JOIN volume v ON v.id = c.volume LEFT JOIN site_stats s ON s.bucket = c.bucket AND s.site = c.site;

CREATE TABLE cdxj_upto (                    -- captures up to this one are in indexes/index.cdxj, if the file has this size
  one INTEGER PRIMARY KEY CHECK (one = 1),
  capture INTEGER NOT NULL,
  size INTEGER NOT NULL
) STRICT;

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

CREATE TABLE counter (                      -- what visits counted, by day (UTC)
  bucket INTEGER AS (0) VIRTUAL,
  name TEXT NOT NULL,
  day TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (name, day)
) STRICT, WITHOUT ROWID;

CREATE VIEW counters AS SELECT name, CAST(sum(value) AS bigint) AS value FROM counter GROUP BY name;

CREATE TABLE crawl_log (                    -- how many bytes of logs/crawl.log are durable
  one INTEGER PRIMARY KEY CHECK (one = 1),
  synced INTEGER NOT NULL
) STRICT;

CREATE TABLE crawl_log_tail (               -- the lines after those, until they are durable too
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  lines TEXT NOT NULL
) STRICT;

CREATE TABLE domain (                       -- a registrable domain; a host where there is none
  shard INTEGER AS (0) VIRTUAL,
  key INTEGER PRIMARY KEY,                  -- 64 bits of its name
  name TEXT NOT NULL,
  sites INTEGER NOT NULL,                   -- its known sites
  unendorsed INTEGER NOT NULL,              -- of them, those without a trusted referrer
  held INTEGER NOT NULL,                    -- of the unendorsed, those not visited for now
  wildcard INTEGER NOT NULL,                -- 1: every name under it resolves, so anybody can invent sites
  pending INTEGER NOT NULL,                 -- 1: sites still have to be held or released
  addresses TEXT,                           -- JSON: what invented names under it resolve to
  probed_at INTEGER
) STRICT;

CREATE INDEX domain_held ON domain (key) WHERE held > 0;

CREATE INDEX domain_pending ON domain (key) WHERE pending = 1;

CREATE VIEW domains AS
  SELECT name AS domain, sites, sites - unendorsed AS endorsed, held, wildcard, addresses, strftime('%Y-%m-%dT%H:%M:%fZ', probed_at / 1000.0, 'unixepoch') AS probed_at
  FROM domain;

CREATE VIEW duplicates AS
  SELECT p.digest, count(*) AS pages, min(p.bytes) AS bytes, min(p.url) AS one_url
  FROM page p WHERE p.outcome = 'kept' AND p.digest IS NOT NULL GROUP BY p.digest HAVING count(*) > 1;

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

CREATE VIEW failed_looks AS
  SELECT p.url, strftime('%Y-%m-%dT%H:%M:%fZ', l.at / 1000.0, 'unixepoch') AS at, l.status, l.outcome, l.why, l.detail
  FROM failed_look l JOIN page p ON p.bucket = l.bucket AND p.site = l.site AND p.key = l.key;

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

CREATE INDEX finding_at ON finding (at, id);

CREATE INDEX finding_of ON finding (site);

CREATE INDEX finding_rule ON finding (rule, at, id);

CREATE TABLE frontier_meta (                -- order (the one that wrote the ranks), opened_at, url_rules
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE frontier_total (
  bucket INTEGER PRIMARY KEY,
  sites_waiting INTEGER NOT NULL DEFAULT 0,
  sites_free INTEGER NOT NULL DEFAULT 0,
  sites_leased INTEGER NOT NULL DEFAULT 0,
  sites_returning INTEGER NOT NULL DEFAULT 0,
  sites_crawled INTEGER NOT NULL DEFAULT 0,
  sites_barred INTEGER NOT NULL DEFAULT 0,
  sites_held INTEGER NOT NULL DEFAULT 0,
  urls_known INTEGER NOT NULL DEFAULT 0,
  urls_waiting INTEGER NOT NULL DEFAULT 0,
  urls_held INTEGER NOT NULL DEFAULT 0,
  urls_refreshing INTEGER NOT NULL DEFAULT 0,
  pages_granted INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE VIEW hazards AS
  SELECT s.name AS site, v.rule, v.pattern, v.evidence, v.examples, strftime('%Y-%m-%dT%H:%M:%fZ', v.at / 1000.0, 'unixepoch') AS at, strftime('%Y-%m-%dT%H:%M:%fZ', v.withdrawn_at / 1000.0, 'unixepoch') AS withdrawn_at
  FROM finding v LEFT JOIN site_stats s ON s.bucket = v.bucket AND s.site = v.site;

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

CREATE TABLE known_page (                   -- a page that is looked at again: at a given time, or when that is worth most
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  looked_at INTEGER NOT NULL,               -- the last look that brought the page, or found it unchanged
  refresh_at INTEGER,                       -- looked at from then on, whatever it is worth; null: by its worth
  interval_ms INTEGER,                      -- by refresh_at: the time from one look to the next; null: not planned
  class INTEGER,                            -- pages of similar rate and weight; null: by refresh_at
  rate REAL NOT NULL,                       -- estimated changes per second
  weight REAL NOT NULL,                     -- what a fresh copy is worth
  changes INTEGER NOT NULL DEFAULT 0,       -- looks that found a change, the time before these looks,
  changed_ms INTEGER NOT NULL DEFAULT 0,
  unchanged_ms INTEGER NOT NULL DEFAULT 0,  -- and before those that found none
  failures INTEGER NOT NULL DEFAULT 0,      -- looks in a row that did not bring the page
  missing_since INTEGER,                    -- the first of them, if all found it missing; null: they failed otherwise
  hinted_at INTEGER,                        -- somebody said then that it had changed; null: or it was looked at since
  PRIMARY KEY (site, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX known_page_class ON known_page (site, class, looked_at, key) WHERE class IS NOT NULL;

CREATE INDEX known_page_due ON known_page (site, refresh_at, key) WHERE refresh_at IS NOT NULL;

CREATE TABLE links_changed (                -- pages whose links changed since the reverse index read them
  bucket INTEGER AS (0) VIRTUAL,
  page INTEGER PRIMARY KEY REFERENCES page,
  before BLOB                               -- the links in the reverse index; null: none
) STRICT;

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

CREATE VIEW pages AS
  SELECT p.url, s.name AS site, p.depth, p.via, p.path, p.status, p.outcome, p.why, p.detail, p.media_type, p.sniffed,
    p.language, p.bytes, p.took_ms, p.tries, p.looks, p.digest, p.title, p.annotations, strftime('%Y-%m-%dT%H:%M:%fZ', p.first_at / 1000.0, 'unixepoch') AS first_at, strftime('%Y-%m-%dT%H:%M:%fZ', p.at / 1000.0, 'unixepoch') AS at
  FROM page p LEFT JOIN site_stats s ON s.bucket = p.bucket AND s.site = p.site;

CREATE TABLE problem (                      -- what is wrong now, or was until it was reported as over
  name TEXT PRIMARY KEY,
  what TEXT NOT NULL,                       -- for people, with what to do
  since INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  mailed_at INTEGER                         -- null: no mail about it yet
) STRICT, WITHOUT ROWID;

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

CREATE VIEW rechecks AS
  SELECT url, first_worker, strftime('%Y-%m-%dT%H:%M:%fZ', first_at / 1000.0, 'unixepoch') AS first_at, second_worker, strftime('%Y-%m-%dT%H:%M:%fZ', second_at / 1000.0, 'unixepoch') AS second_at, comparison FROM recheck;

CREATE TABLE refresh_price (                -- what a look must be worth, adapted to what fetchers can do
  one INTEGER PRIMARY KEY CHECK (one = 1),
  price REAL NOT NULL,
  adapted_at INTEGER NOT NULL
) STRICT;

CREATE TABLE seed (
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  url TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  source TEXT NOT NULL DEFAULT 'given',     -- given, file, names, collection, sitemap, cdx, warc
  PRIMARY KEY (site, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX seed_source ON seed (source);

CREATE VIEW seeds AS
  SELECT s.url, f.name AS site, s.source, CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      WHEN 7 THEN 'moved' WHEN 8 THEN 'held' ELSE 'gone' END AS state, strftime('%Y-%m-%dT%H:%M:%fZ', s.added_at / 1000.0, 'unixepoch') AS added_at
  FROM seed s JOIN url u ON u.bucket = s.bucket AND u.site = s.site AND u.key = s.key
    JOIN site f ON f.bucket = s.bucket AND f.key = s.site;

CREATE TABLE server (                       -- a server of this crawl
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,                        -- how workers reach it
  version TEXT NOT NULL,
  settings TEXT NOT NULL DEFAULT '{}',      -- JSON: keys that differ from the default, with digests of their values
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  computer TEXT                             -- JSON, as of workers
) STRICT, WITHOUT ROWID;

CREATE TABLE site (
  bucket INTEGER NOT NULL DEFAULT 0,
  key INTEGER PRIMARY KEY,                  -- 64 bits of its name
  name TEXT NOT NULL,                       -- www.example.org; with :port when that is neither 80 nor 443
  state TEXT NOT NULL,                      -- waiting, free, leased, returning, crawled, barred, held
  reason TEXT,                              -- why it is barred
  since INTEGER NOT NULL,                   -- when it began to wait
  seed INTEGER NOT NULL DEFAULT 0,          -- 1: a seed names it
  rank REAL NOT NULL,                       -- its number in the order of sites: the smallest comes first
  losses INTEGER NOT NULL DEFAULT 0,        -- visits lost in a row; such sites come after the others (V9)
  deferral INTEGER NOT NULL DEFAULT 0,      -- above 0: one of very many sites, or slowed; a larger one comes later
  not_before INTEGER NOT NULL DEFAULT 0,    -- waiting: when it becomes free
  polite_at INTEGER NOT NULL DEFAULT 0,     -- politeness: no request before this
  pause INTEGER NOT NULL DEFAULT 0,         -- the pause the site asked for, when longer than the configured one
  address TEXT,                             -- its last known IP address
  holder TEXT NOT NULL DEFAULT '',          -- free: the worker that holds its address
  fence INTEGER NOT NULL DEFAULT 0,         -- leases so far
  worker TEXT,                              -- leased: the worker
  lease_until INTEGER,                      -- leased: when the lease ends; returning: until when its parts are awaited
  entered TEXT,                             -- leased: the address this visit holds
  granted INTEGER NOT NULL DEFAULT 0,       -- leased: pages it may still ask for
  part INTEGER NOT NULL DEFAULT 0,          -- the last part of the visit that was applied
  seq INTEGER NOT NULL DEFAULT 0,           -- the last url.seq given out
  known INTEGER NOT NULL DEFAULT 0,         -- its URLs
  waiting INTEGER NOT NULL DEFAULT 0,       -- of them, those with mark 0
  refreshing INTEGER NOT NULL DEFAULT 0,    -- of them, those in known_page
  stopped TEXT                              -- by an operator: paused, barred
) STRICT;

CREATE INDEX site_free ON site (bucket, holder, losses, deferral, rank) WHERE state = 'free';

CREATE INDEX site_held ON site (address) WHERE holder > '';

CREATE INDEX site_name ON site (name);

CREATE INDEX site_out ON site (lease_until) WHERE lease_until IS NOT NULL;

CREATE INDEX site_waiting ON site (bucket, not_before) WHERE state = 'waiting';

CREATE INDEX site_worker ON site (worker) WHERE worker IS NOT NULL;

CREATE TRIGGER site_added AFTER INSERT ON site
BEGIN
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
    urls_held = urls_held + (new.state IN ('held', 'barred')) * new.waiting,
    urls_refreshing = urls_refreshing + new.refreshing,
    pages_granted = pages_granted + new.granted
  WHERE bucket = new.bucket;
END;

CREATE TRIGGER site_changed AFTER UPDATE ON site WHEN old.state <> new.state OR old.known <> new.known OR old.waiting <> new.waiting OR old.refreshing <> new.refreshing OR old.granted <> new.granted
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
    urls_held = urls_held + (new.state IN ('held', 'barred')) * new.waiting - (old.state IN ('held', 'barred')) * old.waiting,
    urls_refreshing = urls_refreshing + new.refreshing - old.refreshing,
    pages_granted = pages_granted + new.granted - old.granted
  WHERE bucket = new.bucket;
END;

CREATE TRIGGER site_removed AFTER DELETE ON site
BEGIN
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
    urls_held = urls_held - (old.state IN ('held', 'barred')) * old.waiting,
    urls_refreshing = urls_refreshing - old.refreshing,
    pages_granted = pages_granted - old.granted
  WHERE bucket = old.bucket;
END;

CREATE TABLE site_alias (                   -- another name of a site: links to it are entered at the original
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER PRIMARY KEY,                 -- 64 bits of the name
  name TEXT NOT NULL,
  original TEXT NOT NULL,
  how TEXT NOT NULL,                        -- list: from the operator's list; www: learnt
  https INTEGER NOT NULL,                   -- 1: URLs entered at the original use https
  since INTEGER NOT NULL,
  evidence TEXT NOT NULL,
  pending INTEGER NOT NULL                  -- 1: URLs that waited under the name still have to be moved
) STRICT;

CREATE INDEX site_alias_original ON site_alias (original);

CREATE INDEX site_alias_pending ON site_alias (site) WHERE pending = 1;

CREATE TABLE site_looks (                   -- what the looks at a site's known pages have shown, together
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER PRIMARY KEY,
  looks INTEGER NOT NULL,
  changes INTEGER NOT NULL,
  changed_ms INTEGER NOT NULL,
  unchanged_ms INTEGER NOT NULL,
  hints_right INTEGER NOT NULL,             -- hints that a look confirmed, those it did not,
  hints_wrong INTEGER NOT NULL,
  unhinted INTEGER NOT NULL,                -- and changes that no hint announced
  planned_at INTEGER                        -- when intervals were planned for the site
) STRICT;

CREATE TABLE site_memory (
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER PRIMARY KEY,
  memory TEXT NOT NULL                      -- JSON
) STRICT;

CREATE TABLE site_robots (
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER PRIMARY KEY,
  robots TEXT NOT NULL                      -- JSON
) STRICT;

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

CREATE TABLE site_traps (
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER PRIMARY KEY,
  traps TEXT NOT NULL                       -- JSON
) STRICT;

CREATE TABLE site_visits (                  -- the last visits to a site: collection/counters/last-visits.ts
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER PRIMARY KEY,
  visits TEXT NOT NULL                      -- a line each, newest first: end, why, worker, and the sums of site_stats by then
) STRICT;

CREATE VIEW sites AS                        -- every known site, visited or not
  SELECT f.name AS site, f.state, f.reason, f.seed, f.known AS urls, f.waiting, f.refreshing, f.address,
    coalesce(s.requests, 0) AS requests, coalesce(s.documents, 0) AS documents, coalesce(s.bytes, 0) AS bytes,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.first_at / 1000.0, 'unixepoch') AS first_at, strftime('%Y-%m-%dT%H:%M:%fZ', s.last_at / 1000.0, 'unixepoch') AS last_at
  FROM site f LEFT JOIN site_stats s ON s.bucket = f.bucket AND s.site = f.key;

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE unendorsed_site (              -- a site without a trusted referrer; deleted when it gets one
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL,
  referrer INTEGER,                         -- the one site that links to it; a second one endorses it
  since INTEGER NOT NULL,
  hold_state INTEGER NOT NULL                   -- 0 may be held, 1 held, 2 never held
) STRICT;

CREATE INDEX unendorsed_of ON unendorsed_site (domain, hold_state, since, site);

CREATE TABLE url (                          -- a URL is enqueued once, ever; a dequeued one is marked, not deleted (C1)
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,                     -- 64 bits of the normalised URL
  url TEXT NOT NULL,
  depth INTEGER NOT NULL,
  via_site INTEGER,                         -- the page it was found on
  via_key INTEGER,
  path TEXT NOT NULL,                       -- how it was found, in Heritrix's letters
  seq INTEGER NOT NULL,                     -- its position in the site's queue
  enqueued_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,                  -- 0: never visited, which comes first (W10); else when it is tried again
  tries INTEGER NOT NULL DEFAULT 0,
  mark INTEGER NOT NULL,                    -- 0 waiting, 1 kept, 2 moved, 3 refused, 4 gone, 5 not found, 6 read, 7 replaced, 8 held
  lastmod INTEGER,                          -- the newest lastmod a sitemap gave
  PRIMARY KEY (site, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX url_held ON url (site) WHERE mark = 8;

CREATE INDEX url_waiting ON url (site, due_at, seq) WHERE mark = 0;

CREATE TABLE url_spelling (                 -- other texts of a URL: if one is not found, the next is tried
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  position INTEGER NOT NULL,                 -- 1, 2, 3 in the order they were found; there are never more
  url TEXT NOT NULL,
  depth INTEGER NOT NULL,
  via_site INTEGER,
  via_key INTEGER,
  path TEXT NOT NULL,
  tried INTEGER NOT NULL,                   -- 1: it was requested
  PRIMARY KEY (site, key, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW urls AS
  SELECT u.url, f.name AS site, u.depth, u.path, v.url AS via, u.tries, CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      WHEN 7 THEN 'moved' WHEN 8 THEN 'held' ELSE 'gone' END AS state, strftime('%Y-%m-%dT%H:%M:%fZ', u.enqueued_at / 1000.0, 'unixepoch') AS enqueued_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', u.lastmod / 1000.0, 'unixepoch') AS lastmod, strftime('%Y-%m-%dT%H:%M:%fZ', k.looked_at / 1000.0, 'unixepoch') AS looked_at, strftime('%Y-%m-%dT%H:%M:%fZ', k.refresh_at / 1000.0, 'unixepoch') AS refresh_at, k.rate, k.weight
  FROM url u JOIN site f ON f.bucket = u.bucket AND f.key = u.site
    LEFT JOIN known_page k ON k.bucket = u.bucket AND k.site = u.site AND k.key = u.key LEFT JOIN url v ON v.site = u.via_site AND v.key = u.via_key;

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

CREATE VIEW worker_calls AS
  SELECT c.id, strftime('%Y-%m-%dT%H:%M:%fZ', c.at / 1000.0, 'unixepoch') AS at, w.name, c.worker, c.call, c.visit, c.result, c.items, c.bytes, c.took_ms
  FROM worker_call c LEFT JOIN worker w ON w.id = c.worker;

CREATE VIEW workers AS
  SELECT id AS worker, name, region, version, state, visits, pages_per_second, late_ms, strftime('%Y-%m-%dT%H:%M:%fZ', registered_at / 1000.0, 'unixepoch') AS registered_at, strftime('%Y-%m-%dT%H:%M:%fZ', seen_at / 1000.0, 'unixepoch') AS seen_at
  FROM worker;
