import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UrlFacts } from './collection-reader.ts'
import { robotsSentence, ruleSentence, sitemapLines, sitemapOrigin } from './robots-words.ts'

const NOW = Date.UTC(2026, 0, 2)
const HOUR = 3_600_000
const facts = (more: Partial<UrlFacts>): UrlFacts => ({
  url: 'http://a.test/x',
  site: 'a.test',
  view: undefined,
  page: undefined,
  captures: 0,
  inlinks: { count: 0, from: [], behind: 0 },
  ...more,
})

test('the group and the line that decide', () => {
  const said = (robots: UrlFacts['robots']) => ruleSentence(facts({ robots })).join()
  assert.equal(said(undefined), '')
  assert.equal(
    said({ allowed: false, group: '*', line: 1200, rule: 'Disallow: /x' }),
    'robots.txt forbids it: line 1,200, "Disallow: /x" in the group for "*".',
  )
  assert.equal(
    said({ allowed: true, group: 'Orb', line: 0, rule: 'Allow: /' }),
    'robots.txt allows it: "Allow: /" in the group for "Orb".',
  )
  assert.equal(
    said({ allowed: true, group: '*', line: 0, rule: '' }),
    'robots.txt has no rule for it in the group for "*".',
  )
  assert.equal(said({ allowed: true, group: '', line: 0, rule: '' }), 'robots.txt says nothing to us.')
  assert.match(said({ allowed: false, group: '', line: 0, rule: '' }), /cannot be reached/)
})

test('the outcome of robots.txt with its age', () => {
  const at = NOW - 3 * HOUR
  assert.equal(
    robotsSentence('https', { state: 'rules', at, status: 200 }, NOW),
    'robots.txt over https: rules, read 3h ago (status 200).',
  )
  assert.match(
    robotsSentence('http', { state: 'rules', at, status: 200, tooBig: true }, NOW),
    /too big: cut at 512 KiB/,
  )
  assert.match(robotsSentence('http', { state: 'none', at, status: 404 }, NOW), /none, asked for 3h ago \(status 404\)/)
  assert.equal(
    robotsSentence('http', { state: 'unreachable', at, status: 0, since: NOW - 5 * HOUR, tries: 2 }, NOW),
    'robots.txt over http: unreachable since 2026-01-01 19:00:00 UTC, 5h (no answer), asked for 2 times, last 3h ago; until it can be read nothing is fetched.',
  )
  assert.match(robotsSentence('http', { state: 'uninterpretable', at, status: 200 }, NOW), /uninterpretable/)
})

test('sitemaps: how many, what they brought, whether they are believed; where one was found', () => {
  const memory = { robots: {}, fetched: 0, duplicates: 0, silent: 0 }
  assert.deepEqual(sitemapLines(memory), [])
  assert.deepEqual(
    sitemapLines({ ...memory, sitemaps: { asked: 3, urls: 1200, feeds: 1 }, hints: { checked: 50, held: 40 } }),
    [
      'Sitemaps: 3 named, 1 of them feeds; 1,200 URLs from them.',
      'What they say of last changes was true 40 of 50 times.',
    ],
  )
  const view = { depth: 0, enqueuedAt: 0, dueAt: 0, tries: 0, mark: 'read', seed: false } as const
  const left = { 'nested-too-deep': 1, foreign: 3, 'most-sitemap-lines': 1200 }
  assert.deepEqual(sitemapLines({ ...memory, sitemaps: { asked: 0, urls: 0, left } }), [
    'Left out of what they and robots.txt name: 3 URLs of other hosts, which the protocol does not permit; 1 sitemap nested too deep; 1,200 Sitemap lines of robots.txt after the first hundred.',
  ])
  const origin = (path: string, via?: string) => sitemapOrigin(facts({ view: { ...view, path, via } }))
  assert.equal(origin('L'), undefined)
  assert.equal(origin('PM'), 'It is a sitemap that robots.txt names.')
  assert.match(origin('PM', 'http://b.test/')!, /robots\.txt beside http:\/\/b\.test\/ names/)
  assert.equal(origin('PMM', 'http://a.test/i.xml'), 'It is a sitemap, named by http://a.test/i.xml.')
  assert.equal(
    origin('MM', 'http://a.test/i.xml'),
    'It is a sitemap, named by http://a.test/i.xml.',
    'the index is a seed',
  )
  assert.equal(origin('LLM', 'http://a.test/p'), 'It is a feed, found on http://a.test/p.')
})
