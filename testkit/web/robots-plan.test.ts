import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crawlDelay, defineRobots, permits, type RobotsKind } from './robots-plan.ts'

const CASES: [RobotsKind, string, boolean][] = [
  ['missing', '/private1/', true],
  ['html', '/private1/', true],
  ['forbidden', '/tmp1/', true],
  ['empty', '/tmp1/', true],
  ['allow-all', '/tmp1/', true],
  ['some', '/private2/p41.html', false],
  ['some', '/private1/p21.html', true],
  ['some', '/d1/', true],
  ['crlf', '/tmp0/', false],
  ['cr', '/tmp0/', false],
  ['bom', '/tmp0/', false],
  ['token', '/', true],
  ['token', '/private2/', false],
  ['token-free', '/private2/', true],
  ['everything', '/', false],
  ['everything', '/robots.txt', true],
  ['unavailable', '/', false],
  ['busy', '/', false],
  ['timeout', '/', false],
  ['patterns', '/d1/Page-3.HTM', false],
  ['patterns', '/d1/Page-3.HTMx', true],
  ['patterns', '/d4/p81.html', true],
  ['patterns', '/private3/p61.html', true],
  ['patterns', '/private3/p61', false],
  ['patterns', '/p%C3%A1gina2/', false],
  ['patterns', '/d1/show.php?id=25&lang=pt', false],
  ['patterns', '/d1/p.php?id=25', true],
  ['large', '/tmp1/', false],
  ['moved', '/tmp1/', false],
]

for (const [kind, path, may] of CASES) {
  test(`robots.txt of kind ${kind}: ${path} is ${may ? 'free' : 'forbidden'}`, () => {
    assert.equal(permits(defineRobots(kind, 3), 'OrbWeaver', path), may)
  })
}

test('the text has what the groups have', () => {
  assert.equal(crawlDelay(defineRobots('delay', 3), 'orbweaver'), 3000)
  assert.match(defineRobots('delay', 3).text, /crawl-delay: 3/)
  assert.ok(defineRobots('cr', 3).text.includes('\r') && !defineRobots('cr', 3).text.includes('\n'))
  const { text } = defineRobots('large', 3)
  assert.ok(text.length > 500 * 1024 && text.lastIndexOf('/tmp') < 500 * 1024)
})
