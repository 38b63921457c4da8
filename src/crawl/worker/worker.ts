/** The life of a worker: fill the slots, keep the leases, bring the parts; stop when told to, or when the crawl is over. */
import { Bell } from '../../base/bell.ts'
import type { Millis } from '../../base/clock.ts'
import type { Frontier, ReportSink } from '../../contracts/ports.ts'
import type { SiteName, Visit, VisitId } from '../../contracts/visit.ts'
import type { SiteCourtesy } from '../courtesy.ts'
import { crawlSite } from '../crawl.ts'
import { Reporter } from '../reporter.ts'
import type { SiteTools } from '../tools.ts'
import { Leases } from './leases.ts'
import { Overdue } from './overdue.ts'
import { ReportSender } from './report-sender.ts'

export interface WorkerOptions {
  id: string
  slots: number
  frontier: Frontier
  sink: ReportSink
  /** All but what the worker makes itself. */
  tools: Omit<SiteTools, 'worker' | 'durable' | 'enter' | 'failed' | 'visiting'>
  renewEvery: Millis
  /** Told once a second how the worker is doing. */
  pulse?: (pulse: WorkerPulse) => void
}

export interface WorkerPulse {
  visits: number
  /** How late the worker's event loop is: pauses and leases depend on it. */
  lateMs: Millis
  slow: SlowSite[]
}

export interface SlowSite {
  site: string
  why: string
}

/** Sites asked for in one check-out: few enough that a slice of the coordinator's thread stays short. */
const MAX_AT_ONCE = 32
/** A new link may make a site due before the time that the frontier named. */
const LONGEST_SLEEP: Millis = 1000
const PULSE_EVERY: Millis = 1000
const LOOK_EVERY: Millis = 10_000
const NOTHING_NOW: { visits: Visit[]; next: Millis | 'over' } = { visits: [], next: LONGEST_SLEEP }
/** Slow sites that a pulse names. */
const MAX_SLOW = 5

export async function runWorker(options: WorkerOptions, stop: AbortSignal): Promise<void> {
  const { id, frontier, sink, slots } = options
  const { clock, archive, journal } = options.tools
  const reportSender = new ReportSender({ worker: id, clock, archive, sink, journal })
  const leases = new Leases(id, frontier, clock)
  const bell = new Bell()
  const over = new AbortController()
  const courtesies = new Map<string, SiteCourtesy>()
  const sites = new Map<VisitId, SiteName>()
  const overdue = new Overdue()
  /** What is done with a visit that does not end. */
  const givingUp = new Map<VisitId, () => void>()
  let running = 0
  let ending = false
  let failure: unknown

  const end = () => {
    ending = true
    leases.endAll()
    overdue.toldAll(clock.elapsed())
    bell.ring()
  }
  const fail = (error: unknown) => {
    failure ??= error
    end()
  }
  reportSender.onFailure = fail
  const tools = siteTools(options, reportSender, fail, {
    failed: () => failure !== undefined,
    visiting: (site) => courtesies.get(site),
  })
  if (stop.aborted) end()
  else stop.addEventListener('abort', end)

  const visitSite = async (visit: Visit, asked: Millis): Promise<void> => {
    const hold = leases.hold(visit.id, asked, visit.lease)
    const courtesy = tools.courtesyOf(visit.site, visit.wait, tools.pauses, clock)
    const reporter = new Reporter(visit, () => courtesy.report())
    reportSender.add(reporter)
    courtesies.set(visit.site, courtesy)
    sites.set(visit.id, visit.site)
    const { wait, lease, limits } = visit
    const pause = () => courtesy.pause
    overdue.begin(visit.id, { startedAt: clock.elapsed(), wait, lease, time: limits.time, pause })
    if (ending) overdue.told(visit.id, clock.elapsed())
    const givenUp = new Promise<'given up'>((give) => givingUp.set(visit.id, () => give('given up')))
    try {
      const why = await Promise.race([crawlSite(reporter, courtesy, hold.lease, tools, hold.end), givenUp])
      if (why === 'given up') {
        leases.giveUp(visit.id)
        reportSender.forget(reporter)
        return
      }
      reporter.end(why)
      journal.tell({ kind: 'visit-ended', site: visit.site, why, pages: reporter.pageCount })
    } finally {
      courtesies.delete(visit.site)
      sites.delete(visit.id)
      leases.release(visit.id)
      overdue.ended(visit.id)
      givingUp.delete(visit.id)
    }
  }
  const lookForStuck = async () => {
    const { tell, giveUp } = overdue.look(clock.elapsed())
    for (const id of [...tell, ...giveUp])
      journal.tell({ kind: 'visit-stuck', site: sites.get(id) ?? id, givenUp: giveUp.includes(id) })
    for (const id of tell) {
      overdue.told(id, clock.elapsed())
      leases.tell(id)
    }
    for (const id of giveUp) givingUp.get(id)?.()
  }
  const start = (visit: Visit, asked: Millis): void => {
    running++
    visitSite(visit, asked)
      .catch(fail)
      .finally(() => {
        running--
        bell.ring()
        // Nobody else has news that could go with it, and the site itself may be the only work there is: not a second is lost.
        if (running === 0 && !ending) reportSender.deliver().then(() => bell.ring(), fail)
      })
  }
  // A house that does not answer ends the worker, but not before its visits have ended.
  const checkOut = () =>
    frontier.checkOut(id, Math.min(slots - running, MAX_AT_ONCE)).catch((error: unknown) => {
      fail(error)
      return NOTHING_NOW
    })
  const background = [
    every(options.renewEvery, clock, over.signal, async () => {
      for (const visit of await leases.renew()) {
        overdue.told(visit, clock.elapsed())
        journal.tell({ kind: 'lease-lost', site: sites.get(visit) ?? visit })
      }
    }).catch(fail),
    every(PULSE_EVERY, clock, over.signal, async (lateMs) => {
      options.pulse?.({ visits: running, lateMs, slow: slowest(courtesies) })
    }),
    every(LOOK_EVERY, clock, over.signal, lookForStuck),
  ]

  while (!ending) {
    const bellBefore = bell.next()
    const asked = clock.elapsed()
    const { visits, next } = running < slots ? await checkOut() : NOTHING_NOW
    for (const visit of visits) start(visit, asked)
    if (visits.length > 0) journal.tell({ kind: 'checked-out', worker: id, sites: visits.length })
    else if (next === 'over' && running === 0) break
    else await clock.sleep(next === 'over' ? LONGEST_SLEEP : Math.min(next, LONGEST_SLEEP), bellBefore)
  }
  while (running > 0) await clock.sleep(LONGEST_SLEEP, bell.next())
  stop.removeEventListener('abort', end)
  // Everything the visits had to tell is durable before the worker says that it has ended.
  if (failure === undefined) await reportSender.deliver().catch(fail)
  reportSender.close()
  over.abort()
  await Promise.all(background)
  if (failure !== undefined) throw failure
  await archive.close()
}

/** A visit's tools; what fails of the disk or the coordinator ends the worker, whoever met it first. */
function siteTools(
  { id, frontier, tools }: WorkerOptions,
  reportSender: ReportSender,
  fail: (error: unknown) => void,
  own: Pick<SiteTools, 'failed' | 'visiting'>,
): SiteTools {
  const fatal = (error: unknown): never => {
    fail(error)
    throw error
  }
  return {
    ...tools,
    worker: id,
    ...own,
    archive: {
      keep(exchange, digest, copy) {
        try {
          return tools.archive.keep(exchange, digest, copy)
        } catch (error) {
          return fatal(error)
        }
      },
      copyOf: (digest) => tools.archive.copyOf(digest),
      synced: () => tools.archive.synced(),
      close: () => tools.archive.close(),
    },
    findCopy: (digest) => tools.findCopy(digest).catch(fatal),
    enter: (worker, visit, address) => frontier.enter(worker, visit, address).catch(fatal),
    durable: () => reportSender.deliver(),
  }
}

function slowest(courtesies: ReadonlyMap<string, SiteCourtesy>): SlowSite[] {
  const slow: SlowSite[] = []
  for (const [site, courtesy] of courtesies) {
    const why = courtesy.slow
    if (why !== undefined) slow.push({ site, why })
    if (slow.length >= MAX_SLOW) break
  }
  return slow
}

/** Again and again until `over`; tells how late the clock rang. */
async function every(
  ms: Millis,
  clock: SiteTools['clock'],
  over: AbortSignal,
  work: (lateMs: Millis) => Promise<void>,
): Promise<void> {
  while (!over.aborted) {
    const from = clock.elapsed()
    await clock.sleep(ms, over)
    if (!over.aborted) await work(Math.max(0, clock.elapsed() - from - ms))
  }
}
