/**
 * Servers of a crawl and workers on other machines: who they are, how they do, what they asked; and where volumes lie. None
 * of it belongs to a site, so none has a bucket: it is little, but for the calls, which are only appended and thrown away.
 */
import type { PostgresMigration } from './migration.ts'

const iso = (column: string, name: string) =>
  `to_char(to_timestamp(${column} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${name}`

export const migration: PostgresMigration = {
  number: 4,
  name: 'cluster',
  sql: `
CREATE TABLE server (                        -- a server of this crawl
  id text COLLATE "C" PRIMARY KEY,
  url text COLLATE "C" NOT NULL,                        -- how workers reach it
  version text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  seen_at bigint NOT NULL
);

CREATE TABLE worker (                       -- a process on another machine; each of its threads asks as id.thread
  id text COLLATE "C" PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  region text COLLATE "C",
  secret_hash bytea NOT NULL,               -- SHA-256
  version text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,                      -- working, ending, barred
  registered_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  visits bigint NOT NULL DEFAULT 0,         -- as it said last
  late_ms double precision NOT NULL DEFAULT 0,
  pages_per_second double precision NOT NULL DEFAULT 0
);

CREATE TABLE worker_call (                  -- every call of a worker (W3), for as long as --keep-calls says
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  worker text COLLATE "C" NOT NULL,
  call text COLLATE "C" NOT NULL,                       -- checkOut, checkIn, renew …
  visit text COLLATE "C",                               -- if it was about one
  result text COLLATE "C" NOT NULL,                     -- ok, here, elsewhere, or the code of the error
  items bigint NOT NULL,                    -- visits handed out, parts stored, digests asked for
  bytes bigint NOT NULL,                    -- of the request's body
  took_ms double precision NOT NULL
);
CREATE INDEX worker_call_at ON worker_call (at);
CREATE INDEX worker_call_of ON worker_call (worker, at);

CREATE TABLE cluster_key (                  -- by which servers know the tickets that any of them gave out
  one bigint PRIMARY KEY CHECK (one = 1),
  key bytea NOT NULL
);

CREATE TABLE volume_location (                 -- where a volume of a worker lies, if not with the collection
  name text COLLATE "C" NOT NULL,
  node text COLLATE "C" NOT NULL,                       -- the server it was sent to, dir:/PATH of its worker, or s3://BUCKET/PREFIX
  worker text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,                    -- of it that are durable there
  sealed bigint NOT NULL,                   -- 1: complete
  PRIMARY KEY (name, node)
);

CREATE VIEW workers AS
  SELECT id AS worker, name, region, version, state, visits, pages_per_second, late_ms,
    ${iso('registered_at', 'registered_at')}, ${iso('seen_at', 'seen_at')}
  FROM worker;
CREATE VIEW worker_calls AS
  SELECT c.id, ${iso('c.at', 'at')}, w.name, c.worker, c.call, c.visit, c.result, c.items, c.bytes, c.took_ms
  FROM worker_call c LEFT JOIN worker w ON w.id = c.worker;
`,
}
