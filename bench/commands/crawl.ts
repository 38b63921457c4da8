/** `bench crawl`: whole crawls of a served web, with the ceiling program and a rival in the same run. */
import { grouped } from '../../src/report/text-table.ts'
import { benchmark, type Outcome } from '../command.ts'
import { BAND, ceiling } from '../crawlers/ceiling.ts'
import { type Crawler, type CrawlerFigures, chosen, figuresOf, type Run, runInTurn } from '../crawlers/crawler.ts'
import { orbweaver } from '../crawlers/orbweaver.ts'
import { wgetVersion, wget as wgetWith } from '../crawlers/wget.ts'

const VIEWERS = 10
const FLAGS = {
  sites: { default: 200, what: 'sites of the served web' },
  pages: { default: 50, what: 'pages of each' },
  runs: { default: 3, what: 'runs of each kind; medians are printed' },
  workers: { default: 0, what: 'worker threads, or processes of a rival; 0: as each would itself' },
  dashboards: { default: false, what: `with ${VIEWERS} open dashboards too` },
  only: { default: '', what: 'kinds to run: ceiling-identity, identity-written, gzip-none, wget …; with commas' },
  tls: { default: false, what: 'the same web over https too: tls-kept, tls-cold, tls-resumed' },
  resolver: { default: false, what: 'with names from a resolver on loopback too (needs ports 80 and 8080): resolver' },
  profile: { default: '', what: 'a folder for CPU profiles of the last run of each kind' },
} as const

const wget = wgetWith('identity')
const SECURE: readonly Crawler[] = (['kept', 'cold', 'resumed'] as const).map((secure) =>
  orbweaver('identity', 'written', { name: `tls-${secure}`, secure }),
)
const BY_NAME = orbweaver('identity', 'written', { name: 'resolver', byName: true })

const SEEN = orbweaver('identity', 'written', { name: 'dashboards', viewers: VIEWERS })

const CRAWLERS: readonly Crawler[] = [
  ceiling('identity'),
  ceiling('gzip'),
  orbweaver('identity', 'written'),
  orbweaver('gzip', 'written'),
  orbweaver('identity', 'dropped'),
  orbweaver('gzip', 'dropped'),
  orbweaver('identity', 'none'),
  orbweaver('gzip', 'none'),
  wget,
  ...SECURE,
  BY_NAME,
  SEEN,
]

export const crawl = benchmark({
  name: 'crawl',
  what: 'CPU for 1,000 pages, pages per second and peak memory of whole crawls, beside the ceiling program and wget',
  flags: FLAGS,
  async run({ sites, pages, runs, workers, dashboards, only, tls, resolver, profile }, tools): Promise<Outcome> {
    const version = wgetVersion()
    const isUsual = (one: Crawler) =>
      (tls || !SECURE.includes(one)) && (resolver || one !== BY_NAME) && (dashboards || one !== SEEN)
    const named = only === '' ? CRAWLERS.filter(isUsual) : chosen(only, CRAWLERS)
    const crawlers = named.filter((one) => one !== wget || version !== undefined)
    const size = { sites, pages, runs, workers, profile }
    const missing = new Map<Crawler, string>()
    const done = await runInTurn(crawlers, size, tools, (crawler, why) => {
      // Only this one depends on what the machine allows; all else that fails is wrong.
      if (crawler !== BY_NAME) throw new Error(`${crawler.name}: ${why}`)
      missing.set(crawler, why)
    })
    const ran = crawlers.filter((crawler) => !missing.has(crawler))
    const outcome = report(ran, done, version, `${grouped(sites)} sites × ${grouped(pages)} pages, medians of ${runs}`)
    return { ...outcome, notes: [...outcome.notes, ...[...missing].map(([{ name }, why]) => `No ${name}: ${why}`)] }
  },
})

/** The least program with 15 KB pages: the same figure whatever the size, so it says what kind of machine this is. */
export function bandNote(cpuSecondsPer1000: number): string {
  const inBand = cpuSecondsPer1000 >= BAND.min && cpuSecondsPer1000 <= BAND.max
  const place = inBand ? 'within' : cpuSecondsPer1000 < BAND.min ? 'under' : 'over'
  return `The ceiling program takes ${cpuSecondsPer1000.toFixed(3)} CPU s per 1,000 pages with gzip 1: ${place} its band of ${BAND.min}–${BAND.max}${inBand ? '' : '; its shares are those of another kind of machine'}.`
}

/** What the server saw of handshakes and of names. */
function wayNote({ name, pages, handshakes, resumed, names }: CrawlerFigures, { secure, byName }: Crawler): string[] {
  if (byName === true) return [`${name}: ${grouped(names)} names asked for, of a resolver on loopback.`]
  if (secure === undefined) return []
  const how = {
    kept: 'the server keeps connections open',
    cold: 'the server closes after every answer and gives out no tickets',
    resumed: 'the server closes after every answer and gives out tickets',
  }
  const whole = grouped(handshakes - resumed)
  return [
    `${name}: ${how[secure]}: ${whole} whole handshakes and ${grouped(resumed)} resumed ones for ${grouped(pages)} pages.`,
  ]
}

function report(
  crawlers: readonly Crawler[],
  done: ReadonlyMap<string, Run[]>,
  wgetIs: string | undefined,
  size: string,
): Outcome {
  const figures = crawlers.map(({ name }) => figuresOf(name, done.get(name) ?? []))
  const cpuOf = (name: string) => figures.find((one) => one.name === name)?.cpuSecondsPer1000
  const times = (of: number | undefined, cpu: number) => (of === undefined ? '-' : `${(of / cpu).toFixed(2)} ×`)
  const share = ({ cpuSecondsPer1000 }: CrawlerFigures, coding: string) => {
    const min = cpuOf(`ceiling-${coding}`)
    return min === undefined ? '-' : `${Math.round((min / cpuSecondsPer1000) * 100)} %`
  }
  const rows = figures.map((one, at) => [
    ...crawlers[at].cells,
    one.cpuSecondsPer1000.toFixed(3),
    share(one, crawlers[at].coding),
    times(cpuOf(wget.name), one.cpuSecondsPer1000),
    grouped(Math.round(one.pagesPerSecond)),
    one.peakBytes === null ? '-' : `${Math.round(one.peakBytes / 1e6)} MB`,
    one.serverCpuSecondsPer1000.toFixed(3),
  ])
  const header = [
    'crawler',
    'answers',
    'stores',
    'CPU s per 1,000 pages',
    'of the ceiling',
    'wget’s CPU : its',
    'pages/s',
    'peak memory',
    'server’s CPU s',
  ]
  const min = cpuOf('ceiling-identity')
  return {
    tables: [{ title: `Whole crawls: ${size}`, header, rows }],
    notes: [
      'Start and end of the program are in all figures. Volumes dropped: compressed, and thrown away; none: not even made.',
      ...(min === undefined ? [] : [bandNote(min)]),
      ...figures.flatMap((one, at) => wayNote(one, crawlers[at])),
      wgetIs === undefined
        ? 'No wget here, so there is no rival in this run.'
        : `${wgetIs}: stores WARC; its queue is in memory and ends with it; no catalogue, no links. Its memory is the sum of its processes.`,
    ],
    figures: { crawlers: figures, wget: wgetIs ?? null },
  }
}
