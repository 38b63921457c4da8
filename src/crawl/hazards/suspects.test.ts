import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SuspectPattern } from '../../contracts/trap-memory.ts'
import { addSuspect, findSuspect, stop, withDecision } from './suspects.ts'
import { admit } from './trial.ts'

const found = (pattern: string) => ({
  pattern,
  rule: 'maze',
  proof: 'text' as const,
  evidence: 'e',
  examples: ['/a/1'],
})
const onTrial = (pattern: string) => addSuspect([], found(pattern), 0, 'words')![0]

test('a suspect confirmed during its trial is stopped like any other, and sampled ever more rarely when that is taken back', () => {
  const suspect = onTrial('/a/#')
  const confirmed = withDecision(suspect, true, [suspect])
  assert.deepEqual(confirmed, { ...stop(suspect, [suspect]), isConfirmed: true })
  assert.equal(withDecision(confirmed, true, [confirmed]), confirmed)
  let now = withDecision(confirmed, false, [confirmed])
  assert.deepEqual(now, stop(suspect, [suspect]))
  let fetched = 0
  for (let i = 0; i < 1_000; i++) {
    const { suspect: next, refused } = admit(now)
    if (!refused) fetched++
    now = refused ? next : { ...next, budget: 0 }
  }
  assert.ok(fetched >= 5 && fetched <= 8, `${fetched} of 1,000`)
})

test('what was stopped before it was confirmed keeps its samples', () => {
  const stopped = { ...stop(onTrial('/a/#'), []), refused: 100, nextSample: 128, words: 'of samples' }
  assert.deepEqual(withDecision(stopped, true, []), { ...stopped, isConfirmed: true })
})

test('without space, patterns that held back least go first, and those an operator confirmed last', () => {
  const name = (at: number) => `/${String.fromCharCode(97 + at).repeat(1_000)}?x=*`
  const stopped = (at: number, refused: number, isConfirmed?: true): SuspectPattern => ({
    ...{ ...stop(onTrial(name(at)), []), refused },
    ...(isConfirmed && { isConfirmed }),
  })
  const left = (all: SuspectPattern[]) =>
    addSuspect(all, found(name(9)), 0, undefined)!.map(({ pattern }) => pattern.charCodeAt(1) - 97)
  const two = [stopped(3, 9), stopped(4, 9)]
  assert.deepEqual(left([stopped(0, 0, true), stopped(1, 2 ** 40), stopped(2, 2 ** 40 + 1), ...two]), [0, 1, 2, 4, 9])
  assert.deepEqual(left([2, 1, 5, 5, 5].map((refused, at) => stopped(at, refused, true))), [0, 2, 3, 4, 9])
})

test('a wider pattern does not take the place of a confirmed one: its URLs would be sampled again', () => {
  const narrow = onTrial('/a?x=*&**')
  const wide = { ...found('/a?**'), rule: 'unbounded-parameters' }
  assert.deepEqual(
    addSuspect([narrow], wide, 0, undefined)!.map(({ pattern }) => pattern),
    ['/a?**'],
  )
  const confirmed = withDecision(narrow, true, [narrow])
  const both = addSuspect([confirmed], wide, 0, undefined)!
  assert.equal(findSuspect(both, '/a?x=1', () => false)?.isConfirmed, true)
  assert.equal(findSuspect(both, '/a?y=1', () => false)?.pattern, '/a?**')
})
