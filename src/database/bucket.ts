/** The bucket of a site: the top byte of its key. On PostgreSQL it leads every key of a per-site table; SQLite has one. */
import type { Dialect } from './database.ts'

export const BUCKETS = 256

/** `key`: a site's 64 bits as the database holds them (signed). */
export function bucketOf(dialect: Dialect, key: bigint): number {
  return dialect === 'sqlite' ? 0 : Number(BigInt.asUintN(8, key >> 56n))
}
