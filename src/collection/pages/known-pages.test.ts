import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NOON, samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { hash64, sha1 } from '../../base/digest.ts'
import type { PageReport } from '../../contracts/report.ts'
import { freshMemory } from '../../contracts/site-memory.ts'
import { type AgendaItem, siteKeyOf, type Visit } from '../../contracts/visit.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { applyReports } from '../sample-catalogue.test-data.ts'
import { fillBefore } from './known-pages.ts'

const postgres = await postgresForTests()
after(() => ('skipped' in postgres ? undefined : postgres.end()))
const DATABASES: readonly [name: string, skip: string | false, make: () => Promise<Database>][] = [
  ['SQLite', false, async () => openSqlite(':memory:')],
  [
    'PostgreSQL',
    'skipped' in postgres ? postgres.skipped : false,
    () => ('skipped' in postgres ? never() : postgres.make()),
  ],
]
const never = (): never => assert.fail()

const SITES = ['a.test', 'b.test', 'c.test']
const item = (url: string, path = 'L'): AgendaItem => {
  return { url, key: hash64(url), depth: 1, dueAt: 0, tries: 0, path }
}
const visitTo = (site: string, ...agenda: AgendaItem[]): Visit => {
  const limits = { pages: 100, time: 1000 }
  const carried = { known: new BigUint64Array(0), memory: freshMemory(), wait: 0, pause: 0, limits, lease: 1000 }
  return { id: 'v', fence: 1, site, agenda, ...carried }
}
const page = (url: string, more: Partial<PageReport>, content?: string) => samplePage(url, more, content)
const EMPTY = sha1(new Uint8Array(0))

for (const [name, skip, make] of DATABASES) {
  test(`what a look is compared with, on ${name}`, { skip }, async () => {
    const database = await make()
    const at = (path: string, site = 'a.test') => `http://${site}${path}`
    const memory = { digest: sha1(Buffer.from('kept')), textDigest: hash64('text'), simhash: 2n ** 63n + 5n }
    const sketch = Uint8Array.of(1, 2, 3)
    const validators = { etag: 'W/"ü"', lastModified: 'Sun, 15 Nov 2020 08:49:37 GMT' }
    const map = { digest: sha1(Buffer.from('map')), textDigest: 0n, simhash: 0n }
    const moved = { status: 301, outcome: { kind: 'moved', to: at('/') }, memory: undefined } as const
    const gone = { status: 404, outcome: { kind: 'gone', why: 'status-404' }, memory: undefined } as const
    const empty = { ...samplePage('http://a.test/empty').capture!, digest: EMPTY }
    const pages = [
      page(at('/kept'), { memory: { ...memory, ...validators, sketch } }, 'kept'),
      page(at('/map'), { path: 'M', memory: map, outcome: { kind: 'read', as: 'sitemap', urls: 1 } }, 'map'),
      page(at('/moved'), moved, 'elsewhere'),
      page(at('/empty'), { capture: empty, memory: { ...memory, digest: EMPTY } }, ''),
      page(at('/missing'), gone, 'none'),
      page(at('/refused'), {
        outcome: { kind: 'refused', by: 'robots', rule: '/' },
        memory: undefined,
        capture: undefined,
      }),
      page(at('/rechecked'), {}, 'rechecked'),
    ]
    // Its bytes came first with the 404.
    const asError = page(at('/asError'), {}, 'none')
    pages.push({ ...asError, capture: { ...asError.capture!, kind: 'revisit' } })
    await applyReports(database, [sampleReport('a.test', 1, pages)])
    // Another site has the same bytes, as a revisit; a page that was there is not there now; very many others.
    const copy = page(at('/copy', 'b.test'), { at: NOON + 5 }, 'kept')
    const revisit = {
      ...copy,
      memory: { ...copy.memory!, ...validators },
      capture: { ...copy.capture!, kind: 'revisit' as const },
    }
    await applyReports(database, [sampleReport('b.test', 1, [revisit])])
    const many = Array.from({ length: 1100 }, (_, n) => page(at(`/${n}`, 'c.test'), {}, `content ${n}`))
    await applyReports(database, [sampleReport('c.test', 1, many)])
    const now = { at: NOON + 9, title: '' }
    await applyReports(database, [
      sampleReport('a.test', 2, [
        page(at('/kept'), { ...gone, ...now }, 'none'),
        page(at('/map'), { ...gone, ...now, path: 'M' }),
      ]),
    ])
    await database.transact((tx) =>
      queries(tx).run(
        `INSERT INTO recheck (${tx.dialect === 'postgres' ? 'bucket, ' : ''}site, key, url, first_worker, first_at, digest, text_digest, simhash)
         SELECT ${tx.dialect === 'postgres' ? 'bucket, ' : ''}site, key, url, 'w', 1, '', 1, 1 FROM page WHERE bucket = ? AND url = ?`,
        bucketOf(tx.dialect, siteKeyOf('a.test')),
        at('/rechecked'),
      ),
    )
    const paths = ['/kept', '/map', '/moved', '/empty', '/missing', '/refused', '/rechecked', '/asError', '/new']
    const visits = [
      visitTo('a.test', ...paths.map((path) => item(at(path), path === '/map' ? 'M' : 'L'))),
      visitTo('b.test', item(copy.url)),
      visitTo('c.test', ...many.map(({ url }) => item(url))),
    ]
    await fillBefore(database, visits)
    const before = Object.fromEntries(visits[0].agenda.map((one, nth) => [paths[nth], one.before]))
    const captured = { url: at('/kept'), at: NOON }
    const once = { looks: 1, lookedAt: NOON }
    const twice = { looks: 2, lookedAt: NOON + 9 }
    assert.deepEqual(before, {
      // It may be the condition that its server can't stand.
      '/kept': { was: 'kept', ...memory, captured, ...twice, sketch },
      '/map': { was: 'read', ...map, captured: { url: at('/map'), at: NOON }, ...twice },
      '/moved': { was: 'moved', digest: pages[2].capture!.digest, textDigest: 0n, simhash: 0n, ...once },
      '/empty': { was: 'kept', ...memory, digest: EMPTY, ...once },
      '/missing': undefined,
      '/refused': undefined,
      '/rechecked': undefined,
      '/asError': { was: 'kept', ...asError.memory!, ...once },
      '/new': undefined,
    })
    assert.deepEqual(visits[1].agenda[0].before, {
      was: 'kept',
      ...copy.memory!,
      ...validators,
      captured,
      looks: 1,
      lookedAt: NOON + 5,
    })
    for (const { url, before } of visits[2].agenda) assert.deepEqual(before?.captured, { url, at: NOON })
    assert.deepEqual(
      visits.map(({ site }) => site),
      SITES,
    )
    await database.close()
  })
}
