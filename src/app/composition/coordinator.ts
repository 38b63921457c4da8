/**
 * The coordinator over a database, a disk and a clock that are given: frontier, intake, log, twins. What a crash left is put
 * right first: the inbox is applied, the leases are lost, then the volumes' torn tails are cut. On PostgreSQL other houses
 * may stand over the same database, and the leases are those of workers that live elsewhere: they are not lost.
 */
import { join } from 'node:path'
import { type Clock, type Millis, turn } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import type { Journal } from '../../base/journal.ts'
import { freshId, type Random } from '../../base/random.ts'
import { DigestFilter, FILTER_BITS } from '../../collection/captures/digest-filter.ts'
import { indexCaptures } from '../../collection/captures/index-captures.ts'
import { fillFilter, findCopy, followOthers } from '../../collection/captures/stored-copies.ts'
import { noteProgress } from '../../collection/counters/note-progress.ts'
import { linkIndexer } from '../../collection/links/link-indexer.ts'
import { repairVolumes } from '../../collection/volumes/repair.ts'
import type { CoordinatorCalls } from '../../contracts/calls.ts'
import type { Event } from '../../contracts/events.ts'
import type { FindCopy } from '../../contracts/ports.ts'
import type { Database } from '../../database/database.ts'
import type { KnownWorkers } from '../../frontier/affinity.ts'
import { type LeasesAhead, leasesAhead } from '../../frontier/leases-ahead.ts'
import type { Ledger, SeedUrl } from '../../frontier/ledger.ts'
import type { OpenFrontier } from '../../frontier/options.ts'
import { type Intake, openIntake } from '../../intake/intake.ts'
import { Rechecks } from '../../intake/rechecks.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import type { Settings } from '../config/keys.ts'
import { openCrawlFrontier } from './crawl-frontier.ts'
import { mirrorFileOf } from './mirror-file.ts'
import { keepMirrors, type MirrorKeeper } from './mirror-maintenance.ts'
import type { OriginalScope } from './mirror-scope.ts'
import { nodeId } from './node-id.ts'
import { durableEnds, EMBEDDED_OWNER, openVolumesIn, repairOwnLocations, volumesOfOthers } from './own-locations.ts'

export interface CoordinatorParts {
  database: Database
  disk: Disk
  folder: string
  clock: Clock
  random: Random
  journal: Journal<Event>
  settings: Settings
  /** Workers live on other machines: their leases outlive this process, and volumes that they still send are theirs. */
  serves?: boolean
  /** They, where they stand; undefined: sites lean to nobody. */
  workers?: KnownWorkers
  /** Share of captures that are asked for again through another worker. */
  recheckShare?: number
  /** Smaller in simulations. */
  filterBits?: number
  /** Bytes of parts that are applied without the inbox (`intake/`); simulations say 0 to take the longer way. */
  atOnceBytes?: number
  /** Simulations see and change here what is settled; without it the frontier's own ledger is used. */
  ledgerOver?(ledger: Ledger): Ledger
}

export interface Coordinator {
  /** All that workers may ask. */
  calls: CoordinatorCalls
  frontier: LeasesAhead
  intake: Intake
  filter: DigestFilter
  findCopy: FindCopy
  parts: CoordinatorParts
  archiveFolder: string
  /** Under this name it notes where volumes of its own lie, if not in its archive folder. */
  owner: string
  /** By the rules that the collection was made with. */
  urls: UrlReader
  mirrors: MirrorKeeper
  seed(urls: readonly SeedUrl[]): Promise<{ fresh: number }>
  seeds(): Promise<string[]>
  /** Short work of every second: leases that ended, a note of how far the crawl is. */
  tick(): Promise<void>
  /** What is done when nobody asks any more: reverse index, CDXJ, volumes that a dead thread left open. */
  finish(): Promise<void>
}

/** Above this many parts that wait to be applied, no sites are handed out: workers wait for the coordinator. */
const MAX_PENDING = 2000
const BUSY_WAIT: Millis = 200
const PROGRESS_EVERY: Millis = 10_000
const LINKS_A_TICK: Millis = 200
/** 2–4 ms each. The fewer pieces, the fewer rows: a smaller one waits for more pages, or for the end. */
const LINK_PAGES_A_PIECE = 200
/** At the end, when nobody waits for the thread. */
const LINK_PAGES_AT_ONCE = 1000

export async function openCoordinator(parts: CoordinatorParts): Promise<Coordinator> {
  const { database, disk, folder, clock, journal } = parts
  const archiveFolder = join(folder, 'archive')
  const filter = DigestFilter.ofBits(parts.filterBits ?? FILTER_BITS)
  const isShared = database.dialect === 'postgres'
  const workersElsewhere = isShared || parts.serves === true
  const node = isShared ? await nodeId(disk, folder) : undefined
  const { frontier: opened, urls, originals } = await openCrawlFrontier(parts, workersElsewhere)
  const granting = { ...opened, ledger: parts.ledgerOver?.(opened.ledger) ?? opened.ledger }
  const frontier: LeasesAhead = workersElsewhere ? noneAhead(granting) : leasesAhead(granting, database, clock)
  const intake = await openIntake({
    database,
    ledger: frontier.ledger,
    filter,
    disk,
    logPath: join(folder, 'logs', 'crawl.log'),
    node,
    clock,
    journal,
    // Where there are no other workers, there is nobody to ask.
    ...(workersElsewhere && {
      rechecks: new Rechecks({
        share: parts.recheckShare ?? 0,
        salt: freshId(),
        clock,
        schedule: frontier.ledger.schedule,
      }),
    }),
    atOnceBytes: parts.atOnceBytes,
  })
  try {
    return await furnished(parts, { frontier, intake, filter, urls, originals, node, archiveFolder })
  } catch (error) {
    await intake.close().catch(() => {})
    throw error
  }
}

interface Rooms {
  frontier: LeasesAhead
  intake: Intake
  filter: DigestFilter
  urls: UrlReader
  originals: OriginalScope
  /** Undefined: it is the only one over its database. */
  node: string | undefined
  archiveFolder: string
}

async function furnished(parts: CoordinatorParts, rooms: Rooms): Promise<Coordinator> {
  const { database, disk, folder, clock, settings, journal } = parts
  const { frontier, intake, filter, urls, originals, node, archiveFolder } = rooms
  const isShared = node !== undefined
  await frontier.recover(() => intake.drain())
  // After the inbox is applied, so that the catalogue vouches for every capture that was ever acknowledged.
  const own = { database, disk, journal, owner: node ?? EMBEDDED_OWNER }
  const repair = async () => {
    const ends = await durableEnds(database, openVolumesIn(disk, archiveFolder))
    await repairVolumes(disk, archiveFolder, journal, ends, await volumesOfOthers(own))
    await repairOwnLocations(own)
  }
  await repair()
  const follow = followOthers(database, filter)
  await follow()
  void fillFilter(database, filter).catch((error) => journal.tell({ kind: 'trouble', what: String(error) }))
  const { ledger } = frontier
  const mirrors = await keepMirrors({
    database,
    disk,
    path: mirrorFileOf(settings, folder, disk),
    names: { alias: ledger.alias, unalias: ledger.unalias, aliases: ledger.view.aliases },
    urls,
    clock,
    journal,
  })
  const find = findCopy(database, filter)
  const links = linkIndexer(database)
  /** Who links where, piece by piece while nobody waits for the thread, so that little is left for the end. */
  const indexSomeLinks = async () => {
    const until = clock.elapsed() + LINKS_A_TICK
    while (intake.pending() === 0 && clock.elapsed() < until) {
      if (!(await links.next(LINK_PAGES_A_PIECE, LINK_PAGES_A_PIECE))) break
      await turn()
    }
  }
  let nextNote = 0
  const note = () =>
    database.transact(async (tx) => {
      const { urls } = await frontier.ledger.view.totals(tx)
      await noteProgress(tx, { at: clock.now(), known: urls.known, collected: urls.marked, waiting: urls.waiting })
    })

  const hasOthersAtWork = async () => {
    if (!isShared) return false
    const { sites } = await database.read((tx) => frontier.ledger.view.totals(tx))
    return sites.leased + sites.returning > 0
  }

  return {
    frontier,
    intake,
    filter,
    findCopy: find,
    parts,
    archiveFolder,
    owner: own.owner,
    urls,
    mirrors,
    calls: {
      async checkOut(worker, atMost) {
        if (intake.pending() > MAX_PENDING) return { visits: [], next: BUSY_WAIT }
        await originals.refresh()
        const answer = await frontier.frontier.checkOut(worker, atMost)
        if (!isShared || answer.next !== 'over') return answer
        // Links may still be on their way from one bucket to another; after that nothing new can come.
        if (!(await intake.isSettled())) return { visits: [], next: BUSY_WAIT }
        return frontier.frontier.checkOut(worker, atMost)
      },
      enter: (worker, visit, address) => frontier.frontier.enter(worker, visit, address),
      renew: (worker, visits) => frontier.frontier.renew(worker, visits),
      checkInSealed: (_worker, sealed) => intake.store(sealed),
      findCopy: find,
    },
    seed: (urls) =>
      database.transact(async (tx) => {
        const { sites, urls: queue } = await frontier.ledger.view.totals(tx)
        const admitted = await frontier.ledger.seed(tx, urls)
        originals.stale()
        // A crawl that had ended: who names its seeds again wants those tried that gave no answer then.
        if (queue.waiting + sites.leased + sites.returning === 0) await frontier.ledger.tryAgain(tx, urls)
        return admitted
      }),
    seeds: () => database.read((tx) => frontier.ledger.view.seeds(tx)),
    async tick() {
      await frontier.giveBackOld()
      await intake.reap()
      if (intake.pending() === 0) await mirrors.view()
      const isTime = clock.elapsed() >= nextNote
      // Among 256 buckets it costs more to see that there is nothing to do.
      if (!isShared || isTime) await indexSomeLinks()
      if (!isTime) return
      nextNote = clock.elapsed() + PROGRESS_EVERY
      await note()
      await follow()
      // Seeds that another server was given, or `orbweaver seed`.
      if (isShared) originals.stale()
    },
    async finish() {
      await intake.drain()
      await mirrors.finish()
      await note()
      await repair()
      // While other servers go on there is always more: it is theirs.
      if (!(await hasOthersAtWork())) while (await links.next(1, LINK_PAGES_AT_ONCE)) await turn()
      await indexCaptures(database, disk, join(folder, 'indexes'), node)
      await intake.close()
    },
  }
}

/** Workers that live elsewhere have leases of their own ahead, if they want them. */
function noneAhead(frontier: OpenFrontier): LeasesAhead {
  return { ...frontier, giveBackOld: async () => {}, filled: async () => {} }
}
