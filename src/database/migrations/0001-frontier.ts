/** Which site next: sites, their URLs, addresses, seeds. `src/frontier/README.md` tells what the columns are for. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  number: 1,
  name: 'frontier',
  sql: `
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
) STRICT;

CREATE INDEX site_free ON site (bucket, holder, losses, rank) WHERE state = 'free';
CREATE INDEX site_waiting ON site (bucket, not_before) WHERE state = 'waiting';
CREATE INDEX site_out ON site (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX site_worker ON site (worker) WHERE worker IS NOT NULL;
CREATE INDEX site_held ON site (address) WHERE holder > '';

CREATE TABLE site_memory (                  -- what visits know of a site and hand on; nobody here reads it
  site INTEGER PRIMARY KEY,
  memory TEXT NOT NULL                      -- JSON
) STRICT;

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
  mark INTEGER NOT NULL,                    -- 0 waiting, 1 kept, 2 moved, 3 refused, 4 gone
  PRIMARY KEY (site, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX url_waiting ON url (site, due_at, seq) WHERE mark = 0;

CREATE TABLE address (                      -- an address belongs to one worker at a time
  address TEXT PRIMARY KEY,
  worker TEXT NOT NULL,
  visits INTEGER NOT NULL,                  -- leases that hold it
  until INTEGER NOT NULL                    -- when none does: the end of the address pause
) STRICT, WITHOUT ROWID;

CREATE INDEX address_idle ON address (until) WHERE visits = 0;

CREATE TABLE seed (
  site INTEGER NOT NULL,
  key INTEGER NOT NULL,
  url TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  PRIMARY KEY (site, key)
) STRICT, WITHOUT ROWID;

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
) STRICT;

INSERT INTO frontier_total (bucket) VALUES (0);

CREATE TRIGGER site_added AFTER INSERT ON site BEGIN
  UPDATE frontier_total SET
    sites_waiting = sites_waiting + (new.state = 'waiting'),
    sites_free = sites_free + (new.state = 'free'),
    sites_leased = sites_leased + (new.state = 'leased'),
    sites_returning = sites_returning + (new.state = 'returning'),
    sites_crawled = sites_crawled + (new.state = 'crawled'),
    sites_barred = sites_barred + (new.state = 'barred'),
    urls_known = urls_known + new.known,
    urls_waiting = urls_waiting + new.waiting,
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
    urls_known = urls_known + new.known - old.known,
    urls_waiting = urls_waiting + new.waiting - old.waiting,
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
    urls_known = urls_known - old.known,
    urls_waiting = urls_waiting - old.waiting,
    pages_granted = pages_granted - old.granted
  WHERE bucket = old.bucket;
END;
`,
}
