/** One folder per database, of one shape, under the contract suites in `testkit/contracts/frontier`. */
import type { Database } from '../database/database.ts'
import type { FrontierOptions, OpenFrontier } from './contract.ts'
import { openPostgresFrontier } from './postgres/open-frontier.ts'
import { openSqliteFrontier } from './sqlite/open-frontier.ts'

export function openFrontier(db: Database, options: FrontierOptions): OpenFrontier {
  switch (db.dialect) {
    case 'sqlite':
      return openSqliteFrontier(db, options)
    case 'postgres':
      return openPostgresFrontier(db, options)
  }
}
