import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { RULE_NAMES } from './rule-names.ts'

const here = import.meta.dirname

test('every rule that a detector gives has its name in the list', () => {
  const names: readonly string[] = RULE_NAMES
  const given = new Set<string>()
  for (const file of readdirSync(here).filter((name) => name.endsWith('.ts') && !name.includes('.test'))) {
    const text = readFileSync(join(here, file), 'utf8')
    for (const [, rule] of text.matchAll(/(?:rule(?::| =)|trusted\() ?['`]([a-z0-9-]+)/g)) given.add(rule)
  }
  assert.ok(given.size > 15, 'the rules were found in the text')
  assert.deepEqual(
    [...given].filter((rule) => !names.includes(rule)),
    [],
  )
})

test('every rule is explained', () => {
  const page = readFileSync(join(here, '../../../docs/tasks/traps.md'), 'utf8')
  assert.deepEqual(
    RULE_NAMES.filter((name) => !page.includes(`\`${name}\``)),
    [],
  )
})
