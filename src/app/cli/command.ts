/** What a command is, and what it is given. */
import type { Clock } from '../../base/clock.ts'
import type { Given } from '../config/given.ts'
import type { SettingName, Settings } from '../config/keys.ts'
import type { CommandName } from '../config/setting.ts'
import type { Screen } from './screen.ts'
import type { Services } from './services.ts'

export interface Invocation {
  settings: Settings
  /** Who set what. */
  given: ReadonlyMap<SettingName, Given>
  /** Lines to show before the start. */
  warnings: readonly string[]
  words: readonly string[]
  screen: Screen
  services: Services
  clock: Clock
  version: string
  /** Calls back on the first Ctrl-C or SIGTERM; the second ends the program. Returns the function that stops listening. */
  onInterrupt(call: () => void): () => void
}

export interface Command {
  name: CommandName
  /** After the name: `[SEED…]`. */
  usage: string
  /** One line, for the list of commands. */
  what: string
  /** More, for `--help`. */
  more: string
  examples: readonly { line: string; does: string }[]
  /** How many words it takes. */
  words: { min: number; max: number }
  /** Returns the exit code. Operator's mistakes are thrown as `Problem`. */
  run(call: Invocation): Promise<number>
}
