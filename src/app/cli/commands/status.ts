import { EXIT } from '../../../base/errors.ts'
import { formatDuration, formatSize } from '../../../base/units.ts'
import { grouped } from '../../../report/text-table.ts'
import type { Settings } from '../../config/keys.ts'
import { clusterLines, whyNobodyIsAsked } from '../cluster-words.ts'
import type { Standing } from '../collection-reader.ts'
import type { Command } from '../command.ts'
import { withReader } from '../with-reader.ts'
import { ago, collectionFlag, isoTime, timeText } from '../words.ts'

export const status: Command = {
  name: 'status',
  usage: '',
  what: 'where a collection stands: known, collected, waiting, and the trend',
  more: 'Shows how much of what is known has been collected, and whether the queue grows or shrinks. It may be asked while a crawl runs.',
  examples: [
    { line: 'orbweaver status', does: 'Of ./collection.' },
    { line: 'orbweaver status -c news --json', does: 'As JSON, for a script.' },
  ],
  words: { min: 0, max: 0 },
  async run(call) {
    const { settings, screen, clock } = call
    const standing = await withReader(call, (reader) => reader.standing())
    if (settings.json) screen.print(JSON.stringify(statusJson(standing, settings.collection), undefined, 2))
    else screen.print(statusText(standing, settings, clock.now()))
    return EXIT.done
  },
}

/** Changes an hour, over the span that the trend covers; undefined when it covers none. */
export function trendPerHour(standing: Standing): { known: number; collected: number; waiting: number } | undefined {
  const then = standing.trend[0]
  const last = standing.trend.at(-1)
  const hours = then === undefined || last === undefined ? 0 : (last.at - then.at) / 3_600_000
  if (then === undefined || last === undefined || hours <= 0) return undefined
  const per = (key: 'known' | 'collected' | 'waiting') => (last[key] - then[key]) / hours
  return { known: per('known'), collected: per('collected'), waiting: per('waiting') }
}

type Which = Pick<Settings, 'collection' | 'database'>

export function statusText(standing: Standing, { collection, database }: Which, now: number): string {
  const { urls, sites } = standing
  const trend = trendPerHour(standing)
  const known = sites.waiting + sites.free + sites.leased + sites.returning + sites.crawled + sites.barred + sites.held
  const lines = [
    `${database === undefined ? collection : 'the shared database'}: ${STATE[standing.state]}`,
    `  begun       ${standing.begunAt === undefined ? '-' : `${timeText(standing.begunAt)} UTC`}, last page ${standing.lastAt === undefined ? '-' : ago(standing.lastAt, now)}`,
    `  URLs        ${grouped(urls.known)} known : ${grouped(standing.documents)} collected (${Math.round((100 * standing.documents) / Math.max(1, urls.known))}%) : ${grouped(urls.waiting)} waiting`,
    `  others      ${grouped(Math.max(0, urls.done - standing.documents))} URLs redirected, missing or refused`,
    `  documents   ${grouped(standing.documents)} (${formatSize(standing.bytes)})`,
    `  sites       ${grouped(known)} known : ${grouped(sites.crawled)} crawled : ${grouped(sites.waiting + sites.free)} waiting, ${grouped(sites.leased + sites.returning)} busy, ${grouped(sites.barred)} given up`,
  ]
  if (sites.held > 0) {
    const domains = standing.heldDomains
    lines.push(
      `  held        ${grouped(sites.held)} ${sites.held === 1 ? 'site' : 'sites'} that nobody vouches for: ${grouped(domains)} ${domains === 1 ? 'domain' : 'domains'} with wildcards`,
    )
  }
  // Of a queue that is empty for good there is nothing to foresee.
  if (trend !== undefined && standing.state !== 'complete') {
    const signed = (n: number) => `${n > 0 ? '+' : ''}${grouped(Math.round(n))}`
    const turn =
      trend.waiting > 0 ? 'the queue grows' : trend.waiting < 0 ? 'the queue shrinks' : 'the queue stands still'
    lines.push(
      `  trend       known ${signed(trend.known)}/h, collected ${signed(trend.collected)}/h, waiting ${signed(trend.waiting)}/h`,
      `              ${turn}`,
    )
  }
  const why = whyNobodyIsAsked(standing)
  if (why !== undefined) lines.push(`  waits       ${why}`)
  if (standing.cluster !== undefined) lines.push(...clusterLines(standing.cluster, standing.inbox))
  if (standing.state === 'unfinished' && standing.cluster === undefined) {
    const due =
      standing.nextDueMs === undefined || standing.nextDueMs <= 0
        ? ''
        : ` (the next site may be asked in ${formatDuration(standing.nextDueMs)})`
    const where = database === undefined ? '' : ' --database @FILE'
    lines.push(`  go on with  orbweaver crawl${collectionFlag(collection)}${where}${due}`)
  }
  return lines.join('\n')
}

const STATE: Readonly<Record<Standing['state'], string>> = {
  running: 'a crawl is running',
  complete: 'complete, nothing waits',
  unfinished: 'unfinished',
}

function statusJson(standing: Standing, folder: string): object {
  return {
    collection: folder,
    state: standing.state,
    begunAt: isoTime(standing.begunAt),
    lastAt: isoTime(standing.lastAt),
    documents: standing.documents,
    bytes: standing.bytes,
    urls: standing.urls,
    sites: standing.sites,
    heldDomains: standing.heldDomains,
    trendPerHour: trendPerHour(standing) ?? null,
    nextDueMs: standing.nextDueMs ?? null,
    inbox: standing.inbox,
    waitsFor: whyNobodyIsAsked(standing) ?? null,
    cluster: standing.cluster ?? null,
  }
}
