import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { flagOf, SETTING_NAMES, settingOf } from '../config/keys.ts'
import { describeFlags, settingsDocument } from './help.ts'
import { allCommands } from './main.ts'
import { wrap } from './text.ts'

test('docs/reference/json.md has a section for every command', async () => {
  const page = readFileSync(new URL('../../../docs/reference/json.md', import.meta.url), 'utf8')
  for (const { name } of await allCommands()) assert.match(page, new RegExp(`^## .*\\b${name}\\b`, 'm'), name)
})

test('docs/reference/settings.md is printed from the table', () => {
  const page = readFileSync(new URL('../../../docs/reference/settings.md', import.meta.url), 'utf8')
  assert.equal(page, settingsDocument(), 'run: npm start --silent -- config --markdown > docs/reference/settings.md')
})

test('the help of a command has all its flags and no others, and fits the screen', () => {
  const help = describeFlags('get', 60)
  for (const name of SETTING_NAMES) {
    const shown = new RegExp(`${flagOf(name)}( |$)`, 'm').test(help)
    assert.equal(shown, settingOf(name).commands.includes('get'), name)
  }
  assert.ok(help.split('\n').every((line) => line.length <= 60))
})

test('text is wrapped at words', () => {
  assert.deepEqual(wrap('a bb ccc dddd', 6), ['a bb', 'ccc', 'dddd'])
  assert.deepEqual(wrap('', 6), [])
})
