/** Finds the command, runs it, and turns every error into one clear line and an exit code. */
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { realClock } from '../../base/clock.ts'
import { EXIT, fileErrorText, firstFailure, isDiskFull, Problem, type ProblemCode } from '../../base/errors.ts'
import { loadSettings, surroundings } from '../config/load.ts'
import { didYouMean } from '../config/nearest.ts'
import { COMMAND_NAMES, type CommandName } from '../config/setting.ts'
import type { Command } from './command.ts'
import { type Heart, NOBODY, startHeart, systemdWatchdog } from './heart.ts'
import { makeScreen, type Screen } from './screen.ts'
import { realServices, type Services } from './services.ts'

export async function main(argv: string[]): Promise<void> {
  const screen = makeScreen(process.stdout, process.stderr, process.env)
  // EPIPE: the reader has seen enough (`| head`). Any other failure to write a result is an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.done : reportError(error, screen))
  })
  // A closed standard error does not end a crawl.
  process.stderr.on('error', () => {})
  const heart = LONG_RUNNING.includes(argv[0] as CommandName) ? startHeart(realClock) : NOBODY
  process.exitCode = await run(argv, screen, realServices, heart)
}

/** Commands that may run under a supervisor, or under systemd's watchdog. */
const LONG_RUNNING: readonly CommandName[] = ['crawl', 'refresh', 'serve', 'worker']

/** What passes by itself, as the supervisor says it. */
const PASSING: Partial<Record<ProblemCode, string>> = {
  'database-unreachable': 'the database could not be reached',
  'server-unreachable': 'no server could be reached',
  'collection-in-use': 'another process had the folder',
}

/** Returns the exit code; never throws. */
export async function run(
  argv: readonly string[],
  screen: Screen,
  services: Services,
  heart: Heart = NOBODY,
): Promise<number> {
  try {
    const exit = await dispatch(argv, screen, services, heart)
    heart.stop(true)
    return exit
  } catch (thrown) {
    screen.draw([])
    const error = firstFailure(thrown)
    // After a bug, the supervisor tries again.
    const passing = error instanceof Problem ? PASSING[error.code] : undefined
    heart.stop(error instanceof Problem || isDiskFull(error) || fileError(error) !== undefined, passing)
    return reportError(error, screen)
  }
}

async function dispatch(argv: readonly string[], screen: Screen, services: Services, heart: Heart): Promise<number> {
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
  if (first === 'help') return dispatch([rest[0], '--help'], screen, services, heart)
  const name = COMMAND_NAMES.find((one) => one === first)
  if (name === undefined) throw unknownCommand(first)
  const command = await LOADERS[name]()
  if (asksForHelp(rest)) {
    screen.print((await import('./help.ts')).commandHelp(command, screen.width()))
    return EXIT.done
  }
  const loaded = loadSettings(rest, command.name, surroundings)
  checkArgs(command, loaded.args)
  if (loaded.settings.supervise && LONG_RUNNING.includes(command.name) && !heart.isSupervised)
    return superviseSelf(argv, screen)
  for (const warning of loaded.warnings) screen.say(`orbweaver: note: ${warning}`)
  const answer = await command.run({ ...loaded, screen, services, version, clock: realClock, onInterrupt, heart })
  if (typeof answer === 'number') return answer
  const { json, text = [], exit = EXIT.done } = answer
  if (loaded.settings.json) screen.printJson(json)
  else if (typeof text === 'string') screen.print(text)
  else for (const sentence of text) screen.printSentence(sentence)
  return exit
}

/** `--help` works whatever else is wrong with the command line. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === '--help' || word === '-h')
}

function unknownCommand(word: string): Problem {
  const hint = didYouMean(word, COMMAND_NAMES)
  if (word.startsWith('-')) return new Problem('bad-flag', `the command comes first: orbweaver COMMAND ${word} …`)
  if (hint === '' && /[./]/.test(word))
    return new Problem('bad-flag', `'${word}' is not a command; to collect it: orbweaver crawl ${word}`)
  return new Problem('bad-flag', `unknown command '${word}'${hint} ('orbweaver --help' lists all commands)`)
}

function checkArgs(command: Command, args: readonly string[]): void {
  const isNone = command.usage === '' || command.usage.startsWith('--')
  const min = isNone || command.usage.startsWith('[') ? 0 : 1
  const max = isNone ? 0 : command.usage.includes('…') ? Number.POSITIVE_INFINITY : 1
  if (args.length >= min && args.length <= max) return
  const trouble = args.length < min ? 'an argument is missing' : `unexpected argument '${args[max]}'`
  throw new Problem(
    'bad-flag',
    `${trouble}: orbweaver ${`${command.name} ${command.usage}`.trim()} ('orbweaver ${command.name} --help' has examples)`,
  )
}

/** A `Problem` is one line; a bug is printed with its stack. Returns the exit code. */
export function reportError(error: unknown, screen: Screen): number {
  if (error instanceof Problem) {
    screen.say(`orbweaver: ${error.message}`)
    return error.exit
  }
  if (isDiskFull(error)) {
    screen.say('orbweaver: the disk is full; free some space and run the same command again to continue')
    return EXIT.diskFull
  }
  const known = fileError(error)
  if (known !== undefined) {
    screen.say(`orbweaver: ${known.line}`)
    return known.exit
  }
  screen.say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  screen.say(
    `orbweaver: this is a bug in Orbweaver ${programVersion()} (Node ${process.version}, ${process.platform}), not your mistake. The collection is safe. Please report the lines above as CONTRIBUTING.md describes.`,
  )
  return EXIT.failed
}

export function programVersion(): string {
  const text = readFileSync(findPackageJSON(import.meta.url)!, 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** The same command in another process, which this one starts again when it dies. */
async function superviseSelf(argv: readonly string[], screen: Screen): Promise<number> {
  const { supervise } = await import('./supervise.ts')
  return supervise({
    command: [process.execPath, ...process.execArgv, process.argv[1], ...argv],
    env: process.env,
    clock: realClock,
    say: (line) => screen.say(line),
    onSignal(call) {
      for (const signal of SIGNALS) process.on(signal, call)
      return () => {
        for (const signal of SIGNALS) process.off(signal, call)
      }
    },
    beat: systemdWatchdog(process.env, realClock),
  })
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const SHOW_CURSOR = '\x1b[?25h'

/** Signals within this time count as one: a closing terminal sends several. */
const SAME_MOMENT_MS = 300

/** Ctrl-C and SIGTERM: the first stops politely, the second at once. Both leave a valid collection. */
export function onInterrupt(call: () => void): () => void {
  let firstAt: number | undefined
  const onSignal = () => {
    if (firstAt === undefined) {
      firstAt = realClock.elapsed()
      call()
      return
    }
    if (realClock.elapsed() - firstAt < SAME_MOMENT_MS) return
    if (process.stderr.isTTY === true) process.stderr.write(SHOW_CURSOR)
    process.exit(EXIT.interrupted)
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return () => {
    // After an interrupt the program is about to end; a second signal then must not change its exit code.
    if (firstAt !== undefined) return
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
}

/** A command is loaded when it is used, so that a crawl does not wait for the code of the others. */
const LOADERS: Record<CommandName, () => Promise<Command>> = {
  demo: async () => (await import('./commands/demo.ts')).demo,
  crawl: async () => (await import('./commands/crawl.ts')).crawl,
  refresh: async () => (await import('./commands/refresh.ts')).refresh,
  pause: async () => (await import('./commands/steer.ts')).pause,
  resume: async () => (await import('./commands/steer.ts')).resume,
  stop: async () => (await import('./commands/steer.ts')).stop,
  bar: async () => (await import('./commands/steer.ts')).bar,
  plan: async () => (await import('./commands/plan.ts')).plan,
  status: async () => (await import('./commands/status.ts')).status,
  report: async () => (await import('./commands/report.ts')).report,
  explain: async () => (await import('./commands/explain.ts')).explain,
  get: async () => (await import('./commands/get.ts')).get,
  history: async () => (await import('./commands/history.ts')).history,
  diff: async () => (await import('./commands/diff.ts')).diff,
  watch: async () => (await import('./commands/watch.ts')).watch,
  verify: async () => (await import('./commands/verify.ts')).verify,
  clean: async () => (await import('./commands/clean.ts')).clean,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  seed: async () => (await import('./commands/seed.ts')).seed,
  mirrors: async () => (await import('./commands/mirrors.ts')).mirrors,
  'bot-page': async () => (await import('./commands/bot-page.ts')).botPage,
  config: async () => (await import('./commands/config.ts')).config,
  serve: async () => (await import('./commands/serve.ts')).serve,
  worker: async () => (await import('./commands/worker.ts')).worker,
  simulate: async () => (await import('./commands/simulate.ts')).simulate,
}

export function allCommands(): Promise<Command[]> {
  return Promise.all(COMMAND_NAMES.map((name) => LOADERS[name]()))
}

/** Caused by the machine rather than by the command line. */
const MACHINE_ERRORS = new Set(['EMFILE', 'ENFILE', 'EIO'])
/** System calls whose names are no plain verbs. */
const VERBS: Readonly<Record<string, string>> = {
  mkdir: 'create the folder',
  lstat: 'find',
  stat: 'find',
  scandir: 'read the folder',
  unlink: 'remove',
  rmdir: 'remove the folder',
}

function fileError(error: unknown): { line: string; exit: number } | undefined {
  const text = fileErrorText(error)
  if (text === undefined) return undefined
  const { code = '', syscall = '', path } = error as NodeJS.ErrnoException
  const what = path === undefined ? `${syscall} failed` : `cannot ${VERBS[syscall] ?? syscall} ${path}`
  return { line: `${what}: ${text}`, exit: MACHINE_ERRORS.has(code) ? EXIT.failed : EXIT.usage }
}
