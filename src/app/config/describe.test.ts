import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeFlags, settingsDocument, wrap } from './describe.ts'
import { flagOf, SETTING_NAMES, settingOf } from './keys.ts'

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
