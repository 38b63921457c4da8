/**
 * All made-up sites, as they were judged when `recorded.txt` was written: what was fetched and refused and why, every
 * finding with its evidence, every count of every family. Changes for speed change none of it. After a change to
 * detectors, rewrite the file: `UPDATE_RECORDED=1 node --test src/crawl/hazards/recorded.test.ts`.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { hash64 } from '../../base/digest.ts'
import { HONEST, TRAP_AMONG_MANY } from './honest-sites.test-data.ts'
import { FRAME_SETS, LATE_HONEST, LATE_TRAPS, ONLY_WITH_A_PARAMETER } from './late-sites.test-data.ts'
import { OTHER_HONEST, OTHER_TRAPS, RECIPES } from './other-sites.test-data.ts'
import { PLAIN_SITES } from './plain-sites.test-data.ts'
import { crawl, type Site, type Trace } from './traces.test-data.ts'
import { TRAPS } from './trap-sites.test-data.ts'

const PAGES = 250
const FILE = join(import.meta.dirname, 'recorded.txt')
const COUNTS = 33

const sites: Record<string, Site> = {
  ...TRAPS,
  ...OTHER_TRAPS,
  ...LATE_TRAPS,
  ...HONEST,
  ...OTHER_HONEST,
  ...LATE_HONEST,
  ...Object.fromEntries(Object.entries(PLAIN_SITES).map(([name, [, site]]) => [name, site])),
  'a trap among many sections': TRAP_AMONG_MANY,
  'recipes, to be printed': RECIPES,
  'only with a parameter': ONLY_WITH_A_PARAMETER,
  'frame sets, one file for each class': FRAME_SETS,
}

function digestOf({ requests, fetched, refused, findings, memory }: Trace): string {
  const { suspects, novel, alike, pace, families = [], echoes, repeats, reported, texts } = memory.traps!
  const rows = families.map(([pattern, counts, contents, examples, parameters]) => [
    pattern,
    counts.slice(0, COUNTS),
    contents,
    examples,
    parameters,
  ])
  const counted = [suspects, novel, alike, pace, rows, echoes, repeats, reported, texts]
  const all = JSON.stringify([requests, [...fetched], [...refused], findings, counted])
  return hash64(all).toString(16).padStart(16, '0')
}

test('every site is judged as it was', () => {
  const now = Object.entries(sites).map(([name, site]) => `${digestOf(crawl(site, PAGES))} ${name}`)
  if (process.env.UPDATE_RECORDED === '1') writeFileSync(FILE, `${now.join('\n')}\n`)
  assert.deepEqual(now, readFileSync(FILE, 'utf8').trimEnd().split('\n'))
})
