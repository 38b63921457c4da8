import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SiteView } from '../../frontier/contract.ts'
import { SITE_VIEW, URL_FACTS, URL_VIEW } from '../cli/fake-services.test-data.ts'
import type { UrlFacts } from './explain.ts'
import { robotsSentence, ruleSentence, sitemapLines, sitemapOrigin } from './explain-text.ts'

const NOW = Date.UTC(2026, 0, 2)
const HOUR = 3_600_000
const facts = (more: Partial<UrlFacts>): UrlFacts => ({ ...URL_FACTS, ...more })

test('the group and the line of robots.txt that decide', () => {
  const sentence = (robots: UrlFacts['robots']) => ruleSentence(facts({ robots })).join()
  assert.equal(sentence(undefined), '')
  assert.equal(
    sentence({ allowed: false, group: '*', line: 1200, rule: 'Disallow: /x' }),
    'robots.txt forbids it: line 1,200, "Disallow: /x" in the group for "*".',
  )
  assert.equal(
    sentence({ allowed: true, group: 'Orb', line: 0, rule: 'Allow: /' }),
    'robots.txt allows it: "Allow: /" in the group for "Orb".',
  )
  assert.equal(
    sentence({ allowed: true, group: '*', line: 0, rule: '' }),
    'robots.txt has no rule for it in the group for "*".',
  )
  assert.equal(sentence({ allowed: true, group: '', line: 0, rule: '' }), 'robots.txt has no rules for this crawler.')
  assert.match(sentence({ allowed: false, group: '', line: 0, rule: '' }), /cannot be reached/)
})

test('what robots.txt brought, with its age', () => {
  const robots = { state: 'rules', at: NOW - 3 * HOUR, status: 200, text: '' } as const
  type Robots = NonNullable<SiteView['memory']['robots']['http']>
  const sentence = (more: Partial<Robots> = {}) => robotsSentence('http', { ...robots, ...more }, NOW)
  assert.equal(sentence(), 'robots.txt over http: read 3h ago (status 200).')
  assert.match(sentence({ tooBig: true }), /too long, so only the complete lines in its first 512 KiB count/)
  assert.match(sentence({ state: 'none', status: 404 }), /none 3h ago \(status 404\), so everything is allowed\./)
  assert.equal(
    sentence({ state: 'unreachable', status: 0, since: NOW - 5 * HOUR, tries: 2 }),
    'robots.txt over http: unreachable since 2026-01-01 19:00:00 UTC (5h), tried 2 times, last 3h ago (no answer); nothing is fetched until it can be read.',
  )
  assert.match(sentence({ state: 'uninterpretable' }), /not a robots\.txt/)
})

test('sitemaps: how many, what they listed, how reliable they are, where one was found', () => {
  const { memory } = SITE_VIEW
  assert.deepEqual(sitemapLines(memory), [])
  assert.deepEqual(
    sitemapLines({ ...memory, sitemaps: { asked: 3, urls: 1200, feeds: 1 }, hints: { checked: 50, held: 40 } }),
    [
      'Sitemaps: 3 known (1 feed among them), with 1,200 URLs.',
      'The times of change in them were right in 40 of 50 cases.',
    ],
  )
  const left = { 'nested-too-deep': 1, foreign: 3, 'most-sitemap-lines': 1200 }
  assert.deepEqual(sitemapLines({ ...memory, sitemaps: { asked: 0, urls: 0, left } }), [
    'Left out: sitemaps nested too deeply: 1; URLs of other hosts, which the protocol does not permit: 3; Sitemap lines of robots.txt after the first hundred: 1,200.',
  ])
  const origin = (path: string, via?: string) =>
    sitemapOrigin(facts({ view: { ...URL_VIEW, mark: 'read', path, via } }))
  assert.equal(origin('L'), undefined)
  assert.equal(origin('PM'), 'It is a sitemap listed in robots.txt.')
  assert.match(origin('PM', 'http://b.test/')!, /listed in the robots\.txt of http:\/\/b\.test\//)
  assert.equal(origin('PMM', 'http://a.test/i.xml'), 'It is a sitemap, listed in http://a.test/i.xml.')
  assert.equal(
    origin('MM', 'http://a.test/i.xml'),
    'It is a sitemap, listed in http://a.test/i.xml.',
    'the index is a seed',
  )
  assert.equal(origin('LLM', 'http://a.test/p'), 'It is a feed, found on http://a.test/p.')
})
