import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aliasLines, aliasSentence, leftLine } from './alias-words.ts'
import type { SiteView, UrlFacts } from './collection-reader.ts'

const SITE: SiteView = {
  state: 'crawled',
  seed: false,
  notBefore: 0,
  politeAt: 0,
  pause: 0,
  losses: 0,
  deferral: 0,
  visits: 1,
  known: 1,
  waiting: 0,
  memory: { robots: {}, fetched: 1, duplicates: 0, silent: 0 },
}
const alias = { original: 'www.a.test', how: 'list', evidence: '', since: Date.UTC(2026, 0, 2) }
const facts = (more: Partial<UrlFacts> = {}): UrlFacts => ({
  url: 'http://copy.test/x?y=1',
  site: 'copy.test',
  view: undefined,
  page: undefined,
  captures: 0,
  inlinks: { count: 0, from: [], behind: 0 },
  ...more,
})

test('a site that is another name of an original says so, since when and by whom', () => {
  assert.deepEqual(aliasLines(SITE), [])
  assert.match(
    aliasLines({ ...SITE, alias }).join(),
    /^Another name of www\.a\.test, by the list of mirrors, since 2026-01-02 00:00:00 UTC: links into it are entered there/,
  )
  const learnt = { ...alias, how: 'www', evidence: '301 http://a.test/ → http://www.a.test/' }
  assert.match(aliasLines({ ...SITE, alias: learnt }).join(), /sends everybody \(301 http:\/\/a\.test\/ → /)
})

test('a site that left the list of mirrors says so, when and why', () => {
  const said = leftLine({ original: 'a.test', on: '2026-05-01', why: 'their home pages \u001b[2J differ' })
  assert.match(said, /as a copy of a\.test and left it on 2026-05-01: their home pages [^\u001b]*differ\./)
})

test('its pages are looked for at the original, unless they wait or were asked for', () => {
  assert.equal(aliasSentence(facts(), SITE), undefined)
  assert.equal(aliasSentence(facts(), undefined), undefined)
  assert.match(aliasSentence(facts(), { ...SITE, alias }) ?? '', /^Not asked for here: .* see www\.a\.test\/x\?y=1\.$/)
  const view = { depth: 1, enqueuedAt: 0, dueAt: 0, tries: 0, seed: false }
  const moved = facts({ view: { ...view, mark: 'moved' } })
  assert.match(aliasSentence(moved, { ...SITE, alias }) ?? '', /entered/)
  assert.equal(aliasSentence(facts({ view: { ...view, mark: 'waiting' } }), { ...SITE, alias }), undefined)
})
