/**
 * `npm run s3-trial`: volumes in a real S3-compatible server, which `npm test` cannot install. The server is versitygw
 * (`go install github.com/versity/versitygw/cmd/versitygw@v1.8.0`), found in the path or named by the variable
 * S3_SERVER; it keeps its objects in a folder of this trial.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { openS3, type S3Access } from '../../src/collection/s3/s3-store.ts'
import { storedVolumes } from '../../src/collection/s3/stored-volumes.ts'
import { walk } from '../../testkit/web/walker.ts'
import { lastWords, startServer, startWorker } from '../e2e/cluster.ts'
import {
  assertSameSet,
  orbweaver,
  readCatalogue,
  seedFile,
  serveWeb,
  startOrbweaver,
  type TemporaryFolder,
  temporaryFolder,
} from '../e2e/harness.ts'

const BUCKET = 'volumes'
const KEYS = { id: 'TRIALKEY', secret: 'the secret of this trial' }
const CRAWL = [
  ...['--pause-for', '*.test=100ms', '--address-pause', '100ms', '--patience', '0.01'],
  ...['--volume-size', '1MB', '--lease', '15s', '--exchange-timeout', '5s', '--connect-timeout', '5s'],
]

interface Store extends AsyncDisposable {
  access: S3Access
  /** Where its objects lie. */
  folder: string
  flags: string[]
  kill(): Promise<void>
}

async function startStore(folder: TemporaryFolder): Promise<Store> {
  const port = await freePort()
  const at = folder.at('objects')
  mkdirSync(at)
  const program = process.env.S3_SERVER ?? 'versitygw'
  const flags = ['--port', `127.0.0.1:${port}`, '--access', KEYS.id, '--secret', KEYS.secret, '--quiet', 'posix', at]
  const child: ChildProcess = spawn(program, flags, { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise<void>((resolve, reject) => {
    child.once('exit', () => resolve())
    child.once('error', (error) =>
      reject(new Error(`no S3 server to try (${error.message}): see the head of this file`)),
    )
  })
  const access: S3Access = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', keys: KEYS }
  await Promise.race([ended, makeBucket(access)])
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  const given = ['--s3-endpoint', access.endpoint!, '--s3-key', KEYS.id, '--s3-secret', KEYS.secret]
  return { access, folder: `${at}/${BUCKET}`, flags: given, kill, [Symbol.asyncDispose]: kill }
}

async function makeBucket({ endpoint, region }: S3Access): Promise<void> {
  const credentials = { accessKeyId: KEYS.id, secretAccessKey: KEYS.secret }
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 })
  for (let times = 0; ; times++) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: BUCKET }))
      return client.destroy()
    } catch (error) {
      if (times === 100) throw error
      await sleep(100)
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('objects: ranges, ends, lists of many, large ones, and what is not there', async () => {
  using folder = temporaryFolder()
  await using running = await startStore(folder)
  const store = openS3(`s3://${BUCKET}/some/where`, running.access)
  await store.put('a', Uint8Array.of(1, 2, 3))
  assert.deepEqual([...(await store.get('a', 1, 100))!], [2, 3])
  assert.equal((await store.get('a', 3, 1))?.length, 0)
  assert.equal(await store.get('b', 0, 1), undefined)
  assert.equal(await store.size('a'), 3)
  assert.equal(await store.size('b'), undefined)
  const large = new Uint8Array(40 * 2 ** 20)
  for (let at = 0; at < large.length; at += 4099) large[at] = at % 251
  await store.putLarge('large', large.length, (offset, length) => large.subarray(offset, offset + length))
  assert.equal(await store.size('large'), large.length)
  const piece = await store.get('large', 20_000_000, 5_000_000)
  assert.equal(Buffer.compare(piece!, large.subarray(20_000_000, 25_000_000)), 0)
  const names = Array.from({ length: 1100 }, (_, i) => `many/${String(i).padStart(5, '0')}`)
  for (let at = 0; at < names.length; at += 50)
    await Promise.all(names.slice(at, at + 50).map((name) => store.put(name, Uint8Array.of(1))))
  assert.deepEqual(
    (await store.list('many/')).map(({ key }) => key),
    names,
  )
  await store.remove(names.slice(0, 1000))
  await store.remove(names.slice(1000))
  assert.deepEqual(await store.list('many/'), [])
  await assert.rejects(
    openS3('s3://nowhere', running.access).put('a', Uint8Array.of(1)),
    /s3:\/\/nowhere: NoSuchBucket/,
  )
  await assert.rejects(openS3('s3://nowhere', running.access).get('a', 0, 1), /s3:\/\/nowhere: NoSuchBucket/)
  const wrong = { ...running.access, keys: { ...KEYS, secret: 'another' } }
  await assert.rejects(openS3(`s3://${BUCKET}`, wrong).put('a', Uint8Array.of(1)), /SignatureDoesNotMatch|403/)
  const volumes = storedVolumes(store)
  assert.equal(await volumes.append('v', 0, large.subarray(0, 1000)), 1000)
  assert.equal(await storedVolumes(store).append('v', 0, large.subarray(0, 500)), 1000)
  assert.equal(await volumes.append('v', 1000, large.subarray(1000, 5000)), 5000)
  assert.equal(Buffer.compare(await volumes.readAt('v', 900, 300), large.subarray(900, 1200)), 0)
  await volumes.seal('v', 4000, (offset, length) => large.subarray(offset, offset + length))
  assert.deepEqual(await store.list('v'), [{ key: 'v', size: 4000 }])
  store.close()
})

test('a crawl whose worker is killed and started again: every capture is read from the store', async () => {
  using folder = temporaryFolder()
  await using store = await startStore(folder)
  await using served = await serveWeb({ seed: 3, sites: 24, pages: 300, latencyMs: 2, pageBytes: 8000 }, folder)
  const seeds = served.web.homes()
  const collection = folder.at('collection')
  const flags = ['--seeds', seedFile(folder, seeds), '--until-done', ...CRAWL, ...served.resolve]
  const server = await startServer(collection, flags)
  const start = () =>
    startWorker(
      folder.at('worker'),
      [server.url],
      ['--until-done', '--workers', '1', '--volumes', `s3://${BUCKET}/crawl`, ...store.flags],
    )
  const first = start()
  while (!(existsSync(`${store.folder}/crawl`) && readdirSync(`${store.folder}/crawl`).length > 0)) await sleep(50)
  await sleep(3000)
  first.child.kill('SIGKILL')
  await first.done
  const ran = await Promise.all([server.done, start().done])
  assert.deepEqual(
    ran.map(({ code }) => code),
    [0, 0],
    lastWords(ran),
  )
  const right = walk(served.web, { seeds, scope: { kind: 'host' }, links: 'combined' })
  const { documents } = readCatalogue(collection)
  assertSameSet(documents, new Set(right.documents), 'documents')
  const stored = readdirSync(`${store.folder}/crawl`)
  assert.ok(stored.length > 1 && stored.every((name) => name.endsWith('.warc.gz')), stored.join(' '))
  assert.deepEqual(readdirSync(`${collection}/archive`), [])
  assert.deepEqual(readdirSync(`${folder.at('worker')}/archive`), [])
  const verified = await orbweaver(['verify', '--everywhere', '--json', '-c', collection, ...store.flags])
  assert.equal(verified.code, 0, verified.stdout + verified.stderr)
  const { volumes, captures } = JSON.parse(verified.stdout) as { volumes: number; captures: number }
  assert.equal(volumes, stored.length)
  assert.ok(captures >= right.documents.size)
  const [page] = right.documents
  const got = await orbweaver(['get', page, '-c', collection, ...store.flags])
  assert.equal(got.code, 0, got.stderr)
  const without = await orbweaver([
    'get',
    page,
    '-c',
    collection,
    ...store.flags.slice(0, 2),
    '--s3-key',
    'x',
    '--s3-secret',
    'y',
  ])
  assert.match(without.stderr, /lies in s3:\/\/volumes\/crawl, but cannot be read there/)
})

test('a store that dies is replaced by the next place, and the crawl goes on', async () => {
  using folder = temporaryFolder()
  await using store = await startStore(folder)
  await using served = await serveWeb({ seed: 4, sites: 24, pages: 300, latencyMs: 2, pageBytes: 8000 }, folder)
  const seeds = served.web.homes()
  const collection = folder.at('collection')
  const flags = ['--seeds', seedFile(folder, seeds), '--until-done', ...CRAWL, ...served.resolve]
  const server = await startServer(collection, flags)
  const places = ['--volumes', `s3://${BUCKET}/crawl`, '--volumes', 'upload']
  const worker = startWorker(
    folder.at('worker'),
    [server.url],
    ['--until-done', '--workers', '1', '--json', ...places, ...store.flags],
  )
  while (!(existsSync(`${store.folder}/crawl`) && readdirSync(`${store.folder}/crawl`).length > 0)) await sleep(50)
  await sleep(2000)
  await store.kill()
  const ran = await Promise.all([server.done, worker.done])
  assert.deepEqual(
    ran.map(({ code }) => code),
    [0, 0],
    lastWords(ran),
  )
  assert.equal((JSON.parse(ran[1].stdout) as { locationsReplaced: number }).locationsReplaced, 1)
  const right = walk(served.web, { seeds, scope: { kind: 'host' }, links: 'combined' })
  assertSameSet(readCatalogue(collection).documents, new Set(right.documents), 'documents')
  assert.ok(readdirSync(`${collection}/archive`).length > 0)
})

test('a crawl on one machine, killed and resumed, with its volumes in the store: all is read from there; clean finds what nobody names, and thins old captures', async () => {
  using folder = temporaryFolder()
  await using store = await startStore(folder)
  // Every page is another one within a minute or three, so that a refresh leaves much to thin.
  const changes = { epoch: Date.now(), changesPerDay: 1500, leastChangesPerDay: 500 }
  await using served = await serveWeb(
    { seed: 5, sites: 24, pages: 300, latencyMs: 2, pageBytes: 8000, ...changes },
    folder,
  )
  const seeds = served.web.homes()
  const collection = folder.at('collection')
  const place = `s3://${BUCKET}/alone`
  const flags = ['--seeds', seedFile(folder, seeds), ...CRAWL, ...served.resolve, '--workers', '1', '--volumes', place]
  const start = () => startOrbweaver(['crawl', '-c', collection, ...flags, ...store.flags])
  const inStore = () => (existsSync(`${store.folder}/alone`) ? readdirSync(`${store.folder}/alone`) : [])
  const first = start()
  while (inStore().length === 0) await sleep(50)
  await sleep(2000)
  first.child.kill('SIGKILL')
  await first.done
  const resumed = await start().done
  assert.equal(resumed.code, 0, resumed.stderr)
  const right = walk(served.web, { seeds, scope: { kind: 'host' }, links: 'combined' })
  assertSameSet(readCatalogue(collection).documents, new Set(right.documents), 'documents')
  assert.ok(inStore().length > 1 && inStore().every((name) => name.endsWith('.warc.gz')), inStore().join(' '))
  assert.deepEqual(readdirSync(`${collection}/archive`), [])
  const verified = await orbweaver(['verify', '--everywhere', '--json', '-c', collection, ...store.flags])
  assert.equal(verified.code, 0, verified.stdout + verified.stderr)
  const [page] = right.documents
  assert.equal((await orbweaver(['get', page, '-c', collection, ...store.flags])).code, 0)

  const orphan = 'ORBWEAVER-20261115000000000-00001-vm~w9.warc.gz'
  const objects = openS3(place, store.access)
  await objects.put(`${orphan}.pieces/000000000000000`, Uint8Array.of(1, 2, 3))
  await objects.put('A-20261115000000000-00001-other.warc.gz', Uint8Array.of(1))
  const db = new DatabaseSync(`${collection}/collection.db`)
  db.prepare('INSERT INTO volume_location (name, node, worker, bytes, sealed) VALUES (?, ?, ?, 3, 0)').run(
    orphan,
    place,
    'crawl',
  )
  db.close()
  const before = inStore().length
  const clean = async (...more: string[]) => {
    const ran = await orbweaver(['clean', '--json', '-c', collection, ...store.flags, ...more])
    assert.equal(ran.code, 0, ran.stderr)
    return JSON.parse(ran.stdout) as { orphans: { name: string; removed: boolean }[]; notes: string[] }
  }
  assert.deepEqual(
    (await clean()).orphans.map(({ name, removed }) => `${name} ${removed}`),
    [`${orphan} in ${place} false`],
  )
  const cleaned = await clean('--remove')
  assert.deepEqual(
    cleaned.orphans.map(({ removed }) => removed),
    [true],
  )
  assert.match(cleaned.notes.join(), /1 volumes in s3:\S+ are not in this collection's table/)
  assert.deepEqual(await objects.list(`${orphan}.pieces/`), [])
  assert.equal((await objects.list('')).length, before - 1)

  const refreshed = await orbweaver(['refresh', '--once', '-c', collection, ...flags.slice(2), ...store.flags])
  assert.equal(refreshed.code, 0, refreshed.stderr)
  const retain = async (...more: string[]) => {
    const ran = await orbweaver(['clean', '--retention', 'none', '--json', '-c', collection, ...store.flags, ...more])
    assert.equal(ran.code, 0, ran.stderr)
    return JSON.parse(ran.stdout) as { captures: number; elsewhere: number; volumes: number; notes: string[] }
  }
  const dry = await retain()
  const bytes = async () => (await objects.list('')).reduce((sum, { size }) => sum + size, 0)
  const [whole, names] = [await bytes(), inStore()]
  const thinned = await retain('--remove')
  assert.ok(thinned.captures > 0 && thinned.volumes > 0, JSON.stringify(thinned))
  assert.deepEqual([dry.captures, thinned.elsewhere, thinned.notes], [thinned.captures, 0, []])
  assert.ok((await bytes()) < whole && inStore().some((name) => name.includes('~r1') && !names.includes(name)))
  assert.ok(inStore().includes('A-20261115000000000-00001-other.warc.gz'))
  const after = await orbweaver(['verify', '--everywhere', '--json', '-c', collection, ...store.flags])
  assert.equal(after.code, 0, after.stdout + after.stderr)
  assert.equal((await orbweaver(['get', page, '-c', collection, ...store.flags])).code, 0)
  objects.close()
})
