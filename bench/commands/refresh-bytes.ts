/**
 * `bench refresh-bytes`: what a refresh sends and receives when some pages have changed, beside a crawl of all of them. Three
 * documentations of Debian's on nginx; a share of their pages is replaced by the next release's. nginx counts the bytes, both ways.
 * Also what each look adds to the disk.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, cpSync, existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { formatSize } from '../../src/base/units.ts'
import { grouped, type TextTable } from '../../src/report/text-table.ts'
import { benchmark } from '../command.ts'
import { lastTwoReleases } from '../hazards/packages.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { findNginx, type Logged, startNginx } from '../web/nginx.ts'

const FLAGS = {
  changed: { default: 10, what: 'per cent of the pages that are replaced by the next release' },
  most: { default: 15, what: 'per cent of a full crawl that a refresh may send and receive' },
} as const

/** Packages of which apt knows two releases in Debian 12, with some hundred pages each: small, middling and large ones. */
const SITES = [
  { name: 'postgresql-doc-15', inside: 'usr/share/doc/postgresql-doc-15/html', first: 'index.html' },
  { name: 'git-doc', inside: 'usr/share/doc/git-doc', first: 'git.html' },
  { name: 'python3.11-doc', inside: 'usr/share/doc/python3.11/html', first: 'index.html' },
]
const PROGRAM = join(import.meta.dirname, '../../bin/orbweaver.js')

interface Site {
  host: string
  first: string
  version: string
  older: string
  newer: string
  served: string
}

export const refreshBytes = benchmark({
  name: 'refresh-bytes',
  what: "bytes on the wire of a refresh, beside those of a full crawl: documentation on nginx, parts replaced by the next release's",
  flags: FLAGS,
  async run({ changed, most }, { say }) {
    const nginx = await findNginx()
    using folder = temporaryFolder()
    chmodSync(folder.path, 0o755)
    const sites = await Promise.all(SITES.map((site) => placed(site, folder.path)))
    const server = await startNginx(nginx, join(folder.path, '$host'))
    try {
      const flags = (name: string) => [
        ...['-c', join(folder.path, name), '--quiet', '--contact', 'https://bench.example/'],
        ...['--resolve', `*.test=127.0.0.1:${server.port}`, '--pause-for', '*.test=0s'],
      ]
      const seeds = sites.map(({ host, first }) => `http://${host}/${first}`)
      say(`crawling ${sites.map(({ version }) => version).join(', ')} on nginx ${nginx.version} …`)
      await orbweaver('crawl', ...flags('kept'), ...seeds)
      const log = await server.log()
      const counts = sites.map((site) => replacePages(site, log, changed / 100, 0))
      say(`${counts.reduce((sum, { replaced }) => sum + replaced, 0)} pages are replaced; refreshing …`)
      await orbweaver('refresh', ...flags('kept'), '--once')
      const refresh = await server.log()
      say('refreshing twice more, for what a look adds to the disk …')
      const disk = await diskOfLooks(
        join(folder.path, 'kept'),
        async () => {
          await orbweaver('refresh', ...flags('kept'), '--once')
          return (await server.log()).length
        },
        () => sites.reduce((sum, site) => sum + replacePages(site, log, changed / 100, 0.5).replaced, 0),
      )
      say('crawling all of it again …')
      await orbweaver('crawl', ...flags('anew'), ...seeds)
      const full = await server.log()
      const by = sites.map(({ host }, nth) => rowOf(host, counts[nth], ofHost(refresh, host), ofHost(full, host)))
      const total = counts.reduce((a, b) => ({ pages: a.pages + b.pages, replaced: a.replaced + b.replaced }))
      const share = (100 * bytesOf(refresh)) / bytesOf(full)
      return {
        tables: [
          {
            title: 'Bytes on the wire, both ways, by site',
            header: ['', 'pages', 'changed', 'full crawl', 'a page', 'refresh', 'per cent'],
            rows: [...by, rowOf('all', total, refresh, full)],
            total: true,
          },
          kindsTable(refresh),
          diskTable(disk),
          yearTable(disk),
        ],
        notes: [`A refresh takes ${share.toFixed(1)} % of the bytes of a full crawl (at most ${most} % are allowed).`],
        figures: {
          ...total,
          refreshBytes: bytesOf(refresh),
          fullBytes: bytesOf(full),
          share,
          disk,
        },
        failed: share > most,
      }
    } finally {
      await server.stop()
    }
  },
})

/** The older release, as nginx will serve it. */
async function placed({ name, inside, first }: (typeof SITES)[number], folder: string): Promise<Site> {
  const { older, newer } = await lastTwoReleases(name)
  const host = `${name.replace(/[^a-z].*/, '')}.test`
  const [from, to, served] = [join(older.root, inside), join(newer.root, inside), join(folder, host)]
  // Scripts are links into packages that are not here.
  const isThere = (path: string) => existsSync(path)
  cpSync(from, served, { recursive: true, preserveTimestamps: true, dereference: true, filter: isThere })
  return { host, first, version: `${older.version} → ${newer.version}`, older: from, newer: to, served }
}

async function orbweaver(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`orbweaver ${args[0]} ended with ${code}`)
}

/** Of the pages that differ in the next release, so many that they are this share of all, evenly chosen. */
function replacePages({ host, older, newer, served }: Site, log: readonly Logged[], share: number, offset: number) {
  const pages = ofHost(log, host).filter(({ path, status }) => status === 200 && path !== '/robots.txt')
  const differing = pages
    .map(({ path }) => path)
    .filter(
      (path) =>
        existsSync(join(newer, path)) && !readFileSync(join(older, path)).equals(readFileSync(join(newer, path))),
    )
  const wanted = Math.min(differing.length, Math.round(pages.length * share))
  let replaced = 0
  for (let nth = 0; nth < wanted; nth++) {
    const path = differing[Math.floor(((nth + offset) * differing.length) / wanted)]
    if (readFileSync(join(newer, path)).equals(readFileSync(join(served, path)))) continue
    replaced++
    copyFileSync(join(newer, path), join(served, path))
    const { mtime } = statSync(join(newer, path))
    utimesSync(join(served, path), mtime, mtime)
  }
  return { pages: pages.length, replaced }
}

const ofHost = (log: readonly Logged[], host: string) => log.filter((line) => line.host === host)
const sum = (log: readonly Logged[], of: 'requestBytes' | 'answerBytes') => log.reduce((all, line) => all + line[of], 0)
const bytesOf = (log: readonly Logged[]) => sum(log, 'requestBytes') + sum(log, 'answerBytes')

function rowOf(
  what: string,
  { pages, replaced }: { pages: number; replaced: number },
  refresh: readonly Logged[],
  full: readonly Logged[],
): string[] {
  const [refreshed, crawled] = [bytesOf(refresh), bytesOf(full)]
  const sizes = [formatSize(crawled), formatSize(Math.round(crawled / pages)), formatSize(refreshed)]
  return [what, grouped(pages), grouped(replaced), ...sizes, ((100 * refreshed) / crawled).toFixed(1)]
}

function kindsTable(refresh: readonly Logged[]): TextTable {
  const row = (what: string, log: readonly Logged[]) => [
    ...[what, grouped(log.length), formatSize(sum(log, 'requestBytes')), formatSize(sum(log, 'answerBytes'))],
  ]
  return {
    title: 'The refresh',
    header: ['', 'requests', 'sent', 'received'],
    rows: [
      row(
        'changed: 200',
        refresh.filter(({ status, conditional }) => status === 200 && conditional),
      ),
      row(
        'unchanged: 304',
        refresh.filter(({ status }) => status === 304),
      ),
      row(
        'whole looks, robots.txt',
        refresh.filter(({ status, conditional }) => status !== 304 && !conditional),
      ),
    ],
  }
}

/** What grows with each look: volumes, catalogue, index, log. */
const PARTS = ['archive', 'collection.db', 'indexes', 'logs'] as const
type Sizes = Record<(typeof PARTS)[number], number>

function sizesOf(collection: string): Sizes {
  const size = (path: string): number => {
    const found = statSync(path)
    return found.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + size(join(path, name)), 0) : found.size
  }
  return Object.fromEntries(PARTS.map((part) => [part, size(join(collection, part))])) as Sizes
}

/** A refresh in which nothing changed, and one in which some pages did. The first of all, which notes every page, is over. */
async function diskOfLooks(collection: string, refresh: () => Promise<number>, change: () => number) {
  const before = sizesOf(collection)
  const looks = await refresh()
  const between = sizesOf(collection)
  const unchanged = perLook(before, between, looks)
  const changes = change()
  const others = (await refresh()) - changes
  const after = sizesOf(collection)
  for (const part of PARTS) after[part] -= others * unchanged[part]
  return { unchanged, changed: perLook(between, after, changes) }
}

function perLook(before: Sizes, after: Sizes, looks: number): Sizes {
  return Object.fromEntries(PARTS.map((part) => [part, (after[part] - before[part]) / looks])) as Sizes
}

const allOf = (sizes: Sizes) => PARTS.reduce((sum, part) => sum + sizes[part], 0)

function diskTable({ unchanged, changed }: { unchanged: Sizes; changed: Sizes }): TextTable {
  const row = (what: string, sizes: Sizes) => [
    what,
    ...[...PARTS.map((part) => sizes[part]), allOf(sizes)].map((bytes) => grouped(Math.round(bytes))),
  ]
  return {
    title: 'Bytes on disk for a look',
    header: ['', ...PARTS, 'sum'],
    rows: [row('unchanged', unchanged), row('changed', changed)],
  }
}

/** Looks and found changes of a page per day. */
const YEARS = [
  { looks: 1 / 7, changes: 0.02 },
  { looks: 1, changes: 0.1 },
  { looks: 4, changes: 0.3 },
]
const YEAR_PAGES = 100_000

/** `changes`: with a retention that keeps every version, all looks of 30 days, and the log. */
function yearTable({ unchanged, changed }: { unchanged: Sizes; changed: Sizes }): TextTable {
  return {
    title: `A year of ${grouped(YEAR_PAGES)} pages like these`,
    header: ['looks a day', 'changes a day', 'all kept', "'all for 30d, changes'"],
    rows: YEARS.map(({ looks, changes }) => {
      const disk = (days: number) =>
        365 * changes * allOf(changed) + (looks - changes) * (days * allOf(unchanged) + (365 - days) * unchanged.logs)
      return [looks.toFixed(2), changes.toFixed(2), ...[365, 30].map((days) => formatSize(YEAR_PAGES * disk(days)))]
    }),
  }
}
