/** Refreshing in virtual time, judged on the servers' side. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulateRefresh } from './refresh-run.ts'

const SMALL = { sites: 3, pages: 12, pauseMs: 300_000, days: 3, seed: 7 }
const ratioFrom = ({ days, bound }: Awaited<ReturnType<typeof simulateRefresh>>, from: number) => {
  const late = days.slice(from - 1)
  return late.reduce((sum, { expected }) => sum + expected, 0) / late.length / bound
}

test('with known rates the whole crawler is near the bound; it learns them; it is polite', async () => {
  const known = await simulateRefresh({ ...SMALL, isKnown: true })
  assert.deepEqual([known.violations, known.examples], [0, {}])
  // A look every pause and answer; robots.txt once a day.
  const most = (SMALL.sites * SMALL.days * 86_400_000) / SMALL.pauseMs
  assert.ok(known.looks > 0.98 * most && known.looks <= most, `${known.looks} of ${most}`)
  assert.ok(known.unmodified > 0 && known.unmodified < known.looks)
  const ratio = ratioFrom(known, 2)
  assert.ok(ratio > 0.99 && ratio < 1.05, `${ratio} times the bound`)

  const learnt = await simulateRefresh(SMALL)
  assert.equal(learnt.violations, 0)
  assert.ok(ratioFrom(learnt, 3) < 1.3, `${ratioFrom(learnt, 3)} times the bound`)
  assert.ok(ratioFrom(learnt, 3) < ratioFrom(learnt, 1))
})
