/** The bucket of a site: the top byte of its key. On PostgreSQL it leads every key of a per-site table; SQLite has one. */
import { hash64 } from '../base/digest.ts'
import type { Dialect } from './database.ts'

export const BUCKETS = 256
export const ALL_BUCKETS: readonly number[] = Array.from({ length: BUCKETS }, (_, bucket) => bucket)

export const bucketsOf = (dialect: Dialect) => (dialect === 'sqlite' ? [0] : ALL_BUCKETS)

/** `key`: a site's 64 bits as the database holds them (signed). */
export function bucketOf(dialect: Dialect, key: bigint): number {
  return dialect === 'sqlite' ? 0 : Number(BigInt.asUintN(8, key >> 56n))
}

/** The shard of an address or a digest on PostgreSQL, which belong to no site: the first byte of the text's own hash. */
export function shardOf(text: string): number {
  return Number(hash64(text) >> 56n)
}
