/** Every migration, in order; together they are `schema.sql`. */
import { migration as frontier } from './0001-frontier.ts'
import { migration as collection } from './0002-collection.ts'
import { migration as inbox } from './0003-inbox.ts'
import { migration as hazards } from './0004-hazards.ts'
import { migration as names } from './0005-names.ts'
import { migration as seeds } from './0006-seeds.ts'
import { migration as domains } from './0007-domains.ts'
import { migration as lighterReports } from './0008-lighter-reports.ts'
import { migration as buckets } from './0009-buckets.ts'
import { migration as cluster } from './0010-cluster.ts'
import { migration as rechecks } from './0011-rechecks.ts'
import { migration as serverSettings } from './0012-server-settings.ts'
import { migration as revisedFindings } from './0013-revised-findings.ts'
import type { Migration } from './migration.ts'

export const migrations: readonly Migration[] = [
  frontier,
  collection,
  inbox,
  hazards,
  names,
  seeds,
  domains,
  lighterReports,
  buckets,
  cluster,
  rechecks,
  serverSettings,
  revisedFindings,
]
