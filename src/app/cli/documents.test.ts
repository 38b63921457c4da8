import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { flagOf, keyOf, PRESETS, SETTING_NAMES, variableOf } from '../config/keys.ts'
import { OF_TESTS } from '../config/load.ts'
import { COMMAND_NAMES } from '../config/setting.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...markdownUnder('docs')].map(
  (path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }),
)

function markdownUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
}

test('every link between documents leads somewhere', () => {
  for (const { path, text } of pages) {
    for (const [, target] of text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      assert.ok(existsSync(join(root, dirname(path), target)), `${path} links to ${target}`)
    }
  }
})

/** Flags of other programs that the documents show. */
const FOREIGN = [
  '--rust', // npm run interop
  '--silent',
  '--test',
  '--write',
  '--table',
  '--help',
  '--version',
  '--warc-file',
  '--max-semi-space-size',
  '--prefix',
  '--rm',
  '--build',
]

/** Benchmarks define theirs as settings do, in tables; this module knows them as text only. */
function benchFlags(): string[] {
  const folder = join(root, 'bench', 'commands')
  const tables = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  return tables.flatMap((text) => [...text.matchAll(/^ +'?([a-z-]+)'?: \{ default: /gm)].map(([, name]) => `--${name}`))
}

function chaosFlags(): string[] {
  const text = readFileSync(join(root, 'test', 'chaos', 'main.ts'), 'utf8')
  return [...text.matchAll(/^ +'?([a-z-]+)'?: \{ type: /gm)].map(([, name]) => `--${name}`)
}

test('every flag, variable and command that the documents name exists', () => {
  const flags = new Set([...SETTING_NAMES.map(flagOf), ...FOREIGN, ...benchFlags(), ...chaosFlags()])
  const variables = new Set([...SETTING_NAMES.map(variableOf), ...OF_TESTS])
  const commands = new Set<string>([...COMMAND_NAMES, 'COMMAND'])
  for (const { path, text } of pages) {
    for (const [flag] of text.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g))
      assert.ok(flags.has(flag), `${path} names ${flag}`)
    for (const [name] of text.matchAll(/ORBWEAVER_[A-Z0-9_]+/g)) assert.ok(variables.has(name), `${path} names ${name}`)
    for (const [, name] of text.matchAll(/`orbweaver ([a-z]+(?:-[a-z]+)*)/g))
      assert.ok(commands.has(name), `${path} names ${name}`)
  }
})

test('presets name settings that exist', () => {
  for (const preset of Object.values(PRESETS))
    for (const name of Object.keys(preset))
      assert.ok(
        SETTING_NAMES.some((known) => known === name && keyOf(known) !== ''),
        name,
      )
})
