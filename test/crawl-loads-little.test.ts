/**
 * What starts with a crawl costs every crawl time and memory: libraries for other commands must not be among it. (The schemas of the
 * API alone were 683 files, because of one error's class.)
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const src = join(import.meta.dirname, '..', 'src')

/** The threads of a crawl on one machine, and what starts them. */
const DOORS = [
  'app/cli/main.ts',
  'app/cli/commands/crawl.ts',
  'app/cli/services.ts',
  'app/composition/crawl.ts',
  'app/composition/real-worker.ts',
]
const PACKAGES = ['chardet', 'css-what', 'entities', 'tldts', 'xxhash-wasm', 'yaml']

/** Of `import … from` and `export … from`, what is left when types are gone. */
function importsOf(text: string): string[] {
  const found = text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm)
  return [...found].map(([, target]) => target)
}

function loadedFrom(doors: readonly string[]): { files: Set<string>; packages: Map<string, string> } {
  const files = new Set<string>()
  const packages = new Map<string, string>()
  const visit = (path: string) => {
    if (files.has(path)) return
    files.add(path)
    for (const target of importsOf(readFileSync(path, 'utf8'))) {
      if (target.startsWith('.')) visit(join(dirname(path), target))
      else if (!target.startsWith('node:')) packages.set(packageOf(target), relative(src, path))
    }
  }
  for (const door of doors) visit(join(src, door))
  return { files, packages }
}

const packageOf = (target: string) => target.split('/', target.startsWith('@') ? 2 : 1).join('/')

test('a crawl loads no library that only servers, workers elsewhere or other databases need', () => {
  const { files, packages } = loadedFrom(DOORS)
  assert.ok(files.size > 100, 'the imports are followed')
  const others = [...packages].filter(([name]) => !PACKAGES.includes(name))
  assert.deepEqual(others, [])
})
