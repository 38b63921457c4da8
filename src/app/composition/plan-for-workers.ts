/**
 * The plan of a crawl on its way to workers on other machines: as texts, for it crosses the network and must be read by
 * the same rules as a file of settings. What only concerns one machine (folders, threads) each side has for itself.
 */
import { join } from 'node:path'
import type { Millis } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { replaceFile } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'
import { MAX_PLAN_BYTES } from '../../cluster/wire/protocol.ts'
import type { PlanForWorkers } from '../../contracts/calls.ts'
import type { Given } from '../config/given.ts'
import { keyOf, type SettingName, type Settings } from '../config/keys.ts'
import { loadSettings } from '../config/load.ts'
import { writeSettingsFile } from '../config/settings-file.ts'
import type { CrawlPlan } from './plan.ts'
import type { ScopeSeeds } from './scope-seeds.ts'

/** Settings that name a file which workers need too. */
const FILES = ['blacklistUrls', 'blacklistDomains', 'blacklistAddresses'] as const satisfies readonly SettingName[]

/** The plan is made anew at most so often: black lists and seeds may change while the crawl runs. */
export const PLAN_FRESH: Millis = 5_000

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
  const named: [what: string, bytes: number][] = [
    ...paths.map(([key, path]): [string, number] => [`--${key}`, disk.size(path) ?? 0]),
    ['seeds', sizeOf([...seeds, ...alternates])],
  ]
  const bytes = named.reduce((sum, [, size]) => sum + size, 0)
  if (bytes > MAX_PLAN_BYTES) throw tooBig(bytes, named)
  const files = Object.fromEntries(paths.map(([key, path]) => [key, textOf(disk, path)]))
  return { version, settings: writeSettingsFile(given, version), seeds, alternates, files }
}

const sizeOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length + 3, 0)

function tooBig(bytes: number, named: readonly [what: string, bytes: number][]): Problem {
  const [largest] = [...named].sort(([, a], [, b]) => b - a)
  const mega = (size: number) => `${Math.ceil(size / 2 ** 20)} MB`
  return new Problem(
    'bad-config',
    `what workers must know has ${mega(bytes)}, ${largest[0]} alone ${mega(largest[1])}; at most ${mega(MAX_PLAN_BYTES)} are sent: wider seeds (a domain instead of its pages) and shorter lists`,
  )
}

/** What one machine decides for itself, whatever the plan says. */
export type OwnSettings = Pick<Settings, 'collection' | 'workers' | 'visits' | 'verbose' | 'quiet' | 'dnsServers'>

/** The files that the plan carries are written into `folder`, where black lists are read again when they change. */
export async function crawlPlanOf(
  plan: PlanForWorkers,
  own: OwnSettings,
  folder: string,
  disk: Disk,
): Promise<CrawlPlan> {
  const paths: { [Name in (typeof FILES)[number]]?: string } = {}
  for (const name of FILES) {
    const text = plan.files[keyOf(name)]
    const path = join(folder, `${keyOf(name)}.txt`)
    paths[name] = text === undefined ? undefined : path
    if (text !== undefined && (disk.size(path) === undefined || textOf(disk, path) !== text))
      await replaceFile(disk, path, text)
  }
  const { version, seeds, alternates } = plan
  return { settings: Object.freeze({ ...settingsIn(plan), ...own, ...paths }), seeds, alternates, version }
}

/** By the settings of the crawl alone: neither this machine's environment nor its files have a say in it. */
function settingsIn({ settings: text, version }: PlanForWorkers): Settings {
  const NAME = 'the plan of the server'
  const world = { env: {}, readFile: (path: string) => (path === NAME ? text : undefined) }
  try {
    return loadSettings(['--config', NAME], 'crawl', world).settings
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // What it accepted for itself it would not hand out: this worker is older, or newer.
    const hint = `the server is Orbweaver ${version}: use the same version here`
    throw new Problem('server-refused', `${error.message} (${hint})`, { cause: error })
  }
}

function textOf(disk: Disk, path: string): string {
  return new TextDecoder().decode(disk.read(path, 0, disk.size(path) ?? 0))
}
