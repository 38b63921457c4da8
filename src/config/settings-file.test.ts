import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('a collection remembers what it was made with, and only that', () => {
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

test('a collection made with defaults has a file that says so', () => {
  const text = writeSettingsFile(new Map(), '0.1.0')
  assert.match(text, /^# .*0\.1\.0/)
  assert.ok(text.split('\n').every((line) => line === '' || line.startsWith('#')))
})
