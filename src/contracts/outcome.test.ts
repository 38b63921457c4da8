import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailureKind, isRefusedBy, statusOfFailure, statusOfRefusal } from './outcome.ts'

test("the codes are Heritrix's", () => {
  assert.equal(statusOfFailure('no-such-name'), -1)
  assert.equal(statusOfFailure('connect'), -2)
  assert.equal(statusOfFailure('reset'), -3)
  assert.equal(statusOfFailure('idle-timeout'), -4)
  assert.equal(statusOfFailure('robots-unreachable'), -61)
  assert.equal(statusOfFailure('status-404'), 404)
  assert.equal(statusOfRefusal('robots'), -9998)
  assert.equal(statusOfRefusal('scope'), -5000)
  assert.equal(statusOfRefusal('hazard', 'calendar'), -4000)
  assert.equal(statusOfRefusal('scope', 'depth 51 > 50'), -4001)
})

test('only our words are ours', () => {
  assert.ok(isFailureKind('too-slow') && isRefusedBy('robots'))
  assert.ok(!isFailureKind('robots') && !isRefusedBy('constructor') && !isFailureKind('__proto__'))
})
