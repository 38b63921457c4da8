/**
 * The frontier's tables on PostgreSQL: those of `../sqlite/baseline-frontier.ts`, which explains the columns, with the
 * bucket (or the shard of what belongs to no site) first in every key. Comments here say what differs.
 */
import { distribute, keepAtCoordinator, onCitus } from './distribute.ts'

/** An instant as the views show it: 2024-02-29T12:00:00.123Z. */
export const iso = (column: string) =>
  `to_char(to_timestamp(${column} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${column.replace(/^\w+\./, '')}`

/** Rows enter and leave the front of these queues all the time, and every reader has to pass the dead ones. */
const VACUUMED_OFTEN = 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000'

const SITE = `
CREATE TABLE site (
  bucket smallint NOT NULL,                 -- the shard: top byte of the key
  key bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  reason text COLLATE "C",
  since bigint NOT NULL,
  seed bigint NOT NULL DEFAULT 0,
  rank double precision NOT NULL,
  losses bigint NOT NULL DEFAULT 0,
  deferral bigint NOT NULL DEFAULT 0,
  not_before bigint NOT NULL DEFAULT 0,
  polite_at bigint NOT NULL DEFAULT 0,
  pause bigint NOT NULL DEFAULT 0,
  address text COLLATE "C",
  holder text COLLATE "C" NOT NULL DEFAULT '',
  fence bigint NOT NULL DEFAULT 0,
  worker text COLLATE "C",
  lease_until bigint,
  entered text COLLATE "C",
  granted bigint NOT NULL DEFAULT 0,
  part bigint NOT NULL DEFAULT 0,
  seq bigint NOT NULL DEFAULT 0,
  known bigint NOT NULL DEFAULT 0,
  waiting bigint NOT NULL DEFAULT 0,
  region text COLLATE "C" NOT NULL DEFAULT '',       -- leased: its worker's region; waiting: the region that should take it
  near_region text COLLATE "C" NOT NULL DEFAULT '',  -- the region that connects to it fastest, of those that tried
  near_ms double precision,                 -- how fast, smoothed
  far_ms double precision,                  -- the fastest of the other regions
  near_tried bigint NOT NULL DEFAULT 0,     -- regions that tried, as bits of their hashes
  refreshing bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (bucket, key)
) WITH (fillfactor = 80, ${VACUUMED_OFTEN});
CREATE INDEX site_waiting ON site (bucket, not_before) WHERE state = 'waiting';
CREATE INDEX site_leaning ON site (bucket, region, not_before) WHERE state = 'waiting';
CREATE INDEX site_free ON site (bucket, holder, losses, deferral, rank) WHERE state = 'free';
CREATE INDEX site_held ON site (bucket, address) WHERE holder > '';
CREATE INDEX site_out ON site (bucket, lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX site_worker ON site (bucket, worker) WHERE worker IS NOT NULL;

${['memory', 'robots', 'traps']
  .map(
    (part) => `
CREATE TABLE site_${part} (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  ${part} text COLLATE "C" NOT NULL,
  PRIMARY KEY (bucket, site)
);
`,
  )
  .join('')}`

const URL = `
CREATE TABLE url (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  url text COLLATE "C" NOT NULL,
  depth bigint NOT NULL,
  via_site bigint,
  via_key bigint,
  path text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  enqueued_at bigint NOT NULL,
  due_at bigint NOT NULL,
  tries bigint NOT NULL DEFAULT 0,
  mark bigint NOT NULL,
  lastmod bigint,
  PRIMARY KEY (bucket, site, key)
) WITH (
  fillfactor = 90,
  autovacuum_vacuum_insert_scale_factor = 0.05  -- vacuumed pages let keys be read from the index alone
);
CREATE INDEX url_waiting ON url (bucket, site, due_at, seq) WHERE mark = 0;
CREATE INDEX url_held ON url (bucket, site) WHERE mark = 8;

CREATE TABLE known_page (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  looked_at bigint NOT NULL,
  refresh_at bigint,
  interval_ms bigint,
  class bigint,
  rate double precision NOT NULL,
  weight double precision NOT NULL,
  changes bigint NOT NULL DEFAULT 0,
  changed_ms bigint NOT NULL DEFAULT 0,
  unchanged_ms bigint NOT NULL DEFAULT 0,
  failures bigint NOT NULL DEFAULT 0,
  missing_since bigint,
  hinted_at bigint,
  PRIMARY KEY (bucket, site, key)
) WITH (fillfactor = 80, ${VACUUMED_OFTEN});
CREATE INDEX known_page_due ON known_page (bucket, site, refresh_at, key) WHERE refresh_at IS NOT NULL;
CREATE INDEX known_page_class ON known_page (bucket, site, class, looked_at, key) WHERE class IS NOT NULL;

CREATE TABLE site_looks (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  looks bigint NOT NULL,
  changes bigint NOT NULL,
  changed_ms bigint NOT NULL,
  unchanged_ms bigint NOT NULL,
  hints_right bigint NOT NULL,
  hints_wrong bigint NOT NULL,
  unhinted bigint NOT NULL,
  planned_at bigint,
  PRIMARY KEY (bucket, site)
) WITH (fillfactor = 80);

CREATE TABLE url_spelling (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  position bigint NOT NULL,
  url text COLLATE "C" NOT NULL,
  depth bigint NOT NULL,
  via_site bigint,
  via_key bigint,
  path text COLLATE "C" NOT NULL,
  tried bigint NOT NULL,
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
`

const NAMES = `
CREATE TABLE site_alias (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  original text COLLATE "C" NOT NULL,
  how text COLLATE "C" NOT NULL,
  https bigint NOT NULL,
  since bigint NOT NULL,
  evidence text COLLATE "C" NOT NULL,
  pending bigint NOT NULL,
  PRIMARY KEY (bucket, site)
);
CREATE INDEX site_alias_original ON site_alias (original);
CREATE INDEX site_alias_pending ON site_alias (bucket, site) WHERE pending = 1;

CREATE TABLE alias_change (                 -- every change of site_alias: each server updates its copy in memory from it
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  changed xid8 NOT NULL,                    -- the transaction that changed it
  name text COLLATE "C" NOT NULL,
  original text COLLATE "C",                -- null: it is a site of its own again
  how text COLLATE "C",
  https bigint
);
CREATE INDEX alias_change_by ON alias_change (changed);

CREATE TABLE domain (
  shard smallint NOT NULL,                  -- top byte of the key
  key bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  sites bigint NOT NULL,
  unendorsed bigint NOT NULL,
  held bigint NOT NULL,
  wildcard bigint NOT NULL,
  pending bigint NOT NULL,
  addresses text COLLATE "C",
  probed_at bigint,
  PRIMARY KEY (shard, key)
) WITH (fillfactor = 70);
CREATE INDEX domain_pending ON domain (shard, key) WHERE pending = 1;
CREATE INDEX domain_held ON domain (shard, key) WHERE held > 0;

CREATE TABLE unendorsed_site (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  domain bigint NOT NULL,
  referrer bigint,
  since bigint NOT NULL,
  hold_state bigint NOT NULL,
  PRIMARY KEY (bucket, site)
);
CREATE INDEX unendorsed_of ON unendorsed_site (domain, hold_state, since, site);

CREATE TABLE address (
  shard smallint NOT NULL,                  -- first byte of the address's hash
  address text COLLATE "C" NOT NULL,
  worker text COLLATE "C" NOT NULL,
  visits bigint NOT NULL,
  until bigint NOT NULL,
  PRIMARY KEY (shard, address)
) WITH (fillfactor = 70, ${VACUUMED_OFTEN});
CREATE INDEX address_idle ON address (shard, until) WHERE visits = 0;

CREATE TABLE address_reservation (             -- buckets that have sites reserved for the holder of an address
  shard smallint NOT NULL,
  address text COLLATE "C" NOT NULL,
  bucket smallint NOT NULL,
  PRIMARY KEY (shard, address, bucket)
);

CREATE TABLE address_sites (
  shard smallint NOT NULL,
  address text COLLATE "C" NOT NULL,
  sites bigint NOT NULL,
  PRIMARY KEY (shard, address)
) WITH (fillfactor = 70);

CREATE TABLE frontier_meta (
  name text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL
);

CREATE TABLE refresh_price (
  one bigint PRIMARY KEY CHECK (one = 1),
  price double precision NOT NULL,
  adapted_at bigint NOT NULL
);

CREATE TABLE frontier_bucket (              -- every bucket: one statement can query each of them
  bucket smallint PRIMARY KEY
);
INSERT INTO frontier_bucket SELECT generate_series(0, 255);
`

const URL_STATE = `CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      WHEN 7 THEN 'moved' WHEN 8 THEN 'held' ELSE 'gone' END AS state`

/** `via` is the page a URL was found on. It may be in another bucket, and Citus joins rows of one bucket only. */
const urlsView = (via: string, join: string) => `
CREATE VIEW urls AS
  SELECT u.url, f.name AS site, u.depth, u.path, ${via} AS via, u.tries, ${URL_STATE}, ${iso('u.enqueued_at')},
    ${iso('u.lastmod')}, ${iso('k.looked_at')}, ${iso('k.refresh_at')}, k.rate, k.weight
  FROM url u JOIN site f ON f.bucket = u.bucket AND f.key = u.site
    LEFT JOIN known_page k ON k.bucket = u.bucket AND k.site = u.site AND k.key = u.key ${join};
`

const VIEWS = `
${urlsView('v.url', 'LEFT JOIN url v ON v.bucket = (u.via_site >> 56) & 255 AND v.site = u.via_site AND v.key = u.via_key')}
CREATE VIEW seeds AS
  SELECT s.url, f.name AS site, s.source, ${URL_STATE}, ${iso('s.added_at')}
  FROM seed s JOIN url u ON u.bucket = s.bucket AND u.site = s.site AND u.key = s.key
    JOIN site f ON f.bucket = s.bucket AND f.key = s.site;
CREATE VIEW aliases AS
  SELECT name AS site, original, how, ${iso('since')}, evidence FROM site_alias;
CREATE VIEW domains AS
  SELECT name AS domain, sites, sites - unendorsed AS endorsed, held, wildcard, addresses, ${iso('probed_at')}
  FROM domain;
${onCitus(`DROP VIEW urls; ${urlsView('NULL::text COLLATE "C"', '')}`)}`

const STATES = ['waiting', 'free', 'leased', 'returning', 'crawled', 'barred', 'held']
type TotalSums = readonly (readonly [total: string, sum: string])[]
const TOTALS: TotalSums = [
  ...STATES.map((state) => [`sites_${state}`, `sum(n) FILTER (WHERE state = '${state}')`] as const),
  ['urls_known', 'sum(n * known)'],
  ['urls_waiting', 'sum(n * waiting)'],
  ['urls_held', `sum(n * waiting) FILTER (WHERE state = 'held')`],
  ['urls_refreshing', 'sum(n * refreshing)'],
  ['pages_granted', 'sum(n * granted)'],
]
/** The columns of `frontier_total`: what is folded and summed must name all of them. */
export const TOTAL_NAMES: readonly string[] = TOTALS.map(([name]) => name)
const NAMES_OF_TOTALS = TOTAL_NAMES.join(', ')
const sumsOf = (totals: TotalSums) => totals.map(([name, sum]) => `coalesce(${sum}, 0) AS ${name}`).join(', ')

const rowsOf = (transition: string, n: 1 | -1) =>
  `SELECT bucket, state, known, waiting, refreshing, granted, ${n} AS n FROM ${transition}`
const NEW_ROWS = rowsOf('new_rows', 1)
const OLD_ROWS = rowsOf('old_rows', -1)

/**
 * Adds what one statement changed, bucket by bucket; nothing if no count changed. Not in one INSERT … SELECT: on Citus a
 * trigger may change other rows only by statements of one bucket that read no transition table.
 */
function trigger(name: string, event: string, tables: string, rows: string): string {
  return `${counting(name, rows, TOTALS)}
CREATE TRIGGER ${name} AFTER ${event} ON site REFERENCING ${tables}
  FOR EACH STATEMENT EXECUTE FUNCTION ${name}();
`
}

function counting(name: string, rows: string, totals: TotalSums, create = 'CREATE'): string {
  const changes = totals.map(([total]) => `sums.${total}`).join(', ')
  return `
${create} FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  sums record;
BEGIN
  FOR sums IN
    SELECT bucket, ${sumsOf(totals)}
    FROM (${rows}) changed GROUP BY bucket ORDER BY bucket
  LOOP
    CONTINUE WHEN (${changes}) = (${totals.map(() => '0').join(', ')});
    INSERT INTO frontier_total (bucket, ${NAMES_OF_TOTALS}) VALUES (sums.bucket, ${changes});
  END LOOP;
  RETURN NULL;
END
$$;`
}

const CHANGED_ROWS = `${NEW_ROWS} UNION ALL ${OLD_ROWS}`
const WITH_BARRED: TotalSums = TOTALS.map(([total, sum]) =>
  total === 'urls_held' ? [total, `sum(n * waiting) FILTER (WHERE state IN ('held', 'barred'))`] : [total, sum],
)

/** The third step of the schema: what waits in a site that an operator barred counts like that of held ones. */
export const STOPPED_SITES = `
ALTER TABLE site ADD COLUMN stopped text COLLATE "C";
${[
  ['site_added', NEW_ROWS],
  ['site_changed', CHANGED_ROWS],
  ['site_removed', OLD_ROWS],
]
  .map(([name, rows]) => counting(name, rows, WITH_BARRED, 'CREATE OR REPLACE'))
  .join('')}
`

/**
 * The totals are the sums of this table. Triggers add a row per bucket that a statement changed, and servers add the rows up
 * now and then: with one row per bucket, only one transaction at a time could change a bucket.
 */
const TOTAL = `
CREATE TABLE frontier_total (
  bucket smallint NOT NULL,
  id bigint GENERATED BY DEFAULT AS IDENTITY,
${TOTALS.map(([name]) => `  ${name} bigint NOT NULL DEFAULT 0,`).join('\n')}
  PRIMARY KEY (bucket, id)
) WITH (${VACUUMED_OFTEN});
${trigger('site_added', 'INSERT', 'NEW TABLE AS new_rows', NEW_ROWS)}
${trigger('site_changed', 'UPDATE', 'OLD TABLE AS old_rows NEW TABLE AS new_rows', CHANGED_ROWS)}
${trigger('site_removed', 'DELETE', 'OLD TABLE AS old_rows', OLD_ROWS)}`

const OF_A_SITE = [
  'site',
  'site_memory',
  'site_robots',
  'site_traps',
  'url',
  'known_page',
  'site_looks',
  'url_spelling',
  'seed',
  'unendorsed_site',
]

export const FRONTIER =
  SITE +
  URL +
  NAMES +
  TOTAL +
  VIEWS +
  distribute([...OF_A_SITE, 'site_alias', 'frontier_bucket', 'frontier_total'], 'bucket') +
  distribute(['address', 'address_reservation', 'address_sites', 'domain'], 'shard') +
  keepAtCoordinator(['alias_change', 'frontier_meta', 'refresh_price'])
