import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PageReport } from '../../contracts/report.ts'
import { escapeField, logLine } from './log-line.ts'

const page: PageReport = {
  url: 'http://www.example.test/robots.txt',
  key: 1n,
  depth: 0,
  path: '',
  at: 1_706_933_106_007,
  status: 200,
  mediaType: 'text/plain',
  bytes: 1299,
  tookMs: 225,
  tries: 1,
  outcome: { kind: 'kept', how: 'first' },
  title: '',
  links: new Uint8Array(0),
  annotations: [],
  ownRequest: true,
}

test('the columns are those of Heritrix', () => {
  assert.equal(
    logLine({ ...page, path: 'LP', via: 'http://www.example.test/', annotations: ['dup', '2t'] }),
    '2024-02-03T04:05:06.232Z   200       1299 http://www.example.test/robots.txt LP http://www.example.test/ text/plain #000 20240203040506007+225 - - dup,2t\n',
  )
})

test('a URL that was not fetched has no size and no duration, but a reason', () => {
  const line = logLine({ ...page, status: -9998, outcome: { kind: 'refused', by: 'robots', rule: 'Disallow: /' } })
  assert.match(
    line,
    /^2024-02-03T04:05:06.232Z -9998 {10}- http:\S+ - - text\/plain #000 - - - refused:robots:Disallow:%20\/\n$/,
  )
})

test('no text can forge a column or a line', () => {
  const forged = 'http://a.test/\n2024-01-01T00:00:00.000Z   200  1 http://b.test/ - - text/html #000 - - - -'
  const line = logLine({ ...page, url: forged, via: 'x\r\ny', mediaType: 'text/html; a\u2028b', path: '-' })
  assert.equal(line.split(/[\n\r\u2028]/).length, 2)
  assert.equal(line.trimEnd().split(/ +/).length, 12)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, other) => {
      const evil = {
        ...page,
        url: text,
        via: other,
        path: text,
        mediaType: other,
        annotations: [text, other],
        capture: { volume: 'v', offset: 0, length: 1, digest: text, kind: 'response' as const },
        outcome: { kind: 'refused' as const, by: 'scope' as const, rule: text },
      }
      const forgedLine = logLine(evil)
      assert.match(forgedLine, /^[\x20-\x7e]+\n$/)
      assert.equal(forgedLine.trimEnd().split(/ +/).length, 12)
    }),
  )
})

test('a normalised URL is not escaped, and the text "-" differs from nothing', () => {
  assert.equal(escapeField('http://a.test/%C3%A9?q=1&r=2#-'), 'http://a.test/%C3%A9?q=1&r=2#-')
  assert.equal(escapeField(''), '-')
  assert.equal(escapeField('-'), '%2D')
  assert.equal(escapeField('é b'), '%C3%A9%20b')
  assert.ok(escapeField('x'.repeat(100_000)).length < 5000)
})
