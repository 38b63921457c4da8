/** Every migration of PostgreSQL, in order; together they are `../schema.sql`. */
import { migration as frontier } from './0001-frontier.ts'
import { migration as collection } from './0002-collection.ts'
import { migration as inbox } from './0003-inbox.ts'
import { migration as cluster } from './0004-cluster.ts'
import { migration as rechecks } from './0005-rechecks.ts'
import { migration as serverSettings } from './0006-server-settings.ts'
import { migration as revisedFindings } from './0007-revised-findings.ts'
import type { PostgresMigration } from './migration.ts'

export const migrations: readonly PostgresMigration[] = [
  frontier,
  collection,
  inbox,
  cluster,
  rechecks,
  serverSettings,
  revisedFindings,
]
