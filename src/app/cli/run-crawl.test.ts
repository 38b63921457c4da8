import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CrawlEnd } from '../composition/crawl.ts'
import { NO_EMPTY_SEEDS, SNAPSHOT } from './fake-services.test-data.ts'
import { resultText } from './run-crawl.ts'

const end: CrawlEnd = { why: 'complete', exit: 0, documents: 7, seeds: NO_EMPTY_SEEDS, mirrorsLeft: [] }

test('the result says how many sites are held back, if any', () => {
  const ran = { end, first: SNAPSHOT, last: SNAPSHOT, tookMs: 1000 }
  assert.match(resultText(ran, 'c'), /1 of 1 site done, in 1s\./)
  const held = { ...SNAPSHOT, sites: { ...SNAPSHOT.sites, barred: 2, total: 1203 } }
  assert.match(
    resultText({ ...ran, last: held }, 'c'),
    /1 of 1,203 sites done \(1,200 held back: see orbweaver status\), in 1s\./,
  )
})
