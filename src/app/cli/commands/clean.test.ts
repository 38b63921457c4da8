import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanLines } from './clean.ts'

const lease = (n: number, removed = false) => ({
  kind: 'lease' as const,
  name: `${n}.test`,
  why: 'its lease ended',
  removed,
})

test('nothing to clean is one line', () => {
  assert.deepEqual(cleanLines([], true), ['Nothing to clean.'])
})

test('orphans are counted per kind, some are listed, and a dry run says so', () => {
  const calls = { kind: 'calls' as const, name: 'calls', why: 'old', count: 12_000, removed: false }
  const lines = cleanLines([calls, ...Array.from({ length: 25 }, (_, n) => lease(n))], false)
  assert.equal(lines[0], 'leases of workers that are gone: 25')
  assert.equal(lines[1], '  0.test: its lease ended')
  assert.equal(lines[21], '  … and 5 more (--json lists all)')
  assert.equal(lines[22], 'old call records: 12,000')
  assert.match(lines.at(-1)!, /--remove/)
})

test('orphans that were not removed are marked, and no name controls the terminal', () => {
  const file = { kind: 'file' as const, name: 'a\u001b[2J', why: 'x', bytes: 2048, removed: true }
  const lines = cleanLines([file, lease(1)], true)
  assert.deepEqual(lines.slice(0, 2), [
    'leases of workers that are gone: 1, 0 removed',
    '  1.test: its lease ended (kept: it is in use again)',
  ])
  assert.match(lines[2], /^leftover files: 1 \(.*\), 1 removed$/)
  assert.ok(!lines.join('').includes('\u001b'))
})
