/** A small collection made by the real coordinator on the real disk, asked everything, and then damaged in every way. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { outsideTime } from '../../../testkit/simulate/outside-time.ts'
import { runVirtualCoordinator } from '../../../testkit/simulate/virtual-coordinator.ts'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { RequestLedger } from '../../../testkit/web/ledger-of-requests.ts'
import { PLAIN } from '../../../testkit/web/options.ts'
import { makeWeb } from '../../../testkit/web/web.ts'
import type { Disk } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'
import { realDisk } from '../../base/real-disk.ts'
import { lockCollection } from '../../database/lock.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { diskUnder } from '../composition/disk-under.test-data.ts'
import { loadSettings } from '../config/load.ts'
import { type OpenCollection, openCollection } from './open.ts'

const root = mkdtempSync(join(tmpdir(), 'open-'))
after(() => rmSync(root, { recursive: true }))
/** Under the name that the virtual coordinator gives it. */
const made = join(root, 'collection')

const HOME = 'http://shop.test/'
const ZIPPED = 'http://shop.test/zipped.html'
const COPY = 'http://shop.test/copy.html'
const MISSING = 'http://shop.test/missing.html'
const MOVED = 'http://shop.test/moved.html'
const SECRET = 'http://shop.test/secret.html'
const TEXT = `<title>Spiders</title><p>${'Silk is stronger than steel. '.repeat(50)}</p><a href="/">home</a>`
const NAMES = ['zipped', 'copy', 'missing', 'moved', 'secret', 'original']

const web = makeWeb({
  ...PLAIN,
  seed: 5,
  sites: 1,
  pagesPerSite: 3,
  planted: [
    { url: HOME, html: `<title>Shop</title>${NAMES.map((name) => `<a href="/${name}.html">${name}</a>`).join('')}` },
    {
      url: ZIPPED,
      base64: gzipSync(TEXT.replace('Spiders', 'Zipped')).toString('base64'),
      headers: [['Content-Encoding', 'gzip']],
    },
    { url: 'http://shop.test/original.html', html: TEXT },
    { url: COPY, html: TEXT },
    { url: MISSING, html: 'no such page', status: 404 },
    { url: MOVED, html: '', status: 301, headers: [['Location', '/zipped.html']] },
    { url: SECRET, html: '<meta name="robots" content="noindex">' },
  ],
})

const clock = virtualClock(web.plan.epoch)
const HOUR = 3_600_000

/** The shop, and an hour later its home page once more, which has not changed. */
before(async () => {
  mkdirSync(join(made, 'logs'), { recursive: true })
  const database = outsideTime(openSqlite(join(made, 'collection.db')), clock)
  const { settings } = loadSettings(['--trust', '*=soft-404'], 'crawl', { env: {}, readFile: () => undefined })
  const parts = { web, clock, database, disk: diskUnder(root), settings, seeds: [HOME], randomSeed: 1, workers: 1 }
  const never = new AbortController().signal
  const run = () =>
    runVirtualCoordinator({ ...parts, ledger: new RequestLedger(clock), journal: { record() {} } }, never)
  await clock.run(
    (async () => {
      const coordinator = await run()
      await clock.sleep(HOUR)
      await database.transact((tx) => coordinator.frontier.ledger.schedule(tx, [{ url: HOME, dueAt: clock.now() }]))
      await run()
    })(),
  )
  await database.close()
})

async function asked<T>(folder: string, ask: (rooms: OpenCollection) => Promise<T>): Promise<T> {
  const rooms = await openCollection(folder, { clock })
  try {
    return await ask(rooms)
  } finally {
    await rooms.close()
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

describe('an opened collection', () => {
  it("throws 'no-collection' where there is none", async () => {
    await assert.rejects(
      openCollection(join(root, 'nowhere')),
      (e: unknown) => e instanceof Problem && e.code === 'no-collection',
    )
  })

  it('returns a page decoded, as sent, and with its head', async () => {
    const content = await asked(made, (rooms) => rooms.content(ZIPPED, undefined))
    assert.ok(content)
    assert.equal(text(content.body), TEXT.replace('Spiders', 'Zipped'))
    assert.deepEqual([...content.payload.subarray(0, 2)], [0x1f, 0x8b])
    assert.match(text(content.head), /^HTTP\/1\.1 200 .*\r\n[\s\S]*Content-Encoding: gzip\r\n[\s\S]*\r\n\r\n$/)
    assert.equal(content.mediaType, 'text/html')
  })

  it('follows a revisit to the payload that it repeats, under its own head', async () => {
    const { content, captures } = await asked(made, async (rooms) => ({
      content: await rooms.content(COPY, undefined),
      captures: (await rooms.history(COPY)).captures,
    }))
    const { captures: others } = await asked(made, (rooms) => rooms.history('http://shop.test/original.html'))
    const [original] = others
    const kinds = [captures[0].kind, original.kind].sort()
    assert.deepEqual(kinds, ['response', 'revisit'])
    assert.equal(captures[0].digest, original.digest)
    assert.equal(text(content?.body), TEXT)
    assert.equal(content?.url, COPY)
  })

  it('returns the body of a 404, and nothing for a page that was never kept', async () => {
    await asked(made, async (rooms) => {
      const missing = await rooms.content(MISSING, undefined)
      assert.equal(missing?.status, 404)
      assert.equal(text(missing?.body), 'no such page')
      assert.equal(await rooms.content(SECRET, undefined), undefined)
      assert.equal(await rooms.content('http://elsewhere.test/', undefined), undefined)
      assert.equal(await rooms.content('no URL', undefined), undefined)
    })
  })

  it('lists the captures of a URL, and finds the one current at a time', async () => {
    await asked(made, async (rooms) => {
      const { captures, failedLooks } = await rooms.history('http://SHOP.test:80/#top')
      const [first, second, ...more] = captures
      assert.deepEqual([first.look, second.look, failedLooks], ['first', 'same', []])
      assert.deepEqual(more, [])
      assert.deepEqual([first.kind, second.kind], ['response', 'revisit'])
      assert.ok(second.at - first.at > HOUR)
      assert.equal((await rooms.content(HOME, undefined))?.at, second.at)
      assert.equal((await rooms.content(HOME, second.at - 1))?.at, first.at)
      assert.equal(await rooms.content(HOME, first.at - 1), undefined)
      const keys = [
        'at',
        'status',
        'mediaType',
        'length',
        'digest',
        'kind',
        'volume',
        'offset',
        'change',
        'place',
        'look',
      ]
      assert.deepEqual(Object.keys(first), keys)
    })
  })

  it('explains a URL and a site', async () => {
    await asked(made, async (rooms) => {
      const copy = await rooms.urlFacts(COPY, 10)
      assert.equal(copy.view?.mark, 'kept')
      assert.equal(copy.page?.title, 'Spiders')
      assert.equal(copy.captures, 1)
      assert.deepEqual(copy.inlinks, { count: 1, from: [HOME], behind: 0 })
      const moved = await rooms.urlFacts(MOVED, 10)
      assert.deepEqual([moved.page?.outcome, moved.page?.detail], ['moved', ZIPPED])
      const secret = await rooms.urlFacts(SECRET, 10)
      assert.deepEqual([secret.page?.why, secret.page?.detail, secret.captures], ['directive', 'noindex', 0])
      const unknown = await rooms.urlFacts('http://shop.test/unknown', 10)
      assert.deepEqual([unknown.site, unknown.view, unknown.page], ['shop.test', undefined, undefined])
      const site = await rooms.siteFacts('Shop.Test:80')
      assert.deepEqual([site.site, site.view?.state, site.documents], ['shop.test', 'crawled', 5])
      assert.equal(site.view?.memory.robots.http?.state, 'none')
      assert.equal((await rooms.siteFacts('elsewhere.test')).view, undefined)
    })
  })

  it('counts documents and reports the state', async () => {
    await asked(made, async (rooms) => {
      const figures = await rooms.figures()
      assert.equal(figures.documents, 5)
      assert.equal(figures.duplicates, 1)
      assert.deepEqual(figures.urls, { seen: 7, fetched: 8, waiting: 0 })
      const standing = await rooms.standing()
      assert.equal(standing.state, 'complete')
      assert.deepEqual(standing.urls, { known: 7, done: 7, waiting: 0, refreshing: 0 })
      assert.equal(standing.begunAt! < standing.lastAt!, true)
      assert.equal(standing.sites.crawled, 1)
      assert.equal(standing.nextDueMs, undefined)
      assert.ok(standing.trend.length > 0)
      const [set, ...more] = await rooms.duplicates(10)
      assert.deepEqual(more, [])
      assert.deepEqual([...set.urls].sort(), [COPY, 'http://shop.test/original.html'])
    })
  })

  it('reports that a crawl has it open', async () => {
    const lock = lockCollection(made)
    try {
      assert.equal((await asked(made, (rooms) => rooms.standing())).state, 'running')
    } finally {
      lock.release()
    }
    assert.equal((await asked(made, (rooms) => rooms.standing())).state, 'complete')
  })

  it('exports index, pages and links', async () => {
    await asked(made, async (rooms) => {
      const index = readFileSync(join(made, 'indexes', 'index.cdxj'), 'utf8')
      assert.equal(`${(await all(rooms.exportCdxj())).join('\n')}\n`, index)
      const pages = (await all(rooms.exportPages())) as { url: string; site: string; outcome: string; at: string }[]
      assert.equal(pages.length, 7)
      assert.equal(pages.filter(({ outcome }) => outcome === 'kept').length, 4)
      assert.match(pages[0].at, /^2026-01-01T/)
      const looks = await all(rooms.looks())
      const kept = pages.filter(({ outcome }) => outcome === 'kept').map(({ url }) => url)
      // The home page was captured twice.
      assert.deepEqual([...new Set(looks.map(({ url }) => url))].sort(), kept.sort(), 'no redirects and no robots.txt')
      assert.equal(looks.filter(({ url }) => url === HOME).length, 2)
      for (const { bytes, digest } of looks) assert.ok(bytes > 0 && digest.length > 0)
      const links = await all(rooms.exportLinks())
      assert.ok(links.some(({ from, to }) => from === HOME && to === COPY))
      assert.equal(await rooms.linksInto(join(root, 'links.db')), links.length)
    })
  })

  it('exports the same index when the one on the disk is gone or a crawl runs', async () => {
    const index = readFileSync(join(made, 'indexes', 'index.cdxj'), 'utf8')
      .trimEnd()
      .split('\n')
    const folder = copy('no-index')
    rmSync(join(folder, 'indexes', 'index.cdxj'))
    assert.deepEqual(await asked(folder, (rooms) => all(rooms.exportCdxj())), index)
    const lock = lockCollection(made)
    try {
      assert.deepEqual(await asked(made, (rooms) => all(rooms.exportCdxj())), index)
    } finally {
      lock.release()
    }
  })
})

let copies = 0

function copy(name: string): string {
  const folder = join(root, `${name}-${copies++}`)
  cpSync(made, folder, { recursive: true })
  return folder
}

const volumeOf = (folder: string) => join(folder, 'archive', readdirSync(join(folder, 'archive'))[0])
const verified = (folder: string) => asked(folder, (rooms) => rooms.verify(() => {}))
const says = (list: readonly { where: string; what: string }[]) =>
  list.map(({ where, what }) => `${where}: ${what}`).join('\n')

function change(folder: string, sql: string, ...values: (string | number)[]): void {
  const file = new DatabaseSync(join(folder, 'collection.db'), { enableForeignKeyConstraints: false })
  assert.ok(Number(file.prepare(sql).run(...values).changes) > 0, 'something was changed')
  file.close()
}

describe('verify', () => {
  it('finds no fault in a correct collection', async () => {
    const told: string[] = []
    const report = await asked(made, (rooms) => rooms.verify((volume) => told.push(volume)))
    assert.deepEqual(report.faults, [])
    assert.deepEqual(report.notes, [])
    assert.deepEqual([report.volumes, told.length], [2, 2])
    assert.equal(report.captures, 8)
    // warcinfo, and a request beside each answer.
    assert.equal(report.records, 2 + 2 * 8)
  })

  it('finds any byte that was flipped', async () => {
    const clean = readFileSync(volumeOf(made))
    const folder = copy('flipped')
    for (let at = 5; at < clean.length; at += Math.ceil(clean.length / 25)) {
      const bytes = Buffer.from(clean)
      bytes[at] ^= 0x10
      writeFileSync(volumeOf(folder), bytes)
      const { faults } = await verified(folder)
      // Time and system in a gzip header mean nothing to anybody.
      const harmless = [4, 5, 6, 7, 8, 9].some((byte) => clean[at - byte] === 0x1f && clean[at - byte + 1] === 0x8b)
      assert.ok(faults.length > 0 || harmless, `a flipped bit at ${at} was not found`)
    }
  })

  it('reports the captures of a missing volume', async () => {
    const folder = copy('removed')
    rmSync(volumeOf(folder))
    const { faults, volumes } = await verified(folder)
    assert.equal(volumes, 1)
    assert.match(says(faults), /is not there; the catalogue has 7 captures in it/)
    await assert.rejects(
      asked(folder, (rooms) => rooms.content(ZIPPED, undefined)),
      (error: unknown) => error instanceof Problem && /is not there/.test(error.message),
    )
  })

  for (const [what, sql, expected] of [
    [
      'digest',
      `UPDATE capture SET digest = 'sha1:x' WHERE url LIKE '%zipped.html'`,
      /zipped.html: digest is sha1:x in/,
    ],
    ['kind', `UPDATE capture SET kind = 'revisit' WHERE url LIKE '%zipped.html'`, /kind is revisit in the catalogue/],
    ['time', `UPDATE capture SET at = at + 1 WHERE url LIKE '%zipped.html'`, /zipped.html: at is /],
    ['URL', `UPDATE capture SET url = url || 'x' WHERE url LIKE '%zipped.html'`, /zipped.htmlx: url is /],
    ['place', `UPDATE capture SET offset = offset + 1 WHERE url LIKE '%zipped.html'`, /here, the volume has none/],
    [
      'double',
      `INSERT INTO capture SELECT 999, site, key, url, at, volume, offset, length, digest, status, media_type,
       kind, duplicate, change, place FROM capture WHERE url LIKE '%zipped.html'`,
      /two captures of the catalogue/,
    ],
    ['capture', `DELETE FROM capture WHERE url LIKE '%zipped.html'`, /is kept, but no capture holds its content/],
    ['page', `DELETE FROM page WHERE url LIKE '%zipped.html'`, /the catalogue has no such page/],
    ['outcome', `UPDATE page SET outcome = 'kept' WHERE outcome = 'gone'`, /is kept, but the frontier says/],
    ['URL of the frontier', `DELETE FROM url WHERE url LIKE '%zipped.html'`, /page that the frontier does not know/],
    ['sum of a site', `UPDATE site SET known = known + 1`, /7 URLs are known, but 8 by the sums of sites/],
    ['counter', `UPDATE counter SET value = value + 2 WHERE name = 'documents'`, /documents is 7, but 4 to 5 pages/],
    ['minute', `DELETE FROM minute WHERE requests > 0`, /over all minutes 0/],
    ['original', `DELETE FROM capture WHERE kind = 'response' AND media_type = 'text/html'`, /is a revisit of/],
  ] as const) {
    it(`finds a changed row: ${what}`, async () => {
      const folder = copy('changed')
      change(folder, sql)
      assert.match(says((await verified(folder)).faults), expected)
    })
  }

  it('finds a database whose index does not know all rows', async () => {
    const folder = copy('structure')
    const schema = (sql: string) => {
      const file = new DatabaseSync(join(folder, 'collection.db'), { defensive: false })
      file.exec(`PRAGMA writable_schema = ON; ${sql}`)
      file.close()
    }
    schema(`CREATE TABLE hidden AS SELECT * FROM sqlite_schema WHERE name = 'finding_of';
      DELETE FROM sqlite_schema WHERE name = 'finding_of'`)
    change(folder, `INSERT INTO finding (site, rule, evidence, at) VALUES (1, 'a', 'b', 2)`)
    schema('INSERT INTO sqlite_schema SELECT * FROM hidden; DROP TABLE hidden')
    assert.match(says((await verified(folder)).faults), /collection\.db: .*finding_of/)
  })

  for (const [what, edit, expected] of [
    ['is gone', () => [], /index\.cdxj: lacks captures: it has 0 of 8/],
    ['lacks a line', (lines: string[]) => lines.slice(1), /index\.cdxj: lacks /],
    ['is not sorted', (lines: string[]) => lines.toReversed(), /is out of order/],
    ['has a line twice', (lines: string[]) => [lines[0], ...lines], /is there twice/],
    ['says something else', (lines: string[]) => lines.map((l) => l.replace('"404"', '"200"')), /does not say of/],
    ['names what is not there', (l: string[]) => [...l, l.at(-1)!.replace('.warc', 'x.warc')], /has no capture/],
    ['is something else', () => ['hello'], /is not a line of CDXJ/],
  ] as const) {
    it(`finds an index that ${what}`, async () => {
      const folder = copy('index')
      const path = join(folder, 'indexes', 'index.cdxj')
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
      writeFileSync(
        path,
        edit(lines)
          .map((line) => `${line}\n`)
          .join(''),
      )
      assert.match(says((await verified(folder)).faults), expected)
    })
  }

  it('notes what a crash left without reporting a fault', async () => {
    const folder = copy('crashed')
    const volume = volumeOf(folder)
    const bytes = readFileSync(volume)
    writeFileSync(`${volume}.open`, Buffer.concat([bytes, bytes.subarray(0, 100)]))
    rmSync(volume)
    rmSync(join(folder, 'indexes', 'index.cdxj'))
    const { faults, notes } = await verified(folder)
    assert.deepEqual(faults, [])
    assert.match(says(notes), /was cut off/)
    assert.match(says(notes), /its tail is not whole/)
    assert.match(says(notes), /has 0 of 8 captures/)
    // What the catalogue knows was durable: a tear before its end is damage.
    writeFileSync(`${volume}.open`, bytes.subarray(0, bytes.length - 1000))
    assert.match(says((await verified(folder)).faults), /the catalogue has a capture here, the volume has none/)
  })

  it('accepts an incomplete index and an unknown volume while a crawl runs', async () => {
    const folder = copy('running')
    rmSync(join(folder, 'indexes', 'index.cdxj'))
    const volume = volumeOf(folder)
    writeFileSync(volume.replace('SIMULATED', 'ANOTHER'), readFileSync(volume))
    const lock = lockCollection(folder)
    try {
      const { faults, notes } = await verified(folder)
      assert.deepEqual(faults, [])
      assert.match(says(notes), /a crawl is running/)
      assert.match(says(notes), /ANOTHER.*: the catalogue names nothing in it/)
    } finally {
      lock.release()
    }
  })

  it('reads a volume that is renamed while it is read', async () => {
    const folder = copy('renamed')
    const volume = volumeOf(folder)
    renameSync(volume, `${volume}.open`)
    let reads = 0
    const disk: Disk = {
      ...realDisk,
      read(path, offset, length) {
        if (path === `${volume}.open` && reads++ === 0) renameSync(`${volume}.open`, volume)
        return realDisk.read(path, offset, length)
      },
    }
    const rooms = await openCollection(folder, { clock, disk })
    assert.deepEqual((await rooms.verify(() => {})).faults, [])
    assert.equal(reads > 0, true)
    await rooms.close()
  })
})
