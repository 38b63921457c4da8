/**
 * `bench refresh-bytes`: what a refresh sends and receives when some pages have changed, beside a crawl of all of them. Debian's
 * documentation of PostgreSQL on nginx; every nth page is replaced by the next release's. nginx counts the bytes, both ways.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { formatSize } from '../../src/base/units.ts'
import { grouped, type TextTable } from '../../src/report/text-table.ts'
import { benchmark } from '../command.ts'
import { lastTwoReleases } from '../hazards/packages.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { findNginx, type Logged, startNginx } from '../web/nginx.ts'

const FLAGS = {
  every: { default: 10, what: 'one page in so many is replaced by the next release' },
  most: { default: 15, what: 'per cent of a full crawl that a refresh may send and receive' },
} as const

const PACKAGE = 'postgresql-doc-15'
const INSIDE = `usr/share/doc/${PACKAGE}/html`
const PROGRAM = join(import.meta.dirname, '../../bin/orbweaver.js')

export const refreshBytes = benchmark({
  name: 'refresh-bytes',
  what: "bytes on the wire of a refresh, beside those of a full crawl: PostgreSQL's documentation on nginx, parts replaced by the next release's",
  flags: FLAGS,
  async run({ every, most }, { say }) {
    const [{ older, newer }, nginx] = await Promise.all([lastTwoReleases(PACKAGE), findNginx()])
    using folder = temporaryFolder()
    chmodSync(folder.path, 0o755)
    const site = join(folder.path, 'site')
    const [oldRoot, newRoot] = [older, newer].map(({ root }) => join(root, INSIDE))
    mkdirSync(site)
    cpSync(oldRoot, site, { recursive: true, preserveTimestamps: true, dereference: true })
    const server = await startNginx(nginx, site)
    try {
      const flags = (name: string) => [
        ...['-c', join(folder.path, name), '--quiet', '--contact', 'https://bench.example/'],
        ...['--resolve', `*.test=127.0.0.1:${server.port}`, '--pause-for', '*.test=0s'],
      ]
      say(`crawling ${older.version} on nginx ${nginx.version} …`)
      await orbweaver('crawl', ...flags('kept'), 'http://docs.test/index.html')
      const pages = pagesOf(await server.log())
      const replaced = replace(pages, every, oldRoot, newRoot, site)
      say(`${replaced} of ${pages.length} pages are replaced by those of ${newer.version}; refreshing …`)
      await orbweaver('refresh', ...flags('kept'), '--once')
      const refresh = await server.log()
      say('crawling all of it again …')
      await orbweaver('crawl', ...flags('anew'), 'http://docs.test/index.html')
      const full = await server.log()
      const share = (100 * bytesOf(refresh)) / bytesOf(full)
      const rows = [
        ...[rowOf('full crawl', full), rowOf('refresh', refresh)],
        rowOf(
          '  changed: 200',
          refresh.filter(({ status, conditional }) => status === 200 && conditional),
        ),
        rowOf(
          '  unchanged: 304',
          refresh.filter(({ status }) => status === 304),
        ),
        rowOf(
          '  whole looks and others',
          refresh.filter(({ status, conditional }) => status !== 304 && !conditional),
        ),
      ]
      const table: TextTable = {
        title: `Bytes on the wire: ${pages.length} pages, ${replaced} changed`,
        header: ['', 'requests', 'sent to the server', 'received', 'sum'],
        rows,
      }
      return {
        tables: [table],
        notes: [`A refresh takes ${share.toFixed(1)} % of the bytes of a full crawl (at most ${most} % are allowed).`],
        figures: { pages: pages.length, replaced, refreshBytes: bytesOf(refresh), fullBytes: bytesOf(full), share },
        failed: share > most,
      }
    } finally {
      await server.stop()
    }
  },
})

async function orbweaver(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`orbweaver ${args[0]} ended with ${code}`)
}

const pagesOf = (log: readonly Logged[]): string[] =>
  log.filter(({ path, status }) => status === 200 && path.endsWith('.html')).map(({ path }) => path)

/** Returns how many really differ. */
function replace(pages: readonly string[], every: number, from: string, to: string, site: string): number {
  let replaced = 0
  for (const [nth, path] of pages.entries()) {
    if (nth % every !== 0) continue
    const [older, newer] = [join(from, path), join(to, path)]
    if (statSync(newer, { throwIfNoEntry: false }) === undefined) continue
    if (readFileSync(older).equals(readFileSync(newer))) continue
    copyFileSync(newer, join(site, path))
    const { mtime } = statSync(newer)
    utimesSync(join(site, path), mtime, mtime)
    replaced++
  }
  return replaced
}

const sum = (log: readonly Logged[], of: 'requestBytes' | 'answerBytes') => log.reduce((all, line) => all + line[of], 0)
const bytesOf = (log: readonly Logged[]) => sum(log, 'requestBytes') + sum(log, 'answerBytes')

function rowOf(what: string, log: readonly Logged[]): string[] {
  const [sent, received] = [sum(log, 'requestBytes'), sum(log, 'answerBytes')]
  return [what, grouped(log.length), formatSize(sent), formatSize(received), formatSize(sent + received)]
}
