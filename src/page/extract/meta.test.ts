import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { conformanceTest } from '../../base/conformance.test-data.ts'
import { cleanHref } from './links.ts'
import { parseRefresh } from './meta.ts'

test('a refresh with a target, in the spellings that pages use', () => {
  for (const content of ['0;url=x', ' 0 ; URL = x', "0,url='x'y", '0;"x"', '.5 x', '0; x']) {
    assert.deepEqual(parseRefresh(content), { seconds: 0, url: 'x' }, content)
  }
  assert.deepEqual(parseRefresh('5'), { seconds: 5, url: undefined })
  assert.deepEqual(parseRefresh('5; url foo'), { seconds: 5, url: 'url foo' })
  for (const content of ['', 'x', ';url=x', '-1;url=x', '1x;url=x']) assert.equal(parseRefresh(content), undefined)
})

test('any content is read', () => {
  fc.assert(fc.property(fc.string(), (content) => void parseRefresh(content)))
})

interface Case {
  content: string
  expected: { time: number; url: string | null } | null
}

conformanceTest('refreshes agree with web-platform-tests', (folder) => {
  const path = join(folder, 'html', 'wpt_meta_refresh.json')
  const { cases } = JSON.parse(readFileSync(path, 'utf8')) as { cases: Case[] }
  for (const { content, expected } of cases) {
    const found = parseRefresh(content)
    const told = found && { time: found.seconds, url: found.url === undefined ? null : cleanHref(found.url) }
    assert.deepEqual(told ?? null, expected, JSON.stringify(content))
  }
  assert.ok(cases.length > 60)
})
