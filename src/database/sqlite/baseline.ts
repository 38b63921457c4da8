/** The schema of `collection.db`, pinned in `schema.sql`: the tables of both databases, and what differs on PostgreSQL. */
import type { Migration } from '../database.ts'
import { CATALOGUE } from '../schema/catalogue.ts'
import { FRONTIER, SITE_STATES, TOTAL_NAMES } from '../schema/frontier.ts'
import { type Iso, urlsView, viewsOf } from '../schema/views.ts'

const iso: Iso = (column) =>
  `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch') AS ${column.replace(/^\w+\./, '')}`

const OWN = `
CREATE TABLE inlink_upto (                  -- pages up to this one are in the reverse index, except those in links_changed
  bucket INTEGER AS (0) VIRTUAL,
  one INTEGER PRIMARY KEY CHECK (one = 1),
  page INTEGER NOT NULL
) STRICT;
INSERT INTO inlink_upto VALUES (1, 0);
CREATE INDEX capture_content ON capture (digest) WHERE kind = 'response';
CREATE TABLE cdxj_upto (                    -- captures up to this one are in indexes/index.cdxj, if the file has this size
  one INTEGER PRIMARY KEY CHECK (one = 1),
  capture INTEGER NOT NULL,
  size INTEGER NOT NULL
) STRICT;
INSERT INTO cdxj_upto VALUES (1, 0, 0);

CREATE TABLE crawl_log (                    -- how many bytes of logs/crawl.log are durable
  one INTEGER PRIMARY KEY CHECK (one = 1),
  synced INTEGER NOT NULL
) STRICT;
INSERT INTO crawl_log VALUES (1, 0);
CREATE TABLE crawl_log_tail (               -- the lines after those, until they are durable too
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  lines TEXT NOT NULL
) STRICT;
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
`

/** What a site adds to each total; it is `new` or `old` in a trigger. */
const sharesOf = (site: string) => [
  ...SITE_STATES.map((state) => `(${site}.state = '${state}')`),
  `${site}.known`,
  `${site}.waiting`,
  `(${site}.state IN ('held', 'barred')) * ${site}.waiting`, // of urls_waiting
  `${site}.refreshing`,
  `${site}.granted`,
]

/** Most updates of a site change nothing that is counted. */
const IF_COUNTED = ['state', 'known', 'waiting', 'refreshing', 'granted']
  .map((column) => `old.${column} <> new.${column}`)
  .join(' OR ')

function trigger(name: string, event: string, added?: 'new', removed?: 'old'): string {
  const plus = added && sharesOf(added)
  const minus = removed && sharesOf(removed)
  const changes = TOTAL_NAMES.map(
    (total, nth) => `    ${total} = ${total}${plus ? ` + ${plus[nth]}` : ''}${minus ? ` - ${minus[nth]}` : ''}`,
  )
  return `
CREATE TRIGGER ${name} AFTER ${event}
BEGIN
  UPDATE frontier_total SET
${changes.join(',\n')}
  WHERE bucket = ${added ?? removed}.bucket;
END;
`
}

/** Totals are kept by triggers, so that nothing ever counts rows. */
const TOTAL = `
CREATE TABLE frontier_total (
  bucket INTEGER PRIMARY KEY,
${TOTAL_NAMES.map((total) => `  ${total} INTEGER NOT NULL DEFAULT 0`).join(',\n')}
) STRICT;
INSERT INTO frontier_total (bucket) VALUES (0);
${trigger('site_added', 'INSERT ON site', 'new')}
${trigger('site_changed', `UPDATE ON site WHEN ${IF_COUNTED}`, 'new', 'old')}
${trigger('site_removed', 'DELETE ON site', undefined, 'old')}`

const URLS = urlsView(iso, 'v.url', 'LEFT JOIN url v ON v.site = u.via_site AND v.key = u.via_key')

export const migrations: readonly Migration[] = [
  { number: 1, name: 'baseline 3', sql: FRONTIER + CATALOGUE + OWN + TOTAL + URLS + viewsOf(iso) },
]
