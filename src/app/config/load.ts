/**
 * Combines the settings: defaults < preset < file < environment < flags. Every value remembers its source.
 * Only this file of the folder reads the environment.
 */
import { join } from 'node:path'
import { Problem } from '../../base/errors.ts'
import { formatDuration } from '../../base/units.ts'
import { parseArguments } from './arguments.ts'
import { type Given, PRESETS, SETTING_NAMES, type SettingName, type Settings, settingOf, variableOf } from './keys.ts'
import { didYouMean } from './nearest.ts'
import { type CommandName, Unfit } from './setting.ts'
import { readSettingsFile } from './settings-file.ts'
import { readSmallFile } from './small-file.ts'

export const COLLECTION_FILE = 'orbweaver.yaml'

/** Variables that configure the tests; they are not settings. */
export const OF_TESTS: readonly string[] = ['ORBWEAVER_CONFORMANCE', 'ORBWEAVER_TEST_POSTGRES', 'ORBWEAVER_CITUS']

/** For a file of settings or a secret: far more than anyone writes by hand. */
const LARGEST_FILE = 2 ** 20

export type Loaded = ReturnType<typeof loadSettings>

/** Where configuration is read from; tests pass their own. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  /** Undefined when there is no such file. */
  readFile(path: string): string | undefined
}

export const surroundings: Surroundings = {
  env: process.env,
  readFile: (path) => readSmallFile(path, LARGEST_FILE),
}

/** `given`: for every setting that is not at its default. `warnings` are shown before the command starts. */
export function loadSettings(argv: readonly string[], command: CommandName, world: Surroundings = surroundings) {
  const { args, flags } = parseArguments(argv, command)
  const environment = fromEnvironment(world)
  const { given: file, kept } = fromFile(world, new Map([...environment, ...flags]))
  const upper = readSecrets(world, new Map([...file, ...environment, ...flags]))
  const preset = fromPreset(upper)
  const given = new Map([...preset, ...upper])
  const settings = build(given, command)
  checkTogether(settings)
  return { settings, given, args, warnings: kept ? differences(file, upper) : [] }
}

/** The given settings over those recorded in a shared database, for a machine without the settings file. */
export function settingsOver(
  recorded: string,
  given: ReadonlyMap<SettingName, Given>,
  command: CommandName,
): Loaded['settings'] {
  const own = [...given].filter(([, { source }]) => source.by !== 'preset')
  const upper = new Map([...readSettingsFile(recorded, 'the settings recorded in the database'), ...own])
  return build(new Map([...fromPreset(upper), ...upper]), command)
}

function fromEnvironment(world: Surroundings): Map<SettingName, Given> {
  const known = new Map(
    SETTING_NAMES.filter((name) => !settingOf(name).flagOnly).map((name) => [variableOf(name), name]),
  )
  const given = new Map<SettingName, Given>()
  for (const [variable, text] of Object.entries(world.env)) {
    if (text === undefined || !variable.startsWith('ORBWEAVER_') || OF_TESTS.includes(variable)) continue
    const name = known.get(variable)
    if (name === undefined) {
      const hint = didYouMean(variable, [...known.keys()], String)
      throw new Problem('bad-config', `unknown variable ${variable}${hint}`)
    }
    const texts = settingOf(name).repeatable ? text.split(/\s+/).filter((t) => t !== '') : [text]
    given.set(name, { texts, source: { by: 'environment', name: variable } })
  }
  return given
}

/** The file that `--config` names, or the one kept in the collection (`kept`). */
function fromFile(world: Surroundings, upper: ReadonlyMap<SettingName, Given>) {
  const named = upper.get('config')?.texts[0]
  const folder = upper.get('collection')?.texts[0] ?? (settingOf('collection').fallback as string)
  const path = named ?? join(folder, COLLECTION_FILE)
  const text = world.readFile(path)
  if (text === undefined) {
    if (named !== undefined) throw new Problem('unreadable', `--config: ${named} does not exist`)
    return { given: new Map<SettingName, Given>(), kept: false }
  }
  return { given: readSettingsFile(text, path), kept: named === undefined }
}

/** `@FILE` keeps a secret off the command line, where every user of the machine can see it. */
function readSecrets(world: Surroundings, given: ReadonlyMap<SettingName, Given>): Map<SettingName, Given> {
  const read = new Map(given)
  for (const [name, { texts, source }] of given) {
    if (!settingOf(name).secret || texts.length !== 1 || !texts[0].startsWith('@')) continue
    const path = texts[0].slice(1)
    const text = world.readFile(path)
    if (text === undefined) throw new Problem('unreadable', `${source.name}: ${path} does not exist`)
    read.set(name, { texts: [text.trim()], source })
  }
  return read
}

function fromPreset(upper: ReadonlyMap<SettingName, Given>): Map<SettingName, Given> {
  const limits = upper.get('limits')
  if (limits === undefined) return new Map()
  const name = parse('limits', limits) as Settings['limits']
  return new Map(
    Object.entries(PRESETS[name]).map(([key, texts]) => [
      key as SettingName,
      { texts, source: { by: 'preset' as const, name: `--limits ${name}` } },
    ]),
  )
}

function build(given: ReadonlyMap<SettingName, Given>, command: CommandName): Settings {
  const values: Partial<Record<SettingName, unknown>> = {}
  for (const name of SETTING_NAMES) {
    const by = given.get(name)
    values[name] = deepFreeze(by === undefined ? settingOf(name).fallback : parse(name, by))
  }
  // A crawl of a whole top-level domain wants every site rather than every deep link (V10).
  values.links ??= String(values.scope).startsWith('tld:') ? 'home-page' : 'combined'
  // A worker's volumes belong to its servers, a crawl's stay with it.
  if (!given.has('volumes')) values.volumes = deepFreeze(command === 'worker' ? ['upload'] : ['keep'])
  return Object.freeze(values) as Settings
}

function parse(name: SettingName, by: Given): unknown {
  try {
    return settingOf(name).read(by.texts)
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    throw new Problem(by.source.by === 'flag' ? 'bad-flag' : 'bad-config', `${by.source.name}: ${error.message}`)
  }
}

/** URL keys depend on it; opening the collection refuses other rules. */
const FIXED: SettingName = 'urlRules'

/** A crawl may be resumed with other settings; a note reports each difference. */
function differences(file: ReadonlyMap<SettingName, Given>, upper: ReadonlyMap<SettingName, Given>): string[] {
  const warnings: string[] = []
  for (const [name, now] of upper) {
    const before = file.get(name)
    if (!settingOf(name).lasting || name === FIXED || now.source.by === 'file') continue
    if (before !== undefined && before.texts.join(' ') === now.texts.join(' ')) continue
    const was = before === undefined ? `${settingOf(name).fallbackText} (the default)` : before.texts.join(' ')
    warnings.push(
      `${now.source.name} is ${now.texts.join(' ')}, but the collection was created with ${was}; the new value applies to this run only, ${COLLECTION_FILE} keeps the old one`,
    )
  }
  return warnings
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}

/** Checks that involve more than one setting. */
function checkTogether(settings: Settings): void {
  const { lease, exchangeTimeout, connectTimeout, quiet, verbose } = settings
  // A request starts only if its time limit fits into the rest of the lease: with a shorter lease none would ever start.
  if (lease <= exchangeTimeout + connectTimeout)
    throw new Problem(
      'bad-config',
      `--lease ${formatDuration(lease)} must be longer than --connect-timeout and --exchange-timeout together (${formatDuration(connectTimeout + exchangeTimeout)})`,
    )
  if (quiet && verbose)
    throw new Problem('bad-flag', '--quiet and --verbose contradict each other; give only one of them')
}
