/** A site that changes between a crawl and a refresh, in virtual time: what its server sees, and what the collection says. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { outsideTime } from '../../../testkit/simulate/outside-time.ts'
import { runVirtualCoordinator } from '../../../testkit/simulate/virtual-coordinator.ts'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { RequestLedger } from '../../../testkit/web/ledger-of-requests.ts'
import { PLAIN, type PlantedPage } from '../../../testkit/web/options.ts'
import { makeWeb, type TestWeb } from '../../../testkit/web/web.ts'
import { readCounters } from '../../collection/counters/counters.ts'
import type { Database } from '../../database/database.ts'
import { openPostgres } from '../../database/postgres/open.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import type { RefreshOptions } from '../../frontier/contract.ts'
import { headerOf } from '../../web/http/headers.ts'
import { loadSettings } from '../config/load.ts'
import { openCollection } from '../reader/open.ts'
import { diskUnder } from './disk-under.test-data.ts'

const postgres = await postgresForTests()
const root = mkdtempSync(join(tmpdir(), 'looks-'))
after(async () => {
  rmSync(root, { recursive: true })
  if (!('skipped' in postgres)) await postgres.end()
})

const DAY = 86_400_000
const SITE = 'http://shop.test'
const NAMES = [
  'same',
  'tagged',
  'changed',
  'missing',
  'gone',
  'moved',
  'forbidden',
  'excluded',
  'noindex',
  'broken',
  'unasked',
  'part',
  'new',
]
const words = (name: string) => `<title>${name}</title><p>${`All about ${name}. `.repeat(30)}</p><a href="/">home</a>`
const home = (names: readonly string[]) =>
  `<title>Shop</title>${names.map((name) => `<a href="/${name}">${name}</a>`).join(' ')}`

/** A server that knows `/tagged` by its tag, and has its rules in another file. */
function shop(pages: Readonly<Record<string, Partial<PlantedPage>>>, robots: string): TestWeb {
  const planted: PlantedPage[] = [
    { url: `${SITE}/`, html: home(NAMES.slice(0, -1)) },
    { url: `${SITE}/robots`, html: robots, contentType: 'text/plain' },
    { url: `${SITE}/304`, status: 304, html: '', headers: [['ETag', '"7"']] },
    ...NAMES.map((name) => {
      const headers = name === 'tagged' ? ([['ETag', '"7"']] as const) : []
      return { url: `${SITE}/${name}`, html: words(name), headers, ...pages[name] }
    }),
  ]
  const web = makeWeb({ ...PLAIN, seed: 5, sites: 1, pagesPerSite: 1, planted })
  return {
    ...web,
    answer(request) {
      const isKnown = headerOf(request.headers, 'if-none-match') === '"7"'
      const url = request.url === `${SITE}/robots.txt` ? `${SITE}/robots` : isKnown ? `${SITE}/304` : request.url
      return web.answer({ ...request, url })
    },
  }
}

const BEFORE = shop({}, '')
const NOW = shop(
  {
    changed: { html: words('other things') + '<a href="/new">new</a>' },
    missing: { status: 404, html: 'not here' },
    gone: { status: 410, html: 'gone' },
    moved: { status: 301, html: '', links: [`${SITE}/same`], headers: [['Location', '/same']] },
    noindex: { html: `<meta name=robots content=noindex>${words('noindex')}` },
    broken: { status: 503, html: 'later' },
    unasked: { status: 304, html: '' },
    part: { status: 206, html: 'All' },
  },
  'User-agent: *\nDisallow: /forbidden',
)

const settingsOf = (...flags: string[]) =>
  loadSettings(['--trust', '*=soft-404', ...flags], 'crawl', { env: {}, readFile: () => undefined }).settings

const DATABASES: readonly [
  name: string,
  skip: string | false,
  open: (folder: string) => Promise<{ database: Database; address?: string }>,
][] = [
  ['SQLite', false, async (folder) => ({ database: openSqlite(join(folder, 'collection.db')) })],
  [
    'PostgreSQL',
    'skipped' in postgres ? postgres.skipped : false,
    async () => {
      assert.ok(!('skipped' in postgres))
      const address = await postgres.newDatabase()
      return { database: await openPostgres(address), address }
    },
  ],
]

for (const [name, skip, open] of DATABASES) {
  test(`a refresh of a site that has changed, on ${name}`, { skip }, async () => {
    const folder = join(root, name, 'collection')
    mkdirSync(join(folder, 'logs'), { recursive: true })
    const clock = virtualClock(BEFORE.plan.epoch)
    const { database: real, address } = await open(folder)
    const database = outsideTime(real, clock)
    const disk = diskUnder(join(root, name))
    const ledger = new RequestLedger(clock)
    const run = (web: TestWeb, flags: string[], refresh?: RefreshOptions) =>
      runVirtualCoordinator(
        {
          ...{ clock, database, disk, ledger, web, seeds: [`${SITE}/`], randomSeed: 1, workers: 1 },
          journal: { record() {} },
          settings: settingsOf(...flags),
          ...(refresh && { refresh }),
          async eachTick({ frontier }) {
            if (refresh !== undefined) await database.transact((tx) => frontier.ledger.enrol(tx, 1000))
          },
        },
        new AbortController().signal,
      )
    const first = await clock.run(
      (async () => {
        await run(BEFORE, [])
        const collected = await database.read(async (tx) => readCounters(tx))
        await clock.sleep(2 * DAY)
        const requests = ledger.entries.length
        const refresh: RefreshOptions = { policy: 'index', newShare: 0.5, minAge: DAY, once: clock.now() }
        await run(NOW, ['--exclude', 'excluded'], refresh)
        return { collected, requests }
      })(),
    )

    // The server's side: each page once, without a body where the tag was known; nothing of what is forbidden now.
    const asked = ledger.entries.slice(first.requests).map(({ url, status }) => `${url.slice(SITE.length)} ${status}`)
    assert.deepEqual(asked.sort(), [
      ...[
        '/ 200',
        '/broken 503',
        '/changed 200',
        '/gone 410',
        '/missing 404',
        '/moved 301',
        '/new 200',
        '/noindex 200',
        '/part 206',
      ],
      ...['/robots.txt 200', '/same 200', '/tagged 304', '/unasked 304'],
    ])

    const counters = await database.read((tx) => readCounters(tx))
    const grown = (counter: string) => (counters.get(counter) ?? 0) - (first.collected.get(counter) ?? 0)
    assert.equal(grown('documents'), 1, 'one page was new')
    const looks = ['changed', 'same', 'unmodified', 'moved', 'refused', 'failed'].map((what) => grown(`looks:${what}`))
    assert.deepEqual(looks, [1, 2, 1, 1, 3, 5])

    const reader = await openCollection(folder, { clock, ...(address && { database: address }) })
    try {
      const said: Record<string, unknown> = {}
      const notBrought: string[] = []
      for (const name of NAMES) {
        const { captures, failedLooks } = await reader.history(`${SITE}/${name}`)
        const { page, failedLook } = await reader.urlFacts(`${SITE}/${name}`, 1)
        if (failedLook !== undefined) notBrought.push(`${name} ${failedLook.status}`)
        const content = Buffer.from((await reader.content(`${SITE}/${name}`, undefined))?.body ?? [])
        assert.match(content.toString(), name === 'changed' ? /All about other/ : new RegExp(`All about ${name}`), name)
        const failed = failedLooks.map(({ outcome, why }) => `${outcome} ${why}`)
        said[name] = [[...captures.map(({ look }) => look), ...failed].join(), `${page?.outcome} ${page?.why}`]
      }
      assert.deepEqual(said, {
        same: ['first,same', 'kept same'],
        tagged: ['first,unmodified', 'kept same'],
        changed: ['first,changed', 'kept changed'],
        missing: ['first,missing', 'gone status-404'],
        gone: ['first,gone', 'gone status-410'],
        moved: ['first,moved', 'moved null'],
        forbidden: ['first,refused robots', 'refused robots'],
        excluded: ['first,refused scope', 'refused scope'],
        noindex: ['first,refused directive', 'refused directive'],
        broken: ['first,failed', 'kept first'],
        unasked: ['first,failed', 'gone status-other'],
        part: ['first,failed', 'gone status-other'],
        new: ['first', 'kept first'],
      })
      assert.deepEqual(notBrought, ['forbidden -9998', 'excluded -5000', 'noindex 200', 'broken 503'])
      assert.deepEqual((await reader.verify(() => {})).faults, [])

      // Everything is back as it was, with the links it had.
      await clock.run(
        (async () => {
          await clock.sleep(8 * DAY)
          await run(BEFORE, [], { policy: 'index', newShare: 0.5, minAge: DAY, once: clock.now() })
        })(),
      )
      const looks = (await reader.history(`${SITE}/moved`)).captures.map(({ look }) => look)
      assert.deepEqual(looks, ['first', 'moved', 'same'])
      const { inlinks } = await reader.urlFacts(`${SITE}/`, 20)
      assert.deepEqual(inlinks.from.toSorted(), NAMES.map((name) => `${SITE}/${name}`).toSorted())
    } finally {
      await reader.close()
      await database.close()
    }
  })
}
