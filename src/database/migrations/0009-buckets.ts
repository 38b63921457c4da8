/**
 * Every table that goes by site says its bucket, as in PostgreSQL, where it is the shard and the first column of every key.
 * Here there is one bucket, so it is a constant that takes no room; a statement can name it on both databases.
 */
import type { Migration } from './migration.ts'

const TABLES = [
  'url',
  'url_spelling',
  'seed',
  'site_memory',
  'site_robots',
  'site_traps',
  'site_alias',
  'unendorsed_site',
  'page',
  'page_links',
  'links_changed',
  'inlink',
  'inlink_upto',
  'capture',
  'finding',
  'site_stats',
  'inbox',
]

export const migration: Migration = {
  number: 9,
  name: 'buckets',
  sql: TABLES.map((table) => `ALTER TABLE ${table} ADD COLUMN bucket INTEGER AS (0) VIRTUAL;`).join('\n'),
}
