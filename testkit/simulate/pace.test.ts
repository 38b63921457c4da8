/** What `simulate crawl` says of its pace, and the policies that it compares. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLAIN } from '../web/options.ts'
import { type SimulateOptions, simulateCrawl } from './crawl-run.ts'

const near = (value: number, wanted: number, what: string) =>
  assert.ok(Math.abs(value - wanted) < 0.05 * wanted, `${what}: ${value}, not about ${wanted}`)

test('one collector at one site: a request every pause and answer, and most of the time it waits', async () => {
  const { pace, requests, virtualMs } = await simulateCrawl({
    seed: 1,
    sites: 1,
    pages: 60,
    // Every answer takes 0.3 to 2.3 times this.
    web: { ...PLAIN, latencyMs: 400, pageBytes: 500 },
    settings: { visits: 1 },
    workers: 1,
  })
  assert.equal(pace.collectors, 1)
  const period = 1000 / pace.requestsPerSecond
  const answer = period - 2000
  assert.ok(answer > 0.3 * 400 && answer < 2.3 * 400, `an answer of ${answer} ms`)
  near(pace.busyShare, answer / period, 'busy')
  near(pace.halfMs, virtualMs / 2, 'half of the documents')
  near(pace.ninetyMs, virtualMs * 0.9, 'most of the documents')
  // The last document was linked from one of the first, and waited for all the others.
  assert.ok(pace.longestWaitMs > 0.5 * requests * period && pace.longestWaitMs < virtualMs)
  assert.ok(pace.meanWaitMs < pace.longestWaitMs)
})

const CROWDED = {
  seed: 2,
  sites: 16,
  pages: 8,
  web: { ...PLAIN, pageBytes: 500, linksPerPage: 12 },
  workers: 1,
} satisfies SimulateOptions

const right = async (options: SimulateOptions) => {
  const report = await simulateCrawl(options)
  assert.deepEqual([report.missing, report.surplus, report.violations], [[], [], 0])
  return report
}

test('longest wait first collects the same and is as polite, but its collectors wait for servers', async () => {
  const settings = { visits: 3, slicePages: 1 }
  const klwf = await right({ ...CROWDED, settings })
  const lwf = await right({ ...CROWDED, settings, lwf: true })
  assert.equal(lwf.documents, klwf.documents)
  assert.ok(lwf.pace.halfMs > 2 * klwf.pace.halfMs, `${lwf.pace.halfMs} and ${klwf.pace.halfMs} ms`)
  assert.ok(lwf.pace.meanWaitMs > 2 * klwf.pace.meanWaitMs)
})

test('with a collector for every URL there is no difference: each server is asked as soon as it may be', async () => {
  const settings = { visits: 300, slicePages: 1 }
  const klwf = await right({ ...CROWDED, settings })
  const lwf = await right({ ...CROWDED, settings, lwf: true })
  assert.ok(lwf.pace.ninetyMs < 1.3 * klwf.pace.ninetyMs, `${lwf.pace.ninetyMs} and ${klwf.pace.ninetyMs} ms`)
})

test('sites that share an address share its pause', async () => {
  const web = { ...CROWDED.web, sharedAddressShare: 1, sitesPerAddress: 16 }
  const settings = { addressPause: 1000 }
  const apart = await right({ ...CROWDED, settings })
  const together = await right({ ...CROWDED, web, settings })
  assert.equal(together.documents, apart.documents)
  // Sixteen sites, of which one may be asked in a second.
  assert.ok(together.pace.ninetyMs > 3 * apart.pace.ninetyMs, `${together.pace.ninetyMs} and ${apart.pace.ninetyMs} ms`)
})
