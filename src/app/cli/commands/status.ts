import { pick } from '../../../base/pick.ts'
import { formatDuration, formatSize } from '../../../base/units.ts'
import type { Freshness } from '../../../cluster/maintenance/measure-freshness.ts'
import { grouped } from '../../../report/text-table.ts'
import type { Settings } from '../../config/keys.ts'
import type { CollectionStatus } from '../../reader/status.ts'
import { type Command, crawlSettings, withReader } from '../command.ts'
import { freshnessJson, freshnessLines, lookLines } from '../freshness-text.ts'
import type { CollectionReader } from '../services.ts'
import { ago, collectionFlag, decidedText, isoTime, jsonOf, plain, some, timeText } from '../text.ts'

export const status: Command = {
  name: 'status',
  usage: '',
  what: 'show the state of a collection: URLs known, collected and waiting, and the trend',
  more: 'Shows how much of what is known has been collected, and whether the queue grows or shrinks. For a collection that is refreshed, it shows how fresh it is expected to be now, the most that is possible at these pauses, and what more requests or shorter pauses would bring. It works while a crawl is running.',
  examples: {
    'orbweaver status': 'The state of ./collection.',
    'orbweaver status -c news --json': 'As JSON, for a script.',
  },
  async run(call) {
    const { settings, clock } = call
    const { status, freshness, problems } = await withReader(call, async (reader) => {
      const status = await reader.standing()
      const problems = status.state === 'running' ? await reader.problems() : []
      if (status.urls.refreshing === 0) return { status, problems, freshness: undefined }
      return { status, problems, freshness: await reader.freshness(await crawlSettings(reader, call, 'status')) }
    })
    return {
      json: { ...statusJson(status, freshness, settings.collection), problems: problems.map(problemJson) },
      text: [statusText(status, settings, clock.now(), freshness), ...problems.map(problemLine)].join('\n'),
    }
  },
}

type RunningProblem = Awaited<ReturnType<CollectionReader['problems']>>[number]

/** They may name workers and servers. */
const problemLine = ({ what, since }: RunningProblem): string =>
  `  wrong       ${plain(what)} (since ${timeText(since)} UTC)`

const problemJson = ({ name, what, since }: RunningProblem) => ({ name, what, since: isoTime(since) })

/** Changes per hour over the time that the trend covers; undefined when it covers none. */
export function trendPerHour({ trend }: CollectionStatus) {
  const then = trend[0]
  const last = trend.at(-1)
  const hours = then === undefined || last === undefined ? 0 : (last.at - then.at) / 3_600_000
  if (then === undefined || last === undefined || hours <= 0) return undefined
  const per = (key: 'known' | 'collected' | 'waiting') => (last[key] - then[key]) / hours
  return { known: per('known'), collected: per('collected'), waiting: per('waiting') }
}

const STATE: Readonly<Record<CollectionStatus['state'], string>> = {
  running: 'a crawl is running',
  complete: 'complete, the queue is empty',
  unfinished: 'unfinished',
}

function stateText({ state, isRefresh, urls }: CollectionStatus): string {
  if (state === 'running' && isRefresh) return 'a refresh is running'
  if (state === 'complete' && urls.known === 0)
    return "empty; give it seeds: 'orbweaver crawl URL' or 'orbweaver seed URL'"
  return STATE[state]
}

export function statusText(
  status: CollectionStatus,
  { collection, database }: Pick<Settings, 'collection' | 'database'>,
  now: number,
  freshness?: Freshness,
): string {
  const { urls, sites, documents, begunAt, lastAt } = status
  const known = Object.values(sites).reduce((sum, count) => sum + count, 0)
  const lines = [
    `${database === undefined ? collection : 'the shared database'}: ${stateText(status)}`,
    `  started     ${begunAt === undefined ? '-' : `${timeText(begunAt)} UTC`}, last page ${lastAt === undefined ? '-' : ago(lastAt, now)}`,
    `  URLs        ${grouped(urls.known)} known : ${grouped(documents)} collected (${Math.round((100 * documents) / Math.max(1, urls.known))}%) : ${grouped(urls.waiting)} waiting`,
    `  others      ${some(Math.max(0, urls.done - documents), 'URL')} redirected, missing or refused`,
    `  documents   ${grouped(documents)} (${formatSize(status.bytes)})`,
    `  sites       ${grouped(known)} known : ${grouped(sites.crawled)} crawled : ${grouped(sites.waiting)} waiting, ${grouped(sites.free)} free, ${grouped(sites.leased + sites.returning)} busy, ${grouped(sites.barred)} given up`,
  ]
  lines.push(...steeringLines(status, now))
  if (sites.held > 0)
    lines.push(
      `  held back   ${some(sites.held, 'site')} without a trusted link, in ${some(status.heldDomains, 'domain')} with wildcard DNS`,
    )
  if (freshness !== undefined) lines.push(...freshnessLines(freshness))
  if (status.looks.performed > 0) lines.push(...lookLines(status.looks))
  if (status.state !== 'complete') lines.push(...trendLines(status))
  const why = whyIdle(status)
  if (why !== undefined) lines.push(`  idle        ${why}`)
  if (status.cluster !== undefined) lines.push(...clusterLines(status.cluster, status.inbox))
  if (status.state === 'unfinished' && status.cluster === undefined) {
    const { nextDueMs = 0 } = status
    const due = nextDueMs <= 0 ? '' : ` (next request possible in ${formatDuration(nextDueMs)})`
    const where = database === undefined ? '' : ' --database @FILE'
    lines.push(`  resume      orbweaver crawl${collectionFlag(collection)}${where}${due}`)
  }
  return lines.join('\n')
}

/** Lines about the decisions of operators. */
function steeringLines({ paused, stopped }: CollectionStatus, now: number): string[] {
  const lines = paused === undefined ? [] : [`  paused      ${decidedText(paused, now)}; 'orbweaver resume' ends that`]
  if (stopped.paused + stopped.barred > 0)
    lines.push(
      `  operators   ${some(stopped.paused, 'site')} paused, ${grouped(stopped.barred)} barred; explain SITE has the reason`,
    )
  return lines
}

function trendLines(status: CollectionStatus): string[] {
  const trend = trendPerHour(status)
  if (trend === undefined) return []
  const signed = (n: number) => `${n > 0 ? '+' : ''}${grouped(Math.round(n))}`
  const turn = trend.waiting > 0 ? 'grows' : trend.waiting < 0 ? 'shrinks' : 'does not change'
  return [
    `  trend       known ${signed(trend.known)}/h, dealt with ${signed(trend.collected)}/h, waiting ${signed(trend.waiting)}/h`,
    `              the queue ${turn}`,
  ]
}

function statusJson(status: CollectionStatus, freshness: Freshness | undefined, folder: string): object {
  return {
    collection: folder,
    state: status.state,
    running: status.state !== 'running' ? null : status.isRefresh ? 'refresh' : 'crawl',
    begunAt: isoTime(status.begunAt),
    lastAt: isoTime(status.lastAt),
    ...pick(status, 'documents', 'bytes', 'urls', 'sites', 'heldDomains'),
    looks: status.looks,
    freshness: freshnessJson(freshness),
    trendPerHour: trendPerHour(status) ?? null,
    nextDueMs: status.nextDueMs ?? null,
    inbox: status.inbox,
    waitsFor: whyIdle(status) ?? null,
    paused: jsonOf(status.paused && pick(status.paused, 'who', 'at', 'reason')),
    stoppedSites: status.stopped,
    cluster: status.cluster ?? null,
  }
}

type ClusterStatus = NonNullable<CollectionStatus['cluster']>

/** Workers listed; `--json` has all. */
const MAX_LINES = 20

export function clusterLines({ servers, differing, workers, rechecks }: ClusterStatus, inbox: number): string[] {
  const alive = workers.filter(({ state }) => state === 'alive' || state === 'slow')
  const silent = workers.filter(({ state }) => state === 'silent')
  const rate = alive.reduce((sum, { pagesPerSecond }) => sum + pagesPerSecond, 0)
  const lines = [
    `  servers     ${grouped(servers.filter((one) => one.alive).length)} of ${grouped(servers.length)} alive; ${some(inbox, 'report part')} to apply`,
    ...(differing.length === 0
      ? []
      : [
          `    their settings differ in ${plain(differing.join(', '))}, so the crawl depends on which server a worker uses; start all of them with the same settings`,
        ]),
    `  workers     ${grouped(alive.length)} alive, ${rate.toFixed(1)} pages/s${silent.length > 0 ? `; ${grouped(silent.length)} silent, whose sites go to others when their leases expire` : ''}`,
  ]
  for (const one of workers.slice(0, MAX_LINES)) {
    const { name, id, region, version, state, visits, pagesPerSecond, seenMs } = one
    const where = region === null ? '' : `, ${plain(region)}`
    lines.push(
      `    ${plain(name).padEnd(20)} ${id.slice(0, 8)}  ${state.padEnd(6)}  ${some(visits, 'site')}, ${pagesPerSecond.toFixed(1)}/s, seen ${formatDuration(Math.round(seenMs / 1000) * 1000)} ago (${plain(version)}${where})`,
    )
  }
  if (workers.length > MAX_LINES) lines.push(`    … and ${grouped(workers.length - MAX_LINES)} more (--json lists all)`)
  return rechecks === null ? lines : [...lines, ...recheckLines(rechecks)]
}

/** Totals, and the workers whose captures differ from what another worker received. */
function recheckLines(rechecks: NonNullable<ClusterStatus['rechecks']>): string[] {
  const { checked, equal, similar, different, unused, open, byWorker } = rechecks
  const lines = [
    `  rechecks    ${some(checked, 'capture')} fetched again by another worker: ${grouped(equal)} equal, ${grouped(similar)} similar, ${grouped(different)} different; ${unused > 0 ? `${grouped(unused)} dropped, as no other worker was available; ` : ''}${grouped(open)} to come`,
  ]
  for (const one of byWorker.filter((worker) => worker.different > 0).slice(0, MAX_LINES))
    lines.push(
      `    ${plain(one.name ?? '-').padEnd(20)} ${plain(one.worker).slice(0, 8)}  ${grouped(one.different)} of ${grouped(one.checked)} different`,
    )
  return lines
}

/** Why a running crawl sends no requests though URLs wait; undefined when it does. */
export function whyIdle(status: CollectionStatus): string | undefined {
  const { urls, sites, nextDueMs = 0, cluster, state, inbox, paused } = status
  if (urls.waiting === 0 || state !== 'running') return undefined
  if (paused !== undefined) return 'the crawl is paused'
  if (sites.free > 0) {
    const isAnyAlive = cluster?.workers.some((one) => one.state === 'alive' || one.state === 'slow') ?? true
    return isAnyAlive ? undefined : 'sites are ready, but no worker is running'
  }
  if (sites.leased > 0) return undefined
  if (sites.returning > 0 || inbox > 0) return 'reports are being applied'
  if (sites.waiting > 0) {
    const next = nextDueMs <= 0 ? '' : `; next request possible in ${formatDuration(nextDueMs)}`
    return `every site with waiting URLs is pausing or waiting for a retry${next}`
  }
  return 'the waiting URLs belong to sites that are held back or given up'
}
