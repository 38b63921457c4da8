import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../base/errors.ts'
import { reach, testServer } from './server.test-tools.ts'

test('the plan travels once, and again when it is another', async () => {
  await using made = await testServer()
  const coordinator = reach([made.server.url], await made.join())
  const plan = await made.coordinator.calls.plan()
  made.coordinator.calls.plan = async () => plan
  const results = () => made.send('/metrics').then(({ body }) => String(body))
  const first = await coordinator.plan()
  assert.deepEqual(first, plan)
  assert.equal(await coordinator.plan(), first, 'the very same')
  assert.match(await results(), /calls_total\{call="plan",result="same"\} 1/)
  made.coordinator.calls.plan = async () => ({ ...plan, seeds: ['http://b.test/'] })
  assert.deepEqual((await coordinator.plan()).seeds, ['http://b.test/'])
  await coordinator.close(0)
})

test('a plan that is too large is refused with the reason', async () => {
  await using made = await testServer()
  const coordinator = reach([made.server.url], await made.join())
  made.coordinator.calls.plan = () => Promise.reject(new Problem('bad-config', 'what workers must know has 70 MB'))
  await assert.rejects(coordinator.plan(), {
    code: 'server-refused',
    message: /has 70 MB \(the operator of the servers/,
  })
  await coordinator.close(0)
})
