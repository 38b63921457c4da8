import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../../base/random.ts'
import { virtualClock } from '../../base/virtual-clock.ts'
import { NoAnswer } from './http-client.ts'
import { serverClock } from './server-clock.ts'
import { Servers } from './servers.ts'

/** Whom a worker asks that was given some servers and was told of others. */
async function asked(given: string[], told: string[]): Promise<string[]> {
  const urls: string[] = []
  const client = {
    async send({ url }: { url: string }): Promise<never> {
      urls.push(new URL(url).origin)
      throw new NoAnswer(url, new Error('refused'))
    },
    close() {},
  }
  const servers = new Servers(given, client, serverClock(virtualClock(0)), seededRandom(1))
  servers.learn(told)
  await assert.rejects(servers.ask('plan', undefined, { patience: 0 }), /no server answers/)
  return urls.sort()
}

const A = 'http://a.example:8723'
const B = 'http://b.example:8723'

test('servers that others tell of are asked, too; what is no address of one is not', async () => {
  assert.deepEqual(await asked([A], [`${B}/`, A, 'ftp://c.example', 'http://']), [A, B])
})

test('a server that calls itself localhost is asked by workers of its own machine only', async () => {
  const own = ['http://localhost:8723', 'http://127.0.0.1:8723', 'http://[::1]:8723']
  assert.deepEqual(await asked([A], own), [A])
  assert.deepEqual(await asked(['http://127.0.0.1:1'], own), ['http://127.0.0.1:1', ...own].sort())
})

test('who was given servers that encrypt asks no others', async () => {
  assert.deepEqual(await asked(['https://s.example'], [A, 'https://t.example']), [
    'https://s.example',
    'https://t.example',
  ])
  assert.deepEqual(await asked(['https://s.example', A], [B]), [A, B, 'https://s.example'])
})
