/** Session ids in URLs: what keeping cookies and what our rules of URLs are good for (VN §4.1: 27 % of URLs → 3.5 %, mean length 74 → 62). */
import type { TextTable } from '../../src/report/text-table.ts'
import { sessionForm } from '../../testkit/web/shapes/session-links.ts'
import { realPages, sessionWeb } from './hazard-web.ts'
import { run, tally } from './run.ts'

export interface SessionFigures {
  site: 'only without cookies' | 'always'
  cookies: boolean
  rules: boolean
  urls: number
  /** Of the URLs asked for, in per cent. */
  withIds: number
  meanLength: number
  real: number
  collected: number
  /** URLs asked for with an id, by the way it is written. */
  byForm: Record<string, number>
}

interface Size {
  seed: number
  sites: number
  pages: number
  cap: number
}

export async function sessionFigures(size: Size, say: (line: string) => void): Promise<SessionFigures[]> {
  const found: SessionFigures[] = []
  for (const [site, shape, cookies, rules] of [
    ['only without cookies', 'session-ids-without-cookie', false, false],
    ['only without cookies', 'session-ids-without-cookie', true, false],
    ['only without cookies', 'session-ids-without-cookie', true, true],
    ['always', 'session-ids-always', true, false],
    ['always', 'session-ids-always', true, true],
  ] as const) {
    const settings = { maxUrlsPerSite: size.cap, ...(rules ? {} : { urlRules: ['none'] }) }
    const web = sessionWeb(size.seed, size.sites, size.pages, shape)
    const ran = await run({ web, settings, detectors: false, cookies, max: 1e6 })
    const asked = [...new Set(ran.stage.ledger.entries.map(({ url }) => url))].filter(
      (url) => !url.endsWith('/robots.txt'),
    )
    const ids = asked.filter((url) => ran.stage.web.trapOf(url) !== undefined)
    const real = realPages(ran.stage.web)
    const kept = new Set([...ran.documents].flatMap((url) => ran.stage.web.realOf(url) ?? []))
    await ran.stage.database.close()
    found.push({
      site,
      cookies,
      rules,
      urls: asked.length,
      withIds: (100 * ids.length) / asked.length,
      meanLength: asked.reduce((sum, url) => sum + url.length, 0) / asked.length,
      real: real.size,
      collected: [...real].filter((url) => kept.has(url)).length,
      byForm: tally(ids.map((url) => sessionForm(ran.stage.web.siteOf(url)?.seed ?? 0))),
    })
    say(`session ids ${site}, cookies ${cookies}, rules ${rules}: ${asked.length} URLs`)
  }
  return found
}

export function sessionTables(figures: readonly SessionFigures[]): TextTable[] {
  const forms = [...new Set(figures.flatMap(({ byForm }) => Object.keys(byForm)))].sort()
  const summary = {
    title: 'Session ids in URLs',
    header: [
      'site puts them',
      'cookies',
      'rules',
      'URLs asked for',
      'with an id',
      'mean length',
      'real pages',
      'collected',
    ],
    rows: figures.map((one) => [
      one.site,
      one.cookies ? 'kept' : 'dropped',
      one.rules ? 'on' : 'off',
      `${one.urls}`,
      `${one.withIds.toFixed(1)} %`,
      one.meanLength.toFixed(1),
      `${one.real}`,
      `${((100 * one.collected) / one.real).toFixed(1)} %`,
    ]),
  }
  const words = ({ site, cookies, rules }: SessionFigures) =>
    `${site}, cookies ${cookies ? 'kept' : 'dropped'}, rules ${rules ? 'on' : 'off'}`
  return [
    summary,
    {
      title: 'URLs with an id, by the way it is written',
      header: ['', ...forms],
      rows: figures.map((one) => [words(one), ...forms.map((form) => `${one.byForm[form] ?? 0}`)]),
    },
  ]
}
