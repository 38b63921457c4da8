/** What a worker costs by where its volumes go: one server over SQLite, one worker, a web that answers at once. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { plainEnvironment } from '../crawlers/orbweaver.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { seedsOf, serveSlowWeb } from '../scale/slow-web.ts'
import { cpuOf, endAll, said } from './processes.ts'

export type PlaceName = 'keep' | 'folder' | 'upload' | 's3'

export interface PlacePoint {
  /** With each site's robots.txt. */
  requests: number
  /** From the first request to the last, and to the worker's end, when every volume is at its place. */
  crawlSeconds: number
  wholeSeconds: number
  /** CPU seconds for 1,000 pages, of the worker, the server and the store. */
  workerCpu: number
  serverCpu: number
  storeCpu: number
}

const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'orbweaver.js')
const KEYS = { accessKeyId: 'BENCHKEY', secretAccessKey: 'the secret of this run' }
const LOOK_EVERY_MS = 25
/** Several are completed in a run. */
const VOLUME_SIZE = '8MB'

/** `store`: the program of versitygw, for 's3'. A run that asks for more or less than all pages is an error, not a figure. */
export async function measurePlace(
  place: PlaceName,
  options: { sites: number; pagesPerSite: number; pageBytes: number; store: string },
): Promise<PlacePoint> {
  using folder = temporaryFolder()
  await using web = await serveSlowWeb({ latencyMs: 1, ...options })
  const seeds = join(folder.path, 'seeds.txt')
  writeFileSync(seeds, `${seedsOf(options.sites).join('\n')}\n`)
  const running: ChildProcess[] = []
  const started = (program: string, args: readonly string[]) => {
    const child = spawn(program, args, { env: plainEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr?.setEncoding('utf8')
    running.push(child)
    return child
  }
  try {
    const store = place === 's3' ? await startStore(options.store, join(folder.path, 'objects'), started) : undefined
    const flags = [
      ...['--resolve', `*.test=127.0.0.1:${web.port}`, '--pause-for', '*.test=0s', '--until-done'],
      // Pages that are drawn by lot and asked for again a minute later are no part of what is measured.
      ...['--recheck-share', '0', '--volume-size', VOLUME_SIZE],
    ]
    const at = (name: string) => join(folder.path, name)
    const server = started(process.execPath, [
      ...[PROGRAM, 'serve', '-c', at('server'), '--port', '0', '--seeds', seeds, ...flags],
    ])
    const url = await said(server, /serving at (\S+);/)
    const worker = started(process.execPath, [
      ...[PROGRAM, 'worker', '-c', at('worker'), '--server', url, '--workers', '1', '--until-done', '--quiet'],
      ...placeFlags(place, at('other'), store?.flags),
    ])
    worker.stderr?.resume()
    const cpu = new Map<ChildProcess | undefined, number>()
    let requests = 0
    let firstAt = 0
    let lastAt = 0
    while (worker.exitCode === null) {
      for (const child of running) cpu.set(child, cpuOf(child.pid!) ?? cpu.get(child) ?? 0)
      const stand = await web.stand()
      if (stand.requests > requests) {
        lastAt = performance.now()
        if (requests === 0) firstAt = lastAt
        requests = stand.requests
      }
      await sleep(LOOK_EVERY_MS)
    }
    const wholeSeconds = (performance.now() - firstAt) / 1000
    if (worker.exitCode !== 0) throw new Error(`the worker ended with ${worker.exitCode}`)
    const all = options.sites * (options.pagesPerSite + 1)
    if (requests !== all) throw new Error(`${requests} requests instead of ${all}`)
    const perThousand = (child: ChildProcess | undefined) => ((cpu.get(child) ?? 0) / requests) * 1000
    return {
      requests,
      crawlSeconds: (lastAt - firstAt) / 1000,
      wholeSeconds,
      workerCpu: perThousand(worker),
      serverCpu: perThousand(server),
      storeCpu: perThousand(store?.child),
    }
  } finally {
    await endAll(running)
  }
}

function placeFlags(place: PlaceName, folder: string, store: readonly string[] = []): readonly string[] {
  switch (place) {
    case 'keep':
    case 'upload':
      return ['--volumes', place]
    case 'folder':
      return ['--volumes', `dir:${folder}`]
    case 's3':
      return ['--volumes', 's3://bench/volumes', ...store]
  }
}

async function startStore(
  program: string,
  folder: string,
  started: (program: string, args: readonly string[]) => ChildProcess,
): Promise<{ child: ChildProcess; flags: string[] }> {
  mkdirSync(folder)
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  await new Promise((resolve) => listener.close(resolve))
  const { accessKeyId, secretAccessKey } = KEYS
  const keys = ['--access', accessKeyId, '--secret', secretAccessKey]
  const child = started(program, ['--port', `127.0.0.1:${port}`, ...keys, '--quiet', 'posix', folder])
  child.stderr?.resume()
  const endpoint = `http://127.0.0.1:${port}`
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    credentials: KEYS,
    forcePathStyle: true,
    maxAttempts: 1,
  })
  for (let times = 0; ; times++) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: 'bench' }))
      break
    } catch (error) {
      if (times === 100) throw error
      await sleep(100)
    }
  }
  client.destroy()
  return { child, flags: ['--s3-endpoint', endpoint, '--s3-key', accessKeyId, '--s3-secret', secretAccessKey] }
}
