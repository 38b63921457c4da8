/**
 * The list of mirrors in a crawl: entered as other names of the originals when the crawl begins; compared while it goes on
 * and when it ends; and what is a mirror no more leaves frontier and file by itself, for mirrors are transient.
 */
import { type Clock, type Instant, turn } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import type { Journal } from '../../base/journal.ts'
import { whyNoMirror } from '../../collection/mirrors/homes.ts'
import { type NamedPair, withoutPairs } from '../../collection/mirrors/list.ts'
import type { Event } from '../../contracts/events.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import type { AliasAnswer } from '../../frontier/aliases.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { linesOf, readMirrorFile, writeMirrorFile } from './mirror-file.ts'

/** What the frontier knows of other names; here only those of the list. */
export interface NameBook {
  alias(tx: Tx, name: { name: SiteName; original: SiteName; how: string }): Promise<AliasAnswer>
  unalias(tx: Tx, name: SiteName): Promise<unknown>
  aliases(tx: Tx): Promise<readonly { name: SiteName; original: SiteName; how: string; since: Instant }[]>
}

export interface KeeperParts {
  database: Database
  disk: Disk
  /** Undefined: there is no list. */
  path: string | undefined
  names: NameBook
  /** By the rules of the collection. */
  urls: UrlReader
  clock: Clock
  journal: Journal<Event>
}

export interface LeftMirror extends NamedPair {
  why: string
}

export interface MirrorKeeper {
  /** Compares some pairs, in turn: some milliseconds. */
  view(): Promise<void>
  /** Compares all, and writes the list anew if any left it. */
  finish(): Promise<void>
  /** Those that left in this run. */
  readonly left: readonly LeftMirror[]
}

export const FROM_LIST = 'list'
const NAMES_AT_ONCE = 1000
const PAIRS_A_LOOK = 200
/** A file of a million lines takes a second to write: at most this share of the time goes there. */
const SHARE_FOR_WRITING = 1 / 60

export async function keepMirrors(parts: KeeperParts): Promise<MirrorKeeper> {
  const { database, names, urls, clock, journal, disk, path } = parts
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
        const why = await whyNoMirror(tx, urls, pair, pair.since)
        if (why !== undefined) apart.push({ replica: pair.replica, original: pair.original, why })
      }
      return apart
    })
    for (const { replica } of found) none.add(replica)
    leaving.push(...found)
  }

  /** The file first: a pair that a crash leaves in it alone would be entered again, and its home pages are asked for once only. */
  const leave = async (): Promise<void> => {
    if (leaving.length === 0) return
    const begun = clock.elapsed()
    const gone = leaving
    leaving = []
    await write(gone)
    nextWrite = clock.elapsed() + (clock.elapsed() - begun) / SHARE_FOR_WRITING
    await inPieces(gone, (piece) =>
      database.transact(async (tx) => {
        for (const { replica } of piece) await names.unalias(tx, replica)
      }),
    )
    for (const mirror of gone) journal.record({ kind: 'mirror-left', ...mirror })
    left.push(...gone)
  }

  const write = async (gone: readonly LeftMirror[]): Promise<void> => {
    if (path === undefined) return
    try {
      // Read again: a person may have edited it meanwhile.
      await writeMirrorFile(disk, path, withoutPairs(linesOf(disk, path), gone, clock.now()))
    } catch (error) {
      // In the middle of an edit, or on a medium that cannot be written: the crawl knows better anyway.
      journal.record({ kind: 'trouble', what: error instanceof Error ? error.message : String(error) })
    }
  }

  let last: Promise<unknown> = Promise.resolve()
  /** One after the other: no pair leaves twice, and who waits for a `finish` finds gone what a `look` has found. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }

  return {
    left,
    view: () =>
      inTurn(async () => {
        if (at >= pairs.length) at = 0
        const some = pairs.slice(at, at + PAIRS_A_LOOK)
        at += some.length
        await compare(some)
        if (clock.elapsed() >= nextWrite) await leave()
      }),
    finish: () =>
      inTurn(async () => {
        for (let from = 0; from < pairs.length; from += PAIRS_A_LOOK) {
          await compare(pairs.slice(from, from + PAIRS_A_LOOK))
          await turn()
        }
        await leave()
      }),
  }
}

interface ListedPair extends NamedPair {
  /** What was seen before it was entered proves nothing. */
  since: Instant
}

/** The frontier knows the pairs of the list and no others of its kind; those that it knew keep their date. */
async function enterList({ database, disk, path, names, clock, journal }: KeeperParts): Promise<ListedPair[]> {
  const listed = path === undefined ? [] : readMirrorFile(disk, path)
  const wanted = new Map(listed.map(({ replica, original }) => [replica, original]))
  const all = await database.read((tx) => names.aliases(tx))
  const before = all.filter(({ how }) => how === FROM_LIST)
  const stay = new Map(
    before.filter(({ name, original }) => wanted.get(name) === original).map((one) => [one.name, one]),
  )
  const go = before.filter(({ name }) => !stay.has(name))
  const come = listed.filter(({ replica }) => !stay.has(replica))
  await inPieces(go, (piece) =>
    database.transact(async (tx) => {
      for (const { name } of piece) await names.unalias(tx, name)
    }),
  )
  const now = clock.now()
  await inPieces(come, (piece) =>
    database.transact(async (tx) => {
      for (const { replica, original } of piece) {
        const answer = await names.alias(tx, { name: replica, original, how: FROM_LIST })
        if (answer === 'taken' || answer === 'known') continue
        // The original was given up, or is by what was learnt meanwhile a name of the replica.
        journal.record({ kind: 'trouble', what: `the list of mirrors: ${replica} cannot be entered at ${original}` })
      }
    }),
  )
  return listed.map((pair) => ({ ...pair, since: stay.get(pair.replica)?.since ?? now }))
}

async function inPieces<T>(all: readonly T[], work: (piece: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += NAMES_AT_ONCE) {
    await work(all.slice(from, from + NAMES_AT_ONCE))
    await turn()
  }
}
