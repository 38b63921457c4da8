/**
 * The frontier's tables: sites, their URLs, addresses, seeds, other names, domains. `src/frontier/README.md` explains how they
 * work together.
 *
 * The text is SQLite's; `../postgres/baseline.ts` makes PostgreSQL's from it. Sites and URLs are known by 64-bit hashes
 * (xxHash64, signed). Times are milliseconds since 1970. `bucket` divides the sites on PostgreSQL, and `shard` what belongs to no
 * site. On SQLite both are always 0, and virtual (they take no space) wherever no index needs them, so that a statement can
 * name them on both databases.
 *
 * Pages that are looked at again have a row in `known_page` beside the one in `url`. A crawl writes none: refreshing costs
 * nothing until it begins, and a URL's row stays short.
 */

/** The states of a site: `frontier/rules/site.ts` says which follows which. */
export const SITE_STATES = ['waiting', 'free', 'leased', 'returning', 'crawled', 'barred', 'held'] as const

/** The columns of `frontier_total`, which triggers of either database keep. */
export const TOTAL_NAMES = [
  ...SITE_STATES.map((state) => `sites_${state}` as const),
  ...(['urls_known', 'urls_waiting', 'urls_held', 'urls_refreshing', 'pages_granted'] as const),
]

export const FRONTIER = `
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
CREATE INDEX site_waiting ON site (bucket, not_before) WHERE state = 'waiting';
CREATE INDEX site_out ON site (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX site_worker ON site (worker) WHERE worker IS NOT NULL;
CREATE INDEX site_held ON site (address) WHERE holder > '';
CREATE INDEX site_name ON site (name);

-- What one visit to a site leaves for the next. The frontier stores it without reading it. robots.txt and trap counts are
-- large, so they have tables of their own and are written only when they change.
${['memory', 'robots', 'traps']
  .map(
    (part) => `CREATE TABLE site_${part} (
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER PRIMARY KEY,
  ${part} TEXT NOT NULL${' '.repeat(28 - part.length)}-- JSON
) STRICT;
`,
  )
  .join('')}
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
CREATE INDEX url_waiting ON url (site, due_at, seq) WHERE mark = 0;
CREATE INDEX url_held ON url (site) WHERE mark = 8;

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
CREATE INDEX known_page_due ON known_page (site, refresh_at, key) WHERE refresh_at IS NOT NULL;
CREATE INDEX known_page_class ON known_page (site, class, looked_at, key) WHERE class IS NOT NULL;

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
CREATE INDEX domain_pending ON domain (key) WHERE pending = 1;
CREATE INDEX domain_held ON domain (key) WHERE held > 0;

CREATE TABLE unendorsed_site (              -- a site without a trusted referrer; deleted when it gets one
  bucket INTEGER AS (0) VIRTUAL,
  site INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL,
  referrer INTEGER,                         -- the one site that links to it; a second one endorses it
  since INTEGER NOT NULL,
  hold_state INTEGER NOT NULL                   -- 0 may be held, 1 held, 2 never held
) STRICT;
CREATE INDEX unendorsed_of ON unendorsed_site (domain, hold_state, since, site);

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

CREATE TABLE frontier_meta (                -- order (the one that wrote the ranks), opened_at, url_rules
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE refresh_price (                -- what a look must be worth, adapted to what fetchers can do
  one INTEGER PRIMARY KEY CHECK (one = 1),
  price REAL NOT NULL,
  adapted_at INTEGER NOT NULL
) STRICT;
`
