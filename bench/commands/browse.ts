/** `bench browse`: how long the dashboard's lists and pages take in a large collection, each rendered as its thread does. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Settings } from '../../src/app/config/keys.ts'
import { loadSettings } from '../../src/app/config/load.ts'
import { openCollection } from '../../src/app/reader/open.ts'
import type { LiveFacts, PageRequest, Slow } from '../../src/dashboard/page.ts'
import { reportComputations } from '../../src/dashboard/pages/reports.ts'
import { answer, COMPUTATIONS, type DashboardData } from '../../src/dashboard/routes.ts'
import { openPostgres } from '../../src/database/postgres/open.ts'
import { queries } from '../../src/database/queries.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { grouped } from '../../src/report/text-table.ts'
import { type BrowseSize, fillToBrowse, siteText, urlText } from '../browse/fill.ts'
import { benchmark, type Outcome, type Tools } from '../command.ts'
import { standsOf } from '../frontier/stands.ts'
import { median } from '../measure/statistics.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'

const FLAGS = {
  urls: { default: 1_000_000, what: 'known URLs' },
  sites: { default: 10_000, what: 'known sites' },
  rounds: { default: 5, what: 'times that each page is rendered' },
  database: {
    default: 'sqlite',
    what: 'sqlite, embedded (a PostgreSQL server is started), or postgres://… that is empty or from an earlier run; several with commas',
  },
  folder: { default: '', what: 'SQLite: where the collection is made and kept, or is from an earlier run' },
} as const

/** The target of the dashboard. */
const MAX_MS = 1000

const pagesOf = (sites: number): string[] => {
  const [large, middle] = [siteText(0), siteText(Math.floor(sites / 2))]
  const of = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`
  return [
    '/',
    '/sites',
    of('/sites', { after: middle }),
    of('/sites', { prefix: 'www.site-9' }),
    of('/sites', { text: `${sites - 1}` }),
    of('/sites', { state: 'barred' }),
    of('/sites', { state: 'leased' }),
    of('/sites', { sort: 'waiting' }),
    of('/sites', { sort: 'errors', state: 'barred' }),
    of('/site', { name: large }),
    of('/site', { name: middle }),
    of('/urls', { q: `https://${large}/section-7/` }),
    of('/urls', { q: urlText(0, 7) }),
    of('/urls', { q: 'article-77' }),
    of('/urls', { q: 'nowhere-to-be-found' }),
    of('/urls', { site: large }),
    of('/url', { url: urlText(0, 0) }),
    of('/url', { url: urlText(sites - 1, 0) }),
    of('/url', { url: `https://${large}/unknown` }),
    '/hazards',
    of('/hazards', { rule: 'maze' }),
    '/mirrors',
    '/blacklist',
    '/actions',
    '/cluster',
    '/reports',
    '/reports/collection',
    '/reports/web',
  ]
}

interface Timed {
  page: string
  firstMs: number
  medianMs: number
  maxMs: number
  bytes: number
}

export const browse = benchmark({
  name: 'browse',
  what: 'the pages of the dashboard in a large collection, in milliseconds',
  flags: FLAGS,
  async run({ urls, sites, rounds, database, folder }, tools): Promise<Outcome> {
    const outcome: Outcome = { tables: [], notes: [], figures: {} }
    for (const word of database.split(',')) {
      await using place = await placeOf(word, { urls, sites }, folder, tools)
      const { timed, slow } = await measure(place.settings, sites, rounds)
      const rows = timed.map(({ page, firstMs, medianMs, maxMs, bytes }) => [
        page.slice(0, 70),
        firstMs.toFixed(0),
        medianMs.toFixed(1),
        maxMs.toFixed(0),
        grouped(bytes),
      ])
      const title = `${word}: ${grouped(urls)} URLs of ${grouped(sites)} sites`
      outcome.tables.push({ title, header: ['page', 'first ms', 'median ms', 'max ms', 'bytes'], rows })
      outcome.tables.push({ title: 'in the background', header: ['what', 'ms'], rows: slow })
      outcome.failed = outcome.failed === true || timed.some(({ maxMs }) => maxMs > MAX_MS)
      Object.assign(outcome.figures, { [word]: timed })
    }
    return outcome
  },
})

async function placeOf(word: string, size: BrowseSize, kept: string, { say }: Tools) {
  const { settings } = loadSettings([], 'crawl', { env: {}, readFile: () => undefined })
  if (word === 'sqlite') {
    const temporary = kept === '' ? temporaryFolder() : undefined
    const collection = temporary?.path ?? kept
    const path = join(collection, 'collection.db')
    if (!existsSync(path)) {
      const database = openSqlite(path)
      await fillToBrowse(database, size, say)
      await database.close()
    }
    return {
      settings: { ...settings, collection },
      [Symbol.asyncDispose]: async () => temporary?.[Symbol.dispose](),
    }
  }
  const made = await standsOf(word)[0].make(undefined)
  if (made.place.kind !== 'postgres') throw new Error(`${word} is no PostgreSQL`)
  const database = await openPostgres(made.place.address)
  // One that is kept may be from an earlier run.
  const known = await database.read((tx) => queries(tx).get('SELECT 1 FROM site LIMIT 1'))
  if (known === undefined) await fillToBrowse(database, size, say)
  await database.close()
  return {
    settings: { ...settings, database: made.place.address },
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  }
}

async function measure(settings: Settings, sites: number, rounds: number) {
  const { collection, database } = settings
  const patience = { connections: 2, statementMs: MAX_MS }
  const reader = await openCollection(collection, { database, patience })
  const patient = await openCollection(collection, { database })
  const computed = new Map<string, { value: unknown; ms: number }>()
  const background = Object.assign(patient, await patient.browse(settings))
  const data: DashboardData = Object.assign(reader, await reader.browse(settings), {
    async slow<Value>(name: string, argument: string): Promise<Slow<Value>> {
      const key = `${name} ${argument}`
      const known = computed.get(key)
      if (known !== undefined) return { state: 'known', at: 0, value: known.value as Value }
      return { state: 'computing' }
    },
  })
  const asked: [string, string][] = ['waiting', 'documents', 'bytes', 'errors'].map((by) => [
    'ranked-sites',
    JSON.stringify({ by, state: by === 'errors' ? 'barred' : '', prefix: '', text: '' }),
  ])
  asked.push(['explain-unknown', `https://${siteText(0)}/unknown`])
  for (const name of Object.keys(reportComputations)) asked.push([name, ''])
  for (const [name, argument] of asked) {
    const begun = performance.now()
    const value = await COMPUTATIONS[name](argument, background)
    computed.set(`${name} ${argument}`, { value, ms: performance.now() - begun })
  }
  const timed: Timed[] = []
  for (const page of pagesOf(sites)) {
    const times: number[] = []
    let bytes = 0
    for (let round = 0; round < rounds; round++) {
      const begun = performance.now()
      const { body, status } = await answer(requestOf(page), data)
      times.push(performance.now() - begun)
      bytes = body.length
      if (status >= 500) throw new Error(`${page} is answered ${status}`)
    }
    timed.push({ page, firstMs: times[0], medianMs: median(times), maxMs: Math.max(...times), bytes })
  }
  await reader.close()
  await patient.close()
  const slow = [...computed].map(([what, { ms }]) => [what.slice(0, 80), ms.toFixed(0)])
  return { timed, slow }
}

const LIVE: LiveFacts = {
  ...{ now: Date.now(), collection: 'bench', runs: 'crawl', version: '0', begunAt: 0, choice: {}, isEnding: false },
  ...{ pace: [], recent: [], events: [], lateMs: 0 },
}

function requestOf(page: string): PageRequest {
  const [path, query = ''] = page.split('?')
  const common = { role: 'operator', base: '', csrf: '', isSignedIn: false, message: undefined, live: LIVE } as const
  return { ...common, path, query: new URLSearchParams(query) }
}
