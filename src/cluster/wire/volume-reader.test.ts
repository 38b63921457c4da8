import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpAnswer, type HttpClient, NoAnswer } from './http-client.ts'
import { volumeReader } from './volume-reader.ts'

const SERVER = 'https://s.test:8723'
const reading = (send: HttpClient['send']) => volumeReader({ send, close() {} }, SERVER, { joinSecret: 'sesame' })
const answer = (status: number, body: Uint8Array): HttpAnswer => ({
  ...{ status, body, sentAt: 0, headAt: 0 },
  header: () => undefined,
})

test('a volume is read in pieces, until it has no more', async () => {
  const asked: string[] = []
  const volume = Buffer.from('0123456789')
  const readAt = reading(async ({ url }) => {
    asked.push(url.slice(SERVER.length))
    const offset = Number(/offset=(\d+)/.exec(url)![1])
    return answer(200, volume.subarray(offset, offset + 4))
  })
  assert.equal(String(await readAt('a/b', 3, 100)), '3456789')
  assert.deepEqual(asked, [
    '/api/v1/volumes/a%2Fb?offset=3&length=100',
    '/api/v1/volumes/a%2Fb?offset=7&length=96',
    '/api/v1/volumes/a%2Fb?offset=10&length=93',
  ])
})

test('an untrusted certificate is reported with what to do, without advice to programmers', async () => {
  const cause = Object.assign(new Error('self-signed certificate; if the root CA is installed, try --use-system-ca'), {
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
  const readAt = reading(async ({ url }) => {
    throw new NoAnswer(url, cause)
  })
  await assert.rejects(readAt('v', 0, 1), {
    code: 'server-refused',
    message:
      /^https:\/\/s\.test:8723 refuses: its certificate is not trusted: self-signed certificate \(--server-ca FILE/,
  })
})

test('an unreachable server and a refusal are distinguished', async () => {
  const away = reading(async ({ url }) => {
    throw new NoAnswer(url, new Error('nothing listens there'))
  })
  await assert.rejects(away('v', 0, 1), { name: 'NoAnswer' })
  const body = Buffer.from(JSON.stringify({ code: 'forbidden', message: 'no', hint: 'the join secret' }))
  await assert.rejects(reading(async () => answer(403, body))('v', 0, 1), { message: /no \(the join secret\)/ })
})
