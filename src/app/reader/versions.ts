/** Two captures of a URL to compare: only such as have the page, whole or by a 304; redirects and errors are counted. */
import type { Instant } from '../../base/clock.ts'
import { capturesOf, hasPage, type StoredCapture } from '../../collection/captures/read-captures.ts'
import { pageOf } from '../../collection/pages/read-pages.ts'
import type { ReadLocation } from '../../collection/volumes/local-volumes.ts'
import type { Database } from '../../database/database.ts'
import { howToRead } from '../../page/reading.ts'
import { type Content, ofUrl, readContent } from './content.ts'

export interface PageVersion extends Content {
  digest: string
  /** How it can be compared; `none`: only its bytes. */
  as: 'html' | 'xhtml' | 'text' | 'none'
}

export type Versions = Exclude<Awaited<ReturnType<typeof versionsOf>>, { missing: unknown }>

export interface VersionsAsk {
  /** What was current then; by default, the last version before the other one that differs from it. */
  from: Instant | undefined
  /** By default the last capture. */
  to: Instant | undefined
}

/** Undefined: no capture at that time has the page. `missing`: which of the two. */
export async function versionsOf(database: Database, volumes: ReadLocation, text: string, { from, to }: VersionsAsk) {
  const found = await ofUrl(database, text, async (tx, site, key) => ({
    captures: await capturesOf(tx, site, key),
    page: await pageOf(tx, site, key),
  }))
  const captures = found?.captures ?? []
  const looks = found?.page?.looks ?? 0
  const whole = captures.filter(hasPage)
  const missing = (which: 'from' | 'to') => ({
    missing: which,
    captures: captures.length,
    looks,
    first: whole[0]?.at as Instant | undefined,
  })
  const after = lastUpTo(whole, to)
  if (after === undefined) return missing('to')
  const before =
    from === undefined
      ? whole.slice(0, whole.indexOf(after)).findLast(({ digest }) => digest !== after.digest)
      : lastUpTo(whole, from)
  if (from !== undefined && before === undefined) return missing('from')
  const read = async (capture: StoredCapture) => withReading(await readContent(database, volumes, capture), capture)
  return {
    url: after.url,
    /** Undefined: there is none to compare with. */
    before: before === undefined ? undefined : await read(before),
    after: await read(after),
    /** Captures that have the page, and those that have not. */
    whole: { count: whole.length, first: whole[0].at },
    others: captures.length - whole.length,
    /** Looks at the page that have no capture any more, or never had one. */
    withoutCapture: Math.max(0, looks - captures.length),
  }
}

function lastUpTo(captures: readonly StoredCapture[], time: Instant | undefined): StoredCapture | undefined {
  return time === undefined ? captures.at(-1) : captures.findLast(({ at }) => at <= time)
}

function withReading(content: Content, { digest }: StoredCapture): PageVersion {
  const { as } = howToRead(content.mediaType, content.body)
  // Other types that have characters: scripts, styles, XML.
  return { ...content, digest, as: as === 'none' && content.charset !== '' ? 'text' : as }
}
