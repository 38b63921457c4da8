/** The front door: finds the command, turns what goes wrong into one clear line and the right exit code. */
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { realClock } from '../../base/clock.ts'
import { EXIT, isDiskFull, Problem } from '../../base/errors.ts'
import { loadSettings, surroundings } from '../config/load.ts'
import { nearest } from '../config/nearest.ts'
import type { CommandName } from '../config/setting.ts'
import type { Command } from './command.ts'
import { realServices } from './real-services.ts'
import { makeScreen, type Screen } from './screen.ts'
import type { Services } from './services.ts'

export async function main(argv: string[]): Promise<void> {
  const screen = makeScreen(process.stdout, process.stderr, process.env)
  // A reader that has seen enough (`| head`) is no error; a result that could not be written is.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.done : tellTrouble(error, screen))
  })
  // Nobody listens to what is said on the side: no reason to end a crawl.
  process.stderr.on('error', () => {})
  process.exitCode = await run(argv, screen, realServices)
}

/** Returns the exit code; never throws. */
export async function run(argv: readonly string[], screen: Screen, services: Services): Promise<number> {
  try {
    return await dispatch(argv, screen, services)
  } catch (error) {
    screen.draw([])
    return tellTrouble(error, screen)
  }
}

async function dispatch(argv: readonly string[], screen: Screen, services: Services): Promise<number> {
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
  if (first === 'help') return dispatch([rest[0], '--help'], screen, services)
  const command = await loadCommand(first)
  if (command === undefined) throw unknownCommand(first)
  if (asksForHelp(rest)) {
    screen.print((await import('./help.ts')).commandHelp(command, screen.width()))
    return EXIT.done
  }
  const loaded = loadSettings(rest, command.name, surroundings)
  checkWords(command, loaded.words)
  for (const warning of loaded.warnings) screen.say(`orbweaver: note: ${warning}`)
  return command.run({ ...loaded, screen, services, version, clock: realClock, onInterrupt })
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
  const { min, max } = command.words
  if (words.length >= min && words.length <= max) return
  const trouble = words.length < min ? 'something is missing' : `'${words[max]}' is too much`
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

/** Ctrl-C and SIGTERM: the first stops politely, the second at once. Both leave a valid collection. */

const SHOW_CURSOR = '\x1b[?25h'

/** Between two presses of one impatient hand; a terminal that closes sends several signals for one event. */
const SAME_MOMENT_MS = 300

export function onInterrupt(call: () => void): () => void {
  let firstAt: number | undefined
  const heard = () => {
    if (firstAt === undefined) {
      firstAt = realClock.elapsed()
      call()
      return
    }
    if (realClock.elapsed() - firstAt < SAME_MOMENT_MS) return
    if (process.stderr.isTTY === true) process.stderr.write(SHOW_CURSOR)
    process.exit(EXIT.interrupted)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, heard)
  return () => {
    // Once interrupted, the program ends: a second press in its last moments must not change the exit code to the signal's.
    if (firstAt !== undefined) return
    for (const signal of signals) process.off(signal, heard)
  }
}

/**
 * All commands, in the order in which help lists them. Each is loaded when it is asked for: a crawl needs none of the others,
 * and what a program reads before its first request is time that somebody waits.
 */

const LOADERS: Record<CommandName, () => Promise<Command>> = {
  demo: async () => (await import('./commands/demo.ts')).demo,
  crawl: async () => (await import('./commands/crawl.ts')).crawl,
  status: async () => (await import('./commands/status.ts')).status,
  report: async () => (await import('./commands/report.ts')).report,
  explain: async () => (await import('./commands/explain.ts')).explain,
  get: async () => (await import('./commands/get.ts')).get,
  history: async () => (await import('./commands/history.ts')).history,
  verify: async () => (await import('./commands/verify.ts')).verify,
  clean: async () => (await import('./commands/clean.ts')).clean,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  seed: async () => (await import('./commands/seed.ts')).seed,
  mirrors: async () => (await import('./commands/mirrors.ts')).mirrors,
  config: async () => (await import('./commands/config.ts')).config,
  serve: async () => (await import('./commands/serve.ts')).serve,
  worker: async () => (await import('./commands/worker.ts')).worker,
  simulate: async () => (await import('./commands/simulate.ts')).simulate,
}

export const COMMAND_NAMES = Object.keys(LOADERS) as readonly CommandName[]

/** Undefined when there is no such command. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  return COMMAND_NAMES.includes(name as CommandName) ? LOADERS[name as CommandName]() : undefined
}

export function allCommands(): Promise<Command[]> {
  return Promise.all(COMMAND_NAMES.map((name) => LOADERS[name]()))
}

/** What the machine's files refuse, in one line: a folder that may not be written is no bug of ours. */

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file is in its place',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'links lead in a circle',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the device reports an error',
}

/** The machine's fault rather than the command's. */
const MACHINE = new Set(['EMFILE', 'ENFILE', 'EIO'])

function fileTrouble(error: unknown): { line: string; exit: number } | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall, path } = error as NodeJS.ErrnoException
  const words = code === undefined || syscall === undefined ? undefined : WORDS[code]
  if (code === undefined || words === undefined) return undefined
  const what = path === undefined ? `${syscall} failed` : `cannot ${syscall} ${path}`
  return { line: `${what}: ${words}`, exit: MACHINE.has(code) ? EXIT.failed : EXIT.usage }
}
