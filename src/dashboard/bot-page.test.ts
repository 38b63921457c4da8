import assert from 'node:assert/strict'
import { test } from 'node:test'
import { botPage } from './bot-page.ts'

const FACTS = {
  ...{ userAgentName: 'NewsArchive', contact: 'https://example.org/crawler', refresh: false },
  ...{ pause: 5000, addressPause: 500, pauseFactor: 2, maxCrawlDelay: 300_000, maxRetryAfter: 3_600_000 },
}

test('a webmaster learns who it is, how it behaves, and how to slow it down or keep it out', () => {
  const page = botPage(FACTS, 'NewsArchive/1.0 (+https://example.org/crawler)')
  for (const said of [
    'User-Agent: NewsArchive/1.0 (+https://example.org/crawler)',
    '<a href="https://example.org/crawler">',
    'at least 5s after the end of each answer',
    'a second pause of 500ms',
    'User-agent: NewsArchive\nCrawl-delay: 30',
    'User-agent: NewsArchive\nDisallow: /',
    'up to 5m',
    'up to 1h',
    'X-Robots-Tag: noindex',
  ])
    assert.ok(page.includes(said), said)
  assert.doesNotMatch(page, /<script|<link|<img|If-None-Match/)
  assert.match(botPage({ ...FACTS, refresh: true }, 'x'), /If-None-Match/)
})

test('a mail address is one, no contact is said, and nothing is mark-up that should not be', () => {
  assert.match(
    botPage({ ...FACTS, contact: 'mailto:bot@example.org' }, 'x'),
    /<a href="mailto:bot@example\.org">bot@example\.org<\/a>/,
  )
  assert.match(botPage({ ...FACTS, contact: undefined }, 'x'), /has not given a contact/)
  const odd = botPage({ ...FACTS, contact: 'https://example.org/?"><b>' }, '<i>')
  assert.ok(!odd.includes('<b>') && !odd.includes('<i>'))
})
