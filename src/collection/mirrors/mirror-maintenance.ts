/**
 * The list of mirrors in a crawl. Its pairs become aliases of the originals when the crawl begins. They are compared while it
 * runs and when it ends. A pair that is no mirror any more leaves frontier and file, for mirrors are transient.
 */
import { type Clock, type Instant, turn } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { inOrder } from '../../base/in-order.ts'
import type { Journal } from '../../base/journal.ts'
import type { Choice, DecidedMirrors } from '../../contracts/control.ts'
import type { Event } from '../../contracts/events.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { whyNoMirror } from './homes.ts'
import { type NamedPair, withDecided, withoutPairs } from './list.ts'
import { linesOf, readMirrorFile, writeMirrorFile } from './mirror-file.ts'

/** The frontier's table of aliases. */
export interface AliasNames {
  /** 'taken' and 'known' mean that it is an alias now. */
  alias(tx: Tx, name: { name: SiteName; original: SiteName; how: string }): Promise<string>
  unalias(tx: Tx, name: SiteName): Promise<unknown>
  aliases(tx: Tx): Promise<readonly { name: SiteName; original: SiteName; how: string; since: Instant }[]>
}

export interface MirrorMaintenanceParts {
  database: Database
  disk: Disk
  /** Undefined: there is no list. */
  path: string | undefined
  names: AliasNames
  /** By operators. */
  decisions: { readonly mirrors: DecidedMirrors; choiceOf(site: SiteName): Choice | undefined }
  /** By the rules of the collection. */
  urls: UrlReader
  clock: Clock
  journal: Journal<Event>
}

export interface LeftMirror extends NamedPair {
  why: string
}

export type MirrorMaintenance = Awaited<ReturnType<typeof maintainMirrors>>

/** How an alias came to be, for those of the list. */
export const FROM_LIST = 'list'
const NAMES_AT_ONCE = 1000
const PAIRS_AT_ONCE = 200
/** Largest share of the time for writing the file: a million lines take a second. */
const SHARE_FOR_WRITING = 1 / 60

export async function maintainMirrors(parts: MirrorMaintenanceParts) {
  const { database, names, urls, clock, journal, disk, path, decisions } = parts
  const pairs = await enterList(parts)
  const none = new Set<SiteName>()
  const left: LeftMirror[] = []
  let leaving: LeftMirror[] = []
  let nextWrite = 0
  let at = 0

  const compare = async (some: readonly ListedPair[]): Promise<void> => {
    const found = await database.read(async (tx) => {
      const apart: LeftMirror[] = []
      for (const pair of some) {
        if (none.has(pair.replica)) continue
        // An operator's decision holds until it is undone.
        if (decisions.choiceOf(pair.replica)?.copyOf !== undefined) continue
        const why = await whyNoMirror(tx, urls, pair, pair.since)
        if (why !== undefined) apart.push({ replica: pair.replica, original: pair.original, why })
      }
      return apart
    })
    for (const { replica } of found) none.add(replica)
    leaving.push(...found)
  }

  /**
   * The file first: a pair that a crash leaves only in the file would be entered again, and its home pages are
   * requested only once.
   */
  const leave = async (): Promise<void> => {
    if (leaving.length === 0) return
    const begun = clock.elapsed()
    await write(leaving)
    nextWrite = clock.elapsed() + (clock.elapsed() - begun) / SHARE_FOR_WRITING
    // If the database fails, they leave the next time.
    await inTransactions(database, leaving, (tx, { replica }) => names.unalias(tx, replica))
    const gone = leaving
    leaving = []
    left.push(...gone)
    for (const mirror of gone) journal.record({ kind: 'mirror-left', ...mirror })
  }

  const write = async (gone: readonly LeftMirror[]): Promise<void> => {
    if (path === undefined) return
    try {
      // Read again: a person may have edited it meanwhile.
      await writeMirrorFile(disk, path, withoutPairs(linesOf(disk, path), gone, clock.now()))
    } catch (error) {
      // Half edited, or on a read-only disk. The crawl still applies what it found.
      journal.record({ kind: 'trouble', what: error instanceof Error ? error.message : String(error) })
    }
  }

  /** No pair leaves twice, and after `finish` all that `compareSome` found have left. */
  const inTurn = inOrder()

  return {
    /** Pairs that left in this run. */
    left: left as readonly LeftMirror[],
    /** Compares the next pairs: some milliseconds. */
    compareSome: () =>
      inTurn(async () => {
        if (at >= pairs.length) at = 0
        const some = pairs.slice(at, at + PAIRS_AT_ONCE)
        at += some.length
        await compare(some)
        if (clock.elapsed() >= nextWrite) await leave()
      }),
    /** Compares all, and writes the list if any left it. */
    finish: () =>
      inTurn(async () => {
        for (let from = 0; from < pairs.length; from += PAIRS_AT_ONCE) {
          await compare(pairs.slice(from, from + PAIRS_AT_ONCE))
          await turn()
        }
        await leave()
      }),
  }
}

interface ListedPair extends NamedPair {
  /** Fetches from before it was entered prove nothing. */
  since: Instant
}

/** Makes the frontier's aliases from the list equal to the list. Those that it had keep their date. */
async function enterList(parts: MirrorMaintenanceParts): Promise<ListedPair[]> {
  const { database, disk, path, names, clock, journal, decisions } = parts
  const listed = withDecided(path === undefined ? [] : readMirrorFile(disk, path), decisions.mirrors)
  const wanted = new Map(listed.map(({ replica, original }) => [replica, original]))
  const all = await database.read((tx) => names.aliases(tx))
  const before = all.filter(({ how }) => how === FROM_LIST)
  const stay = new Map(
    before.filter(({ name, original }) => wanted.get(name) === original).map((one) => [one.name, one]),
  )
  const go = before.filter(({ name }) => !stay.has(name))
  const come = listed.filter(({ replica }) => !stay.has(replica))
  await inTransactions(database, go, (tx, { name }) => names.unalias(tx, name))
  const now = clock.now()
  await inTransactions(database, come, async (tx, { replica, original }) => {
    const answer = await names.alias(tx, { name: replica, original, how: FROM_LIST })
    if (answer === 'taken' || answer === 'known') return
    // The original was given up, or has become an alias of the replica.
    journal.record({ kind: 'trouble', what: `the list of mirrors: ${replica} cannot be an alias of ${original}` })
  })
  return listed.map((pair) => ({ ...pair, since: stay.get(pair.replica)?.since ?? now }))
}

async function inTransactions<T>(
  database: Database,
  all: readonly T[],
  work: (tx: Tx, item: T) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < all.length; from += NAMES_AT_ONCE) {
    await database.transact(async (tx) => {
      for (const item of all.slice(from, from + NAMES_AT_ONCE)) await work(tx, item)
    })
    await turn()
  }
}
