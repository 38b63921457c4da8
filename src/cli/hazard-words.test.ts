import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hazardLines } from './hazard-words.ts'
import type { SiteLook } from './rooms.ts'

test('a hazard is told with its pattern, its evidence, what it stopped and examples', () => {
  const verdict = {
    rule: 'calendar',
    pattern: '/cal/#/#',
    evidence: '12 pages in a row differ in numbers only',
    examples: ['http://a.test/cal/2030/1', 'http://a.test/cal/2030/2'],
    at: Date.UTC(2026, 0, 2),
  }
  const stopped = [{ rule: 'calendar', pattern: '/cal/#/#', refused: 1234 }]
  const look = { memory: { traps: { stopped } } } as unknown as SiteLook
  assert.deepEqual(hazardLines({ look, verdicts: [verdict] }), [
    'Hazard (2026-01-02 00:00:00 UTC): calendar in /cal/#/#: 12 pages in a row differ in numbers only.',
    '  URLs of this pattern are followed no more; 1,234 were not asked for since.',
    '  e.g. http://a.test/cal/2030/1',
    '  e.g. http://a.test/cal/2030/2',
  ])
})

test('a hazard of the whole site has no pattern', () => {
  const verdict = { rule: 'site-urls>=5000', pattern: null, evidence: '5,000 pages', examples: [], at: 0 }
  assert.deepEqual(hazardLines({ look: undefined, verdicts: [verdict] }), [
    'Hazard (1970-01-01 00:00:00 UTC): site-urls>=5000: 5,000 pages.',
  ])
})
