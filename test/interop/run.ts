/**
 * `npm run interop`: our volumes and index, read by programs that others wrote. Apart from `npm test`, because those are
 * fetched: Python's (warcio, pywb, FastWARC, warcat) into a virtual environment, Java's (jwarc, JWAT) by Maven, the newer
 * warcat by Cargo (`npm run interop -- --rust`: it takes minutes to compile), all under `.cache/interop/`, once. What cannot be
 * had is named, and its tests are skipped.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const home = join(root, '.cache', 'interop')
const python = join(home, 'python', 'bin', 'python3')
const java = join(home, 'java')
const rust = join(home, 'rust')

const isThere = (program: string) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

/** False when it failed. */
function run(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'inherit' }).status === 0
}

function have(what: string, needs: readonly string[], isDone: () => boolean, install: () => boolean): void {
  const lacking = needs.filter((program) => !isThere(program))
  if (isDone() || (lacking.length === 0 && install())) return
  const why = lacking.length > 0 ? `there is no ${lacking.join(', ')} here` : 'it could not be installed'
  process.stdout.write(`${what}: ${why}; its tests are skipped\n`)
}

have(
  'Python readers',
  ['python3'],
  () => existsSync(join(home, 'python', 'bin', 'fastwarc')),
  () =>
    run('python3', '-m', 'venv', join(home, 'python')) &&
    run(python, '-m', 'pip', 'install', '--quiet', 'setuptools<81', 'warcio', 'pywb', 'fastwarc', 'warcat'),
)
have(
  'Java readers',
  ['java', 'mvn'],
  () => existsSync(java),
  () =>
    run(
      'mvn',
      ...['-q', '-f', join(import.meta.dirname, 'java-readers.xml')],
      ...['dependency:copy-dependencies', `-DoutputDirectory=${java}`],
    ),
)
if (process.argv.includes('--rust'))
  have(
    "Rust's warcat",
    ['cargo'],
    () => existsSync(join(rust, 'bin', 'warcat')),
    () => run('cargo', 'install', '--quiet', 'warcat', '--locked', '--features', 'bin', '--root', rust),
  )

const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-concurrency=1',
    ...['warc-python.ts', 'readers.ts', 'refresh-replay.ts'].map((name) => join(import.meta.dirname, name)),
  ],
  { stdio: 'inherit', env: { ...process.env, INTEROP: home } },
)
process.exitCode = status ?? 1
