/** One folder per database, of one shape, under the contract suites in `testkit/contracts/frontier`. */
import type { Database } from '../database/database.ts'
import type { FrontierOptions, OpenFrontier } from './options.ts'
import { openPostgresFrontier } from './postgres/open-frontier.ts'
import { postgresSeedViews } from './postgres/seed-views.ts'
import { postgresViews } from './postgres/views.ts'
import type { SeedViews } from './seed-views.ts'
import { openSqliteFrontier } from './sqlite/open-frontier.ts'
import { sqliteSeedViews } from './sqlite/seed-views.ts'
import { sqliteViews } from './sqlite/views.ts'
import type { FrontierViews } from './views.ts'

export function openFrontier(db: Database, options: FrontierOptions): OpenFrontier {
  switch (db.dialect) {
    case 'sqlite':
      return openSqliteFrontier(db, options)
    case 'postgres':
      return openPostgresFrontier(db, options)
  }
}

/** For processes that only read. */
export function viewsOf(db: Database): FrontierViews {
  switch (db.dialect) {
    case 'sqlite':
      return sqliteViews
    case 'postgres':
      return postgresViews
  }
}

/** The seeds and their marks. */
export function seedViewsOf(db: Pick<Database, 'dialect'>): SeedViews {
  switch (db.dialect) {
    case 'sqlite':
      return sqliteSeedViews
    case 'postgres':
      return postgresSeedViews
  }
}
