import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { seededRandom } from '../../base/random.ts'
import type { HttpClient } from '../wire/http-client.ts'
import { Refusal } from '../wire/judge-answer.ts'
import { identityOf, inOwnWords } from './remote-worker.ts'

const IDENTITY = { worker: '0123456789abcdef', secret: 's'.repeat(43) }
const REFUSED = { code: 'forbidden', message: 'the join secret is missing or another', hint: 'ask' }

/** A server that lets in whoever knows `sesame`. */
const server: HttpClient = {
  async send({ body }) {
    const { join } = JSON.parse(Buffer.from(body!).toString()) as { join?: string }
    const isIn = join === 'sesame'
    const bytes = new TextEncoder().encode(JSON.stringify(isIn ? IDENTITY : REFUSED))
    return { status: isIn ? 200 : 403, header: () => undefined, body: bytes, sentAt: 0, headAt: 0 }
  },
  close() {},
}

function joiningIn(collection: string, joinSecret: string | undefined) {
  const settings = { collection, server: ['http://s.test'], joinSecret, region: undefined }
  return identityOf({ settings, name: 'w', version: '1', random: seededRandom(1), client: server })
}

test('a worker joins once; who is not let in hears which setting it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-identity-'))
  try {
    await assert.rejects(joiningIn(folder, undefined), {
      code: 'server-refused',
      message: /Nothing was given here: set ORBWEAVER_JOIN_SECRET, or give --join-secret @FILE/,
    })
    await assert.rejects(joiningIn(folder, 'open'), { message: /What was given here is not what the server has: set/ })
    assert.deepEqual(await joiningIn(folder, 'sesame'), IDENTITY)
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'worker.json'), 'utf8')), IDENTITY)
    // From then on no secret is needed.
    assert.deepEqual(await joiningIn(folder, undefined), IDENTITY)
    writeFileSync(join(folder, 'worker.json'), '{"worker": 3}')
    await assert.rejects(joiningIn(folder, undefined), { message: /worker\.json is damaged; remove it/ })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a worker that the servers do not know hears where its identity lies, and what removing it does', () => {
  const said = { code: 'unauthorized', message: 'no worker 12 with that secret is known here', hint: 'register anew' }
  const error = new Refusal('http://s.test', 401, said, true)
  const told = inOwnWords(error, { collection: '/some/where' }, 3) as Error
  assert.match(told.message, /lies in \/some\/where\/worker\.json.*remove that file.*joins anew.*--join-secret/)
  assert.match(told.message, /The 3 reports/)
  // Not what a proxy asks for, and nothing else.
  for (const other of [new Refusal('http://s.test', 401, said, false), new Refusal('http://s.test', 403, said, true)])
    assert.equal(inOwnWords(other, { collection: '/some/where' }, 0), other)
})
