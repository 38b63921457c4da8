import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Family, freshFamily } from './family.ts'
import { isAhead, judgeFuture } from './family-rules.ts'
import type { PageContext } from './finding.ts'

const context = { novel: 100 } as PageContext
const future = (counts: Partial<Family>) =>
  judgeFuture({ ...freshFamily('/day/#'), pages: 60, growing: 60, inward: 60, ...counts }, context)

test('a tenth of the pages, and five at least, have dates of coming years, and nearly all lead on', () => {
  assert.equal(future({ ahead: 5 }), undefined, 'an encyclopaedia has some titles with years to come')
  assert.equal(future({ ahead: 6 })?.rule, 'endless-sequence')
  assert.equal(future({ ahead: 4, pages: 40 }), undefined)
  assert.equal(future({ ahead: 60, growing: 47 }), undefined)
  assert.equal(future({ ahead: 60, inward: 47 }), undefined)
  assert.equal(future({ ahead: 60, growing: 48, inward: 48 })?.proof, 'growth')
})

test('coming years begin with the one after next', () => {
  const at = Date.UTC(2026, 5, 1)
  for (const path of ['/day/2028', '/2028-05', '/d/20281231', '/d/202812', '/2226']) assert.ok(isAhead(path, at), path)
  for (const path of ['/day/2027', '/2227', '/12028', '/20281', '/20281331', '/1999', `/${'x'.repeat(300)}/2028`])
    assert.ok(!isAhead(path, at), path)
})
