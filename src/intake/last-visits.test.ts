/** The last visits of a site, on both databases: what each brought, who made it, and how it ended. */
import assert from 'node:assert/strict'
import { NOON, samplePage, sampleReport } from '../../testkit/contracts/intake/sample-report.contract.ts'
import { memoryDisk } from '../../testkit/memory-disk.ts'
import { bothDatabases } from '../../testkit/postgres/database.test-tools.ts'
import { hash64 } from '../base/digest.ts'
import { DigestFilter } from '../collection/captures/digest-filter.ts'
import { lastVisits, noteLost } from '../collection/counters/last-visits.ts'
import type { VisitEnd } from '../contracts/report.ts'
import { seal } from '../contracts/sealed-part.ts'
import type { Visit } from '../contracts/visit.ts'
import { openFrontier } from '../frontier/open-frontier.ts'
import { klwf } from '../frontier/order.ts'
import { usualUrls } from '../web/url/web-url.ts'
import { openIntake } from './open-intake.ts'
import { jumpingClock } from './postgres/jumping-clock.test-data.ts'

const PAUSE = 1000
const LEASE = 60_000
const urlOf = (n: number) => `http://a.test/${n}`
const onBoth = await bothDatabases()

onBoth('a visit of several parts is one; a lost one is among them, and only some are kept', async (database) => {
  const clock = jumpingClock(NOON)
  const options = {
    ...{ clock, order: klwf, urls: usualUrls, slice: { pages: 1, time: 60_000 }, leaseMs: LEASE },
    ...{ addressPauseMs: 100, defaultPause: () => PAUSE },
  }
  const { ledger, frontier, recover } = openFrontier(database, options)
  const tools = { database, ledger, clock, journal: { record() {} }, disk: memoryDisk(), logPath: '/c/crawl.log' }
  const intake = await openIntake({ ...tools, filter: DigestFilter.ofBits(1024) })
  await recover(() => intake.drain())
  const urls = Array.from({ length: 40 }, (_, n) => ({ url: urlOf(n), key: hash64(urlOf(n)), site: 'a.test' }))
  await database.transact((tx) => ledger.seed(tx, urls))
  const checkOut = async (worker: string): Promise<Visit> => {
    for (;;) {
      const { visits, next } = await frontier.checkOut(worker, 1)
      if (visits.length > 0) return visits[0]
      assert.notEqual(next, 'over')
      await clock.sleep(Math.max(1, next as number))
    }
  }
  const part = async ({ id, fence }: Visit, nth: number, pages: number[], ended?: VisitEnd) => {
    const courtesy = { pause: PAUSE, notBefore: clock.now() + PAUSE, lastAnswerAt: clock.now() }
    const report = sampleReport(
      'a.test',
      nth,
      pages.map((n) => samplePage(urlOf(n), { at: clock.now() })),
      { visit: id, fence, courtesy },
    )
    const counts = new Map([...report.counts, ['elapsed:courtesy', 500], ['elapsed:download', 100]])
    await intake.accept([{ ...report, counts, ...(ended && { ended }) }].map(seal))
    await intake.idle()
  }
  const visits = () => database.read((tx) => lastVisits(tx, 'a.test'))

  assert.deepEqual(await visits(), [])
  const first = await checkOut('0123456789abcdef.2')
  await part(first, 1, [0, 1])
  assert.deepEqual(await visits(), [], 'it has not ended')
  await part(first, 2, [2], 'slice')
  const [{ at, bytes, ...one }, ...none] = await visits()
  assert.deepEqual(none, [])
  assert.ok(at >= NOON && at <= clock.now() && bytes > 0)
  assert.deepEqual(one, {
    ...{ tookMs: 1200, why: 'slice', worker: '0123456789abcdef.2', requests: 3, documents: 3 },
  })

  const second = await checkOut('w2')
  await part(second, 1, [3])
  await clock.sleep(3 * LEASE)
  assert.equal((await intake.reap()).length, 1)
  const [lost] = await visits()
  assert.deepEqual([lost.why, lost.worker, lost.requests, lost.tookMs], ['lost', 'w2', 1, 600])

  for (let n = 4; n < 24; n++) await part(await checkOut('w3'), 1, [n], n === 23 ? 'silent' : 'slice')
  const last = await visits()
  assert.equal(last[0].why, 'silent')
  assert.ok(last.length >= 8 && last.length < 20, `${last.length} are kept`)
  assert.ok(last.every(({ requests, worker, tookMs }) => requests === 1 && worker === 'w3' && tookMs === 600))

  await part(await checkOut('w4'), 1, [24])
  await intake.close()
  await openFrontier(database, options).recover(
    async () => {},
    (tx, out) => noteLost(tx, out, clock.now()),
  )
  const [left] = await visits()
  assert.deepEqual([left.why, left.worker, left.requests], ['lost', 'w4', 1], 'its process ended with it')
})
