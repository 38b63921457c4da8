import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PastVisit } from '../../collection/counters/last-visits.ts'
import { freshMemory } from '../../contracts/site-memory.ts'
import type { PageRequest } from '../page.ts'
import { type SiteStory, site } from './site.ts'

const NOW = Date.UTC(2026, 0, 2, 12)
const REQUEST: PageRequest = {
  ...{ path: '/site', query: new URLSearchParams('name=a.test'), role: 'viewer', base: '', csrf: 'c' },
  ...{ isSignedIn: true, message: undefined },
  live: {
    ...{ now: NOW, collection: 'c', runs: 'crawl', version: '1', begunAt: NOW, choice: {}, isEnding: false },
    ...{ pace: [], recent: [], events: [], lateMs: 0 },
  },
}
const VISIT = { at: NOW, tookMs: 60_000, worker: undefined, requests: 5, documents: 4, bytes: 1000 }

async function pageWith(...visits: PastVisit[]) {
  const pages = { read: 0, isAll: true, statuses: [], outcomes: [], failures: [], depths: [], sizes: [], last: [] }
  const story: SiteStory = {
    view: {
      ...{ name: 'a.test', state: 'waiting', seed: true, rank: 0, since: 0, notBefore: 0, politeAt: 0, pause: 0 },
      ...{ losses: 0, deferral: 0, visits: 2, known: 5, waiting: 1, memory: freshMemory() },
    },
    ...{ site: 'a.test', findings: [], lines: ['a.test: ready'] },
    more: { sums: undefined, pages, queue: [], visits, sharing: 1, pauses: [], aliases: [] },
  }
  return String((await site(REQUEST, { siteStory: async () => story, siteFigures: () => assert.fail() })).body)
}

test('a visit is listed with its beginning; of a lost one it is only known when that was noticed', async () => {
  const ended = await pageWith({ ...VISIT, why: 'done' })
  assert.match(ended, /<th scope="row"><time[^>]*>2026-01-02 11:59:00</)
  const lost = await pageWith({ ...VISIT, why: 'lost' })
  assert.doesNotMatch(lost, /11:59:00/)
  assert.match(lost, /<th scope="row">–<.*lost: its worker did not come back, noticed <time[^>]*>2026-01-02 12:00:00</)
})
