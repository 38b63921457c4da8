import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../base/errors.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { urlsOf } from '../composition/plan.ts'
import { refreshing } from '../composition/refresh-options.ts'
import { loadSettings } from './load.ts'
import { checkWeights, readWeights, weightsOf } from './weights.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-weights-'))
after(() => rmSync(folder, { recursive: true }))

const file = (text: string) => {
  const path = join(folder, 'weights.txt')
  writeFileSync(path, text)
  return path
}
const settingsOf = (...flags: string[]) =>
  loadSettings(['-c', folder, ...flags], 'refresh', { env: {}, readFile: () => undefined }).settings
const open = (...flags: string[]) => {
  const settings = settingsOf(...flags)
  return refreshing(settings, openSqlite(':memory:'), urlsOf(settings), undefined)
}

test('the defaults: index, half of the requests for new URLs, hints after a day, equal weights', async () => {
  const { options } = await open()
  const limits = { minGain: 1000, minAge: 86_400_000, countsAsChange: 'small' }
  assert.deepEqual(options, { policy: 'index', newShare: 0.5, ...limits })
  const first = await open('--refresh-new-share', 'first', '--refresh-policy', 'round-robin')
  assert.deepEqual([first.options.newShare, first.options.policy], ['first', 'round-robin'])
  assert.throws(() => settingsOf('--refresh-new-share', '1.5'), /'1.5' is not a share/)
  assert.throws(() => settingsOf('--refresh-policy', 'best'), /'best' is not one of index, psp, round-robin/)
})

test('the longest prefix of a file of weights counts', async () => {
  const path = file('# ours\nhttps://A.test 2\nhttps://a.test/news/ 5\n\nhttps://a.test/news/old/ 0.5\n')
  const { options } = await open('--refresh-weights', path)
  const weight = (url: string) => options.weightOf?.({ url, depth: 3 })
  assert.equal(weight('https://a.test/'), 2)
  assert.equal(weight('https://a.test/newsletter'), 2)
  assert.equal(weight('https://a.test/news/1'), 5)
  assert.equal(weight('https://a.test/news/old/1'), 0.5)
  assert.equal(weight('https://a.test.example/'), 1, 'another host')
  assert.equal(weight('http://a.test/'), 1)
})

test('it is the same as looking at all prefixes', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 6 })
  fc.assert(
    fc.property(fc.dictionary(text, fc.nat(), { maxKeys: 8 }), text, (given, url) => {
      const fitting = Object.keys(given).filter((prefix) => url.startsWith(prefix))
      const longest = fitting.sort((a, b) => b.length - a.length).at(0)
      assert.equal(weightsOf(new Map(Object.entries(given)))(url), longest === undefined ? 1 : given[longest])
    }),
  )
})

test('a bad line of a file of weights is named, with what to write', () => {
  const bad: [string, RegExp][] = [
    ['https://a.test/', /line 1: 'https:\/\/a.test\/' has 1 words instead of 2; write a URL prefix and a weight/],
    ['# x\na.test 2', /line 2: 'a.test' does not begin as a URL does/],
    ['https://a.test/ 0', /'0' is no weight above 0/],
    ['https://a.test/ -1', /'-1' is no weight/],
    ['https://a.test/ 1e9', /'1e9' is no weight/],
    ['https://a.test/ 1\nhttps://a.test 2', /line 2: https:\/\/a.test\/ is named twice/],
  ]
  for (const [text, message] of bad)
    assert.throws(
      () => readWeights(file(text)),
      (error) => error instanceof Problem && error.code === 'bad-config' && message.test(error.message),
      text,
    )
  const missing = settingsOf('--refresh-weights', join(folder, 'none.txt'))
  assert.throws(() => checkWeights({ ...missing, refresh: true }), /none.txt does not exist; write uniform, depth/)
})

test('weights by depth', async () => {
  const { options } = await open('--refresh-weights', 'depth')
  assert.deepEqual(
    [0, 1, 3].map((depth) => options.weightOf?.({ url: 'http://a.test/', depth })),
    [1, 0.5, 0.25],
  )
})
