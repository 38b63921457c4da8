/** Documents that are printed from code say what the code says. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { formatDuration } from '../src/base/units.ts'
import { TROUBLES } from '../src/page/troubles.ts'
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

test('docs/reference/crawl-log.md names every trouble that a page may have', () => {
  const page = read('docs/reference/crawl-log.md')
  for (const trouble of TROUBLES) assert.ok(page.includes(`\`${trouble}\``), trouble)
})

test('the project speaks of itself alone', () => {
  for (const path of ['package-lock.json', 'package.json', '.npmrc']) {
    assert.doesNotMatch(read(path), /"resolved": "http|registry=/, path)
  }
})
