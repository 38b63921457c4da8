import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAILURES, failureOfStatus, failureOutcome, waitAfter } from './failures.ts'

test('missing and forbidden end at once, each its own outcome (Y6)', () => {
  for (const status of [401, 403, 404, 410]) {
    const kind = failureOfStatus(status)
    assert.equal(kind, `status-${status}`)
    assert.deepEqual(failureOutcome(kind!, 1, 0, 0, 1), { kind: 'gone', why: kind })
  }
})

test('a timeout goes back with a growing penalty, and not for ever (C3)', () => {
  const waits = [1, 2, 3].map((tries) => waitAfter('first-byte-timeout', tries, 1))
  assert.deepEqual(waits, [60_000, 120_000, undefined])
})

test('the wait is at least what the server asked for, and patience scales the rest', () => {
  assert.deepEqual(failureOutcome('status-503', 1, 1000, 500_000, 1), {
    kind: 'later',
    why: 'status-503',
    notBefore: 501_000,
  })
  assert.deepEqual(failureOutcome('status-503', 1, 1000, 0, 0.1), { kind: 'later', why: 'status-503', notBefore: 4000 })
})

test('every kind ends: bounded tries, waits that do not shrink', () => {
  for (const [kind, rule] of Object.entries(FAILURES)) {
    assert.ok(rule.tries >= 1 && rule.tries <= 5, kind)
    assert.ok(rule.growth >= 1, kind)
    assert.ok(rule.consequence.length > 0, kind)
  }
})

test('every status has its kind', () => {
  assert.equal(failureOfStatus(200), undefined)
  assert.equal(failureOfStatus(206), 'status-other', 'a part that nobody asked for is no page')
  for (const [status, kind] of [
    [429, 'status-429'],
    [503, 'status-503'],
    [500, 'status-5xx'],
    [502, 'status-5xx'],
    [418, 'status-4xx'],
    [304, 'status-other'],
    [999, 'status-other'],
  ] as const) {
    assert.equal(failureOfStatus(status), kind)
  }
})
