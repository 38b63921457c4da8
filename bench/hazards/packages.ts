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
  statSync,
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

/** Releases of Debian, the oldest first; those that the mirror no longer has are passed over. */
const RELEASES = ['bullseye', 'bookworm', 'trixie', 'forky']
const DAY_MS = 24 * 3600_000

/** Every version of each package, the oldest first, that any release on this machine's mirror has; none where there is none. */
export async function versionsInReleases(names: readonly string[]): Promise<Map<string, string[]>> {
  const { stdout } = await run('apt-cache', [...(await acrossReleases()), 'madison', ...names], {
    timeout: DOWNLOAD_MS,
    maxBuffer: 1 << 24,
  })
  const versions = new Map<string, string[]>(names.map((name) => [name, []]))
  for (const line of stdout.split('\n')) {
    const [name, version] = line.split('|').map((cell) => cell.trim())
    const known = versions.get(name)
    // apt lists the newest first.
    if (version !== undefined && known?.includes(version) === false) known.unshift(version)
  }
  return versions
}

/** Options that give apt lists of its own with all `RELEASES`, so that the system's stay as they are. */
async function acrossReleases(): Promise<string[]> {
  const folder = join(cacheFolder(), 'apt')
  const lists = join(folder, 'lists')
  const options = {
    'Dir::Etc::SourceList': join(folder, 'sources.list'),
    'Dir::Etc::SourceParts': '-',
    'Dir::State::Lists': lists,
    'Dir::Cache': join(folder, 'cache'),
    // Containers switch it off, and then each call takes seconds.
    'Dir::Cache::pkgcache': 'pkgcache.bin',
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
  }
  const flags = Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`])
  const stamp = join(folder, 'updated')
  if ((statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0) > Date.now() - DAY_MS) return flags
  const format = '$(LABEL)|$(REPO_URI)'
  const { stdout } = await run('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'])
  const mirrors = new Map(stdout.split('\n').map((line) => line.split('|') as [string, string]))
  const sources = RELEASES.flatMap((release) => [
    mirrors.has('Debian') ? `deb ${mirrors.get('Debian')} ${release} main` : '',
    mirrors.has('Debian-Security') ? `deb ${mirrors.get('Debian-Security')} ${release}-security main` : '',
  ])
  mkdirSync(join(lists, 'partial'), { recursive: true })
  mkdirSync(join(folder, 'cache'), { recursive: true })
  writeFileSync(options['Dir::Etc::SourceList'], `${sources.join('\n')}\n`)
  // Fails for a release that is not there, and brings the others all the same.
  await run('apt-get', [...flags, 'update'], { timeout: DOWNLOAD_MS }).catch(() => {})
  writeFileSync(stamp, '')
  return flags
}

/** One version of a package of any release, unpacked. */
export async function unpackedVersion(name: string, version: string): Promise<Unpacked> {
  return await unpacked([`${name}=${version}`], await acrossReleases())
}

/** Packages, with `=VERSION` or without, that are unpacked into one tree. Throws when one cannot be had. */
export async function unpacked(packages: readonly string[], aptFlags: readonly string[] = []): Promise<Unpacked> {
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
  await run('apt-get', [...aptFlags, 'download', '--quiet', ...packages], { cwd: fresh, timeout: DOWNLOAD_MS })
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
