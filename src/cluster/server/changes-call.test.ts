import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOON, samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { applyReports } from '../../collection/sample-catalogue.test-data.ts'
import type { AnswerOf } from '../wire/calls.ts'
import { testServer } from './server.test-tools.ts'

const SECRET = 'a secret'
const AUTHORIZATION = { authorization: `Join ${Buffer.from(SECRET).toString('base64url')}` }

test('an operator asks for changes after a cursor, and nobody else does', async () => {
  await using made = await testServer({ joinSecret: SECRET })
  const look = async (n: number, at: number, content: string) =>
    applyReports(made.database, [
      sampleReport('a.test', at, [samplePage(`http://a.test/${n}`, { at: NOON + at }, content)]),
    ])
  const ask = async (since: string) => {
    const { status, body } = await made.send(`/api/v1/changes?since=${since}`, { headers: AUTHORIZATION })
    assert.equal(status, 200)
    return body as AnswerOf<'changes'>
  }
  for (let n = 0; n < 1100; n++) await look(n, 1, `${n}`)
  await look(7, 2, 'changed')
  const first = await ask('first')
  assert.deepEqual([first.changes.length, first.more], [1000, true])
  const second = await ask(first.cursor)
  assert.deepEqual([second.changes.length, second.more], [101, false])
  const { url, change, at, digestBefore } = second.changes.at(-1)!
  assert.deepEqual([url, change, at], ['http://a.test/7', 'changed', '2024-01-01T12:00:00.002Z'])
  assert.equal(digestBefore, first.changes[7].digest)
  assert.deepEqual((await ask(second.cursor)).changes, [])
  assert.deepEqual((await ask('now')).changes, [])
  await look(8, 3, 'changed, too')
  assert.deepEqual(
    (await ask(second.cursor)).changes.map((one) => one.url),
    ['http://a.test/8'],
  )
  const send = (since: string, headers: Record<string, string> = AUTHORIZATION) =>
    made.send(`/api/v1/changes${since}`, { headers })
  assert.equal((await send('?since=first', { 'x-forwarded-for': '203.0.113.9' })).status, 403)
  for (const wrong of ['', '?since=', '?since=x', '?since=s99999999', '?since=pabc'])
    assert.equal((await send(wrong)).status, 400, wrong)
})
