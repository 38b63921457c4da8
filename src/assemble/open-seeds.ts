/** How the seeds stand, by source. A name to try stands as the guess that got furthest. */
import { turn } from '../base/clock.ts'
import type { Database } from '../database/database.ts'
import type { SeedSource, SeedUrl } from '../frontier/ledger.ts'
import type { MarkName } from '../frontier/mark.ts'
import { seedLooksOf } from '../frontier/open-frontier.ts'
import type { SeedPlace } from '../frontier/seed-looks.ts'
import { candidatesOf } from '../site/name-probes.ts'
import { parseUrl } from '../web/url/web-url.ts'

export interface SeedStanding {
  source: SeedSource
  waiting: number
  /** Kept, or read for its links. */
  collected: number
  moved: number
  dead: number
  refused: number
}

type Column = Exclude<keyof SeedStanding, 'source'>

const COLUMN: Readonly<Record<MarkName, Column>> = {
  waiting: 'waiting',
  kept: 'collected',
  read: 'collected',
  moved: 'moved',
  refused: 'refused',
  held: 'refused',
  gone: 'dead',
}
/** What a name comes to, the best first. */
const BEST: readonly Column[] = ['collected', 'waiting', 'moved', 'refused']
const AT_ONCE = 1000

export async function seedStanding(database: Database): Promise<SeedStanding[]> {
  const looks = seedLooksOf(database)
  const standing = new Map<SeedSource, SeedStanding>()
  for (const { source, mark, count } of await database.read((tx) => looks.counts(tx))) {
    const row = standing.get(source) ?? { source, waiting: 0, collected: 0, moved: 0, dead: 0, refused: 0 }
    row[COLUMN[mark]] += count
    standing.set(source, row)
  }
  const names = standing.get('names')
  for (let after: SeedPlace | undefined; names !== undefined; ) {
    const { bests, last } = await database.read(async (tx) => {
      const gone = await looks.gone(tx, 'names', after, AT_ONCE)
      const bests: Column[] = []
      for (const first of gone.urls) {
        const marks = await looks.marks(tx, otherGuesses(first))
        const columns = marks.flatMap((mark) => (mark === undefined ? [] : [COLUMN[mark]]))
        const best = BEST.find((column) => columns.includes(column))
        if (best !== undefined) bests.push(best)
      }
      return { bests, last: gone.last }
    })
    for (const best of bests) {
      names.dead--
      names[best]++
    }
    if (last === undefined) break
    after = last
    await turn()
  }
  return [...standing.values()].sort((a, b) => (a.source < b.source ? -1 : 1))
}

function otherGuesses(first: string): SeedUrl[] {
  const host = parseUrl(first)?.host
  if (host === undefined) return []
  return candidatesOf(host).flatMap((text) => {
    const url = parseUrl(text)
    return url === undefined || text === first ? [] : [{ url: url.href, key: url.key, site: url.site }]
  })
}
