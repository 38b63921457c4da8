import assert from 'node:assert/strict'
import { test } from 'node:test'
import { realClock } from '../../base/clock.ts'
import { queries } from '../../database/queries.ts'
import { httpClient } from '../wire/http-client.ts'
import { MAX_VOLUME_PIECE } from '../wire/protocol.ts'
import { volumeReader } from '../wire/volume-reader.ts'
import { reach, testServer } from './server.test-tools.ts'

const NAME = 'ORBWEAVER-20261115000000000-00001-h.w1.warc.gz'
const SECRET = 'a secret für alle, die lesen'

test('an operator reads what lies with a server, in pieces, complete or not', async () => {
  await using made = await testServer({ joinSecret: SECRET })
  const client = httpClient(realClock)
  const read = volumeReader(client, made.server.url, { joinSecret: SECRET })
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251)
  made.disk.append(`/archive/${NAME}.open`).write(bytes)
  assert.deepEqual([...(await read(NAME, 10, 20))], [...bytes.subarray(10, 30)])
  made.disk.rename(`/archive/${NAME}.open`, `/archive/${NAME}`)
  assert.deepEqual([...(await read(NAME, 990, 20))], [...bytes.subarray(990)])
  assert.equal((await read(NAME, 5000, 1)).length, 0)
  await assert.rejects(read('B-1.warc.gz', 0, 1), /B-1\.warc\.gz is not here/)
  client.close()
})

test('reading from elsewhere needs the secret; a worker may not read either', async () => {
  await using made = await testServer({ joinSecret: SECRET })
  made.disk.append(`/archive/${NAME}`).write(Uint8Array.of(1))
  const { body } = await made.send('/api/v1/workers', { body: { name: 'w', version: '1', join: SECRET } })
  const path = `/api/v1/volumes/${NAME}?offset=0&length=1`
  const headers = { 'x-forwarded-for': '1.2.3.4' }
  assert.equal((await made.send(path, { headers })).status, 403)
  assert.equal((await made.send(path, { headers: { ...headers, authorization: 'Join c2VjcmV0' } })).status, 403)
  assert.equal((await made.send(path, { headers, as: body as { worker: string; secret: string } })).status, 403)
  assert.equal((await made.send(path)).status, 200)
})

test('with tokens and no secret an operator reads by the token, on the same machine, too', async () => {
  await using made = await testServer({ tokens: { viewer: 'looking', operator: 'steering' } })
  made.disk.append(`/archive/${NAME}`).write(Uint8Array.of(65))
  const client = httpClient(realClock)
  const read = (operatorToken?: string) => volumeReader(client, made.server.url, { operatorToken })(NAME, 0, 9)
  assert.deepEqual([...(await read('steering'))], [65])
  for (const token of [undefined, 'looking', 'wrong']) await assert.rejects(read(token), /--operator-token/)
  client.close()
})

test('without a secret only the same machine may read, within bounds and inside the folder', async () => {
  await using made = await testServer()
  made.disk.append(`/archive/${NAME}`).write(Uint8Array.of(65))
  const path = `/api/v1/volumes/${NAME}`
  const { status, body, header } = await made.send(`${path}?offset=0&length=9`)
  assert.deepEqual([status, body, header('content-type')], [200, 'A', 'application/octet-stream'])
  assert.equal(
    (await made.send(`${path}?offset=0&length=9`, { headers: { 'x-forwarded-for': '1.2.3.4' } })).status,
    403,
  )
  assert.equal((await made.send(`${path}?offset=0&length=${MAX_VOLUME_PIECE + 1}`)).status, 413)
  for (const query of ['', '?offset=0', '?offset=-1&length=1', '?offset=0&length=x'])
    assert.equal((await made.send(path + query)).status, 400, query)
  assert.equal((await made.send('/api/v1/volumes/..%2fsecret.warc.gz?offset=0&length=1')).status, 400)
})

test('a worker says where its volumes lie, and of no others', async () => {
  await using made = await testServer()
  const coordinator = reach([made.server.url], await made.join())
  await coordinator.volumes.located(NAME, 'dir:/data/archive', 5, false)
  await coordinator.volumes.located(NAME, 'dir:/data/archive', 9, true)
  await coordinator.volumes.located(NAME, 's3://b/p', 9, true)
  const rows = await made.database.read((tx) =>
    queries(tx).all('SELECT node, bytes, sealed FROM volume_location ORDER BY node'),
  )
  assert.deepEqual(
    rows.map((row) => ({ ...(row as object) })),
    [
      { node: 'dir:/data/archive', bytes: 9, sealed: 1 },
      { node: 's3://b/p', bytes: 9, sealed: 1 },
    ],
  )
  const other = reach([made.server.url], await made.join())
  await assert.rejects(other.volumes.located(NAME, 's3://c', 1, true), /not yours/)
  made.disk.append('/archive/OWN.warc.gz').write(Uint8Array.of(1))
  await assert.rejects(other.volumes.located('OWN.warc.gz', 's3://c', 1, true), /not yours/)
  await assert.rejects(other.volumes.located('B.warc.gz', 'http://c', 1, true), /bad|location/)
  await coordinator.close(0)
  await other.close(0)
})

test('a server without room for volumes is asked for all else, and for volumes another one', async () => {
  await using full = await testServer({}, 0)
  const identity = await full.join()
  const { disk } = full
  const append = disk.append.bind(disk)
  let isFull = true
  disk.append = (path) => {
    if (isFull) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
    return append(path)
  }
  const coordinator = reach([full.server.url], identity)
  await assert.rejects(coordinator.volumes.append(NAME, 0, Uint8Array.of(1)), { isFull: true })
  await coordinator.volumes.located(NAME, 's3://b/p', 9, true)
  isFull = false
  await assert.rejects(coordinator.volumes.append(NAME, 0, Uint8Array.of(1)), { isFull: true }, 'it asked for a rest')
  await coordinator.close(0)
})
