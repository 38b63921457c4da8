/**
 * Settings on their way to other machines: the plan of a crawl for workers, and digests by which servers see whether they differ. The
 * plan travels as texts, so that it is read by the same rules as a settings file. What concerns one machine (folders,
 * threads) each side sets for itself.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Disk, replaceFile } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'
import { MAX_PLAN_BYTES } from '../../cluster/wire/protocol.ts'
import type { PlanForWorkers } from '../../contracts/calls.ts'
import type { ScopeSeeds } from '../seeds/stored-seeds.ts'
import { type Given, keyOf, SETTING_NAMES, type SettingName, type Settings, settingOf } from './keys.ts'
import { loadSettings } from './load.ts'
import { writeSettingsFile } from './settings-file.ts'

/** Settings that name a file which workers need too. */
const FILES = ['blacklistUrls', 'blacklistDomains', 'blacklistAddresses'] as const satisfies readonly SettingName[]

export function planForWorkers(
  settings: Settings,
  given: ReadonlyMap<SettingName, Given>,
  { seeds, alternates }: ScopeSeeds,
  version: string,
  disk: Disk,
): PlanForWorkers {
  const paths = FILES.flatMap((name) => {
    const path = settings[name]
    return path === undefined ? [] : [[keyOf(name), path] as const]
  })
  const parts: [what: string, bytes: number][] = [
    ...paths.map(([key, path]): [string, number] => [`--${key}`, disk.size(path) ?? 0]),
    ['seeds', [...seeds, ...alternates].reduce((sum, { length }) => sum + length + 3, 0)],
  ]
  const bytes = parts.reduce((sum, [, size]) => sum + size, 0)
  if (bytes > MAX_PLAN_BYTES) throw tooBig(bytes, parts)
  const files = Object.fromEntries(paths.map(([key, path]) => [key, fileText(disk, path)]))
  return { version, settings: writeSettingsFile(given, version), seeds, alternates, files }
}

function tooBig(bytes: number, parts: readonly [what: string, bytes: number][]): Problem {
  const [largest] = [...parts].sort(([, a], [, b]) => b - a)
  const mega = (size: number) => `${Math.ceil(size / 2 ** 20)} MB`
  return new Problem(
    'bad-config',
    `the plan for workers has ${mega(bytes)}, ${largest[0]} alone ${mega(largest[1])}; at most ${mega(MAX_PLAN_BYTES)} are sent: use wider seeds (a domain instead of its pages) or shorter lists`,
  )
}

/** Settings that each machine decides for itself, whatever the plan says. */
export type OwnSettings = Pick<Settings, 'collection' | 'workers' | 'visits' | 'verbose' | 'quiet' | 'dnsServers'>

/** Writes the files of the plan into `folder`: blacklists are read again when their files change. */
export async function crawlPlanOf(plan: PlanForWorkers, own: OwnSettings, folder: string, disk: Disk) {
  const paths: { [Name in (typeof FILES)[number]]?: string } = {}
  for (const name of FILES) {
    const text = plan.files[keyOf(name)]
    const path = join(folder, `${keyOf(name)}.txt`)
    paths[name] = text === undefined ? undefined : path
    if (text !== undefined && (disk.size(path) === undefined || fileText(disk, path) !== text))
      await replaceFile(disk, path, text)
  }
  const { version, seeds, alternates } = plan
  const settings: Settings = Object.freeze({ ...settingsIn(plan), ...own, ...paths })
  return { settings, seeds, alternates, version }
}

/** Only the crawl's settings count, neither this machine's environment nor its files. */
function settingsIn({ settings: text, version }: PlanForWorkers): Settings {
  const NAME = 'the plan of the server'
  const world = { env: {}, readFile: (path: string) => (path === NAME ? text : undefined) }
  try {
    return loadSettings(['--config', NAME], 'crawl', world).settings
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // The server accepted these settings for itself, so this worker has another version.
    const hint = `the server is Orbweaver ${version}: use the same version here`
    throw new Problem('server-refused', `${error.message} (${hint})`, { cause: error })
  }
}

function fileText(disk: Disk, path: string): string {
  return new TextDecoder().decode(disk.read(path, 0, disk.size(path) ?? 0))
}

/** JSON: each setting of the crawl that differs from its default, with a digest of its value. What concerns one machine is left out. */
export function settingsDigests(settings: Settings): string {
  // Some defaults depend on others.
  const unset = loadSettings([], 'serve', { env: {}, readFile: () => undefined }).settings
  const set = SETTING_NAMES.flatMap((name) => {
    const { group, lasting, secret } = settingOf(name)
    if (!lasting || secret || group === 'Cluster') return []
    const value = valueText(settings[name])
    return value === valueText(unset[name]) ? [] : [[keyOf(name), digestOf(value)] as const]
  })
  return JSON.stringify(Object.fromEntries(set))
}

/** With patterns and maps, which JSON does not know. */
const valueText = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    one instanceof RegExp ? String(one) : one instanceof Map || one instanceof Set ? [...one] : one,
  ) ?? ''

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 8)
