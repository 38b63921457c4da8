/**
 * `npm test`: every test of the tree, and at the end, by name, what was skipped and why. A test that needs a program
 * that could not be had skips itself with a reason; CI counts that as a failure (`NO_SKIPS`), unless the reason contains
 * what `MAY_SKIP` says.
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { SERVER_VARIABLE } from '../testkit/postgres/database.test-tools.ts'
import { startServer } from '../testkit/postgres/server.test-tools.ts'

/**
 * Debian packages of programs that tests compare us with or stand on: installed when they are missing and we may, and said
 * before it is done. Without them their tests are skipped.
 */
function install(debianPackage: string, why: string): void {
  const mayInstall = process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0
  if (!mayInstall) return
  process.stdout.write(`npm test runs as root and installs the Debian package ${debianPackage} (apt-get): ${why}\n`)
  const apt = (...words: string[]) => spawnSync('apt-get', words, { stdio: 'ignore' }).status === 0
  const get = () => apt('install', '-y', '-q', '--no-install-recommends', debianPackage)
  // A machine that never read the lists of packages, or long ago, finds the package only after reading them.
  if (!get() && !(apt('update', '-q') && get()))
    process.stdout.write(`${debianPackage} could not be installed; its tests are skipped.\n`)
}

/** Programs, the Debian packages that have them, and why. */
const NEEDED = [
  ['curl', 'curl', 'our HTTP is compared with it'],
  ['pgbouncer', 'pgbouncer', 'PostgreSQL is used through it, too'],
  ['chromium', 'chromium', 'the dashboard is looked at in it'],
  ['promtool', 'prometheus', 'it checks the metrics and tries the alert rules'],
] as const
for (const [program, debianPackage, why] of NEEDED) {
  if (spawnSync(program, ['--version']).status !== 0) install(debianPackage, why)
}

/** One PostgreSQL server for all test files. A server that somebody named already is used as it is. */
async function givePostgres(): Promise<() => Promise<void>> {
  if (process.env[SERVER_VARIABLE] !== undefined) return async () => {}
  let server = await startServer()
  if ('skipped' in server) {
    install('postgresql', 'no PostgreSQL server could be started without it')
    server = await startServer()
  }
  process.env[SERVER_VARIABLE] = 'skipped' in server ? `skipped: ${server.skipped}` : server.url
  const started = 'skipped' in server ? undefined : server
  return async () => started?.stop()
}
const stopPostgres = await givePostgres()

const root = join(import.meta.dirname, '..')
// Every file and every program that it starts is a process of its own: unread TypeScript costs each of them 0.4 s.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/tests')
const wanted = process.argv.slice(2)
/** End-to-end tests first: the short ones of `src/` keep both cores busy until the end. */
const IN_ORDER = [
  'test/**/*.test.ts',
  'bench/**/*.test.ts',
  'testkit/**/*.test.ts',
  // The longest of `src/`: contracts over PostgreSQL.
  'src/frontier/**/*.test.ts',
  'src/**/*.test.ts',
  'tools/*.test.ts',
]
const paths = (wanted.length > 0 ? wanted : IN_ORDER).flatMap((pattern) => globSync(pattern, { cwd: root }).sort())
const files = [...new Set(paths)].map((path) => join(root, path))

/** So many of the slowest files are named at the end. */
const SLOWEST = 20
const skipped: string[] = []
const counts = { passed: 0, failed: 0, skipped: 0 }

// End-to-end tests wait for most of their time (for pauses, leases, timeouts): two at a time leave two cores idle for half of it;
// with four, servers that are to answer within a second no longer do.
const AT_A_TIME = 3
const stream = run({ files, concurrency: AT_A_TIME, cwd: root })
stream.on('test:pass', (event) => {
  // A suite passes with its tests, which are counted themselves; one that is skipped has none.
  if (event.skip !== undefined) {
    counts.skipped++
    skipped.push(`${event.name}: ${typeof event.skip === 'string' ? event.skip : 'no reason given'}`)
  } else if (event.details.type !== 'suite') counts.passed++
})
/** How long each file took: what keeps the whole of the tests under its limit is found among the slowest. */
const fileSeconds: [string, number][] = []
stream.on('test:summary', ({ file, duration_ms }) => {
  if (file !== undefined) fileSeconds.push([relative(root, file), duration_ms / 1000])
})
stream.on('test:fail', (event) => {
  // A suite fails with its tests, which are counted themselves.
  const failure = event.details.error as { failureType?: string }
  if (failure.failureType !== 'subtestsFailed') counts.failed++
})
stream.compose(spec).pipe(process.stdout)
stream.on('end', () => {
  process.nextTick(async () => {
    await stopPostgres()
    const slowest = fileSeconds.sort(([, a], [, b]) => b - a).slice(0, SLOWEST)
    for (const [file, seconds] of slowest) process.stdout.write(`${seconds.toFixed(1).padStart(6)} s  ${file}\n`)
    for (const line of skipped) process.stdout.write(`skipped: ${line}\n`)
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
    const { NO_SKIPS, MAY_SKIP } = process.env
    const unexcused = skipped.filter((line) => MAY_SKIP === undefined || !line.includes(MAY_SKIP))
    const skippedTooMuch = NO_SKIPS !== undefined && unexcused.length > 0
    process.exitCode = counts.failed > 0 || counts.passed === 0 || skippedTooMuch ? 1 : 0
  })
})
