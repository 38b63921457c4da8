/**
 * The coordinator over a given database, disk and clock (W11): frontier, intake, log, stored copies. It first repairs what a crash left:
 * the inbox is applied, leases are given up, the torn tails of volumes are cut. Over PostgreSQL other coordinators may share the
 * database, and leases belong to workers on other machines: they are kept.
 */
import { join } from 'node:path'
import { type Clock, type Millis, turn } from '../../base/clock.ts'
import { freshId } from '../../base/random.ts'
import { INBOX_FULL } from '../../cluster/maintenance/problems.ts'
import { RefreshPlanner } from '../../cluster/maintenance/refresh-planner.ts'
import { freeWorker } from '../../cluster/server/worker-table.ts'
import { findingState } from '../../collection/browse/findings.ts'
import { DigestFilter, FILTER_BITS } from '../../collection/captures/digest-filter.ts'
import { indexCaptures } from '../../collection/captures/index-captures.ts'
import { fillFilter, findCopy, followOthers } from '../../collection/captures/stored-copies.ts'
import { addCounts, noteProgress } from '../../collection/counters/counters.ts'
import { noteLost } from '../../collection/counters/last-visits.ts'
import { linkIndexer } from '../../collection/links/index-links.ts'
import {
  durableEnds,
  EMBEDDED_OWNER,
  nodeId,
  openVolumesIn,
  repairOwnLocations,
  volumesOfOthers,
} from '../../collection/locations/own-locations.ts'
import { mirrorFileOf } from '../../collection/mirrors/mirror-file.ts'
import { type MirrorMaintenance, maintainMirrors } from '../../collection/mirrors/mirror-maintenance.ts'
import { fillBefore } from '../../collection/pages/known-pages.ts'
import { repairVolumes } from '../../collection/volumes/repair.ts'
import type { CoordinatorCalls, NowReading } from '../../contracts/calls.ts'
import type { Frontier } from '../../contracts/ports.ts'
import { seal } from '../../contracts/sealed-part.ts'
import { RULE_NAMES } from '../../crawl/hazards/limits.ts'
import { parseBlacklist } from '../../crawl/scope/blacklist.ts'
import { unreadableReport } from '../../crawl/worker/watchdog.ts'
import type { Database } from '../../database/database.ts'
import { sharedRole } from '../../database/postgres/election.ts'
import type { HintResult, Ledger, LostVisit, SeedUrl } from '../../frontier/contract.ts'
import { type ControlParts, openControl } from '../../frontier/control.ts'
import { Decisions, forgetStop } from '../../frontier/decisions.ts'
import { type LeasesAhead, leasesAhead } from '../../frontier/prefetched-leases.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import type { Intake } from '../../intake/intake.ts'
import { openIntake } from '../../intake/open-intake.ts'
import { Rechecks } from '../../intake/rechecks.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { type FrontierParts, type OriginalScope, openCrawlFrontier } from './crawl-frontier.ts'
import { pausesOf } from './plan.ts'

export interface CoordinatorParts extends FrontierParts {
  folder: string
  /** Workers live on other machines: their leases outlive this process, and volumes that they still send are theirs. */
  serves?: boolean
  /** Share of captures that are fetched again through another worker. */
  recheckShare?: number
  /**
   * The supervisor started it again. A stop that ended the earlier process, or should have, counts for this one too.
   */
  isRestarted?: boolean
  /** Reads again what the weights of pages depend on. */
  renewWeights?(): Promise<void>
  /** Smaller in simulations. */
  filterBits?: number
  /** Bytes of parts that are applied without the inbox (`intake/`); simulations say 0 to use the inbox always. */
  atOnceBytes?: number
  /** Between looks at what other servers left in the inbox; simulations look less often. */
  lookEvery?: Millis
  /** Simulations watch and change the ledger here. */
  ledgerOver?(ledger: Ledger): Ledger
}

/**
 * `owner`: the name under which it records its own volumes outside the archive folder. `urls`: by the rules that the collection was made
 * with.
 */
export type Coordinator = Awaited<ReturnType<typeof openCoordinator>>

const BUSY_WAIT: Millis = 200
/** A paused crawl is not over. */
const PAUSED_WAIT: Millis = 1000
const PROGRESS_EVERY: Millis = 10_000
const HINTS_EVERY: Millis = 5_000
const LINKS_PER_TICK: Millis = 200
/** 2–4 ms each. Larger pieces make fewer rows: a smaller one waits for more pages, or for the end. */
const LINK_PAGES_PER_PIECE = 200
/** At the end, when nothing waits for the thread. */
const LINK_PAGES_AT_ONCE = 1000

export async function openCoordinator(parts: CoordinatorParts) {
  const { database, disk, folder, clock, journal } = parts
  const filter = DigestFilter.ofBits(parts.filterBits ?? FILTER_BITS)
  const isShared = database.dialect === 'postgres'
  const workersElsewhere = isShared || parts.serves === true
  const node = isShared ? await nodeId(disk, folder) : undefined
  const hints = hintCounter(parts)
  const refresh = parts.refresh && { ...parts.refresh, onHint: hints.count }
  const decisions = new Decisions(database)
  if (!parts.isRestarted) await database.transact(forgetStop)
  await decisions.refresh()
  const opening = { ...parts, decisions, ...(refresh && { refresh }) }
  const { frontier: opened, urls, originals } = await openCrawlFrontier(opening, workersElsewhere)
  const granting = {
    ...opened,
    frontier: parts.refresh === undefined ? opened.frontier : withKnownPages(opened.frontier, database),
    ledger: parts.ledgerOver?.(opened.ledger) ?? opened.ledger,
  }
  // Workers on other machines prefetch leases themselves.
  const frontier: LeasesAhead = workersElsewhere
    ? { ...granting, giveBackOld: async () => {}, filled: async () => {} }
    : leasesAhead(granting, database, clock)
  const { schedule } = frontier.ledger
  const intake = await openIntake({
    ...{ database, ledger: frontier.ledger, filter, disk, node, clock, journal },
    logPath: join(folder, 'logs', 'crawl.log'),
    // A recheck needs another worker.
    ...(workersElsewhere && {
      rechecks: new Rechecks({ share: parts.recheckShare ?? 0, salt: freshId(), clock, schedule }),
    }),
    atOnceBytes: parts.atOnceBytes,
    lookEvery: parts.lookEvery,
  })
  try {
    return await recovered(parts, { frontier, intake, filter, urls, originals, node, hints, decisions })
  } catch (error) {
    await intake.close().catch(() => {})
    throw error
  }
}

/** Visits carry what the catalogue knows of their pages. Before leases are prefetched, so that those wait for nothing. */
function withKnownPages(frontier: Frontier, database: Database): Frontier {
  return {
    ...frontier,
    async checkOut(worker, atMost) {
      const answer = await frontier.checkOut(worker, atMost)
      await fillBefore(database, answer.visits)
      return answer
    },
  }
}

/** A worker, or a thread, has ended: its visits are lost. */
export function loseVisits({ frontier, parts }: Coordinator, worker: string): Promise<LostVisit[]> {
  return parts.database.transact(async (tx) => {
    const lost = await frontier.ledger.lose(tx, worker)
    await noteLost(tx, lost, parts.clock.now())
    return lost
  })
}

/** How actions are checked, and their effects outside the frontier. */
export function steeringRules(
  ledger: Ledger,
  clock: Clock,
): Pick<ControlParts, 'rules' | 'findingState' | 'checkBlacklist' | 'freeWorker'> {
  return {
    rules: RULE_NAMES,
    findingState,
    checkBlacklist: (line) => void parseBlacklist([{ name: 'blacklist', text: line }]),
    freeWorker: (tx, worker) => freeWorker(tx, ledger, worker, clock.now()),
  }
}

interface Opened {
  frontier: LeasesAhead
  intake: Intake
  filter: DigestFilter
  urls: UrlReader
  originals: OriginalScope
  /** Undefined: it has its database to itself. */
  node: string | undefined
  hints: ReturnType<typeof hintCounter>
  decisions: Decisions
}

/** Hints come one by one, within transactions. Their counts are written some seconds later; a crash loses those. */
function hintCounter({ database, clock, journal }: CoordinatorParts) {
  const counts = new Map<`hints:${HintResult}`, number>()
  let cancel = () => {}
  const write = async () => {
    cancel()
    if (counts.size === 0) return
    const now = new Map(counts)
    counts.clear()
    await database.transact((tx) => addCounts(tx, clock.now(), now))
  }
  const report = (error: unknown) => journal.record({ kind: 'trouble', what: String(error) })
  return {
    count(result: HintResult) {
      if (counts.size === 0) cancel = clock.after(HINTS_EVERY, () => void write().catch(report))
      const name = `hints:${result}` as const
      counts.set(name, (counts.get(name) ?? 0) + 1)
    },
    /** Writes what is not written yet. */
    write,
  }
}

async function recovered(parts: CoordinatorParts, opened: Opened) {
  const { database, disk, folder, clock, settings, journal } = parts
  const { frontier, intake, filter, urls, originals, node, decisions } = opened
  const { ledger } = frontier
  const archiveFolder = join(folder, 'archive')
  const owner = node ?? EMBEDDED_OWNER
  await frontier.recover(
    () => intake.drain(),
    (tx, lost) => noteLost(tx, lost, clock.now()),
  )
  // After the inbox is applied: then the catalogue has every capture that was ever acknowledged.
  const repair = async () => {
    const own = { database, disk, journal, owner }
    const ends = await durableEnds(database, openVolumesIn(disk, archiveFolder))
    await repairVolumes(disk, archiveFolder, journal, ends, await volumesOfOthers(own))
    await repairOwnLocations(own)
  }
  await repair()
  const follow = followOthers(database, filter)
  await follow()
  void fillFilter(database, filter).catch((error) => journal.record({ kind: 'trouble', what: String(error) }))
  const mirrors = await maintainMirrors({
    database,
    disk,
    path: mirrorFileOf(settings.mirrors, folder, disk),
    decisions,
    names: { alias: ledger.alias, unalias: ledger.unalias, aliases: frontierQueries.aliases },
    urls,
    clock,
    journal,
  })
  return {
    ...{ parts, frontier, intake, filter, archiveFolder, owner, urls, mirrors, decisions },
    /** All that workers may ask. */
    calls: callsOf(parts, opened),
    /** What operators do while it runs. */
    control: openControl({
      ...{ database, ledger, decisions, clock, urls },
      ...steeringRules(ledger, clock),
      settled: () => intake.idle(),
    }),
    seed: (urls: readonly SeedUrl[]) =>
      database.transact(async (tx) => {
        const { sites, urls: queue } = await frontierQueries.totals(tx)
        const admitted = await ledger.seed(tx, urls)
        originals.stale()
        // A seed that gave no answer is tried again if it is named again after the crawl has ended.
        if (queue.waiting + sites.leased + sites.returning === 0) await ledger.tryAgain(tx, urls)
        return admitted
      }),
    /** Records a page on which a thread hung and was ended, in the name of its visit, whose lease is still open. */
    async recordUnreadable(reading: NowReading) {
      // Parts of the visit that are still in the inbox come first: this one follows the last of them.
      await intake.idle()
      const site = await database.read((tx) => frontierQueries.site(tx, reading.site))
      const key = urls.parse(reading.item.url)?.key
      if (site?.lease?.visit !== reading.visit || key === undefined) return
      await intake.accept([unreadableReport(reading, key, site, site.lease.parts, clock.now())].map(seal))
      await intake.idle()
    },
    ...periodicWork(parts, opened, mirrors, follow, repair),
  }
}

function callsOf({ database, clock, journal }: CoordinatorParts, opened: Opened): CoordinatorCalls {
  const { intake, filter, originals, node, decisions } = opened
  const { frontier, ledger } = opened.frontier
  /** Leases that were prefetched before an operator stopped their sites. */
  const withhold = async (answer: Awaited<ReturnType<Frontier['checkOut']>>) => {
    const stopped = answer.visits.filter(({ site }) => decisions.isStopped(site)).map(({ id }) => id)
    if (stopped.length === 0) return answer
    await database.transact((tx) => ledger.giveBack(tx, stopped))
    return { ...answer, visits: answer.visits.filter(({ id }) => !stopped.includes(id)) }
  }
  const lease: Frontier['checkOut'] = async (worker, atMost) => {
    const began = clock.elapsed()
    const answer = await withhold(await frontier.checkOut(worker, atMost))
    const sites = answer.visits.length
    if (sites > 0) journal.record({ kind: 'leased', sites, tookMs: clock.elapsed() - began })
    return answer
  }
  let { seeded } = decisions.crawl
  return {
    async checkOut(worker, atMost) {
      if (decisions.isPaused) return { visits: [], next: PAUSED_WAIT }
      if (intake.pending() > INBOX_FULL) return { visits: [], next: BUSY_WAIT }
      if (decisions.crawl.seeded !== seeded) originals.stale()
      seeded = decisions.crawl.seeded
      await originals.refresh()
      const answer = await lease(worker, atMost)
      if (node === undefined || answer.next !== 'over') return answer
      // Links of applied reports may still be on their way to the frontier. After them nothing new can come.
      if (!(await intake.isSettled())) return { visits: [], next: BUSY_WAIT }
      return lease(worker, atMost)
    },
    enter: (worker, visit, address) => frontier.enter(worker, visit, address),
    renew: (worker, visits) => frontier.renew(worker, visits),
    accept: (_worker, sealed) => intake.accept(sealed),
    findCopy: findCopy(database, filter),
  }
}

/** Undefined: known pages are not looked at again. */
function plannerOf({ database, clock, settings, refresh, serves, renewWeights }: CoordinatorParts, opened: Opened) {
  if (refresh === undefined) return undefined
  const { frontier, decisions } = opened
  return new RefreshPlanner({
    database,
    clock,
    ledger: frontier.ledger,
    ...pausesOf(settings, (site) => decisions.choiceOf(site)?.pauseMs),
    capacity: settings.refreshRate,
    minGain: refresh.minGain ?? 0,
    // Of several servers, only the one that does the periodic work ticks.
    role: serves ? { isOurs: async () => true, release: async () => {} } : sharedRole(database, clock, 'refresh'),
    renewWeights: renewWeights ?? (async () => {}),
  })
}

function periodicWork(
  parts: CoordinatorParts,
  opened: Opened,
  mirrors: MirrorMaintenance,
  follow: () => Promise<void>,
  repair: () => Promise<void>,
) {
  const { database, disk, folder, clock } = parts
  const { frontier, intake, originals, node, hints } = opened
  const planner = plannerOf(parts, opened)
  const isShared = node !== undefined
  const links = linkIndexer(database)
  /** Piece by piece while nothing waits for the thread, so that little is left for the end. */
  const indexSomeLinks = async () => {
    const until = clock.elapsed() + LINKS_PER_TICK
    while (intake.pending() === 0 && clock.elapsed() < until) {
      if (!(await links.next(LINK_PAGES_PER_PIECE, LINK_PAGES_PER_PIECE))) break
      await turn()
    }
  }
  const note = () =>
    database.transact(async (tx) => {
      const { urls } = await frontierQueries.totals(tx)
      await noteProgress(tx, { at: clock.now(), known: urls.known, collected: urls.marked, waiting: urls.waiting })
    })
  const hasOthersAtWork = async () => {
    if (!isShared) return false
    const { sites } = await database.read((tx) => frontierQueries.totals(tx))
    return sites.leased + sites.returning > 0
  }
  let nextNote = 0
  return {
    /** A refresh still has to enrol pages of earlier crawls, some with each tick. */
    isEnrolling: () => planner?.isEnrolling ?? false,
    /** Short work of every second: expired leases, a note of the progress, the planner of a refresh. */
    async tick() {
      await frontier.giveBackOld()
      await intake.reap()
      if (intake.pending() === 0) await mirrors.compareSome()
      await planner?.tick()
      const isTime = clock.elapsed() >= nextNote
      // On a shared database, finding nothing to index costs more than waiting.
      if (!isShared || isTime) await indexSomeLinks()
      if (!isTime) return
      nextNote = clock.elapsed() + PROGRESS_EVERY
      await note()
      await follow()
      // Another server, or `orbweaver seed`, may have added seeds.
      if (isShared) originals.stale()
    },
    /** Work at the end: reverse index, CDXJ, volumes that a dead thread left open. */
    async finish() {
      await intake.drain()
      await planner?.finish()
      await hints.write()
      await mirrors.finish()
      await note()
      await repair()
      // While other servers go on there is always more: they index it.
      if (!(await hasOthersAtWork())) while (await links.next(1, LINK_PAGES_AT_ONCE)) await turn()
      await indexCaptures(database, disk, join(folder, 'indexes'), node)
      await intake.close()
    },
  }
}
