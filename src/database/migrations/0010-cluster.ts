/** Servers of a crawl and workers on other machines: who they are, how they do, what they asked; and where volumes lie. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  number: 10,
  name: 'cluster',
  sql: `
CREATE TABLE server (                        -- a server of this crawl
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,                        -- how workers reach it
  version TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
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

CREATE TABLE cluster_key (                  -- by which servers know the tickets that any of them gave out
  one INTEGER PRIMARY KEY CHECK (one = 1),
  key BLOB NOT NULL
) STRICT;

CREATE TABLE volume_location (                 -- where a volume of a worker lies, if not with the collection
  name TEXT NOT NULL,
  node TEXT NOT NULL,                       -- the server it was sent to, dir:/PATH of its worker, or s3://BUCKET/PREFIX
  worker TEXT NOT NULL,
  bytes INTEGER NOT NULL,                   -- of it that are durable there
  sealed INTEGER NOT NULL,                  -- 1: complete
  PRIMARY KEY (name, node)
) STRICT, WITHOUT ROWID;

CREATE VIEW workers AS
  SELECT id AS worker, name, region, version, state, visits, pages_per_second, late_ms,
    strftime('%Y-%m-%dT%H:%M:%fZ', registered_at / 1000.0, 'unixepoch') AS registered_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', seen_at / 1000.0, 'unixepoch') AS seen_at
  FROM worker;
CREATE VIEW worker_calls AS
  SELECT c.id, strftime('%Y-%m-%dT%H:%M:%fZ', c.at / 1000.0, 'unixepoch') AS at, w.name, c.worker, c.call, c.visit,
    c.result, c.items, c.bytes, c.took_ms
  FROM worker_call c LEFT JOIN worker w ON w.id = c.worker;
`,
}
