/** `bench hazards --only software`: honest pages collected beside traps as software makes them, and requests for anything else. */
import { grouped, type TextTable } from '../../../src/report/text-table.ts'
import { crawlHost, isKept } from '../real-crawl.ts'
import { type Said, saidText } from '../static-web.ts'
import { HELD_BACK } from './held-back.ts'
import { confluence, dokuwiki, lxr, piwigo, wicket } from './held-sections.ts'
import { bookings, carried, choices, domino, magento, phpbb } from './parameters.ts'
import { acquisition, cookieCheck, fluentText, hugeRobots, searches, sitemapIndexes, trac } from './paths.ts'
import type { Reply, Software } from './server.ts'

/** Rules are tuned on these. */
const TUNED: readonly Software[] = [
  acquisition,
  choices,
  carried,
  trac,
  bookings,
  fluentText,
  searches,
  magento,
  sitemapIndexes,
  hugeRobots,
  cookieCheck,
  domino,
  phpbb,
]

export interface SoftwareFigures {
  name: string
  held: boolean
  honest: number
  collected: number
  requests: number
  /** Requests for anything but an honest page that had not been answered before. */
  elsewhere: number
  ended: boolean
  rules: string[]
  cpuSeconds: number
}

export const HOST = 'soft.test'

export interface SoftwareOptions {
  /** tuning, held or all; ignored with names. */
  set: string
  /** Parts of the names of the sites, with commas; '': all of the set. */
  names: string
  max: number
}

export async function softwareFigures(
  { set, names, max }: SoftwareOptions,
  say: (line: string) => void,
): Promise<SoftwareFigures[]> {
  const sites = [
    ...TUNED.map((site) => ({ site, held: false })),
    ...[...HELD_BACK, dokuwiki, wicket, piwigo, confluence, lxr].map((site) => ({ site, held: true })),
  ].filter(({ site, held }) =>
    names === ''
      ? set === 'all' || held === (set === 'held')
      : names.split(',').some((part) => site.name.toLowerCase().includes(part.toLowerCase())),
  )
  const all: SoftwareFigures[] = []
  for (const { site, held } of sites) {
    const one = await figuresOf(site, held, max)
    all.push(one)
    const end = one.ended ? '' : ', broken off'
    say(
      `${one.name}: ${one.collected} of ${one.honest}, ${one.requests} requests${end}, ${one.cpuSeconds.toFixed(1)} s: ${one.rules.join('; ')}`,
    )
  }
  return all
}

async function figuresOf(site: Software, held: boolean, max: number): Promise<SoftwareFigures> {
  const shownBy = new Map<string, string>()
  const answered = new Set<string>()
  const answer = ({ url, headers }: { url: string; headers: readonly (readonly [string, string])[] }): Said => {
    const { pathname, searchParams, search } = new URL(url)
    const cookie = headers.find(([name]) => name.toLowerCase() === 'cookie')?.[1] ?? ''
    const reply = site.answer({ path: pathname, query: searchParams, href: pathname + search, cookie })
    if (reply.honest !== undefined) {
      shownBy.set(url, reply.honest)
      answered.add(reply.honest)
    }
    return saidOf(reply)
  }
  const crawl = await crawlHost({ host: HOST, answer }, '', { detectors: true, max })
  const kept = new Set([...crawl.pages].flatMap(([url, one]) => (isKept(one) ? (shownBy.get(url) ?? []) : [])))
  return {
    name: site.name,
    held,
    honest: site.honest,
    collected: kept.size,
    requests: crawl.requests,
    elsewhere: crawl.requests - answered.size,
    ended: !crawl.brokenOff,
    rules: crawl.findings.map(({ rule, pattern }) => `${rule} ${pattern ?? ''}`.trim()),
    cpuSeconds: crawl.cpuSeconds,
  }
}

function saidOf({ status, to, html = '', type, cookie }: Reply): Said {
  const headers: [string, string][] = []
  if (to !== undefined) headers.push(['Location', to])
  if (cookie !== undefined) headers.push(['Set-Cookie', cookie])
  return saidText(status ?? (to === undefined ? 200 : 302), html, headers, type)
}

export function softwareTable(figures: readonly SoftwareFigures[]): TextTable {
  return {
    title: 'Traps as software makes them',
    header: ['trap', 'honest pages', 'collected', 'requests elsewhere', 'ended', 'rules'],
    rows: figures.map((one) => [
      one.held ? `${one.name} *` : one.name,
      `${one.honest}`,
      `${one.collected}`,
      grouped(one.elsewhere),
      one.ended ? 'yes' : 'no',
      [...new Set(one.rules.map((rule) => rule.split(' ', 1)[0]))].join(', '),
    ]),
  }
}
