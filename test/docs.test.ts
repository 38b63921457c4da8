/** Documents that are printed from code say what the code says. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { formatDuration } from '../src/base/units.ts'
import { FAILURES } from '../src/site/failures.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('docs/reference/failures.md prints the failure table', () => {
  const [, table] =
    /<!-- failures:begin.*?-->\n([\s\S]*?)<!-- failures:end -->/.exec(read('docs/reference/failures.md')) ?? []
  const rows = Object.entries(FAILURES).map(([kind, { wait, growth, tries, whole, consequence }]) => {
    const waits = tries === 1 ? ['-', '-'] : [formatDuration(wait), `×${growth}`]
    return `| \`${kind}\` | ${waits.join(' | ')} | ${tries} | ${whole ? 'site' : 'page'} | ${consequence} |`
  })
  assert.deepEqual(table?.trimEnd().split('\n').slice(2), rows)
})

test('no link in the documents leads nowhere', () => {
  const documents = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...markdown('docs')]
  const broken: string[] = []
  for (const path of documents) {
    for (const [, target] of read(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const file = join(root, dirname(path), target)
      try {
        readFileSync(file)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EISDIR') broken.push(`${path} → ${target}`)
      }
    }
  }
  assert.deepEqual(broken, [])
})

test('the project speaks of itself alone', () => {
  for (const path of ['package-lock.json', 'package.json', '.npmrc']) {
    assert.doesNotMatch(read(path), /"resolved": "http|registry=/, path)
  }
})

function markdown(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}
