/**
 * What is wrong with a crawl now, each with what to do: one pure function from facts to problems, so that the overview, the
 * metrics and the mail agree. `problem-watch.ts` gathers the facts and keeps the table.
 */
import type { Millis } from '../../base/clock.ts'
import { formatDuration, formatSize } from '../../base/units.ts'
import type { Totals } from '../../frontier/contract.ts'
import type { WorkerRow } from '../server/worker-table.ts'

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

type WorkerFacts = Pick<WorkerRow, 'name' | 'state' | 'visits' | 'lateMs' | 'clockOffsetMs'> & { silentMs: Millis }

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
/**
 * A crawl with waiting URLs that makes no request for this long stands still. The longest Crawl-delay that is obeyed is
 * shorter.
 */
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
/** Those silent for longer are gone: `clean` removes them. */
export const GONE_AFTER: Millis = 24 * HOUR
/** An event loop that is this late is slow. */
export const SLOW: Millis = 1000
const CLOCK_OFF: Millis = 2000
const DISK_SMALL = 2e9
const DISK_SHARE = 0.02
const DISK_HOURS = 24
const OUTAGE_AFTER: Millis = 5000
const RESTART_SHOWN: Millis = HOUR

/** For people: what is wrong, with what, and what to do; undefined: nothing is. */
type Rule<Of> = (facts: Of) => string | undefined

/** Why few or no requests are made though URLs wait: the first reason that holds says most. */
const IDLE_RULES = {
  'no-worker'({ sites, waiting, recent, cluster }) {
    if (cluster === undefined || cluster.workers.some(isWorking) || recent.overMs < WORKERS_WITHIN) return undefined
    if (sites.free + sites.waiting + sites.leased + sites.returning === 0) return undefined
    return `no worker is running though URLs wait (${waiting.toLocaleString('en')}): start one with orbweaver worker --server URL`
  },
  'address-shared'({ sites, address, unreserved }) {
    if (unreserved > 0 || address === undefined) return undefined
    const isShared = address.visits >= Math.max(MANY_AT_ADDRESS, (sites.leased + sites.returning) / 2)
    if (!isShared && sites.free < MANY_AT_ADDRESS) return undefined
    return `no site is free: ${count(address.sites, 'site')} share the address ${address.address}, where one request at a time is allowed; the crawl is as fast as that address permits, and seeds at other addresses would use the time`
  },
  'waiting-for-retry'({ sites, nextDueMs = 0 }) {
    if (sites.leased + sites.returning + sites.free > 0 || sites.waiting === 0 || nextDueMs < STALLED_AFTER)
      return undefined
    return `no site may be asked for another ${formatDuration(nextDueMs)}: every site with waiting URLs pauses or waits for a retry; orbweaver explain SITE tells why, and if many sites failed, check the network and the name servers`
  },
  stalled({ sites, waiting, recent: { overMs, requests } }) {
    if (overMs < STALLED_AFTER || requests > 0 || sites.free + sites.leased + sites.returning === 0) return undefined
    return `the crawl stands still: no request for ${formatDuration(overMs)} though URLs wait (${waiting.toLocaleString('en')}); see orbweaver status, and start the workers again if they do not move`
  },
} satisfies Record<string, Rule<CrawlFacts>>

const CRAWL_RULES = {
  errors({ recent: { requests, failures, overMs } }) {
    const sum = [...failures.values()].reduce((all, some) => all + some, 0)
    if (sum < ERRORS_FROM || sum / (sum + requests) < ERROR_SHARE) return undefined
    const [kind, most] = [...failures].sort(([, a], [, b]) => b - a)[0]
    return `${count(sum, 'failure')} beside ${count(requests, 'request')} in the last ${formatDuration(overMs)}, ${share(most / sum)} of them ${kind}: check the network and the name servers of the machines that fetch`
  },
  inbox({ inbox, recent: { inboxThen, overMs } }) {
    if (inbox >= INBOX_FULL)
      return `${count(inbox, 'report part')} wait to be applied, so no site is handed out: the database is slower than the workers; look at its processor and disk, or run fewer workers`
    if (inbox < INBOX_LARGE || inbox < 2 * inboxThen) return undefined
    return `the inbox grows: ${count(inbox, 'report part')} wait to be applied, ${count(inboxThen, 'part')} did ${formatDuration(overMs)} ago; look at the processor and disk of the database, or run fewer workers`
  },
  'corrupt-parts': ({ corruptParts }) =>
    corruptParts === 0
      ? undefined
      : `${count(corruptParts, 'report part')} cannot be read and stay aside: orbweaver clean lists them; look for a worker of another version, and report it as a bug if there is none`,
  held: ({ sites, heldDomains }) =>
    sites.held < HELD_MANY
      ? undefined
      : `${count(sites.held, 'site')} in ${count(heldDomains, 'domain')} with wildcard DNS are held back, because no trusted site links to them; if they are real, --trust '*.DOMAIN=dns-wildcard' lets them in`,
} satisfies Record<string, Rule<CrawlFacts>>

/** Of a crawl on several machines. */
const CLUSTER_RULES = {
  'worker-silent'({ workers }) {
    const silent = workers.filter((one) => one.state === 'working' && one.silentMs >= SILENT_AFTER)
    if (silent.length === 0) return undefined
    const visits = silent.reduce((sum, one) => sum + one.visits, 0)
    return `${names(silent, 'worker')} silent for over ${shortest(silent)}, with ${count(visits, 'site')}: they go to others when their leases expire; start the worker again, or free what it holds, but only if its process has ended: otherwise two workers may ask one site`
  },
  'worker-slow'({ workers }) {
    const slow = workers.filter((one) => isWorking(one) && one.lateMs >= SLOW)
    if (slow.length === 0) return undefined
    return `${names(slow, 'worker')} late by ${formatDuration(Math.max(...slow.map((one) => one.lateMs)))}: the machine has too little time for its visits, and leases may be lost; give it fewer (--visits, --workers)`
  },
  'worker-clock'({ workers }) {
    const off = workers.filter((one) => isWorking(one) && Math.abs(one.clockOffsetMs ?? 0) >= CLOCK_OFF)
    if (off.length === 0) return undefined
    return `${names(off, 'worker')} off by ${formatDuration(Math.max(...off.map((one) => Math.abs(one.clockOffsetMs ?? 0))))} against the servers' clock: times of captures and pauses depend on it; set up time synchronisation (NTP) there`
  },
  'server-silent'({ servers }) {
    const silent = servers.filter(({ silentMs }) => silentMs >= SILENT_AFTER)
    if (silent.length === 0) return undefined
    const named = silent.map(({ url }) => ({ name: url }))
    return `${names(named, 'server')} silent for over ${shortest(silent)} without having ended: workers use the others; start it again, or let orbweaver clean forget it`
  },
  'settings-differ': ({ differing }) =>
    differing.length === 0
      ? undefined
      : `the servers differ in ${differing.join(', ')}, so the crawl depends on which of them a worker meets: start all of them with the same settings`,
} satisfies Record<string, Rule<ClusterFacts>>

/** Of one process and its machine, not of the whole crawl. */
const LOCAL_RULES = {
  late: ({ lateMs }) =>
    lateMs < SLOW
      ? undefined
      : `the process has been late by ${formatDuration(lateMs)} or more for a minute: the machine has too little time for it, and leases may be lost; run fewer threads or visits (--workers, --visits), or give it a faster machine`,
  clock: ({ clockOffsetMs }) =>
    Math.abs(clockOffsetMs) < CLOCK_OFF
      ? undefined
      : `the clock of this machine is off by ${formatDuration(Math.abs(clockOffsetMs))} against the database's, which counts: set up time synchronisation (NTP) on both`,
  database: ({ outage }) =>
    outage === undefined || outage.forMs < OUTAGE_AFTER
      ? undefined
      : `the database cannot be reached for ${formatDuration(outage.forMs)} (${outage.what}): workers keep what they have; start it again, or check the way to it`,
  restarted: ({ restarts }) =>
    restarts === undefined || restarts.agoMs >= RESTART_SHOWN
      ? undefined
      : `the process was restarted ${restarts.count === 1 ? 'once' : `${restarts.count} times`} in the last day, last ${formatDuration(restarts.agoMs)} ago because ${restarts.why}: see its output for the reason`,
} satisfies Record<string, Rule<LocalFacts>>

/** One problem for each folder. */
function diskProblems({ disks }: LocalFacts): RunningProblem[] {
  return disks.flatMap(({ folder, free, total, perSecond }) => {
    const hours = perSecond > 0 ? free / perSecond / 3600 : Number.POSITIVE_INFINITY
    if (free >= Math.max(DISK_SMALL, DISK_SHARE * total) && hours >= DISK_HOURS) return []
    const pace = Number.isFinite(hours) ? `, enough for about ${formatDuration(Math.round(hours * 60) * MINUTE)}` : ''
    const what = `the disk of ${folder} has ${formatSize(free)} of ${formatSize(total)} left${pace}: make room, or name another folder for volumes (--volumes dir:/PATH)`
    return [{ kind: 'disk', subject: folder, what }]
  })
}

const RULES = { ...IDLE_RULES, ...CRAWL_RULES, ...CLUSTER_RULES, ...LOCAL_RULES }
export type ProblemKind = keyof typeof RULES | 'disk'
/** A closed list: they are labels of a metric. */
export const PROBLEM_KINDS = [...Object.keys(RULES), 'disk'] as ProblemKind[]

export const isLocal = ({ kind }: Pick<RunningProblem, 'kind'>): boolean => kind === 'disk' || kind in LOCAL_RULES

export function problemsOf({ crawl, local }: Facts): RunningProblem[] {
  const isIdle = crawl !== undefined && crawl.waiting > 0 && !crawl.isPaused
  return [
    ...(isIdle ? found(IDLE_RULES, crawl).slice(0, 1) : []),
    ...(crawl === undefined ? [] : found(CRAWL_RULES, crawl)),
    ...(crawl?.cluster === undefined ? [] : found(CLUSTER_RULES, crawl.cluster)),
    ...diskProblems(local),
    ...found(LOCAL_RULES, local),
  ]
}

function found<Of>(rules: Readonly<Record<string, Rule<Of>>>, facts: Of): RunningProblem[] {
  return Object.entries(rules).flatMap(([kind, rule]) => {
    const what = rule(facts)
    return what === undefined ? [] : [{ kind: kind as ProblemKind, what }]
  })
}

const shortest = (silent: readonly { silentMs: Millis }[]) =>
  formatDuration(Math.min(...silent.map(({ silentMs }) => silentMs)))

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
