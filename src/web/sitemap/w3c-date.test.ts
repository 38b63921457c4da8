import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseW3cDate } from './sitemap.ts'

const iso = (text: string) => {
  const at = parseW3cDate(text)
  return at === undefined ? undefined : new Date(at).toISOString()
}

test('every precision of W3C, the first instant of what is named', () => {
  assert.equal(iso('2004'), '2004-01-01T00:00:00.000Z')
  assert.equal(iso('2004-12'), '2004-12-01T00:00:00.000Z')
  assert.equal(iso(' 2004-12-23\n'), '2004-12-23T00:00:00.000Z')
  assert.equal(iso('2004-12-23T18:00Z'), '2004-12-23T18:00:00.000Z')
  assert.equal(iso('2004-12-23T18:00:15+00:00'), '2004-12-23T18:00:15.000Z')
  assert.equal(iso('2004-12-23T18:00:15.123456-08:00'), '2004-12-24T02:00:15.123Z')
  assert.equal(iso('2004-02-29T23:30+05:30'), '2004-02-29T18:00:00.000Z')
})

test('what is often written instead', () => {
  assert.equal(iso('2004-12-23 18:00:15'), '2004-12-23T18:00:15.000Z')
  assert.equal(iso('2004-12-23T18:00:15'), '2004-12-23T18:00:15.000Z')
  assert.equal(iso('2004-12-23T18:00:15+0100'), '2004-12-23T17:00:15.000Z')
  assert.equal(iso('2004-12-23 18:00:15 UTC'), '2004-12-23T18:00:15.000Z')
  assert.equal(iso('2004-1-3'), '2004-01-03T00:00:00.000Z')
  assert.equal(iso('20041223'), '2004-12-23T00:00:00.000Z')
})

test('the e-mail dates of RSS', () => {
  assert.equal(iso('Thu, 23 Dec 2004 18:00:15 +0100'), '2004-12-23T17:00:15.000Z')
  assert.equal(iso('23 Dec 04 18:00 GMT'), '2004-12-23T18:00:00.000Z')
  assert.equal(iso('Thursday, 3 december 1998 18:00:00 EST'), '1998-12-03T23:00:00.000Z')
  assert.equal(iso('Thu, 23 Dec 2004 18:00:15'), '2004-12-23T18:00:15.000Z')
})

test('what names no day names none', () => {
  for (const odd of [
    '',
    'now',
    '2004-13-01',
    '2004-02-30',
    '23/12/2004',
    '0',
    '1103824815',
    '2004-12-23T25:00Z',
    'x2004',
  ]) {
    assert.equal(parseW3cDate(odd), undefined, odd)
  }
})

test('whatever is written as ISO says is read, and nothing throws', () => {
  const instants = fc.integer({ min: Date.UTC(1, 0, 1), max: Date.UTC(9999, 11, 31) })
  fc.assert(fc.property(instants, (at) => parseW3cDate(new Date(at).toISOString()) === at))
  fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => Number.isFinite(parseW3cDate(text) ?? 0)))
})
