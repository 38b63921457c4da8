import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSettings } from '../config/load.ts'
import { settingsDigests } from './plan-for-workers.ts'

const keysOf = (...flags: string[]) => {
  const { settings } = loadSettings(flags, 'serve', { env: {}, readFile: () => undefined })
  return JSON.parse(settingsDigests(settings)) as Record<string, string>
}

test('what a crawl goes by is told, as digests; what concerns one machine, and secrets, are not', () => {
  assert.deepEqual(keysOf(), {})
  const mine = ['-c', 'x', '--port', '1', '--host', '0.0.0.0', '--join-secret', 'sesame-sesame-sesame', '--verbose']
  assert.deepEqual(keysOf(...mine), {})
  const told = keysOf(...mine, '--pause', '5s', '--include', 'news', '--contact', 'https://a.example/')
  assert.deepEqual(Object.keys(told).sort(), ['contact', 'include', 'pause'])
  assert.match(told['pause'], /^[\w-]{8}$/)
  assert.notEqual(keysOf('--include', 'news')['include'], keysOf('--include', 'sports')['include'])
  assert.deepEqual(keysOf('--pause', '5s'), keysOf('--pause', '5000ms'))
})
