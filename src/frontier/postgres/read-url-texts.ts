import type { PostgresTx } from '../../database/postgres/tx.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'
import type { UrlPlace } from './url-rows.ts'

export const READ_URL_TEXTS = `
  SELECT u.site, u.key, u.url FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key`

export interface UrlTexts {
  /** Undefined when it is not there. */
  of(site: bigint, key: bigint): string | undefined
}

/** Of URLs wherever they lie; the same one may be asked for many times. */
export async function readUrlTexts(tx: PostgresTx, places: Iterable<UrlPlace>): Promise<UrlTexts> {
  const nameOf = (site: bigint, key: bigint) => `${site} ${key}`
  const texts = new Map<string, string>()
  const wanted = new Map([...places].map((place) => [nameOf(place.site, place.key), place]))
  await eachBucket(
    byBucket(wanted.values(), ({ site }) => site),
    async (bucket, some) => {
      const rows = await tx.allExact<UrlPlace & { url: string }>(
        READ_URL_TEXTS,
        bucket,
        column(some, 'site'),
        column(some, 'key'),
      )
      for (const { site, key, url } of rows) texts.set(nameOf(site, key), url)
    },
  )
  return { of: (site, key) => texts.get(nameOf(site, key)) }
}
