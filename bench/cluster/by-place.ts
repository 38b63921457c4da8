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

export type PlaceName = 'keep' | 'upload' | 's3'

export interface PlacePoint {
  pages: number
  perSecond: number
  /** CPU seconds for 1,000 pages, of the worker, the server and the store. */
  workerCpu: number
  serverCpu: number
  storeCpu: number
}

const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'orbweaver.js')
const KEYS = { accessKeyId: 'BENCHKEY', secretAccessKey: 'the secret of this run' }
const LOOK_EVERY_MS = 50

/** `store`: the program of versitygw, for 's3'. */
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
    const flags = ['--resolve', `*.test=127.0.0.1:${web.port}`, '--pause-for', '*.test=0s', '--until-done']
    const at = (name: string) => join(folder.path, name)
    const server = started(process.execPath, [
      ...[PROGRAM, 'serve', '-c', at('server'), '--port', '0', '--seeds', seeds, ...flags],
    ])
    const url = await said(server, /serving at (\S+);/)
    const begun = performance.now()
    const worker = started(process.execPath, [
      ...[PROGRAM, 'worker', '-c', at('worker'), '--server', url, '--workers', '1', '--until-done', '--quiet'],
      ...(store === undefined ? ['--volumes', place] : ['--volumes', 's3://bench/volumes', ...store.flags]),
    ])
    worker.stderr?.resume()
    const cpu = new Map<ChildProcess | undefined, number>()
    let last = 0
    let lastAt = begun
    while (worker.exitCode === null) {
      for (const child of running) cpu.set(child, cpuOf(child.pid!) ?? cpu.get(child) ?? 0)
      const { requests } = await web.stand()
      if (requests > last) {
        last = requests
        lastAt = performance.now()
      }
      await sleep(LOOK_EVERY_MS)
    }
    if (worker.exitCode !== 0) throw new Error(`the worker ended with ${worker.exitCode}`)
    const perThousand = (child: ChildProcess | undefined) => ((cpu.get(child) ?? 0) / last) * 1000
    return {
      pages: last,
      perSecond: last / ((lastAt - begun) / 1000),
      workerCpu: perThousand(worker),
      serverCpu: perThousand(server),
      storeCpu: perThousand(store?.child),
    }
  } finally {
    await endAll(running)
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
