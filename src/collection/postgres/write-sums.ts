/** The sums of a transaction's parts: a counter has a row for each bucket, so that no two transactions want the same one. */
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { CounterSums } from '../counters/counter-sums.ts'
import { siteKeyOf } from '../site-key.ts'

export const ADD_COUNTERS = `
  INSERT INTO counter (bucket, name, day, value) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[])
  ON CONFLICT (name, day, bucket) DO UPDATE SET value = counter.value + excluded.value`
export const ADD_MINUTES = `
  INSERT INTO minute (bucket, minute, requests, documents, bytes)
  SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
  ON CONFLICT (minute, bucket) DO UPDATE SET requests = minute.requests + excluded.requests,
    documents = minute.documents + excluded.documents, bytes = minute.bytes + excluded.bytes`
export const ADD_SITE_STATS = `
  INSERT INTO site_stats (bucket, site, name, requests, documents, bytes, first_at, last_at)
  SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
  ON CONFLICT (bucket, site) DO UPDATE SET requests = site_stats.requests + excluded.requests,
    documents = site_stats.documents + excluded.documents, bytes = site_stats.bytes + excluded.bytes,
    last_at = greatest(site_stats.last_at, excluded.last_at)`

export async function writeSums(
  tx: PostgresTx,
  bucket: number,
  { days, minutes, servers }: CounterSums,
): Promise<void> {
  const counters = [...days].flatMap(([day, sums]) => [...sums].map(([name, value]) => ({ name, day, value })))
  if (counters.length === 0) return
  const paces = [...minutes]
  const sites = [...servers]
  await Promise.all([
    tx.run(
      ADD_COUNTERS,
      bucket,
      counters.map(({ name }) => name),
      counters.map(({ day }) => day),
      counters.map(({ value }) => value),
    ),
    tx.run(
      ADD_MINUTES,
      bucket,
      paces.map(([minute]) => minute),
      paces.map(([, { requests }]) => requests),
      paces.map(([, { documents }]) => documents),
      paces.map(([, { bytes }]) => bytes),
    ),
    tx.run(
      ADD_SITE_STATS,
      bucket,
      sites.map(([name]) => siteKeyOf(name)),
      sites.map(([name]) => name),
      sites.map(([, { requests }]) => requests),
      sites.map(([, { documents }]) => documents),
      sites.map(([, { bytes }]) => bytes),
      sites.map(([, { firstAt }]) => firstAt),
      sites.map(([, { lastAt }]) => lastAt),
    ),
  ])
}
