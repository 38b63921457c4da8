/** Floods of sites: how many a domain and an address have, which of them nobody vouches for, and which are held. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  number: 7,
  name: 'domains',
  sql: `
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
CREATE INDEX domain_pending ON domain (key) WHERE pending = 1;
CREATE INDEX domain_held ON domain (key) WHERE held > 0;

CREATE TABLE unendorsed_site (                     -- a site that nobody vouches for; gone when somebody does
  site INTEGER PRIMARY KEY,
  domain INTEGER NOT NULL,
  referrer INTEGER,                          -- the one site that speaks for it: another one is enough
  since INTEGER NOT NULL,
  hold_state INTEGER NOT NULL                 -- 0 it may be held, 1 it is held, 2 it is not to be held
) STRICT;
CREATE INDEX unendorsed_of ON unendorsed_site (domain, hold_state, since);

CREATE TABLE address_sites (                -- how many sites were found at an address
  address TEXT PRIMARY KEY,
  sites INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO address_sites SELECT address, count(*) FROM site WHERE address IS NOT NULL GROUP BY address;
-- The domains of sites that are known already are not in SQL's power to tell: they are counted when it is opened.
INSERT INTO frontier_meta SELECT 'domains_counted_to', '' FROM site LIMIT 1;

ALTER TABLE frontier_total ADD COLUMN sites_held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE frontier_total ADD COLUMN urls_held INTEGER NOT NULL DEFAULT 0; -- of urls_waiting, those of held sites

DROP TRIGGER site_added;
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

DROP TRIGGER site_changed;
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

DROP TRIGGER site_removed;
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

CREATE VIEW domains AS
  SELECT name AS domain, sites, sites - unendorsed AS endorsed, held, wildcard, addresses,
    strftime('%Y-%m-%dT%H:%M:%fZ', probed_at / 1000.0, 'unixepoch') AS probed_at
  FROM domain;
`,
}
