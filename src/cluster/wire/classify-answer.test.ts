import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeAnswer } from './classify-answer.ts'

test('any Retry-After is obeyed for minutes at most', () => {
  for (const [told, ms] of [
    ['30', 30_000],
    ['99999999999', 300_000],
    ['Infinity', 300_000],
    ['-5', 0],
    ['Wed, 21 Oct 2099 07:28:00 GMT', 0],
    [undefined, 0],
  ] as const) {
    const header = (name: string) => (name === 'retry-after' ? told : undefined)
    const answer = { status: 503, header, body: new Uint8Array(), sentAt: 0, headAt: 0 }
    const judged = judgeAnswer('checkOut', 'http://s.test', answer)
    assert.equal(judged.kind === 'later' && judged.retryAfter, ms, told)
  }
})
