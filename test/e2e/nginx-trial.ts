/**
 * A real server and real pages: nginx serves the documentation of Git from one release of Debian's package, then parts of it
 * are replaced by the next release's, and the collection is refreshed.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, globSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { lastTwoReleases, type Unpacked } from '../../bench/hazards/packages.ts'
import { findNginx, type Logged, startNginx } from '../../bench/web/nginx.ts'
import { folder, runTo, type Scene } from './command.ts'

export const HOST = 'docs.test'
const PACKAGE = 'git-doc'
const INSIDE = 'usr/share/doc/git-doc'

export interface Releases {
  older: Unpacked
  newer: Unpacked
  nginx: Awaited<ReturnType<typeof findNginx>>
}

export async function releases(): Promise<Releases | { skipped: string }> {
  try {
    return { ...(await lastTwoReleases(PACKAGE)), nginx: await findNginx() }
  } catch (error) {
    return { skipped: `nginx, or two releases of Debian's ${PACKAGE}, cannot be had: ${String(error).split('\n')[0]}` }
  }
}

export interface Trial {
  collection: string
  flags: readonly string[]
  /** Paths of pages. */
  collected: Set<string>
  /** Of them, those whose file is another one now. */
  replaced: Set<string>
  /** What the server saw. */
  first: Logged[]
  again: Logged[]
  /** The beginning of the crawl, and a time between it and the refresh. */
  crawledAt: Date
  betweenAt: Date
  before(path: string): string
  after(path: string): string
}

export async function crawlReplaceRefresh(scene: Scene, { older, newer, nginx }: Releases): Promise<Trial> {
  const at = folder(scene)
  // As root nginx changes to another user.
  spawnSync('chmod', ['755', at])
  const [site, collection] = [join(at, 'site'), join(at, 'collection')]
  const [oldRoot, newRoot] = [older, newer].map(({ root }) => join(root, INSIDE))
  cpSync(oldRoot, site, { recursive: true, preserveTimestamps: true, dereference: true })
  const server = await startNginx(nginx, site)
  try {
    const flags = ['-c', collection, '--resolve', `*.test=127.0.0.1:${server.port}`, '--pause-for', '*.test=0s']
    const crawledAt = new Date()
    await runTo(0, ['crawl', ...flags, `http://${HOST}/git.html`])
    const first = await server.log()
    const collected = new Set(
      first.filter(({ status, path }) => status === 200 && path !== '/robots.txt').map(({ path }) => path),
    )
    const betweenAt = new Date()
    const replaced = new Set<string>()
    for (const file of globSync('**/*.html', { cwd: newRoot })) {
      const path = `/${file}`
      if (!collected.has(path) || readFileSync(join(oldRoot, file)).equals(readFileSync(join(newRoot, file)))) continue
      replaced.add(path)
      copyFileSync(join(newRoot, file), join(site, file))
      const { mtime } = statSync(join(newRoot, file))
      utimesSync(join(site, file), mtime, mtime)
    }
    await runTo(0, ['refresh', ...flags, '--once'])
    const again = await server.log()
    const read = (root: string) => (path: string) => readFileSync(join(root, path), 'utf8')
    return {
      collection,
      flags,
      collected,
      replaced,
      first,
      again,
      crawledAt,
      betweenAt,
      before: read(oldRoot),
      after: read(newRoot),
    }
  } finally {
    await server.stop()
  }
}

/** What `get` prints of a page, now or as of a time. The pages are UTF-8. */
export async function stored({ collection }: Trial, path: string, at?: Date): Promise<string> {
  const time = at === undefined ? [] : ['--at', at.toISOString()]
  return (await runTo(0, ['get', '-c', collection, `http://${HOST}${path}`, ...time])).stdout
}
