import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveFacts, PageRequest } from '../page.ts'
import { audit } from './audit.ts'

const LIVE: LiveFacts = {
  ...{ now: 0, collection: 'c', runs: 'crawl', version: '1', begunAt: 0, choice: {}, isEnding: false },
  ...{ pace: [], recent: [], events: [], lateMs: 0 },
}

function request(query: string, role: PageRequest['role'] = 'operator'): PageRequest {
  const common = { path: '/actions', base: '/crawl', csrf: 'c', isSignedIn: true, message: undefined }
  return { ...common, role, query: new URLSearchParams(query), live: LIVE }
}

const HOSTILE = '<script>alert(1)</script>\u202e'
const entry = (id: number) => ({
  ...{ id, at: 1_800_000_000_000 + id, who: `${HOSTILE} at 192.0.2.1`, action: 'set-pause' },
  ...{ subject: id % 2 === 0 ? '' : 'a.test', before: null, after: `{"pauseMs":${id}}` },
})
const all = Array.from({ length: 120 }, (_, i) => entry(120 - i))
const data = {
  audit: async (before: number | undefined, atMost: number) =>
    all.filter(({ id }) => before === undefined || id < before).slice(0, atMost),
}

async function shown(query: string, role?: PageRequest['role']) {
  const { body, status } = await audit(request(query, role), data)
  return { text: String(body), status }
}

test('every action can be reached, page by page, with who, what, before and after', async () => {
  const seen: number[] = []
  let query: string | undefined = ''
  while (query !== undefined) {
    const { text } = await shown(query)
    seen.push(...[...text.matchAll(/pauseMs&quot;:(\d+)/g)].map(([, id]) => Number(id)))
    assert.doesNotMatch(text, /<script>alert|\u202e/)
    assert.match(text, /at 192\.0\.2\.1.*set-pause.*the crawl/s)
    query = /href="\/crawl\/actions\?(before=\d+)" rel="next"/.exec(text)?.[1]
  }
  assert.deepEqual(
    seen,
    all.map(({ id }) => id),
  )
  assert.match((await shown('before=1')).text, /There are no older actions/)
})

test('viewers do not see who did what', async () => {
  const { text, status } = await shown('', 'viewer')
  assert.equal(status, 403)
  assert.doesNotMatch(text, /192\.0\.2\.1/)
})
