import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../base/virtual-clock.ts'
import type { CrawlSnapshot } from '../composition/crawl-view.ts'
import { recordedScreen, SNAPSHOT } from './fake-services.test-data.ts'
import { watchCrawl } from './live-view.ts'

test('a database that is away is named, and its return, also to those who want quiet', async () => {
  const clock = virtualClock(0)
  const screen = recordedScreen()
  const begun = clock.elapsed()
  const outage = (): CrawlSnapshot['outage'] => {
    const ms = clock.elapsed() - begun
    return ms < 5000 || ms > 30_000 ? undefined : { what: 'the database db.test cannot be reached', forMs: ms - 5000 }
  }
  const view = watchCrawl(() => ({ ...SNAPSHOT, outage: outage() }), { screen, clock, quiet: true, lineEvery: 1000 })
  await clock.run(clock.sleep(40_000))
  view.stop()
  assert.equal(
    screen.err,
    'orbweaver: the database db.test cannot be reached; it is waited for, and nothing is lost meanwhile\n' +
      'orbweaver: the database is back after 26s\n',
  )
})
