/**
 * A crawl of many processes, as operators start them: servers over a database (or over the folder of one server), workers
 * that reach them over HTTP. Each process may be ended and started again.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { canonicalUrl } from '../../testkit/web/spelling.ts'
import { orbweaver, type Ran, type Running, startOrbweaver, type TemporaryFolder } from './harness.ts'

const LONGEST_START_MS = 30_000

export interface ServerProcess extends Running {
  readonly url: string
  readonly folder: string
}

/** `serve` with these flags; ready when it has said where it is. */
export async function startServer(folder: string, flags: readonly string[], port = 0): Promise<ServerProcess> {
  // Tests that count every request want none that is drawn by lot.
  const share = flags.includes('--recheck-share') ? [] : ['--recheck-share', '0']
  const line = ['serve', '-c', folder, '--port', String(port), '--progress-every', '1s', ...share, ...flags]
  const running = startOrbweaver(line)
  let said = ''
  running.child.stderr?.on('data', (text: string) => {
    said += text
  })
  const until = Date.now() + LONGEST_START_MS
  for (;;) {
    const url = /serving at (\S+);/.exec(said)?.[1]
    if (url !== undefined) return { ...running, url, folder }
    assert.ok(running.child.exitCode === null, `the server ended: ${said}`)
    assert.ok(Date.now() < until, `the server does not start: ${said}`)
    await sleep(20)
  }
}

export interface WorkerProcess extends Running {
  readonly folder: string
}

export function startWorker(folder: string, servers: readonly string[], flags: readonly string[] = []): WorkerProcess {
  const named = servers.flatMap((url) => ['--server', url])
  return { ...startOrbweaver(['worker', '-c', folder, ...named, '--progress-every', '1s', ...flags]), folder }
}

/** The last lines of each, for a message that says why. */
export function lastWords(ran: readonly Ran[]): string {
  return ran.map(({ code, signal, stderr }) => `${code ?? signal}: ${stderr.slice(-1500)}`).join('\n---\n')
}

export function folders(folder: TemporaryFolder, name: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => folder.at(`${name}${i + 1}`))
}

/** What a shared database has collected, as `export` and `report` tell it. */
export async function readShared(
  database: readonly string[],
): Promise<{ documents: Set<string>; counters: Map<string, number>; times: number[] }> {
  const pages = await orbweaver(['export', 'pages', ...database])
  assert.equal(pages.code, 0, pages.stderr)
  const lines = pages.stdout.split('\n').filter((line) => line !== '')
  const rows = lines.map((line) => JSON.parse(line) as { url: string; outcome: string; at: string })
  const report = await orbweaver(['status', '--json', ...database])
  assert.equal(report.code, 0, report.stderr)
  const { documents } = JSON.parse(report.stdout) as { documents: number }
  return {
    documents: new Set(rows.filter(({ outcome }) => outcome === 'kept').map(({ url }) => canonicalUrl(url))),
    counters: new Map([['documents', documents]]),
    times: rows.map(({ at }) => Date.parse(at)),
  }
}
