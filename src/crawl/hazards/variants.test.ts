import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SuspectPattern } from '../../contracts/trap-memory.ts'
import { findSuspect, withoutIdleParameters } from './suspects.ts'
import { marksOf, Variants } from './variants.ts'

const ONE = 0x123456
const ALIKE = 0x993456
const REORDERED = 0x999c56
const OTHER = 0x999999

function compare(variants: Variants, path: string, said: number, missing: number[]) {
  const found = marksOf(path).without.find((one) => one.missing.join() === missing.join())
  return variants.compareAt(found!.key, said)
}

test('URLs that differ in one parameter, or in two, are compared', () => {
  const variants = new Variants()
  variants.add(marksOf('/x?from=1&to=2'), ONE)
  assert.equal(compare(variants, '/x?from=9&to=2', ONE, [0]), 'same')
  assert.equal(compare(variants, '/x?from=9&to=2', ALIKE, [0]), 'alike')
  assert.equal(compare(variants, '/x?from=9&to=2', REORDERED, [0]), undefined)
  assert.equal(compare(variants, '/x?from=1&to=3', OTHER, [1]), 'other')
  assert.equal(compare(variants, '/x?from=9&to=8', ONE, [0]), undefined)
  assert.equal(compare(variants, '/x?from=9&to=8', ONE, [0, 1]), 'same')
  assert.equal(compare(variants, '/y?from=9&to=8', ONE, [0, 1]), undefined)
})

test('a URL is compared with the same without its parameter', () => {
  const variants = new Variants()
  variants.add(marksOf('/x'), ONE)
  const [only] = marksOf('/x?print=1').without
  assert.equal(variants.compareAt(only.plain, ONE), 'same')
})

test('of very many pages a sample stays, and its variants are recognised', () => {
  const variants = new Variants()
  for (let page = 0; page < 5_000; page++) variants.add(marksOf(`/p${page}?lang=en`), page)
  const again = new Variants(variants.text())
  assert.ok(again.text().length <= 4 + 8 * 200)
  assert.equal(again.text(), variants.text())
  let known = 0
  for (let page = 0; page < 5_000; page++) {
    const said = compare(again, `/p${page}?lang=de`, page, [0])
    if (said === 'same') known++
    else assert.equal(said, undefined)
  }
  assert.ok(known >= 20 && known <= 200, `${known}`)
})

test('a stopped parameter is left out or gets its usual value, and URLs that have it are not held back', () => {
  const idle = (pattern: string, usual?: string): SuspectPattern => ({
    pattern,
    rule: 'idle-parameter',
    proof: 'alias',
    evidence: '',
    at: 0,
    examples: [],
    stopped: true,
    budget: 0,
    confirmed: 2,
    contradicted: 0,
    refused: 0,
    nextSample: 64,
    ...(usual === undefined ? {} : { usual }),
  })
  const suspects = [idle('/**?sk=*&**', 't'), idle('/list?view=*&**')]
  const trusted = () => false
  assert.equal(findSuspect(suspects, '/topic?sk=t&start=15', trusted), undefined)
  assert.equal(findSuspect(suspects, '/topic?sk=a&start=15', trusted), suspects[0])
  assert.equal(withoutIdleParameters(suspects, '/topic?sk=a&start=15'), '/topic?sk=t&start=15')
  assert.equal(withoutIdleParameters(suspects, '/topic?sk=t&start=15'), undefined)
  assert.equal(withoutIdleParameters(suspects, '/list?view=rows'), '/list')
  assert.equal(withoutIdleParameters(suspects, '/list?sk=a&view=rows'), '/list?sk=t')
  assert.equal(withoutIdleParameters(suspects, '/other?view=rows'), undefined)
})
