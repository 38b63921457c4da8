import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Action } from '../contracts/control.ts'
import { actionFields, actionOf } from './actions.ts'

const ACTIONS: readonly Action[] = [
  { action: 'pause' },
  { action: 'pause', reason: 'the disk is full' },
  { action: 'resume' },
  { action: 'stop' },
  { action: 'pause-site', site: 'a.test' },
  { action: 'bar-site', site: 'a.test', reason: 'its webmaster asked' },
  { action: 'resume-site', site: 'a.test' },
  { action: 'ask-again', site: 'a.test' },
  { action: 'set-pause', site: 'a.test', pauseMs: 90_000 },
  { action: 'set-pause', site: 'a.test', pauseMs: null },
  { action: 'trust', site: 'a.test' },
  { action: 'confirm-hazard', site: 'a.test', rule: 'calendar', pattern: '/cal/#' },
  { action: 'confirm-hazard', site: 'a.test', rule: 'site-urls' },
  { action: 'distrust', site: 'a.test', rule: 'calendar' },
  { action: 'overrule-mirror', site: 'b.test', original: 'a.test' },
  { action: 'add-seeds', urls: ['http://a.test/', 'http://b.test/'] },
  { action: 'blacklist', pattern: 'http://a.test/private' },
  { action: 'unblacklist', pattern: 'http://a.test/private' },
  { action: 'free-worker', worker: '0123456789abcdef' },
]

test('every action survives its form', () => {
  for (const action of ACTIONS) assert.deepEqual(actionOf(new URLSearchParams(actionFields(action))), action)
})

test('a form that asks for seeds has one field for them', () => {
  assert.deepEqual(actionFields({ action: 'add-seeds', urls: [] }), { action: 'add-seeds' })
})

test('what is no action is refused in words', () => {
  const of = (fields: Record<string, string>) => () => actionOf(new URLSearchParams(fields))
  assert.throws(of({}), /no such action/)
  assert.throws(of({ action: 'constructor' }), /no such action/)
  assert.throws(of({ action: 'bar-site', site: ' ' }), /the site is missing/)
  assert.throws(of({ action: 'set-pause', site: 'a.test', pause: 'soon' }), /not a duration/)
  assert.throws(of({ action: 'add-seeds', urls: ' \n' }), /no URL/)
  assert.throws(of({ action: 'add-seeds', urls: 'http://a.test/ '.repeat(1001) }), /at most 1000/)
})
