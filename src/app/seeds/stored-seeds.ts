/** The seeds of a collection: what became of them, and what the scope is drawn around. A name to try counts as the guess that got furthest. */
import { turn } from '../../base/clock.ts'
import { documentsOf, readCounter } from '../../collection/counters/counters.ts'
import { pageOf } from '../../collection/pages/read-pages.ts'
import { guessesFor } from '../../crawl/site-names.ts'
import type { Database, Tx } from '../../database/database.ts'
import type { Seed, SeedPosition, SeedSource, SeedUrl, UrlView } from '../../frontier/contract.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import type { MarkName } from '../../frontier/rules/mark.ts'
import type { SeedsOfSource } from '../../report/tables.ts'
import { parseUrl, type UrlReader, type WebUrl } from '../../web/url/web-url.ts'
import type { Settings } from '../config/keys.ts'

export interface SeedCounts extends SeedsOfSource {
  source: SeedSource
}

type Column = Exclude<keyof SeedCounts, 'source'>

const COLUMN: Readonly<Record<MarkName, Column>> = {
  waiting: 'waiting',
  kept: 'collected',
  read: 'collected',
  moved: 'moved',
  refused: 'refused',
  held: 'refused',
  gone: 'dead',
}
/** What may become of a name, best first. */
const BEST: readonly Column[] = ['collected', 'waiting', 'moved', 'refused']
const AT_ONCE = 1000

export async function seedCounts(database: Database): Promise<SeedCounts[]> {
  const bySource = new Map<SeedSource, SeedCounts>()
  for (const { source, mark, count } of await database.read((tx) => frontierQueries.seedCounts(tx))) {
    const row = bySource.get(source) ?? { source, waiting: 0, collected: 0, moved: 0, dead: 0, refused: 0 }
    row[COLUMN[mark]] += count
    bySource.set(source, row)
  }
  const names = bySource.get('names')
  for (let after: SeedPosition | undefined; names !== undefined; ) {
    const { bests, last } = await database.read(async (tx) => {
      const gone = await frontierQueries.goneSeeds(tx, 'names', after, AT_ONCE)
      const bests: Column[] = []
      for (const { url: first } of gone.seeds) {
        const marks = await frontierQueries.marks(tx, otherGuesses(first))
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
  return [...bySource.values()].sort((a, b) => (a.source < b.source ? -1 : 1))
}

function otherGuesses(first: string): SeedUrl[] {
  const host = parseUrl(first)?.host
  if (host === undefined) return []
  return guessesFor(host).flatMap((text) => {
    const url = parseUrl(text)
    return url === undefined || text === first ? [] : [{ url: url.href, key: url.key, site: url.site }]
  })
}

const NOTHING = {
  /** The failure, or what refused it; `not-entered`: it moved out of the scope; null when it was collected. */
  why: null as string | null,
  /** Of the last answer, if there was one. */
  status: null as number | null,
  /** The URL to which it moved. */
  to: null as string | null,
  /** The rule that refused it. */
  rule: null as string | null,
  /** It is done, and brought no document. */
  isEmpty: false,
}

type Outcome = typeof NOTHING & { became: Column }
/** What became of one seed. Redirects are followed to their end. */
export type SeedOutcome = Outcome & Seed

export interface SeedTools {
  tx: Tx
  reader: UrlReader
}

const MAX_REDIRECTS = 10

export async function seedOutcome(tools: SeedTools, { url, source }: Seed): Promise<SeedOutcome> {
  let best = await outcomeOf(tools, url)
  const others = source === 'names' ? otherGuesses(url) : []
  for (const other of others) {
    if (best.became === 'collected') break
    const [mark] = await frontierQueries.marks(tools.tx, [other])
    if (mark === undefined) continue
    const outcome = await outcomeOf(tools, other.url)
    if (rankOf(outcome) < rankOf(best)) best = outcome
  }
  return { url, source, ...best }
}

const rankOf = ({ became, isEmpty }: Outcome): number => (isEmpty ? 10 : 0) + [...BEST, 'dead'].indexOf(became)

async function outcomeOf(tools: SeedTools, seed: string): Promise<Outcome> {
  const { tx, reader } = tools
  let url = reader.parse(seed)
  let before: bigint | undefined
  let to: string | null = null
  // Once it has moved, that is what became of it; the target says why it brought nothing.
  const moved = (outcome: Outcome): Outcome => (to === null ? outcome : { ...outcome, became: 'moved', to })
  for (let hops = 0; url !== undefined && hops <= MAX_REDIRECTS; hops++) {
    // The name of a folder's index page may have a key of its own.
    const view = await frontierQueries.url(tx, url.href)
    const key = view?.key ?? url.key
    const page = await pageOf(tx, url.site, key)
    // A redirect to another spelling with the same key: the page row is the redirect's, and the target may still wait.
    const waits = key === before && view?.mark === 'waiting'
    if (page === undefined || page.outcome === 'later' || waits)
      return moved(await unasked(tools, url, view, to !== null))
    const { why, status } = page
    // A collected page stays collected, whatever a later look showed.
    if (page.outcome === 'kept' || page.outcome === 'read' || page.hasContent === 1)
      return moved({ ...NOTHING, became: 'collected', status })
    if (page.outcome === 'refused') {
      // A page that must not be kept still has its links followed.
      const isEmpty = why !== 'directive' || (await documentsOf(tx, url.site)) === 0
      return moved({ ...NOTHING, became: 'refused', why, status, rule: page.detail, isEmpty })
    }
    // A page that could not be parsed is kept.
    if (page.outcome === 'gone') return moved({ ...NOTHING, became: 'dead', why, status, isEmpty: why !== 'reading' })
    to = page.detail ?? ''
    url = reader.parse(to)
    before = key
  }
  return moved({ ...NOTHING, became: 'moved', why: 'redirects', isEmpty: true })
}

/** Without an answer: it waits, its site was given up, or it was never entered. */
async function unasked(
  { tx }: SeedTools,
  { site }: WebUrl,
  view: UrlView | undefined,
  isTarget: boolean,
): Promise<Outcome> {
  if (view === undefined)
    return isTarget
      ? { ...NOTHING, became: 'moved', why: 'not-entered', isEmpty: true }
      : { ...NOTHING, became: 'waiting' }
  const { alias, state, reason, stopped } = (await frontierQueries.site(tx, site)) ?? {}
  if (view.mark === 'moved' && alias !== undefined) {
    const isEmpty = (await documentsOf(tx, alias.original)) === 0
    return { ...NOTHING, became: 'moved', to: alias.original, isEmpty }
  }
  if (state === 'barred' && stopped === 'barred')
    return {
      ...NOTHING,
      became: 'refused',
      why: 'operator',
      rule: reason?.replace(/^operator(: )?/, '') ?? '',
      isEmpty: true,
    }
  if (state === 'barred')
    return { ...NOTHING, became: 'dead', why: reason?.replace('given-up: ', '') ?? null, isEmpty: true }
  return { ...NOTHING, became: COLUMN[view.mark] }
}

/** Every seed, in short transactions. */
export async function* seedOutcomes(database: Database): AsyncGenerator<SeedOutcome> {
  for (let after: SeedPosition | undefined; ; ) {
    const { outcomes, last } = await database.read(async (tx) => {
      const { seeds, last } = await frontierQueries.seedsAfter(tx, after, AT_ONCE)
      const tools = { tx, reader: await frontierQueries.reader(tx) }
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

/** What a crawl says of its seeds at its end. */
export type SeedSummary = Awaited<ReturnType<typeof seedSummary>>

const MAX_LOOKED = 1000
const MAX_EXAMPLES = 10

/** Of the seeds named for this crawl, or of all if none were. */
export async function seedSummary(database: Database, named: readonly string[]) {
  return database.read(async (tx) => {
    const seeds: Seed[] =
      named.length > 0
        ? named.slice(0, MAX_LOOKED).map((url) => ({ url, source: 'given' }))
        : await frontierQueries.firstSeeds(tx, MAX_LOOKED)
    const end = {
      /** Seeds that were looked up: `seed --list` has all. */
      looked: seeds.length,
      /** Of these, the ones that brought nothing. */
      empty: 0,
      /** No seed brought anything, those that were not looked up included. */
      areAllEmpty: false,
      examples: [] as SeedOutcome[],
      /** Seeds that moved out of the scope. */
      moved: [] as { from: string; to: string }[],
    }
    const tools = { tx, reader: await frontierQueries.reader(tx) }
    for (const seed of seeds) {
      const outcome = await seedOutcome(tools, seed)
      if (!outcome.isEmpty) continue
      end.empty++
      if (outcome.why === 'not-entered' && end.moved.length < MAX_EXAMPLES)
        end.moved.push({ from: seed.url, to: outcome.to ?? '' })
      else if (end.examples.length < MAX_EXAMPLES) end.examples.push(outcome)
    }
    // Beyond those looked up, the count of documents decides: if there are any, some seed brought them.
    const isWhole = seeds.length < MAX_LOOKED || (await readCounter(tx, 'documents')) === 0
    end.areAllEmpty = seeds.length > 0 && end.empty === seeds.length && isWhole
    return end
  })
}

/** What the scope is drawn around: the seeds, and the other URLs at which a name to try may turn out to live. */
export interface ScopeSeeds {
  seeds: string[]
  alternates: string[]
}

export async function scopeSeeds({
  database,
  settings,
}: {
  database: Database
  settings: Settings
}): Promise<ScopeSeeds> {
  const which = needsEverySeed(settings) ? 'all' : 'sites'
  const list = await database.read((tx) => frontierQueries.seeds(tx, which))
  const alternates: string[] = []
  // A scope of a domain includes its `www.`, and one of a suffix does not depend on seeds.
  const isNeeded = which === 'all' || settings.scope === 'host'
  for (const { url, source } of isNeeded ? list : []) {
    const host = source === 'names' ? parseUrl(url)?.host : undefined
    if (host === undefined) continue
    const others = guessesFor(host).filter((other) => other !== url)
    // Where only sites matter, one URL of each other host is enough.
    if (which === 'all') alternates.push(...others)
    else alternates.push(...others.filter((other) => other.startsWith('https:') && parseUrl(other)?.host !== host))
  }
  return { seeds: list.map(({ url }) => url), alternates }
}

/** Most scopes need only the sites, which saves each thread millions of seeds. */
function needsEverySeed({ scope, include, queries }: Settings): boolean {
  return scope === 'page' || scope === 'prefix' || include.length > 0 || !queries
}
