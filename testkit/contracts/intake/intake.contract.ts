/** What intake does on every database. */
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { realClock } from '../../../src/base/clock.ts'
import { Readers } from '../../../src/base/journal.ts'
import { DigestFilter } from '../../../src/collection/captures/digest-filter.ts'
import { capturesOf, capturesSince } from '../../../src/collection/captures/read-captures.ts'
import { fillFilter, findCopy } from '../../../src/collection/captures/stored-copies.ts'
import { readCounters } from '../../../src/collection/counters/counters.ts'
import { figures } from '../../../src/collection/figures.ts'
import { findingsOf, pageOf, pagesSince } from '../../../src/collection/pages/read-pages.ts'
import type { Event } from '../../../src/contracts/events.ts'
import type { VisitReport } from '../../../src/contracts/report.ts'
import { seal } from '../../../src/contracts/sealed-part.ts'
import type { Database } from '../../../src/database/database.ts'
import { queries } from '../../../src/database/queries.ts'
import type { Intake } from '../../../src/intake/intake.ts'
import { openIntake } from '../../../src/intake/open-intake.ts'
import { partsWaiting } from '../../../src/intake/report-parts.ts'
import { memoryDisk } from '../../memory-disk.ts'
import { sampleLedger } from './sample-ledger.contract.ts'
import { samplePage, sampleReport } from './sample-report.contract.ts'

const LOG = '/c/logs/crawl.log'

/** A part is applied as it comes, or after it was stored. The result is the same. */
export interface Way {
  way: string
  atOnceBytes: number | undefined
}

export const AT_ONCE: Way = { way: 'at once', atOnceBytes: undefined }
export const THROUGH_THE_INBOX: Way = { way: 'through the inbox', atOnceBytes: 0 }

const opened: Intake[] = []

export async function coordinator(
  database: Database,
  disk = memoryDisk(),
  fences: Record<string, number> = {},
  atOnceBytes?: number,
) {
  const journal = new Readers<Event>()
  const filter = DigestFilter.ofBits(2 ** 16)
  await fillFilter(database, filter)
  const ledger = await sampleLedger(database, fences)
  const clock = realClock
  const intake = await openIntake({ database, ledger, filter, disk, logPath: LOG, clock, journal, atOnceBytes })
  opened.push(intake)
  return { intake, journal, ledger, filter }
}

const logText = (disk: ReturnType<typeof memoryDisk>) => Buffer.from(disk.read(LOG, 0, 10_000_000)).toString()

/** Three parts of one site: two pages (one with robots.txt), a redirect and a hazard, and the end. */
export function visitParts(site: string): VisitReport[] {
  const at = (path: string) => `http://${site}${path}`
  const robots = samplePage(at('/robots.txt'), { ownRequest: true, mediaType: 'text/plain' }, `robots of ${site}`)
  const moved = samplePage(at('/old'), { outcome: { kind: 'moved', to: at('/b') }, status: 301 }, 'moved')
  return [
    sampleReport(site, 1, [robots, samplePage(at('/a'), {}, `a of ${site}`, [at('/b'), 'http://x.test/'])]),
    sampleReport(site, 2, [samplePage(at('/b'), {}, 'the same everywhere'), moved], {
      findings: [{ rule: 'too-deep', evidence: at('/x/x/x/x'), at: 5 }],
    }),
    sampleReport(site, 3, [], { ended: 'done' }),
  ]
}

export function intakeContract(name: string, make: () => Database | Promise<Database>, ways: readonly Way[]): void {
  describe(`intake on ${name}`, () => {
    afterEach(async () => {
      for (const intake of opened.splice(0)) await intake.close().catch(() => {})
    })
    for (const { way, atOnceBytes } of ways) {
      test(`idle waits for parts that have come and are not stored yet (${way})`, async () => {
        const database = await make()
        const { intake } = await coordinator(database, memoryDisk(), {}, atOnceBytes)
        const storing = intake.accept(visitParts('a.test').map(seal))
        await intake.idle()
        assert.equal(await database.read(partsWaiting), 0)
        assert.equal(await database.read(async (tx) => (await pagesSince(tx, 0, 10)).length), 3)
        await storing
      })

      test(`checked-in parts are applied, with everything that belongs to them (${way})`, async () => {
        const database = await make()
        const disk = memoryDisk()
        const { intake, ledger } = await coordinator(database, disk, {}, atOnceBytes)
        await intake.accept(visitParts('a.test').map(seal))
        assert.deepEqual(ledger.returned, atOnceBytes === 0 ? ['visit-of-a.test'] : [])
        await intake.idle()
        assert.equal(intake.pending(), 0)
        await database.read(async (tx) => {
          const pages = await pagesSince(tx, 0, 10)
          assert.deepEqual(
            pages.map(({ url, outcome, detail }) => [url, outcome, detail]),
            [
              ['http://a.test/a', 'kept', null],
              ['http://a.test/b', 'kept', null],
              ['http://a.test/old', 'moved', 'http://a.test/b'],
            ],
          )
          assert.equal((await capturesSince(tx, 0, 10)).length, 4)
          assert.deepEqual(await findingsOf(tx, 'a.test'), [
            {
              rule: 'too-deep',
              evidence: 'http://a.test/x/x/x/x',
              at: 5,
              pattern: null,
              examples: [],
              withdrawn_at: null,
            },
          ])
          assert.equal((await figures(tx, { seen: 9, waiting: 6 })).documents, 2)
        })
        const lines = logText(disk).trimEnd().split('\n')
        assert.equal(lines.length, 5)
        assert.match(lines[4], / -4000 .* http:\/\/a\.test\/ .* hazard:too-deep$/)
      })

      test(`a part sent again, before or after it was applied, has no effect (${way})`, async () => {
        const database = await make()
        const { intake } = await coordinator(database, memoryDisk(), {}, atOnceBytes)
        const parts = visitParts('a.test')
        await Promise.all([
          intake.accept(parts.map(seal)),
          intake.accept(parts.map(seal)),
          intake.accept(parts.slice(1).map(seal)),
        ])
        await intake.idle()
        await intake.accept(parts.map(seal))
        await intake.idle()
        await database.read(async (tx) => {
          assert.equal((await readCounters(tx)).get('documents'), 2)
          assert.equal((await readCounters(tx)).get('requests'), 4)
          assert.equal((await capturesSince(tx, 0, 100)).length, 4)
          assert.equal((await pageOf(tx, 'a.test', samplePage('http://a.test/a').key))?.looks, 1)
        })
        assert.equal(intake.pending(), 0)
      })

      test(`a zombie's part is acknowledged, and does not count (${way})`, async () => {
        const database = await make()
        const { intake } = await coordinator(database, memoryDisk(), { 'a.test': 7 }, atOnceBytes)
        await intake.accept(visitParts('a.test').map(seal))
        await intake.idle()
        await database.read(async (tx) => assert.deepEqual(await pagesSince(tx, 0, 10), []))
        assert.equal(intake.pending(), 0)
      })

      test(`a part out of order waits for the one before it (${way})`, async () => {
        const database = await make()
        const { intake } = await coordinator(database, memoryDisk(), {}, atOnceBytes)
        const parts = visitParts('a.test')
        await intake.accept([parts[2], parts[1]].map(seal))
        await intake.idle()
        assert.equal(intake.pending(), 0)
        await database.read(async (tx) => {
          assert.deepEqual(await pagesSince(tx, 0, 10), [])
          assert.equal(await partsWaiting(tx), 2)
        })
        await intake.accept([parts[0]].map(seal))
        await intake.idle()
        await database.read(async (tx) => {
          assert.equal(await partsWaiting(tx), 0)
          assert.equal((await readCounters(tx)).get('documents'), 2)
        })
      })

      test(`a corrupt part is quarantined and holds up no other (${way})`, async () => {
        const database = await make()
        const { intake, journal } = await coordinator(database, memoryDisk(), {}, atOnceBytes)
        const troubles: string[] = []
        journal.read((event) => event.kind === 'trouble' && troubles.push(event.what))
        await intake.accept([
          { visit: 'v', fence: 1, part: 1, site: 'b.test', last: false, body: new Uint8Array([1, 2, 3]) },
        ])
        await intake.accept(visitParts('a.test').map(seal))
        await intake.idle()
        assert.equal(intake.pending(), 0)
        assert.equal(troubles.length, 1)
        await database.read(async (tx) => {
          assert.equal((await readCounters(tx)).get('documents'), 2)
          assert.equal((await queries(tx).get<{ n: number }>('SELECT count(*) AS n FROM inbox'))?.n, 1)
        })
      })

      test(`a part in the envelope of another is quarantined, because its envelope was authorised (${way})`, async () => {
        const database = await make()
        const { intake } = await coordinator(database, memoryDisk(), {}, atOnceBytes)
        const [first, second] = visitParts('a.test').map(seal)
        await intake.accept([
          { ...second, part: 1 },
          { ...first, part: 2 },
        ])
        await intake.accept([{ ...first, visit: 'visit-of-b.test', site: 'b.test' }])
        await intake.idle()
        assert.equal(intake.pending(), 0)
        await database.read(async (tx) => {
          assert.deepEqual(await pagesSince(tx, 0, 10), [])
          const aside = await queries(tx).all<{ corrupt: string }>('SELECT corrupt FROM inbox')
          assert.deepEqual(
            aside.map(({ corrupt }) => corrupt),
            Array(3).fill('its envelope names another part'),
          )
        })
      })

      test(`a payload of two sites is one content: found as a copy, counted as a duplicate (${way})`, async () => {
        const database = await make()
        const { intake, filter } = await coordinator(database, memoryDisk(), {}, atOnceBytes)
        const [a, b] = ['a.test', 'b.test'].map(visitParts)
        const find = findCopy(database, filter)
        const { digest } = b[1].pages[0].capture!
        assert.equal(await find(digest), undefined)
        await intake.accept(a.map(seal))
        await intake.idle()
        const copy = await find(digest)
        assert.deepEqual({ ...copy }, { url: 'http://a.test/b', at: a[1].pages[0].at })
        b[1].pages[0].capture!.kind = 'revisit'
        await intake.accept(b.map(seal))
        await intake.idle()
        await database.read(async (tx) => {
          const { duplicates, storedTwice, documents } = await figures(tx, { seen: 0, waiting: 0 })
          // The payload of both redirects was stored twice; it is not a document.
          assert.deepEqual({ duplicates, storedTwice, documents }, { duplicates: 1, storedTwice: 1, documents: 4 })
          assert.equal((await capturesOf(tx, 'b.test', b[1].pages[0].key))[0].kind, 'revisit')
        })
      })
    }
    const crashes = [
      ...ways.flatMap((way) => (['applying', 'applied'] as const).map((moment) => ({ ...way, moment }))),
      { way: 'through the inbox', atOnceBytes: 0, moment: 'inbox-stored' as const },
    ]

    for (const { way, atOnceBytes, moment } of crashes) {
      test(`a crash at each '${moment}' (${way}) loses nothing and counts nothing twice`, async () => {
        const sites = ['a.test', 'b.test', 'c.test']
        const parts = sites.flatMap(visitParts)
        const database = await make()
        const disk = memoryDisk()
        let met = 0
        for (let crashAfter = 0; crashAfter < 4; crashAfter++) {
          const { intake, journal } = await coordinator(database, disk, {}, atOnceBytes)
          let told = 0
          journal.read((event) => {
            if (event.kind === moment && told++ === crashAfter % 2) throw new Error('crash')
          })
          // The worker does not know what was acknowledged, so it sends everything again.
          for (const site of sites) {
            const mine = parts.filter((part) => part.site === site)
            await intake.accept(mine.map(seal)).catch(() => met++)
          }
          await intake.drain().catch(() => met++)
        }
        assert.ok(met > 0)
        const { intake } = await coordinator(database, disk, {}, atOnceBytes)
        await intake.accept(parts.map(seal))
        await intake.drain()
        await database.read(async (tx) => {
          const counters = await readCounters(tx)
          assert.equal(counters.get('documents'), 6)
          assert.equal(counters.get('requests'), 12)
          assert.equal(counters.get('status:301'), 3)
          assert.equal((await pagesSince(tx, 0, 100)).length, 9)
          assert.equal((await capturesSince(tx, 0, 100)).length, 12)
        })
        const lines = logText(disk)
          .trimEnd()
          .split('\n')
          .filter((line) => !line.includes(' -4000 '))
        assert.equal(lines.length, 12)
        assert.equal(new Set(lines.map((line) => line.split(/ +/)[3])).size, 12)
      })
    }
    test('parts that an earlier process left are applied by the next', async () => {
      const database = await make()
      const first = await coordinator(database, memoryDisk(), {}, 0)
      first.journal.read((event) => {
        if (event.kind === 'applying') throw new Error('crash')
      })
      await first.intake.accept(visitParts('a.test').map(seal))
      await assert.rejects(first.intake.idle(), /crash/)
      await assert.rejects(first.intake.accept(visitParts('b.test').map(seal)), /crash/)
      const second = await coordinator(database)
      assert.equal(second.intake.pending(), 3)
      await second.intake.drain()
      assert.equal(second.intake.pending(), 0)
      await database.read(async (tx) => assert.equal((await readCounters(tx)).get('documents'), 2))
    })
  })
}
