/** The front door: finds the command, turns what goes wrong into one clear line and the right exit code. */
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { realClock } from '../../base/clock.ts'
import { EXIT, isDiskFull, Problem } from '../../base/errors.ts'
import { loadSettings, surroundings } from '../config/load.ts'
import { nearest } from '../config/nearest.ts'
import type { Command } from './command.ts'
import { allCommands, COMMAND_NAMES, loadCommand } from './commands.ts'
import type { Doors } from './doors.ts'
import { fileTrouble } from './file-trouble.ts'
import { onInterrupt } from './interrupt.ts'
import { realDoors } from './real-doors.ts'
import { makeScreen, type Screen } from './screen.ts'

export async function main(argv: string[]): Promise<void> {
  const screen = makeScreen(process.stdout, process.stderr, process.env)
  // A reader that has seen enough (`| head`) is no error; a result that could not be written is.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.done : tellTrouble(error, screen))
  })
  // Nobody listens to what is said on the side: no reason to end a crawl.
  process.stderr.on('error', () => {})
  process.exitCode = await run(argv, screen, realDoors)
}

/** Returns the exit code; never throws. */
export async function run(argv: readonly string[], screen: Screen, doors: Doors): Promise<number> {
  try {
    return await dispatch(argv, screen, doors)
  } catch (error) {
    screen.draw([])
    return tellTrouble(error, screen)
  }
}

async function dispatch(argv: readonly string[], screen: Screen, doors: Doors): Promise<number> {
  const version = programVersion()
  const [first, ...rest] = argv
  if (first === undefined || first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
    screen.print((await import('./help.ts')).generalHelp(await allCommands(), version, screen.width()))
    return first === undefined ? EXIT.usage : EXIT.done
  }
  if (first === '--version' || first === '-V') {
    screen.print(`orbweaver ${version}`)
    return EXIT.done
  }
  if (first === 'help') return dispatch([rest[0], '--help'], screen, doors)
  const command = await loadCommand(first)
  if (command === undefined) throw unknownCommand(first)
  if (asksForHelp(rest)) {
    screen.print((await import('./help.ts')).commandHelp(command, screen.width()))
    return EXIT.done
  }
  const loaded = loadSettings(rest, command.name, surroundings)
  checkWords(command, loaded.words)
  for (const warning of loaded.warnings) screen.say(`orbweaver: note: ${warning}`)
  return command.run({ ...loaded, screen, doors, version, clock: realClock, onInterrupt })
}

/** Help is given whatever else is wrong with the line. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end < 0 ? words : words.slice(0, end)).some((word) => word === '--help' || word === '-h')
}

function unknownCommand(word: string): Problem {
  const near = nearest(word, COMMAND_NAMES)
  if (word.startsWith('-')) return new Problem('bad-flag', `the command comes first: orbweaver COMMAND ${word} …`)
  if (near === undefined && /[./]/.test(word))
    return new Problem('bad-flag', `'${word}' is no command; to collect it: orbweaver crawl ${word}`)
  return new Problem(
    'bad-flag',
    `unknown command '${word}'${near === undefined ? '' : `; did you mean '${near}'?`} ('orbweaver --help' lists them)`,
  )
}

function checkWords(command: Command, words: readonly string[]): void {
  const { least, most } = command.words
  if (words.length >= least && words.length <= most) return
  const trouble = words.length < least ? 'something is missing' : `'${words[most]}' is too much`
  throw new Problem(
    'bad-flag',
    `${trouble}: orbweaver ${command.name} ${command.usage} ('orbweaver ${command.name} --help' has examples)`,
  )
}

/** Problems are one line; what is nobody's mistake but ours has a stack. */
export function tellTrouble(error: unknown, screen: Screen): number {
  if (error instanceof Problem) {
    screen.say(`orbweaver: ${error.message}`)
    return error.exit
  }
  if (isDiskFull(error)) {
    screen.say('orbweaver: the disk is full; make room and run the same command again: it goes on where it stopped')
    return EXIT.diskFull
  }
  const trouble = fileTrouble(error)
  if (trouble !== undefined) {
    screen.say(`orbweaver: ${trouble.line}`)
    return trouble.exit
  }
  screen.say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  screen.say(
    `orbweaver: this is a bug, not your mistake (Orbweaver ${programVersion()}, Node ${process.version}, ${process.platform}). Please report it with the lines above, as CONTRIBUTING.md says. What was collected is safe.`,
  )
  return EXIT.failed
}

export function programVersion(): string {
  const text = readFileSync(findPackageJSON(import.meta.url)!, 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
