/**
 * Sites, URLs, leases, addresses, seeds, other names, domains: what SQLite's migrations 1 to 8 have come to, with the
 * bucket in front of every key. Totals are the sum of `frontier_total`: the triggers add a row for each bucket that a
 * statement changed, because one row a bucket would let only one transaction at a time touch a bucket; they are folded
 * together now and then.
 */
import { distribute, keepAtCoordinator, onCitus } from './distribute.ts'
import type { PostgresMigration } from './migration.ts'

/** Rows come to the front of a queue and leave it all the time: what they leave there is in everybody's way. */
const VACUUMED_OFTEN = 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000'

const TABLES = `
CREATE TABLE site (
  bucket smallint NOT NULL,                 -- top byte of the key: the shard
  key bigint NOT NULL,                      -- 64 bits of its name
  name text COLLATE "C" NOT NULL,                       -- www.example.org, or with :port when that is neither 80 nor 443
  state text COLLATE "C" NOT NULL,                      -- waiting, free, leased, returning, crawled, barred, held
  reason text COLLATE "C",                              -- why it is barred
  since bigint NOT NULL,                    -- when it began to wait (ms since 1970, as all times)
  seed bigint NOT NULL DEFAULT 0,           -- 1: named by a seed
  rank double precision NOT NULL,           -- the order's number: the smallest comes first
  losses bigint NOT NULL DEFAULT 0,         -- visits lost in a row; such sites come after the others (V9)
  deferral bigint NOT NULL DEFAULT 0,          -- above 0: one of a flood, or slowed; such sites come after the others
  not_before bigint NOT NULL DEFAULT 0,     -- waiting: when it becomes free; the later of the next two
  polite_at bigint NOT NULL DEFAULT 0,      -- courtesy: nothing is asked before
  pause bigint NOT NULL DEFAULT 0,          -- learnt from the site, when longer than the configured pause
  address text COLLATE "C",                             -- where it was found last
  holder text COLLATE "C" NOT NULL DEFAULT '',          -- free: the worker that was seen to hold its address
  fence bigint NOT NULL DEFAULT 0,          -- leases so far
  worker text COLLATE "C",                              -- leased: to whom
  lease_until bigint,                       -- leased: how long; returning: when its parts are waited for no more
  entered text COLLATE "C",                             -- leased: the address that this visit holds
  granted bigint NOT NULL DEFAULT 0,        -- leased: pages that may still be asked for
  part bigint NOT NULL DEFAULT 0,           -- the last part of the visit that was applied
  seq bigint NOT NULL DEFAULT 0,            -- the last place in its queue that was given away
  known bigint NOT NULL DEFAULT 0,          -- its URLs
  waiting bigint NOT NULL DEFAULT 0,        -- of them, those not marked
  region text COLLATE "C" NOT NULL DEFAULT '',          -- leased: where its worker stands; waiting: what it leans to
  near_region text COLLATE "C" NOT NULL DEFAULT '',     -- the region that connects to it fastest, of those that tried
  near_ms double precision,                 -- how fast, smoothed
  far_ms double precision,                  -- the fastest of the others
  near_tried bigint NOT NULL DEFAULT 0,     -- regions that tried, as bits of their hashes
  PRIMARY KEY (bucket, key)
) WITH (fillfactor = 80, ${VACUUMED_OFTEN});
CREATE INDEX site_waiting ON site (bucket, not_before) WHERE state = 'waiting';
CREATE INDEX site_leaning ON site (bucket, region, not_before) WHERE state = 'waiting';
CREATE INDEX site_free ON site (bucket, holder, losses, deferral, rank) WHERE state = 'free';
CREATE INDEX site_held ON site (bucket, address) WHERE holder > '';
CREATE INDEX site_out ON site (bucket, lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX site_worker ON site (bucket, worker) WHERE worker IS NOT NULL;

CREATE TABLE site_memory (                  -- what visits know of a site and hand on; nobody here reads it
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  memory text COLLATE "C" NOT NULL,                     -- JSON
  PRIMARY KEY (bucket, site)
);
CREATE TABLE site_robots (                  -- what the site's robots.txt said; nobody here reads it
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  robots text COLLATE "C" NOT NULL,                     -- JSON
  PRIMARY KEY (bucket, site)
);
CREATE TABLE site_traps (                   -- what trap detectors counted; nobody here reads it
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  traps text COLLATE "C" NOT NULL,                      -- JSON
  PRIMARY KEY (bucket, site)
);

CREATE TABLE url (                          -- a URL is enqueued once, ever; a dequeued one is marked, not deleted (C1)
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,                      -- 64 bits of the normalised URL
  url text COLLATE "C" NOT NULL,
  depth bigint NOT NULL,
  via_site bigint,                          -- the page on which it was found
  via_key bigint,
  path text COLLATE "C" NOT NULL,                       -- how it was found, in Heritrix's letters
  seq bigint NOT NULL,                      -- its place in the site's queue
  enqueued_at bigint NOT NULL,
  due_at bigint NOT NULL,                   -- 0: never visited, which comes first (W10); else when it is asked for again
  tries bigint NOT NULL DEFAULT 0,
  mark bigint NOT NULL,                     -- 0 waiting, 1 kept, 2 moved, 3 refused, 4 gone
  lastmod bigint,                           -- what a sitemap said last
  PRIMARY KEY (bucket, site, key)
) WITH (fillfactor = 90, autovacuum_vacuum_insert_scale_factor = 0.05);  -- keys are read from the index alone, where pages were vacuumed
CREATE INDEX url_waiting ON url (bucket, site, due_at, seq) WHERE mark = 0;

CREATE TABLE url_spelling (                 -- other texts of a URL: when one is not found, the next is asked for
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  position bigint NOT NULL, -- 1, 2, 3: as they were seen; there are no more
  url text COLLATE "C" NOT NULL,
  depth bigint NOT NULL,
  via_site bigint,
  via_key bigint,
  path text COLLATE "C" NOT NULL,
  tried bigint NOT NULL,                    -- 1: it was asked for
  PRIMARY KEY (bucket, site, key, position)
);

CREATE TABLE seed (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  url text COLLATE "C" NOT NULL,
  added_at bigint NOT NULL,
  source text COLLATE "C" NOT NULL DEFAULT 'given',
  PRIMARY KEY (bucket, site, key)
);
CREATE INDEX seed_source ON seed (bucket, source);

CREATE TABLE address (                      -- an address belongs to one worker at a time
  shard smallint NOT NULL,                  -- first byte of the address's hash
  address text COLLATE "C" NOT NULL,
  worker text COLLATE "C" NOT NULL,
  visits bigint NOT NULL,                   -- leases that hold it
  until bigint NOT NULL,                    -- when none does: the end of the address pause
  PRIMARY KEY (shard, address)
) WITH (fillfactor = 70, ${VACUUMED_OFTEN});
CREATE INDEX address_idle ON address (shard, until) WHERE visits = 0;

CREATE TABLE address_reservation (                -- buckets that have sites reserved for the holder of an address
  shard smallint NOT NULL,
  address text COLLATE "C" NOT NULL,
  bucket smallint NOT NULL,
  PRIMARY KEY (shard, address, bucket)
);

CREATE TABLE address_sites (                -- how many sites were found at an address
  shard smallint NOT NULL,
  address text COLLATE "C" NOT NULL,
  sites bigint NOT NULL,
  PRIMARY KEY (shard, address)
) WITH (fillfactor = 70);

CREATE TABLE domain (                       -- a registrable domain; a host, where there is none
  shard smallint NOT NULL,                  -- top byte of the key
  key bigint NOT NULL,                      -- 64 bits of its name
  name text COLLATE "C" NOT NULL,
  sites bigint NOT NULL,                    -- that are known
  unendorsed bigint NOT NULL,                -- of them, those that nobody vouches for
  held bigint NOT NULL,                     -- of the unendorsed, those that are not handed out
  wildcard bigint NOT NULL,                 -- 1: every name under it resolves, so that anybody can make up sites
  pending bigint NOT NULL,                  -- 1: sites are still to be held or released
  addresses text COLLATE "C",                           -- JSON: what absurd names under it resolve to
  probed_at bigint,
  PRIMARY KEY (shard, key)
) WITH (fillfactor = 70);
CREATE INDEX domain_pending ON domain (shard, key) WHERE pending = 1;
CREATE INDEX domain_held ON domain (shard, key) WHERE held > 0;

CREATE TABLE unendorsed_site (                     -- a site that nobody vouches for; gone when somebody does
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  domain bigint NOT NULL,
  referrer bigint,                           -- the one site that speaks for it: another one is enough
  since bigint NOT NULL,
  hold_state bigint NOT NULL,                 -- 0 it may be held, 1 it is held, 2 it is not to be held
  PRIMARY KEY (bucket, site)
);
CREATE INDEX unendorsed_of ON unendorsed_site (domain, hold_state, since, site);

CREATE TABLE site_alias (                   -- a site that is another name of an original: links into it are entered there
  bucket smallint NOT NULL,
  site bigint NOT NULL,                     -- 64 bits of the name
  name text COLLATE "C" NOT NULL,
  original text COLLATE "C" NOT NULL,
  how text COLLATE "C" NOT NULL,                        -- list: the operator's; www: learnt
  https bigint NOT NULL,                    -- 1: what is entered there is asked for by https
  since bigint NOT NULL,
  evidence text COLLATE "C" NOT NULL,
  pending bigint NOT NULL,                  -- 1: URLs that waited under the name are still to be moved
  PRIMARY KEY (bucket, site)
);
CREATE INDEX site_alias_original ON site_alias (original);
CREATE INDEX site_alias_pending ON site_alias (bucket, site) WHERE pending = 1;

CREATE TABLE alias_change (                 -- every change of site_alias, so that each server's memory of it can follow
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  changed xid8 NOT NULL,                    -- the transaction that did
  name text COLLATE "C" NOT NULL,
  original text COLLATE "C",                            -- null: it is a site of its own again
  how text COLLATE "C",
  https bigint
);
CREATE INDEX alias_change_by ON alias_change (changed);

CREATE TABLE frontier_meta (                -- order: the one that wrote the ranks; opened_at; url_rules
  name text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL
);

CREATE TABLE frontier_bucket (              -- every bucket: what is asked of each of them is asked in one statement
  bucket smallint PRIMARY KEY
);
INSERT INTO frontier_bucket SELECT generate_series(0, 255);

CREATE TABLE frontier_total (               -- kept by the triggers below: its sum is how it stands
  bucket smallint NOT NULL,
  id bigint GENERATED BY DEFAULT AS IDENTITY,
  sites_waiting bigint NOT NULL DEFAULT 0,  -- sites by state
  sites_free bigint NOT NULL DEFAULT 0,
  sites_leased bigint NOT NULL DEFAULT 0,
  sites_returning bigint NOT NULL DEFAULT 0,
  sites_crawled bigint NOT NULL DEFAULT 0,
  sites_barred bigint NOT NULL DEFAULT 0,
  sites_held bigint NOT NULL DEFAULT 0,
  urls_known bigint NOT NULL DEFAULT 0,
  urls_waiting bigint NOT NULL DEFAULT 0,
  urls_held bigint NOT NULL DEFAULT 0,
  pages_granted bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (bucket, id)
) WITH (${VACUUMED_OFTEN});
`

/** What the views tell of a URL, after its text and its site. `via`: the page on which it was found. */
const urlColumns = (via: string) => `u.depth, u.path, ${via} AS via, u.tries,
    CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      WHEN 7 THEN 'moved' ELSE 'gone' END AS state,
    ${when('u.enqueued_at')} AS enqueued_at, ${when('u.lastmod')} AS lastmod`

const VIEWS = `
CREATE VIEW urls AS                         -- every URL that is known, asked for or not
  SELECT u.url, f.name AS site, ${urlColumns('v.url')}
  FROM url u JOIN site f ON f.bucket = u.bucket AND f.key = u.site
    LEFT JOIN url v ON v.bucket = (u.via_site >> 56) & 255 AND v.site = u.via_site AND v.key = u.via_key;

CREATE VIEW seeds AS                        -- what the collection begins with, and how it stands
  SELECT s.url, f.name AS site, s.source,
    CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 7 THEN 'moved' WHEN 3 THEN 'refused'
      WHEN 6 THEN 'read' ELSE 'gone' END AS state,
    ${when('s.added_at')} AS added_at
  FROM seed s JOIN url u ON u.bucket = s.bucket AND u.site = s.site AND u.key = s.key
    JOIN site f ON f.bucket = s.bucket AND f.key = s.site;

CREATE VIEW aliases AS
  SELECT name AS site, original, how, ${when('since')} AS since, evidence FROM site_alias;

CREATE VIEW domains AS
  SELECT name AS domain, sites, sites - unendorsed AS endorsed, held, wildcard, addresses, ${when('probed_at')} AS probed_at
  FROM domain;
`

/** An instant as ISO 8601 writes it. */
function when(column: string): string {
  return `to_char(to_timestamp(${column} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

const STATES = ['waiting', 'free', 'leased', 'returning', 'crawled', 'barred', 'held']
const TOTALS = [...STATES.map((state) => `sites_${state}`), 'urls_known', 'urls_waiting', 'urls_held', 'pages_granted']
const SUMS = [
  ...STATES.map((state) => `sum(n) FILTER (WHERE state = '${state}')`),
  'sum(n * known)',
  'sum(n * waiting)',
  `sum(n * waiting) FILTER (WHERE state = 'held')`,
  'sum(n * granted)',
].map((sum) => `coalesce(${sum}, 0)`)

const NEW_ROWS = 'SELECT bucket, state, known, waiting, granted, 1 AS n FROM new_rows'
const OLD_ROWS = 'SELECT bucket, state, known, waiting, granted, -1 AS n FROM old_rows'

/** What one statement changed, bucket by bucket; nothing for one that changed nothing that is counted. */
function trigger(name: string, event: string, tables: string, rows: string): string {
  return `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO frontier_total (bucket, ${TOTALS.join(', ')})
  SELECT * FROM (
    SELECT bucket, ${SUMS.map((sum, index) => `${sum} AS ${TOTALS[index]}`).join(', ')}
    FROM (${rows}) changed GROUP BY bucket ORDER BY bucket) sums
  WHERE (${TOTALS.join(', ')}) <> (${TOTALS.map(() => '0').join(', ')});
  RETURN NULL;
END
$$;
CREATE TRIGGER ${name} AFTER ${event} ON site REFERENCING ${tables}
  FOR EACH STATEMENT EXECUTE FUNCTION ${name}();
`
}

const TRIGGERS = [
  trigger('site_added', 'INSERT', 'NEW TABLE AS new_rows', NEW_ROWS),
  trigger('site_changed', 'UPDATE', 'OLD TABLE AS old_rows NEW TABLE AS new_rows', `${NEW_ROWS} UNION ALL ${OLD_ROWS}`),
  trigger('site_removed', 'DELETE', 'OLD TABLE AS old_rows', OLD_ROWS),
].join('')

/**
 * As `trigger`. On Citus a trigger runs where its rows lie and may change others of their bucket, but only by statements of
 * one bucket, and none that reads a transition table.
 */
function functionOnCitus(name: string, rows: string): string {
  const changes = TOTALS.map((total) => `sums.${total}`).join(', ')
  return `
    CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $function$
    DECLARE
      sums record;
    BEGIN
      FOR sums IN
        SELECT bucket, ${SUMS.map((sum, index) => `${sum} AS ${TOTALS[index]}`).join(', ')}
        FROM (${rows}) changed GROUP BY bucket ORDER BY bucket
      LOOP
        CONTINUE WHEN (${changes}) = (${TOTALS.map(() => '0').join(', ')});
        INSERT INTO frontier_total (bucket, ${TOTALS.join(', ')}) VALUES (sums.bucket, ${changes});
      END LOOP;
      RETURN NULL;
    END
    $function$;`
}

/** The page on which a URL was found may lie in another bucket, and Citus joins those of one only. */
const URLS_ON_CITUS = onCitus(`
    CREATE OR REPLACE VIEW urls AS
      SELECT u.url, f.name AS site, ${urlColumns('NULL::text COLLATE "C"')}
      FROM url u JOIN site f ON f.bucket = u.bucket AND f.key = u.site;`)

const TRIGGERS_ON_CITUS = onCitus(
  functionOnCitus('site_added', NEW_ROWS) +
    functionOnCitus('site_changed', `${NEW_ROWS} UNION ALL ${OLD_ROWS}`) +
    functionOnCitus('site_removed', OLD_ROWS),
)

const SPREAD =
  distribute(
    [
      'site',
      'site_memory',
      'site_robots',
      'site_traps',
      'url',
      'url_spelling',
      'seed',
      'unendorsed_site',
      'site_alias',
      'frontier_bucket',
      'frontier_total',
    ],
    'bucket',
  ) +
  distribute(['address', 'address_reservation', 'address_sites', 'domain'], 'shard') +
  keepAtCoordinator(['alias_change', 'frontier_meta'])

export const migration: PostgresMigration = {
  number: 1,
  name: 'frontier',
  sql: TABLES + VIEWS + TRIGGERS + TRIGGERS_ON_CITUS + URLS_ON_CITUS + SPREAD,
}
