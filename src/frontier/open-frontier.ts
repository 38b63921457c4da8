/** One folder per database, all of one shape, under the contract suites beside this file. */
import type { Database } from '../database/database.ts'
import type { FrontierHouse, FrontierOptions } from './house.ts'
import type { Looks } from './looks.ts'
import { postgresLooks } from './postgres/looks.ts'
import { openPostgresFrontier } from './postgres/open-frontier.ts'
import { postgresSeedLooks } from './postgres/seed-looks.ts'
import type { SeedLooks } from './seed-looks.ts'
import { sqliteLooks } from './sqlite/looks.ts'
import { openSqliteFrontier } from './sqlite/open-frontier.ts'
import { sqliteSeedLooks } from './sqlite/seed-looks.ts'

export function openFrontier(db: Database, options: FrontierOptions): FrontierHouse {
  switch (db.dialect) {
    case 'sqlite':
      return openSqliteFrontier(db, options)
    case 'postgres':
      return openPostgresFrontier(db, options)
  }
}

/** The reading side alone: for processes that only look. */
export function looksOf(db: Database): Looks {
  switch (db.dialect) {
    case 'sqlite':
      return sqliteLooks
    case 'postgres':
      return postgresLooks
  }
}

/** The seeds and how they stand. */
export function seedLooksOf(db: Pick<Database, 'dialect'>): SeedLooks {
  switch (db.dialect) {
    case 'sqlite':
      return sqliteSeedLooks
    case 'postgres':
      return postgresSeedLooks
  }
}
