import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { test } from 'node:test'
import fc from 'fast-check'
import { answerOf, serveNames } from './name-server.ts'

test('the hosts of the web are at 127.0.0.1, and no other name exists', async () => {
  await using names = await serveNames((name) => name === 's1.web.test')
  const resolver = new Resolver({ timeout: 5000, tries: 2 })
  resolver.setServers([`127.0.0.1:${names.port}`])
  assert.deepEqual(await resolver.resolve4('S1.web.test', { ttl: true }), [{ address: '127.0.0.1', ttl: 300 }])
  await assert.rejects(resolver.resolve6('s1.web.test'), { code: 'ENODATA' })
  await assert.rejects(resolver.resolve4('s2.web.test'), { code: 'ENOTFOUND' })
})

test('whatever comes, it is answered or not, and never more than doubled', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      const answer = answerOf(Buffer.from(bytes), () => true)
      assert.ok(answer === undefined || answer.length <= bytes.length + 16)
    }),
  )
})
