import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { loadSettings } from './load.ts'
import { writeSettingsFile } from './settings-file.ts'

const FLAGS = [
  '--pause',
  '3s',
  '--exclude',
  '\\.pdf$',
  '--exclude',
  'a: b #c',
  '--limits',
  'vn',
  '--quiet',
  '-c',
  'x',
  '--tls',
  'strict',
]

test('a collection records the settings that it was created with, and no others', () => {
  const made = loadSettings([...FLAGS, '--contact', 'https://example.org/bot', '--allow-private'], 'crawl', {
    env: { ORBWEAVER_MAX_DEPTH: '4' },
    readFile: () => undefined,
  })
  const text = writeSettingsFile(made.given, '0.1.0')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  assert.deepEqual(
    lines
      .filter((line) => !line.startsWith(' '))
      .map((line) => line.split(':')[0])
      .sort(),
    ['allow-private', 'contact', 'exclude', 'limits', 'max-depth', 'pause', 'tls'],
  )
  const again = loadSettings(['-c', 'x'], 'crawl', {
    env: {},
    readFile: (path) => (path === 'x/orbweaver.yaml' ? text : undefined),
  })
  assert.deepEqual({ ...again.settings, quiet: true }, made.settings)
  assert.deepEqual(again.warnings, [])
})

test('the settings file of a collection created with defaults says so', () => {
  const text = writeSettingsFile(new Map(), '0.1.0')
  assert.match(text, /^# .*0\.1\.0/)
  assert.ok(text.split('\n').every((line) => line === '' || line.startsWith('#')))
})

test('any text is read back as it was, by any reader of YAML', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'true',
      'No',
      '~',
      '5s',
      '1e3',
      '0x1f',
      '12:30',
      'a: b #c',
      '- x',
      'https://example.org/',
      'a:',
      '',
    ),
  )
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), text, (texts, one) => {
      const source = { by: 'flag', name: '' } as const
      const written = writeSettingsFile(
        new Map([
          ['exclude', { texts, source }],
          ['contact', { texts: [one], source }],
        ]),
        '0.1.0',
      )
      assert.deepEqual(parse(written), { exclude: texts, contact: one })
    }),
  )
})
