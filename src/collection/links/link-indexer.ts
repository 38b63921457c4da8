/** The reverse index, brought up to date piece by piece, on either database. */
import type { Database } from '../../database/database.ts'
import { bucketsToIndex, indexLinksOf } from '../postgres/index-links.ts'
import { BYTES_A_PIECE, hasLinksToIndex, indexLinks } from './index-links.ts'

export interface LinkIndexer {
  /**
   * One piece of at most so many pages, if `atLeast` wait (on PostgreSQL: of one bucket). False: they do not, or other
   * servers are at it.
   */
  next(atLeast: number, atMost: number): Promise<boolean>
}

export function linkIndexer(database: Database): LinkIndexer {
  return database.dialect === 'sqlite' ? onSqlite(database) : onPostgres(database)
}

function onSqlite(database: Database): LinkIndexer {
  return {
    async next(atLeast, atMost) {
      if (!(await database.read((tx) => hasLinksToIndex(tx, atLeast)))) return false
      return (await database.transact((tx) => indexLinks(tx, atMost))) > 0
    },
  }
}

function onPostgres(database: Database): LinkIndexer {
  /** Those that had enough when they were looked up. */
  let buckets: number[] = []
  return {
    async next(atLeast, atMost) {
      if (buckets.length === 0) buckets = await database.read((tx) => bucketsToIndex(tx, atLeast))
      for (let bucket = buckets.pop(); bucket !== undefined; bucket = buckets.pop()) {
        const at: number = bucket
        const taken = await database.transact((tx) => indexLinksOf(tx, at, atMost, BYTES_A_PIECE))
        if (taken !== undefined && taken > 0) return true
      }
      return false
    },
  }
}
