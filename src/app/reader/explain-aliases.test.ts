import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SITE_VIEW as SITE, URL_FACTS, URL_VIEW } from '../cli/fake-services.test-data.ts'
import type { UrlFacts } from './explain.ts'
import { aliasLines, aliasSentence, leftLine } from './explain-text.ts'

const alias = {
  ...{ name: 'copy.test', https: false, original: 'www.a.test', how: 'list' as const, evidence: '' },
  since: Date.UTC(2026, 0, 2),
}
const facts = (more: Partial<UrlFacts> = {}): UrlFacts => ({ ...URL_FACTS, url: 'http://copy.test/x?y=1', ...more })

test('explain says since when and why a site is an alias', () => {
  assert.deepEqual(aliasLines(SITE), [])
  assert.match(
    aliasLines({ ...SITE, alias }).join(),
    /^Another name of www\.a\.test, from the list of mirrors, since 2026-01-02 00:00:00 UTC: links to it are followed there/,
  )
  const learnt = { ...alias, how: 'www' as const, evidence: '301 http://a.test/ → http://www.a.test/' }
  assert.match(aliasLines({ ...SITE, alias: learnt }).join(), /redirects there \(301 http:\/\/a\.test\/ → /)
})

test('explain says when and why a site was removed from the list of mirrors', () => {
  const line = leftLine({ original: 'a.test', on: '2026-05-01', why: 'their home pages \u001b[2J differ' })
  assert.match(
    line,
    /removed from the list of mirrors on 2026-05-01, .* copy of a\.test: their home pages [^\u001b]*differ\./,
  )
})

test('pages of an alias are fetched at the original, unless they wait or were fetched', () => {
  assert.equal(aliasSentence(facts(), SITE), undefined)
  assert.equal(aliasSentence(facts(), undefined), undefined)
  assert.match(aliasSentence(facts(), { ...SITE, alias }) ?? '', /^Not fetched here: .* see www\.a\.test\/x\?y=1\.$/)
  const moved = facts({ view: { ...URL_VIEW, mark: 'moved' } })
  assert.match(aliasSentence(moved, { ...SITE, alias }) ?? '', /followed there/)
  assert.equal(aliasSentence(facts({ view: { ...URL_VIEW, mark: 'waiting' } }), { ...SITE, alias }), undefined)
})
