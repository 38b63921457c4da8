import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  FIRST_RULES,
  isRuleSwitch,
  PARSER_RULES,
  RULE_NAMES,
  RULES,
  rulesBySwitches,
  switchesOf,
  USUAL_RULES,
} from './rules.ts'

test('words that switch rules', () => {
  assert.deepEqual(rulesBySwitches([]), USUAL_RULES)
  assert.deepEqual(rulesBySwitches(['usual']), USUAL_RULES)
  assert.deepEqual(rulesBySwitches(['none']), [])
  assert.deepEqual(rulesBySwitches(['unreserved', 'hex-case']), FIRST_RULES, 'names alone: these and no others')
  assert.deepEqual(
    rulesBySwitches(['-index-files']),
    USUAL_RULES.filter((name) => name !== 'index-files'),
  )
  assert.ok(rulesBySwitches(['+session-shape']).includes('session-shape'))
  assert.deepEqual(rulesBySwitches(['none', '+hex-case', '+tracking', '-hex-case']), ['tracking'])
  assert.deepEqual(rulesBySwitches(['usual', 'index-scripts', '-tracking', '+tracking']), [
    ...USUAL_RULES,
    'index-scripts',
  ])
})

test('words that are none', () => {
  for (const word of ['usual', 'none', 'tracking', '+tracking', '-tracking']) assert.ok(isRuleSwitch(word), word)
  for (const word of ['', '+', '-', '+usual', '--tracking', 'Tracking', 'www']) assert.ok(!isRuleSwitch(word), word)
})

test('every set of rules can be written, and the usual ones are one word', () => {
  assert.equal(switchesOf(USUAL_RULES), 'usual')
  assert.equal(switchesOf(FIRST_RULES), 'hex-case,unreserved')
  assert.equal(switchesOf(rulesBySwitches(['-index-files', '+index-scripts'])), 'usual,-index-files,+index-scripts')
  fc.assert(
    fc.property(fc.subarray([...RULE_NAMES]), (rules) => {
      assert.deepEqual(rulesBySwitches(switchesOf(rules).split(',')), rules)
    }),
  )
})

test('names are one word each, and each says what it does', () => {
  assert.equal(new Set(RULE_NAMES).size, RULES.length)
  for (const { name, does } of RULES) {
    assert.match(name, /^[a-z]+(-[a-z]+)*$/)
    assert.ok(does.length > 5)
  }
})

test('docs/reference/url-rules.md has a line for every rule', () => {
  const page = readFileSync(new URL('../../../docs/reference/url-rules.md', import.meta.url), 'utf8')
  for (const { name, does, usual, lossy } of RULES) {
    assert.ok(page.includes(`| \`${name}\` | ${does} | ${usual ? 'on' : 'off'} | ${lossy ? 'yes' : 'no'} |`), name)
  }
  for (const { name, does } of PARSER_RULES) assert.ok(page.includes(`| \`${name}\` | ${does} |`), name)
})
