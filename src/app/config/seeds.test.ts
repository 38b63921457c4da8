import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Problem } from '../../base/errors.ts'
import { readSeeds } from './seeds.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-seeds-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const path = join(folder, 'seeds.txt')

function read(
  content: string | Uint8Array,
  { args = [], mayBeEmpty = false }: { args?: string[]; mayBeEmpty?: boolean } = {},
) {
  writeFileSync(path, content)
  return readSeeds({ args, file: path, mayBeEmpty })
}

const wrong = (reading: Promise<unknown>, code: Problem['code'], pattern: RegExp) =>
  assert.rejects(
    reading,
    (error) => error instanceof Problem && error.code === code && error.exit === 2 && pattern.test(error.message),
  )

test('seeds come from arguments and from a file', async () => {
  const seeds = await read('# list\n\nexample.net/b # a comment\r\n', {
    args: ['www.example.org', 'https://example.com/a'],
  })
  assert.deepEqual(
    seeds.map((url) => url.href),
    ['http://www.example.org/', 'https://example.com/a', 'http://example.net/b'],
  )
})

test('a file of seeds, as any program writes it', async () => {
  const text = '\ufeff# my seeds\r\nexample.org\r\n\r\n  http://b.test/a#b  # a comment\rc.test'
  for (const content of [text, gzipSync(text)]) {
    const seeds = await read(content)
    assert.deepEqual(
      seeds.map((url) => url.href),
      ['http://example.org/', 'http://b.test/a', 'http://c.test/'],
    )
  }
})

test('a list may have as many names as a national domain', async () => {
  const names = Array.from({ length: 150_000 }, (_, i) => `ä${i}.example.org`)
  const seeds = await read(names.join('\r\n'))
  assert.equal(seeds.length, names.length)
  assert.equal(seeds.at(-1)?.host, 'xn--149999-9ta.example.org')
})

test('a seed that is not a URL is reported with file and line, before anything is fetched', async () => {
  await wrong(
    read('http://ok.example/\n\nftp://example.org/\n'),
    'bad-seed',
    /seeds\.txt, line 3: cannot use 'ftp:\/\/example\.org\/' as a seed: /,
  )
  await wrong(read('http://[bad\nhttp://\n'), 'bad-seed', /seeds\.txt, line 1: .*\(and 1 more: lines 2\)$/)
  await wrong(read('a.test\n\u0007bad\n'), 'bad-seed', /line 2: cannot use '\ufffdbad'/)
  await wrong(readSeeds({ args: ['not a url'], file: undefined }), 'bad-seed', /cannot use 'not a url' as a seed/)
})

test('an empty file is an error; no file and no arguments give no seeds', async () => {
  await wrong(read('# nothing\n'), 'no-seeds', /contains no seeds/)
  assert.deepEqual(await readSeeds({ args: [], file: undefined }), [])
  assert.deepEqual(await read('# nothing\n', { mayBeEmpty: true }), [])
})

test('a file that cannot be read is one clear line', async () => {
  const missing = readSeeds({ args: [], file: 'no/such/file' })
  await wrong(missing, 'unreadable', /^--seeds: cannot read no\/such\/file: /)
  await wrong(readSeeds({ args: [], file: folder }), 'unreadable', /^--seeds: cannot read /)
  await wrong(read(gzipSync('a.test\n').subarray(0, 20)), 'unreadable', /it ends inside a gzip member/)
})

test('a file without line ends is refused before it is read to its end', async () => {
  await wrong(read(`example.org\n${'a'.repeat(200_000)}`), 'bad-seed', /line 2: .* the line is too long$/)
  const endless = '/dev/zero'
  if (existsSync(endless)) await wrong(readSeeds({ args: [], file: endless }), 'unreadable', /line of more than/)
})

test('of a list without end no more is kept than a crawl can hold', async () => {
  const lines = (count: number, line: string) => writeFileSync(path, `${line}\n`.repeat(count))
  const few = () => readSeeds({ args: [], file: path }, 100)
  lines(100, 'a.test')
  assert.equal((await few()).length, 100)
  lines(100, 'http://')
  await wrong(few(), 'bad-seed', /line 1: .* \(and 99 more: lines 2, 3, 4, 5, 6 …\)$/)
  for (const line of ['a.test', 'http://']) {
    lines(101, line)
    await wrong(few(), 'unreadable', /it has more than 100 seeds; 'orbweaver seed' takes lists of any length$/)
  }
})

test('a list may be in UTF-16, as PowerShell writes it', async () => {
  const seeds = await read(Buffer.from('\ufeffa.example.org\r\nä.example.org\r\n', 'utf16le'))
  assert.deepEqual(
    seeds.map(({ host }) => host),
    ['a.example.org', 'xn--4ca.example.org'],
  )
})
