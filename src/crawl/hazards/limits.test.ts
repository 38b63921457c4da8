import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshMemory, type SiteMemory } from '../../contracts/site-memory.ts'
import { GENEROUS, type HazardLimits, judgeSite, RULE_NAMES, refusesWaiting, type SiteFinding, VN } from './limits.ts'

const limits: HazardLimits = { urlsPerSite: 8, duplicatesPerSite: 2, depth: 3 }

function read(
  pages: { depth?: number; duplicate?: boolean }[],
  by = limits,
): { memory: SiteMemory; findings: SiteFinding[] } {
  let memory = freshMemory()
  const findings: SiteFinding[] = []
  for (const { depth = 0, duplicate = false } of pages) {
    const judged = judgeSite(memory, { depth, duplicate }, by)
    memory = judged.memory
    if (judged.finding !== undefined) findings.push(judged.finding)
  }
  return { memory, findings }
}

test('counts, and says nothing below the limits', () => {
  const { memory, findings } = read([{ depth: 1 }, { depth: 2, duplicate: true }, { duplicate: true }])
  assert.deepEqual(memory, { robots: {}, fetched: 3, duplicates: 2, deepest: 2, silent: 0 })
  assert.deepEqual(findings, [])
})

test('a site with too many URLs is no longer followed, and reported once', () => {
  const { memory, findings } = read(Array.from({ length: 12 }, () => ({})))
  assert.equal(memory.fetched, 12, 'what is still fetched is still counted')
  assert.equal(memory.stopped, 'site-urls>=8')
  assert.equal(refusesWaiting(memory, { depth: 1 }), 'site-urls>=8')
  assert.equal(refusesWaiting(memory, { depth: 0 }), undefined)
  assert.equal(refusesWaiting(freshMemory(), { depth: 1 }), undefined)
  assert.deepEqual(findings, [{ rule: 'site-urls>=8', evidence: '8 pages of the site were fetched' }])
})

test('so is a site with too many duplicates', () => {
  const { memory, findings } = read([{}, ...Array.from({ length: 5 }, () => ({ duplicate: true }))])
  assert.equal(memory.stopped, 'site-duplicates>2')
  assert.deepEqual(findings, [
    { rule: 'site-duplicates>2', evidence: '3 of 4 pages had content that was there before' },
  ])
})

test('depth is reported once and stops nothing', () => {
  const { memory, findings } = read([{ depth: 2 }, { depth: 3 }, { depth: 3 }])
  assert.equal(memory.stopped, undefined)
  assert.deepEqual(findings, [{ rule: 'site-depth>=3', evidence: 'a page 3 links deep, after 2 pages' }])
})

test('the memory given is left as it was', () => {
  const memory = Object.freeze(freshMemory())
  judgeSite(memory, { depth: 9, duplicate: true }, limits)
  assert.deepEqual(memory, freshMemory())
})

test("the paper's numbers are a preset; by default a site of 20,000 honest pages is collected whole", () => {
  const of = (preset: typeof VN): HazardLimits => ({ ...preset, depth: preset.maxDepth })
  const honest = Array.from({ length: 20_000 }, (_, i) => ({ depth: i % 12, duplicate: i % 50 === 0 }))
  assert.equal(read(honest, of(GENEROUS)).memory.stopped, undefined)
  assert.equal(read(honest, of(VN)).memory.stopped, 'site-duplicates>10')
  assert.ok(JSON.parse(JSON.stringify(GENEROUS)).duplicatesPerSite > 1e9)
})

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
