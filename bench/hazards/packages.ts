/** Debian packages, downloaded and unpacked into a cache of the user's, nothing installed. */
import { execFile } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const DOWNLOAD_MS = 10 * 60_000
const UNPACK_MS = 5 * 60_000

export function cacheFolder(): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return join(cache, 'orbweaver-bench')
}

export interface Unpacked {
  /** Where `/` of the package lies. */
  root: string
  /** Names and versions of what is in it. */
  version: string
}

/** The last two versions that apt knows of a package, each unpacked. Throws when there is only one. */
export async function lastTwoReleases(name: string): Promise<{ older: Unpacked; newer: Unpacked }> {
  const { stdout } = await run('apt-cache', ['madison', name], { timeout: DOWNLOAD_MS })
  const versions = [...new Set(stdout.split('\n').flatMap((line) => line.split('|')[1]?.trim() ?? []))]
  // apt lists the newest first.
  const [newer, older] = versions
  if (older === undefined) throw new Error(`apt knows ${versions.length} versions of ${name}, and two are needed`)
  return { older: await unpacked([`${name}=${older}`]), newer: await unpacked([`${name}=${newer}`]) }
}

/** Packages, with `=VERSION` or without, that are unpacked into one tree. Throws when one cannot be had. */
export async function unpacked(packages: readonly string[]): Promise<Unpacked> {
  const cache = join(cacheFolder(), 'packages')
  const folder = join(cache, packages.join('+'))
  const versionFile = join(folder, 'version')
  const root = join(folder, 'root')
  try {
    return { root: realpathSync(root), version: readFileSync(versionFile, 'utf8') }
  } catch {
    // Not here yet, or broken off.
  }
  rmSync(folder, { recursive: true, force: true })
  const fresh = `${folder}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(join(fresh, 'root'), { recursive: true })
  await run('apt-get', ['download', '--quiet', ...packages], { cwd: fresh, timeout: DOWNLOAD_MS })
  const versions: string[] = []
  for (const name of readdirSync(fresh)
    .filter((file) => file.endsWith('.deb'))
    .sort()) {
    const file = join(fresh, name)
    versions.push(name.slice(0, -'.deb'.length))
    await run('dpkg-deb', ['--extract', file, join(fresh, 'root')], { timeout: UNPACK_MS })
    rmSync(file)
  }
  if (versions.length < packages.length) throw new Error(`apt-get brought ${versions.length} of ${packages.join(', ')}`)
  bendLinks(join(fresh, 'root'))
  writeFileSync(join(fresh, 'version'), versions.join(' '))
  renameSync(fresh, folder)
  return { root: realpathSync(root), version: versions.join(' ') }
}

/** Links with an absolute target lead to the same file of the unpacked tree. */
export function bendLinks(root: string, folder = root): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !lstatSync(path).isSymbolicLink()) bendLinks(root, path)
    if (!entry.isSymbolicLink()) continue
    const target = readlinkSync(path)
    if (!target.startsWith('/')) continue
    unlinkSync(path)
    symlinkSync(relative(dirname(path), join(root, target)) || '.', path)
  }
}
