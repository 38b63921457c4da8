/**
 * What is wrong with a crawl now, each with what to do: one pure function from facts to problems, so that the overview, the
 * metrics and the mail agree. `problem-watch.ts` gathers the facts and keeps the table.
 */
import type { Millis } from '../../base/clock.ts'
import { formatDuration, formatSize } from '../../base/units.ts'
import type { Totals } from '../../frontier/contract.ts'

/** A closed list: they are labels of a metric. */
export const PROBLEM_KINDS = [
  'stalled',
  'no-worker',
  'address-shared',
  'waiting-for-retry',
  'errors',
  'inbox',
  'corrupt-parts',
  'held',
  'worker-silent',
  'worker-slow',
  'worker-clock',
  'server-silent',
  'settings-differ',
  'disk',
  'late',
  'clock',
  'database',
  'restarted',
] as const
export type ProblemKind = (typeof PROBLEM_KINDS)[number]

/** Of one process and its machine, not of the whole crawl. */
const LOCAL_KINDS: ReadonlySet<ProblemKind> = new Set(['disk', 'late', 'clock', 'database', 'restarted'])
export const isLocal = ({ kind }: Pick<RunningProblem, 'kind'>): boolean => LOCAL_KINDS.has(kind)

export interface RunningProblem {
  kind: ProblemKind
  /** Where there may be several of a kind: a folder. */
  subject?: string
  /** For people: what is wrong, with what, and what to do. */
  what: string
}

/** What all servers of a crawl share. */
export interface CrawlFacts {
  sites: Totals['sites']
  /** URLs. */
  waiting: number
  /** An operator paused it. */
  isPaused: boolean
  /** Sites that any worker may take; others wait for the worker that holds their address. Counted up to 1. */
  unreserved: number
  /** The address at which most visits are under way, and the sites there. */
  address: { address: string; visits: number; sites: number } | undefined
  /** Until the first waiting site may be asked. */
  nextDueMs: Millis | undefined
  inbox: number
  corruptParts: number
  heldDomains: number
  recent: Recent
  /** Undefined: the crawl runs in one process. */
  cluster: ClusterFacts | undefined
}

/** What was counted in the last minutes. */
export interface Recent {
  overMs: Millis
  requests: number
  /** By kind. */
  failures: ReadonlyMap<string, number>
  /** Parts in the inbox at the beginning. */
  inboxThen: number
}

export interface ClusterFacts {
  workers: readonly WorkerFacts[]
  servers: readonly { url: string; silentMs: Millis }[]
  /** Settings in which servers differ. */
  differing: readonly string[]
}

export interface WorkerFacts {
  name: string
  state: string
  silentMs: Millis
  visits: number
  lateMs: Millis
  clockOffsetMs: Millis | null
}

/** What a process knows of itself and its machine. */
export interface LocalFacts {
  disks: readonly DiskFacts[]
  /** How late its event loop was at least, over the last minute. */
  lateMs: Millis
  /** Against the database's clock. */
  clockOffsetMs: Millis
  /** The database cannot be reached. */
  outage: { what: string; forMs: Millis } | undefined
  /** By the supervisor, in the last day. */
  restarts: { count: number; why: string; agoMs: Millis } | undefined
}

export interface DiskFacts {
  folder: string
  free: number
  total: number
  /** Bytes that the free space shrinks by. */
  perSecond: number
}

export interface Facts {
  /** Undefined: another server looks after the whole crawl, or the database cannot be read. */
  crawl: CrawlFacts | undefined
  local: LocalFacts
}

const MINUTE: Millis = 60_000
const HOUR: Millis = 60 * MINUTE
/** Without a request for so long, a crawl with waiting URLs stands still. The longest Crawl-delay that is obeyed is shorter. */
export const STALLED_AFTER: Millis = 10 * MINUTE
/** Workers may be started after their server. Less than what makes a problem over: a server that takes over must see it in time. */
const WORKERS_WITHIN: Millis = 20_000
/** Visits at one address: below, the sharing is no reason for anything. */
const MANY_AT_ADDRESS = 10
/** Of failed attempts. The dead names of a fresh list of domains stay below. */
const ERROR_SHARE = 0.5
const ERRORS_FROM = 100
/** Above this many parts that wait to be applied, no sites are handed out. */
export const INBOX_FULL = 2000
const INBOX_LARGE = 500
const HELD_MANY = 1000
/** Servers and workers report every ten seconds. */
export const SILENT_AFTER: Millis = MINUTE
/** Who was silent for longer is gone: `clean` forgets it. */
export const GONE_AFTER: Millis = 24 * HOUR
/** As `status` has it. */
const SLOW: Millis = 1000
const CLOCK_OFF: Millis = 2000
const DISK_SMALL = 2e9
const DISK_SHARE = 0.02
const DISK_HOURS = 24
const OUTAGE_AFTER: Millis = 5000
const RESTART_SHOWN: Millis = HOUR

export function problemsOf({ crawl, local }: Facts): RunningProblem[] {
  const ofCrawl = crawl === undefined ? [] : [idle(crawl), ...CRAWL_RULES.map((rule) => rule(crawl))]
  return [...ofCrawl, ...LOCAL_RULES.flatMap((rule) => rule(local))].filter((found) => found !== undefined)
}

type Found = RunningProblem | undefined

/** Why nothing, or little, is asked for though URLs wait: one reason, the most telling. */
function idle(crawl: CrawlFacts): Found {
  const { sites, waiting, isPaused, address, unreserved, nextDueMs = 0, recent, cluster } = crawl
  if (waiting === 0 || isPaused) return undefined
  const busy = sites.leased + sites.returning
  const isAnyAlive = cluster === undefined || cluster.workers.some((one) => isWorking(one))
  if (!isAnyAlive && recent.overMs >= WORKERS_WITHIN && sites.free + sites.waiting + busy > 0)
    return {
      kind: 'no-worker',
      what: `no worker is running though URLs wait (${waiting.toLocaleString('en')}): start one with orbweaver worker --server URL`,
    }
  const reserved = unreserved > 0 ? 0 : sites.free
  const isShared = address !== undefined && address.visits >= Math.max(MANY_AT_ADDRESS, busy / 2)
  if (unreserved === 0 && address !== undefined && (isShared || reserved >= MANY_AT_ADDRESS))
    return {
      kind: 'address-shared',
      what: `no site is free: ${count(address.sites, 'site')} share the address ${address.address}, where one request at a time is allowed; the crawl is as fast as that address permits, and seeds at other addresses would use the time`,
    }
  if (busy + sites.free === 0 && sites.waiting > 0 && nextDueMs >= STALLED_AFTER)
    return {
      kind: 'waiting-for-retry',
      what: `no site may be asked for another ${formatDuration(nextDueMs)}: every site with waiting URLs pauses or waits for a retry; orbweaver explain SITE tells why, and if many sites failed, check the network and the name servers`,
    }
  if (recent.overMs < STALLED_AFTER || recent.requests > 0 || sites.free + busy === 0) return undefined
  return {
    kind: 'stalled',
    what: `the crawl stands still: no request for ${formatDuration(recent.overMs)} though URLs wait (${waiting.toLocaleString('en')}); see orbweaver status, and start the workers again if they do not move`,
  }
}

const CRAWL_RULES: readonly ((crawl: CrawlFacts) => Found)[] = [
  function errors({ recent: { requests, failures, overMs } }) {
    const sum = [...failures.values()].reduce((all, some) => all + some, 0)
    if (sum < ERRORS_FROM || sum / (sum + requests) < ERROR_SHARE) return undefined
    const [kind, most] = [...failures].sort(([, a], [, b]) => b - a)[0]
    return {
      kind: 'errors',
      what: `${count(sum, 'failure')} beside ${count(requests, 'request')} in the last ${formatDuration(overMs)}, ${share(most / sum)} of them ${kind}: check the network and the name servers of the machines that fetch`,
    }
  },
  function fullInbox({ inbox, recent: { inboxThen, overMs } }) {
    if (inbox >= INBOX_FULL)
      return {
        kind: 'inbox',
        what: `${count(inbox, 'report part')} wait to be applied, so no site is handed out: the database is slower than the workers; look at its processor and disk, or run fewer workers`,
      }
    if (inbox < INBOX_LARGE || inbox < 2 * inboxThen) return undefined
    return {
      kind: 'inbox',
      what: `the inbox grows: ${count(inbox, 'report part')} wait to be applied, ${count(inboxThen, 'part')} did ${formatDuration(overMs)} ago; look at the processor and disk of the database, or run fewer workers`,
    }
  },
  function corrupt({ corruptParts }) {
    if (corruptParts === 0) return undefined
    return {
      kind: 'corrupt-parts',
      what: `${count(corruptParts, 'report part')} cannot be read and stay aside: orbweaver clean lists them; look for a worker of another version, and report it as a bug if there is none`,
    }
  },
  function held({ sites, heldDomains }) {
    if (sites.held < HELD_MANY) return undefined
    return {
      kind: 'held',
      what: `${count(sites.held, 'site')} in ${count(heldDomains, 'domain')} with wildcard DNS are held back, because no trusted site links to them; if they are real, --trust '*.DOMAIN=dns-wildcard' lets them in`,
    }
  },
  function silentWorkers({ cluster }) {
    const silent = (cluster?.workers ?? []).filter((one) => one.state === 'working' && one.silentMs >= SILENT_AFTER)
    if (silent.length === 0) return undefined
    const visits = silent.reduce((sum, one) => sum + one.visits, 0)
    return {
      kind: 'worker-silent',
      what: `${names(silent, 'worker')} silent for over ${formatDuration(Math.min(...silent.map((one) => one.silentMs)))}, with ${count(visits, 'site')}: they go to others when their leases expire; start the worker again, or free what it holds, but only if its process has ended: otherwise two workers may ask one site`,
    }
  },
  function slowWorkers({ cluster }) {
    const slow = (cluster?.workers ?? []).filter((one) => isWorking(one) && one.lateMs >= SLOW)
    if (slow.length === 0) return undefined
    return {
      kind: 'worker-slow',
      what: `${names(slow, 'worker')} late by ${formatDuration(Math.max(...slow.map((one) => one.lateMs)))}: the machine has too little time for its visits, and leases may be lost; give it fewer (--visits, --workers)`,
    }
  },
  function workerClocks({ cluster }) {
    const off = (cluster?.workers ?? []).filter(
      (one) => isWorking(one) && Math.abs(one.clockOffsetMs ?? 0) >= CLOCK_OFF,
    )
    if (off.length === 0) return undefined
    return {
      kind: 'worker-clock',
      what: `${names(off, 'worker')} off by ${formatDuration(Math.max(...off.map((one) => Math.abs(one.clockOffsetMs ?? 0))))} against the servers' clock: times of captures and pauses depend on it; set up time synchronisation (NTP) there`,
    }
  },
  function silentServers({ cluster }) {
    const silent = (cluster?.servers ?? []).filter(({ silentMs }) => silentMs >= SILENT_AFTER)
    if (silent.length === 0) return undefined
    return {
      kind: 'server-silent',
      what: `${names(
        silent.map(({ url }) => ({ name: url })),
        'server',
      )} silent for over ${formatDuration(Math.min(...silent.map((one) => one.silentMs)))} without having ended: workers use the others; start it again, or let orbweaver clean forget it`,
    }
  },
  function settings({ cluster }) {
    if (cluster === undefined || cluster.differing.length === 0) return undefined
    return {
      kind: 'settings-differ',
      what: `the servers differ in ${cluster.differing.join(', ')}, so the crawl depends on which of them a worker meets: start all of them with the same settings`,
    }
  },
]

const LOCAL_RULES: readonly ((local: LocalFacts) => Found[])[] = [
  ({ disks }) => disks.map(diskProblem),
  ({ lateMs }) => [
    lateMs < SLOW
      ? undefined
      : {
          kind: 'late',
          what: `the process has been late by ${formatDuration(lateMs)} or more for a minute: the machine has too little time for it, and leases may be lost; run fewer threads or visits (--workers, --visits), or give it a faster machine`,
        },
  ],
  ({ clockOffsetMs }) => [
    Math.abs(clockOffsetMs) < CLOCK_OFF
      ? undefined
      : {
          kind: 'clock',
          what: `the clock of this machine is off by ${formatDuration(Math.abs(clockOffsetMs))} against the database's, which counts: set up time synchronisation (NTP) on both`,
        },
  ],
  ({ outage }) => [
    outage === undefined || outage.forMs < OUTAGE_AFTER
      ? undefined
      : {
          kind: 'database',
          what: `the database cannot be reached for ${formatDuration(outage.forMs)} (${outage.what}): workers keep what they have; start it again, or check the way to it`,
        },
  ],
  ({ restarts }) => [
    restarts === undefined || restarts.agoMs >= RESTART_SHOWN
      ? undefined
      : {
          kind: 'restarted',
          what: `the process was restarted ${restarts.count === 1 ? 'once' : `${restarts.count} times`} in the last day, last ${formatDuration(restarts.agoMs)} ago because ${restarts.why}: see its output for the reason`,
        },
  ],
]

function diskProblem({ folder, free, total, perSecond }: DiskFacts): Found {
  const hours = perSecond > 0 ? free / perSecond / 3600 : Number.POSITIVE_INFINITY
  if (free >= Math.max(DISK_SMALL, DISK_SHARE * total) && hours >= DISK_HOURS) return undefined
  const pace = Number.isFinite(hours) ? `, enough for about ${formatDuration(Math.round(hours * 60) * MINUTE)}` : ''
  return {
    kind: 'disk',
    subject: folder,
    what: `the disk of ${folder} has ${formatSize(free)} of ${formatSize(total)} left${pace}: make room, or name another folder for volumes (--volumes dir:/PATH)`,
  }
}

const isWorking = ({ state, silentMs }: WorkerFacts) => state === 'working' && silentMs < SILENT_AFTER

const share = (part: number) => `${Math.round(100 * part)} %`

function count(n: number, what: string): string {
  return `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`
}

/** In a sentence; more are counted. */
const MAX_NAMED = 5

/** `the worker a is`, `the workers a, b and 3 more are`. */
function names(all: readonly { name: string }[], what: string): string {
  const named = all.slice(0, MAX_NAMED).map(({ name }) => name)
  const more = all.length - named.length
  const list = more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
  return all.length === 1 ? `the ${what} ${list} is` : `the ${what}s ${list} are`
}
