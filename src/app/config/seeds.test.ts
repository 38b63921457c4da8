import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Problem } from '../../base/errors.ts'
import { readSeeds } from './seeds.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-seeds-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const read = (text: string) => readSeeds({ args: [], file: 'seeds.txt' }, () => text)

test('seeds come from arguments and from a file', () => {
  const seeds = readSeeds(
    { args: ['www.example.org', 'https://example.com/a'], file: 'f' },
    () => '# list\n\nexample.net/b # a comment\r\n',
  )
  assert.deepEqual(
    seeds.map((url) => url.href),
    ['http://www.example.org/', 'https://example.com/a', 'http://example.net/b'],
  )
})

test('a list may have as many names as a national domain', () => {
  const names = Array.from({ length: 150_000 }, (_, i) => `s${i}.example.org`).join('\n')
  assert.equal(read(names).length, 150_000)
})

test('a seed that is not a URL is reported with file and line, before anything is fetched', () => {
  const wrong = (text: string, pattern: RegExp) =>
    assert.throws(
      () => read(text),
      (error) =>
        error instanceof Problem && error.code === 'bad-seed' && error.exit === 2 && pattern.test(error.message),
    )
  wrong(
    'http://ok.example/\n\nftp://example.org/\n',
    /^seeds\.txt, line 3: cannot use 'ftp:\/\/example\.org\/' as a seed: /,
  )
  wrong('http://[bad\nhttp://\n', /^seeds\.txt, line 1: .*\(and 1 more: lines 2\)$/)
  assert.throws(() => readSeeds({ args: ['not a url'], file: undefined }), /cannot use 'not a url' as a seed/)
})

test('an empty file is an error; no file and no arguments give no seeds', () => {
  assert.throws(
    () => read('# nothing\n'),
    (error) => error instanceof Problem && error.code === 'no-seeds',
  )
  assert.deepEqual(readSeeds({ args: [], file: undefined }), [])
  assert.deepEqual(
    readSeeds({ args: [], file: 'f', mayBeEmpty: true }, () => '# nothing\n'),
    [],
  )
})

test('a file that cannot be read is one clear line', () => {
  assert.throws(
    () => readSeeds({ args: [], file: 'no/such/file' }),
    (error) =>
      error instanceof Problem &&
      error.code === 'unreadable' &&
      /--seeds: cannot read no\/such\/file/.test(error.message),
  )
})

test('a list is read in pieces, up to its end', () => {
  const path = join(folder, 'long')
  const names = Array.from({ length: 20_000 }, (_, i) => `ä${i}.example.org`)
  writeFileSync(path, names.join('\r\n'))
  const seeds = readSeeds({ args: [], file: path })
  assert.equal(seeds.length, names.length)
  assert.equal(seeds.at(-1)?.host, 'xn--19999-fra.example.org')
})

test('a list may be in UTF-16, as PowerShell writes it', () => {
  const path = join(folder, 'utf-16')
  writeFileSync(path, Buffer.from('\ufeffa.example.org\r\nä.example.org\r\n', 'utf16le'))
  const hosts = readSeeds({ args: [], file: path }).map(({ host }) => host)
  assert.deepEqual(hosts, ['a.example.org', 'xn--4ca.example.org'])
})

test('a file without line ends is refused before it is read to its end', () => {
  const unreadable = (file: string) =>
    assert.throws(
      () => readSeeds({ args: [], file }),
      (error) => error instanceof Problem && error.code === 'unreadable' && /line of more than/.test(error.message),
    )
  const path = join(folder, 'line')
  writeFileSync(path, `example.org\n${'a'.repeat(200_000)}`)
  unreadable(path)
  if (existsSync('/dev/zero')) unreadable('/dev/zero')
})
