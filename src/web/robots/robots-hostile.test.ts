/**
 * Files made to break a parser: 6,000 in all, mutated from ordinary ones or generated. None may throw, lose a rule in the
 * small text, or cost more steps to decide than its own length and the bound on wildcards allow.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Stretches } from '../../base/stretches.ts'
import {
  LINES_A_STRETCH,
  parseRobots,
  type Robots,
  recallInStretches,
  recallRobots,
  robotsInStretches,
} from './robots.ts'
import { MAX_SCANNED } from './robots-rules.ts'

const ORDINARY = [
  'User-agent: *\nDisallow: /cgi-bin/\nDisallow: /*?sort=\nAllow: /\n\nSitemap: https://a.test/sitemap.xml\n',
  '# robots.txt\r\nUser-agent: weaver/1.0\r\nCrawl-delay: 2.5\r\nDisallow: /a*b$\r\n\r\nUser-agent: other\r\nDisallow: /\r\n',
  '\ufeffuser agent: weaver\ndisalow: /caf\u00e9/%7Ejoe\nAllow: /caf\u00e9/index.html\nuser-agent: *\ndisallow:\n',
  '<br>\nUser-agent: *\n<br>\nDisallow: /private\n',
  Array.from({ length: 200 }, (_, i) => `User-agent: bot${i}\nDisallow: /${i}/*/x$`).join('\n'),
]

const HOSTILE = [
  '*'.repeat(3000),
  `/${'*a'.repeat(2000)}$`,
  '\0'.repeat(50),
  'x'.repeat(20_000),
  '\r\r\n\n\r',
  '%'.repeat(500),
  '%2'.repeat(200),
  '#'.repeat(300),
  ': '.repeat(300),
  'User-agent: *\n'.repeat(300),
  'User-agent: weaver\nDisallow: /\n'.repeat(300),
  '\u00ef\u00bb\u00bf',
  `Sitemap: http://a.test/${'y'.repeat(3000)}\n`,
  `Crawl-delay: ${'9'.repeat(400)}\n`,
  'Disallow: /a #7\nUser-agent: weaver #9 8 7\n',
]

const chunk = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'/*$%#: \t\n\raA1é'), maxLength: 60 }),
)

/** An ordinary file with pieces cut out, doubled, turned around and put in. */
const mutated = fc
  .tuple(
    fc.constantFrom(...ORDINARY),
    fc.array(fc.tuple(fc.nat(), fc.nat(40), fc.constantFrom('cut', 'double', 'insert', 'turn'), chunk), {
      minLength: 1,
      maxLength: 6,
    }),
  )
  .map(([text, changes]) => {
    let out = text
    for (const [where, length, how, piece] of changes) {
      const at = where % (out.length + 1)
      const part = out.slice(at, at + length)
      const put = {
        cut: '',
        double: part + part,
        insert: piece + part,
        turn: [...part].reverse().join(''),
      }[how]
      out = out.slice(0, at) + put + out.slice(at + length)
    }
    return out
  })

const generated = fc
  .array(
    fc
      .tuple(fc.constantFrom('User-agent: ', 'Allow: ', 'Disallow: ', 'Sitemap: ', '', 'disalow', '\ufeff'), chunk)
      .map((pair) => pair.join('')),
    { maxLength: 30 },
  )
  .chain((lines) => fc.constantFrom('\n', '\r', '\r\n').map((end) => lines.join(end)))

const paths = ['/', '/a', `/${'a'.repeat(4000)}`, `/${'a/'.repeat(900)}?b=%2`, '/caf%C3%A9/~joe/', '/%', '*$', '\u00ff']

function examine(bytes: Uint8Array): void {
  const whole = parseRobots(bytes, 'weaver')
  assert.match(whole.text, /^[\n\x20-\x7e]*$/)
  const small = recallRobots(whole.text)
  assert.equal(small.text, whole.text)
  assert.equal(small.crawlDelay, whole.crawlDelay)
  assert.deepEqual(small.sitemaps, whole.sitemaps)
  for (const path of paths) {
    const effort = { steps: 0 }
    const answer = whole.permits(path, effort)
    assert.deepEqual(small.permits(path), answer)
    assert.ok(answer.rule.length <= 200 && answer.group.length <= 100)
    // One decision looks at every rule at most once, and through the path for wildcards no more than the bound allows.
    assert.ok(effort.steps <= 4 * bytes.length + 10 * path.length + MAX_SCANNED, `${effort.steps} steps`)
    if (!answer.allowed || answer.rule !== '') {
      assert.ok(answer.line <= bytes.length + 1)
      assert.notEqual(answer.group, '')
    }
  }
}

test('3,000 ordinary files, mutated', () => {
  fc.assert(
    fc.property(mutated, (text) => examine(new TextEncoder().encode(text))),
    { numRuns: 3000 },
  )
})

test('3,000 files generated of hostile pieces, as UTF-8, Latin-1 or UTF-16', () => {
  const encoded = fc
    .tuple(generated, fc.constantFrom('utf8', 'latin1', 'utf16le'))
    .map(([text, encoding]) => Buffer.from(encoding === 'utf16le' ? `\ufeff${text}` : text, encoding as BufferEncoding))
  fc.assert(fc.property(encoded, examine), { numRuns: 3000 })
})

test('steps grow with the file, not with its square', () => {
  const steps = (count: number) => {
    const rules = Array.from({ length: count }, (_, i) => `Disallow: /*aa${i.toString(36)}*b$`)
    const effort = { steps: 0 }
    parseRobots(['User-agent: *', ...rules].join('\n'), 'weaver').permits(`/${'ab'.repeat(300)}`, effort)
    return effort.steps
  }
  assert.ok(steps(20_000) < 12 * steps(2000))
})

test('a file of very many rules is read, and recalled, in stretches of so many lines', () => {
  const rules = Array.from({ length: 3 * LINES_A_STRETCH }, (_, i) => `Disallow: /${i}\n`).join('')
  const reading = robotsInStretches(`User-agent: *\n${rules}`, 'Orbweaver')
  const { robots, stretches } = counted(reading)
  assert.ok(stretches >= 6, `${stretches} for reading and writing`)
  const again = counted(recallInStretches(robots.text))
  assert.ok(again.stretches >= 3)
  assert.equal(again.robots.text, robots.text)
  assert.deepEqual(again.robots.permits('/77/x'), robots.permits('/77/x'))
  assert.equal(counted(robotsInStretches('User-agent: *\nDisallow: /a\n', 'Orbweaver')).stretches, 1)
})

function counted(work: Stretches<Robots>): { robots: Robots; stretches: number } {
  for (let stretches = 1; ; stretches++) {
    const { done, value } = work.next()
    if (done) return { robots: value, stretches }
  }
}
