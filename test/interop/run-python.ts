/**
 * `npm run interop`: our volumes and index against Python's warcio and pywb. Apart from `npm test`, because those come from
 * PyPI: they are put into a virtual environment of their own under `.cache/`, once.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const home = join(root, '.cache', 'python')
const python = join(home, 'bin', 'python3')

function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, PYTHON: python } })
  if (status !== 0) process.exit(status ?? 1)
}

if (!existsSync(join(home, 'bin', 'cdx-indexer'))) {
  run('python3', '-m', 'venv', home)
  run(python, '-m', 'pip', 'install', '--quiet', 'setuptools<81', 'warcio', 'pywb')
}
run(process.execPath, '--test', join(import.meta.dirname, 'warc-python.ts'))
