/**
 * What made reports heavy: a site's robots.txt and trap counts go into tables of their own and are written when they
 * change; the reverse index of links has a row for each site of a piece, not for each target, and takes new pages in their
 * order without a note for each; the CDXJ index remembers how far it has come.
 *
 * The reverse index is made anew, piece by piece, by the next crawl; the pages that it has still to take are counted, as
 * ever. What `site_memory` holds of robots and traps stays there until it is written again: the new tables come first.
 */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  number: 8,
  name: 'lighter-reports',
  sql: `
CREATE TABLE site_robots (                  -- what the site's robots.txt said; nobody here reads it
  site INTEGER PRIMARY KEY,
  robots TEXT NOT NULL                      -- JSON
) STRICT;
INSERT INTO site_robots SELECT site, json_extract(memory, '$.robots') FROM site_memory
  WHERE json_type(memory, '$.robots') = 'object';
CREATE TABLE site_traps (                   -- what trap detectors counted; nobody here reads it
  site INTEGER PRIMARY KEY,
  traps TEXT NOT NULL                       -- JSON
) STRICT;
INSERT INTO site_traps SELECT site, json_extract(memory, '$.traps') FROM site_memory
  WHERE json_type(memory, '$.traps') = 'object';

DROP TABLE inlink;
DROP TABLE inlink_pieces;
DELETE FROM links_changed;
CREATE TABLE inlink (                       -- who links here: a row for each site and piece of work
  id INTEGER PRIMARY KEY,                   -- in the order of pieces
  site INTEGER NOT NULL,
  slot INTEGER NOT NULL,                    -- -1: all its targets of the piece; else those whose key begins with this byte
  targets BLOB NOT NULL                     -- their keys and the pages that won or lost the link, packed
) STRICT;
CREATE INDEX inlink_of ON inlink (site, slot);
CREATE TABLE inlink_upto (                  -- pages up to this one are in it, but for those in links_changed
  one INTEGER PRIMARY KEY CHECK (one = 1),
  page INTEGER NOT NULL
) STRICT;
INSERT INTO inlink_upto VALUES (1, 0);

CREATE TABLE cdxj_upto (                    -- captures up to this one are in indexes/index.cdxj, if it has this size
  one INTEGER PRIMARY KEY CHECK (one = 1),
  capture INTEGER NOT NULL,
  size INTEGER NOT NULL
) STRICT;
INSERT INTO cdxj_upto VALUES (1, 0, 0);
`,
}
