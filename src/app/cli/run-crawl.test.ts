import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CrawlEnd } from '../composition/crawl.ts'
import { NO_EMPTY_SEEDS, SNAPSHOT } from './fake-services.test-data.ts'
import { lastWords } from './run-crawl.ts'

const end: CrawlEnd = { why: 'complete', exit: 0, documents: 7, seeds: NO_EMPTY_SEEDS, mirrorsLeft: [] }

test('at the end the sum says how many sites are held, if any is', () => {
  const ran = { end, last: SNAPSHOT, tookMs: 1000 }
  assert.match(lastWords(ran, 'c'), /1 of 1 site done, in 1s\./)
  const held = { ...SNAPSHOT, sites: { ...SNAPSHOT.sites, barred: 2, total: 1203 } }
  assert.match(
    lastWords({ ...ran, last: held }, 'c'),
    /1 of 1,203 sites done \(1,200 held: orbweaver status says why\), in 1s\./,
  )
})
