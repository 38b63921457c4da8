/** What a command is, what it is given, and how it opens a collection. */
import { existsSync } from 'node:fs'
import type { Clock } from '../../base/clock.ts'
import type { Given, SettingName, Settings } from '../config/keys.ts'
import { settingsOver } from '../config/load.ts'
import type { CommandName } from '../config/setting.ts'
import type { Heart } from './heart.ts'
import type { Screen } from './screen.ts'
import type { CollectionReader, Services } from './services.ts'

export interface Invocation {
  settings: Settings
  /** The source of every setting that is not at its default. */
  given: ReadonlyMap<SettingName, Given>
  /** What is not a flag. */
  args: readonly string[]
  screen: Screen
  services: Services
  clock: Clock
  version: string
  /** Calls back on the first Ctrl-C or SIGTERM; the second ends the program. Returns the function that stops listening. */
  onInterrupt(call: () => void): () => void
  /** Signs of life for the process that restarts this one when it dies. */
  heart: Heart
}

export interface Command {
  name: CommandName
  /** After the name. It also says how many arguments there may be: `URL` is one, `[WHAT]` at most one, `[SEED…]` any number. */
  usage: string
  /** One line, for the list of commands. */
  what: string
  /** More, for `--help`. */
  more: string
  /** Command lines, and what each does. */
  examples: Readonly<Record<string, string>>
  /** Returns what it found, or the exit code if it has printed that itself. Mistakes of the user are thrown as `Problem`. */
  run(call: Invocation): Promise<Answer | number>
}

export interface Answer {
  /** For `--json`, with the keys that docs/reference/json.md lists. */
  json: object
  /** Printed without `--json`. A list holds sentences, which a terminal wraps. Undefined: nothing is printed. */
  text: string | readonly string[] | undefined
  /** 0 if it is left out. */
  exit?: number
}

/** Opens the collection, asks, and closes it whatever happens. */
export async function withReader<T>(call: Invocation, ask: (reader: CollectionReader) => Promise<T>): Promise<T> {
  const reader = await call.services.openCollection(call.settings.collection, call.settings)
  try {
    return await ask(reader)
  } finally {
    await reader.close()
  }
}

/** Settings that name files of the servers, which may not exist on this machine. */
const FILES = ['blacklistUrls', 'blacklistDomains', 'blacklistAddresses', 'mirrors'] as const satisfies SettingName[]

/** The settings of the crawl. A shared database records them, because this machine often has no folder with the settings file. */
export async function crawlSettings(
  reader: CollectionReader,
  call: Invocation,
  command: Command['name'],
): Promise<Settings> {
  const hasFile = [...call.given.values()].some(({ source }) => source.by === 'file')
  const recorded = call.settings.database === undefined || hasFile ? undefined : await reader.recordedSettings()
  if (recorded === undefined) return call.settings
  const settings = { ...settingsOver(recorded, call.given, command) }
  for (const name of FILES) {
    const path = settings[name]
    if (path === undefined || existsSync(path)) continue
    settings[name] = undefined
    call.screen.say(`orbweaver: note: the servers use ${path}, which is not on this machine, so it is ignored here`)
  }
  return settings
}
