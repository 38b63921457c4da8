/** By which settings each server goes: workers of two that differ would crawl in two ways. */
import type { Migration } from './migration.ts'

export const migration: Migration = {
  number: 12,
  name: 'server-settings',
  sql: `
ALTER TABLE server ADD COLUMN settings TEXT NOT NULL DEFAULT '{}'; -- JSON: keys that are not as the default, digests of their values
`,
}
