/** Documents that are printed from code say what the code says. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { loadSettings } from '../src/app/config/load.ts'
import { formatDuration } from '../src/base/units.ts'
import { FAILURES } from '../src/crawl/failures.ts'
import { TROUBLES } from '../src/page/troubles.ts'
import { requirementsPage, sourceFiles } from '../tools/requirements.ts'

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

test('every source file that a document names exists', () => {
  const documents = globSync(['*.md', 'docs/**/*.md', 'src/**/README.md', 'testkit/**/README.md'], { cwd: root })
  const missing = documents.flatMap((document) =>
    [...read(document).matchAll(/`([a-z][\w/.-]*\/[\w.-]+\.ts)`/g)]
      .map(([, named]) => named)
      .filter((named) => !['', 'src', dirname(document)].some((from) => existsSync(join(root, from, named))))
      .map((named) => `${document}: ${named}`),
  )
  assert.deepEqual(missing, [])
})

test('docs/reference/crawl-log.md names every trouble that a page may have', () => {
  const page = read('docs/reference/crawl-log.md')
  for (const trouble of TROUBLES) assert.ok(page.includes(`\`${trouble}\``), trouble)
})

test('the JavaScript of docs/tasks/read-with-other-tools.md prints URL and status of each response', (t) => {
  const [, snippet] = /```js\n([\s\S]*?)```/.exec(read('docs/tasks/read-with-other-tools.md')) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-docs-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const http = 'HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno'
  const head = [
    'WARC/1.1',
    'WARC-Type: response',
    'WARC-Target-URI: http://a.test/x',
    'WARC-Date: 2026-05-01T00:00:00Z',
  ]
  head.push(
    'WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>',
    'Content-Type: application/http; msgtype=response',
  )
  const record = `${[...head, `Content-Length: ${http.length}`].join('\r\n')}\r\n\r\n${http}\r\n\r\n`
  const volume = join(folder, 'volume.warc.gz')
  writeFileSync(volume, gzipSync(record))
  const code = snippet.replace("'volume.warc.gz'", JSON.stringify(volume))
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, encoding: 'utf8' })
  assert.equal(printed, 'http://a.test/x 404\n')
})

test('every command of the pages about simulation is one that orbweaver takes', () => {
  for (const page of ['docs/tasks/simulate-a-crawl.md', 'docs/tasks/simulate-policies.md']) {
    const scripts = [...read(page).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script]) => script)
    const lines = scripts.flatMap((script) => {
      // In a loop, with the first of its values.
      const values = new Map([...script.matchAll(/for (\w+) in (\S+)/g)].map(([, name, value]) => [`$${name}`, value]))
      return [...script.matchAll(/orbweaver (simulate [^#;|\n]*)/g)].map(([, line]) =>
        line.trim().replace(/\$\w+/g, (name) => values.get(name) ?? name),
      )
    })
    assert.ok(lines.length > 3, page)
    for (const line of lines) {
      const [name, ...args] = line.split(/\s+/)
      assert.equal(name, 'simulate')
      const { args: kind } = loadSettings(args, 'simulate', { env: {}, readFile: () => undefined })
      assert.match(kind.join(' '), /^(crawl|policy|figures)$/, line)
    }
  }
})

test('docs/requirements.md says where each requirement is (node tools/requirements.ts writes it anew)', () => {
  const page = read('docs/requirements.md')
  assert.equal(requirementsPage(page, sourceFiles()), page)
  assert.throws(() => requirementsPage(page, new Map([['src/x.ts', ['(C1', 'C99)'].join(', ')]])), /C99/)
})

test('the project speaks of itself alone', () => {
  for (const path of ['package-lock.json', 'package.json', '.npmrc']) {
    assert.doesNotMatch(read(path), /"resolved": "http|registry=/, path)
  }
})
