/** What a killed worker left in the folders that its list names. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { Readers } from '../../base/journal.ts'
import { seededRandom } from '../../base/random.ts'
import { keepIn, madeUpArchive } from '../../collection/volumes/made-up.test-archive.ts'
import { madeUpExchange } from '../../collection/volumes/made-up.test-exchange.ts'
import { OPEN } from '../../collection/volumes/volume-name.ts'
import type { Event } from '../../contracts/events.ts'
import { Refusal } from '../wire/classify-answer.ts'
import type { HttpClient } from '../wire/http-client.ts'
import {
  explainRefusal,
  identityOf,
  openWorkerLocations,
  type RemoteWorkerOptions,
  startRemoteWorker,
} from './remote-worker.ts'

const ours = (serial: number) => `A-20261115000000000-0000${serial}-barn-12345678~w1.warc.gz`
const OTHERS = 'A-20261115000000000-00001-barn-87654321~w1.warc.gz'

test('volumes of ours that were written there are closed; those of others, and what is in the archive too, are left', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk, { worker: 'w', folder: '/made' })
  keepIn(archive, madeUpExchange({ payload: Buffer.from('page') }))
  await archive.close()
  const [made] = disk.list('/made')
  const whole = disk.read(`/made/${made}`, 0, 1e6)
  const write = (path: string, more = '') => disk.append(path).write(Uint8Array.from([...whole, ...Buffer.from(more)]))
  write(`/second/${ours(1)}${OPEN}`, 'torn')
  write(`/second/${ours(2)}${OPEN}`)
  write(`/archive/${ours(2)}${OPEN}`)
  write(`/second/${OTHERS}${OPEN}`, 'still written')

  const recorded: string[] = []
  const never = () => Promise.reject(new Error('nothing is sent'))
  const located = async (name: string, location: string, bytes: number, sealed: boolean) => {
    recorded.push(`${location} ${name} ${bytes === whole.length} ${sealed}`)
  }
  const sent = { append: never, seal: never, located }
  const journal = new Readers<Event>()
  const s3 = () => assert.fail('no store is named')
  const parts = { volumes: ['dir:/second'], s3, disk, archive: '/archive', journal }
  const { list, close } = await openWorkerLocations(parts, 'barn-12345678', sent)
  assert.deepEqual(disk.list('/second'), [ours(1), `${OTHERS}${OPEN}`, `${ours(2)}${OPEN}`])
  assert.deepEqual(disk.list('/archive'), [ours(2)])
  assert.equal(disk.size(`/second/${ours(1)}`), whole.length)
  assert.equal(list.folder, '/second')
  await list.note()
  assert.deepEqual(recorded, [`dir:/archive ${ours(2)} true true`], 'though its location is another folder now')
  close()
})

for (const file of ['collection.db', 'server-id'])
  test(`a folder with ${file} is refused: the worker would send away and remove volumes that are not its own`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'worker-'))
    t.after(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, file), 'x')
    const options = { folder, version: '1', servers: ['http://127.0.0.1:1'], volumes: ['upload'] } as const
    await assert.rejects(startRemoteWorker(options as unknown as RemoteWorkerOptions<{ version: string }>), {
      code: 'bad-flag',
      message: /^\S+ (holds a collection|is the folder of a server), .* a folder of its own: -c DIR$/,
    })
    assert.deepEqual(readdirSync(folder), [file], 'nothing is written')
  })

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

function joiningIn(folder: string, joinSecret: string | undefined) {
  const joining = { folder, servers: ['http://s.test'], joinSecret, region: undefined, version: '1' }
  return identityOf(joining, 'w', seededRandom(1), server)
}

test('a worker joins once; a refusal names the setting', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-identity-'))
  try {
    await assert.rejects(joiningIn(folder, undefined), {
      code: 'server-refused',
      message: /No join secret was given here: set ORBWEAVER_JOIN_SECRET, or give --join-secret @FILE/,
    })
    await assert.rejects(joiningIn(folder, 'open'), { message: /The join secret given here is not the server's: set/ })
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

test('a worker that the servers do not know learns where its identity is, and what removing it does', () => {
  const said = { code: 'unauthorized', message: 'no worker 12 with that secret is known here', hint: 'register anew' }
  const error = new Refusal('http://s.test', 401, said, true)
  const explained = explainRefusal(error, '/some/where', 3) as Error
  assert.match(explained.message, /is in \/some\/where\/worker\.json.*remove that file.*joins again.*--join-secret/)
  assert.match(explained.message, /The 3 reports/)
  // Not what a proxy asks for, and nothing else.
  for (const other of [new Refusal('http://s.test', 401, said, false), new Refusal('http://s.test', 403, said, true)])
    assert.equal(explainRefusal(other, '/some/where', 0), other)
})
