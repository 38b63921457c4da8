/** How the seeds stand, by source and one by one. A name to try stands as the guess that got furthest. */
import { turn } from '../../base/clock.ts'
import { readCounter } from '../../collection/counters/counters.ts'
import { pageOf } from '../../collection/pages/read-pages.ts'
import { guessesFor } from '../../crawl/site-names.ts'
import type { Database, Tx } from '../../database/database.ts'
import type { SeedSource, SeedUrl } from '../../frontier/ledger.ts'
import type { MarkName } from '../../frontier/mark.ts'
import { seedViewsOf } from '../../frontier/open-frontier.ts'
import type { Seed, SeedPlace } from '../../frontier/seed-views.ts'
import type { FrontierViews, UrlView } from '../../frontier/views.ts'
import { parseUrl, type UrlReader, type WebUrl } from '../../web/url/web-url.ts'
import { documentsOf } from './open-queries.ts'

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
  const looks = seedViewsOf(database)
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
  return guessesFor(host).flatMap((text) => {
    const url = parseUrl(text)
    return url === undefined || text === first ? [] : [{ url: url.href, key: url.key, site: url.site }]
  })
}

/** What became of one seed. A redirect is followed to where it ends. */
export interface SeedOutcome {
  url: string
  source: SeedSource
  became: Column
  /** The failure, or who refused it; `not-entered`: it moved out of the scope; null when it was collected. */
  why: string | null
  /** Of the last answer, when there was one. */
  status: number | null
  /** The URL to which it moved. */
  to: string | null
  /** The rule that refused it. */
  rule: string | null
  /** It is over, and no document came of it. */
  isEmpty: boolean
}

type Fate = Omit<SeedOutcome, 'url' | 'source'>

/** What is needed to look a seed up. */
export interface SeedTools {
  tx: Tx
  looks: FrontierViews
  reader: UrlReader
}

const MAX_REDIRECTS = 10
const NOTHING = { why: null, status: null, to: null, rule: null, isEmpty: false }

export async function seedOutcome(tools: SeedTools, { url, source }: Seed): Promise<SeedOutcome> {
  let best = await fateOf(tools, url)
  const others = source === 'names' ? otherGuesses(url) : []
  for (const other of others) {
    if (best.became === 'collected') break
    const [mark] = await seedViewsOf(tools.tx).marks(tools.tx, [other])
    if (mark === undefined) continue
    const fate = await fateOf(tools, other.url)
    if (rankOf(fate) < rankOf(best)) best = fate
  }
  return { url, source, ...best }
}

const rankOf = ({ became, isEmpty }: Fate): number => (isEmpty ? 10 : 0) + [...BEST, 'dead'].indexOf(became)

async function fateOf(tools: SeedTools, seed: string): Promise<Fate> {
  const { tx, looks, reader } = tools
  let url = reader.parse(seed)
  let before: bigint | undefined
  let to: string | null = null
  // Once it has moved, that is what became of it; why nothing came of it is what is found there.
  const moved = (fate: Fate): Fate => (to === null ? fate : { ...fate, became: 'moved', to })
  for (let hops = 0; url !== undefined && hops <= MAX_REDIRECTS; hops++) {
    // A name of a folder's index may have a key of its own.
    const view = await looks.url(tx, url.href)
    const key = view?.key ?? url.key
    const page = await pageOf(tx, url.site, key)
    // To another text of the same key: what is known of it is the redirect, and the text itself may still wait.
    const waits = key === before && view?.mark === 'waiting'
    if (page === undefined || page.outcome === 'later' || waits)
      return moved(await unasked(tools, url, view, to !== null))
    const { why, status } = page
    if (page.outcome === 'kept' || page.outcome === 'read') return moved({ ...NOTHING, became: 'collected', status })
    if (page.outcome === 'refused') {
      // The links of a page that must not be kept are followed all the same.
      const isEmpty = why !== 'directive' || (await documentsOf(tx, url.site)) === 0
      return moved({ ...NOTHING, became: 'refused', why, status, rule: page.detail, isEmpty })
    }
    // Bytes that could not be read are kept.
    if (page.outcome === 'gone') return moved({ ...NOTHING, became: 'dead', why, status, isEmpty: why !== 'reading' })
    to = page.detail ?? ''
    url = reader.parse(to)
    before = key
  }
  return moved({ ...NOTHING, became: 'moved', why: 'redirects', isEmpty: true })
}

/** No answer is known of it: it waits, its site was given up, or it was never entered. */
async function unasked(
  { tx, looks }: SeedTools,
  { site }: WebUrl,
  view: UrlView | undefined,
  isTarget: boolean,
): Promise<Fate> {
  if (view === undefined)
    return isTarget
      ? { ...NOTHING, became: 'moved', why: 'not-entered', isEmpty: true }
      : { ...NOTHING, became: 'waiting' }
  const { alias, state, reason } = (await looks.site(tx, site)) ?? {}
  if (view.mark === 'moved' && alias !== undefined) {
    const isEmpty = (await documentsOf(tx, alias.original)) === 0
    return { ...NOTHING, became: 'moved', to: alias.original, isEmpty }
  }
  if (state === 'barred')
    return { ...NOTHING, became: 'dead', why: reason?.replace('given-up: ', '') ?? null, isEmpty: true }
  return { ...NOTHING, became: COLUMN[view.mark] }
}

/** Every seed, in pieces that any number of them fit. */
export async function* seedOutcomes(database: Database, looks: FrontierViews): AsyncGenerator<SeedOutcome> {
  for (let after: SeedPlace | undefined; ; ) {
    const { outcomes, last } = await database.read(async (tx) => {
      const { seeds, last } = await seedViewsOf(database).after(tx, after, AT_ONCE)
      const tools = { tx, looks, reader: await looks.reader(tx) }
      const outcomes: SeedOutcome[] = []
      for (const seed of seeds) outcomes.push(await seedOutcome(tools, seed))
      return { outcomes, last }
    })
    yield* outcomes
    if (last === undefined) return
    after = last
    await turn()
  }
}

/** What a crawl says of its seeds when it is over. */
export interface SeedsInTheEnd {
  /** At most a thousand: the operator reads the first ones, and `seed --list` has all. */
  looked: number
  /** Of them, those that brought nothing, and the first of these. */
  empty: number
  /** None brought anything, those that were not looked at included. */
  areAllEmpty: boolean
  examples: SeedOutcome[]
  /** Seeds whose new place is not in the scope. */
  moved: { from: string; to: string }[]
}

const MAX_LOOKED = 1000
const MAX_TOLD = 10

/** Of those that were named for this crawl, if any were, else of all. */
export async function seedsInTheEnd(
  database: Database,
  looks: FrontierViews,
  named: readonly string[],
): Promise<SeedsInTheEnd> {
  return database.read(async (tx) => {
    const seeds: Seed[] =
      named.length > 0
        ? named.slice(0, MAX_LOOKED).map((url) => ({ url, source: 'given' }))
        : await seedViewsOf(database).first(tx, MAX_LOOKED)
    const end: SeedsInTheEnd = { looked: seeds.length, empty: 0, areAllEmpty: false, examples: [], moved: [] }
    const tools = { tx, looks, reader: await looks.reader(tx) }
    for (const seed of seeds) {
      const outcome = await seedOutcome(tools, seed)
      if (!outcome.isEmpty) continue
      end.empty++
      if (outcome.why === 'not-entered' && end.moved.length < MAX_TOLD)
        end.moved.push({ from: seed.url, to: outcome.to ?? '' })
      else if (end.examples.length < MAX_TOLD) end.examples.push(outcome)
    }
    // Of more than were looked at the documents tell: where there are any, some seed brought them.
    const isWhole = seeds.length < MAX_LOOKED || (await readCounter(tx, 'documents')) === 0
    end.areAllEmpty = seeds.length > 0 && end.empty === seeds.length && isWhole
    return end
  })
}
