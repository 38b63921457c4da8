/** By which settings each server goes: workers of two that differ would crawl in two ways. */
import type { PostgresMigration } from './migration.ts'

export const migration: PostgresMigration = {
  number: 6,
  name: 'server-settings',
  sql: `
ALTER TABLE server ADD COLUMN settings text COLLATE "C" NOT NULL DEFAULT '{}'; -- JSON: keys that are not as the default, digests of their values
`,
}
