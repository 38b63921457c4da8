/** Parameters that make no difference: the value that most pages have, and patterns of one value. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hash64 } from '../../base/digest.ts'
import { freshMemory } from '../../contracts/site-memory.ts'
import type { AliasRow } from '../../contracts/trap-memory.ts'
import { judgeAliases } from './aliases.ts'
import { judgePage } from './detect.ts'
import type { PageContext } from './finding.ts'
import { openTraps } from './open-traps.ts'
import type { PageFacts } from './page-facts.ts'
import { patternOf } from './pattern.ts'
import { NO_LIMITS } from './traces.test-data.ts'

/** Twelve pages said the same without it, three did not, none of them in a direct comparison; most new pages have `print`. */
const rowOf = (part: string): AliasRow => [part, 12, 3, 0, 1, 'print', 9, 0]

function findingsOf(part: string) {
  const path = '/a?view=print'
  const page = { path } as PageFacts
  const context = { page, pattern: patternOf(path), novel: 50 } as PageContext
  return judgeAliases({ rows: [rowOf(part)], isAlias: true, parts: [part], direct: undefined }, context)
}

test('a parameter is held back but for its usual value, and pages with that value do not speak against it', () => {
  const found = findingsOf('?view').map(({ pattern, usual }) => [pattern, usual])
  assert.deepEqual(found, [['/**?view=*&**', 'print']])
})

test('of one value of a parameter no value is usual: all pages that said something else speak against it', () => {
  assert.deepEqual(findingsOf('?view=print'), [])
  const path = '/a?view=print'
  const context = { page: { path } as PageFacts, pattern: patternOf(path), novel: 50 } as PageContext
  const row: AliasRow = ['?view=print', 12, 0, 0, 1, 'print', 9, 0]
  const [found] = judgeAliases({ rows: [row], isAlias: true, parts: ['?view=print'], direct: undefined }, context)
  assert.equal(found.pattern, '/**?view=print&**')
  assert.equal(found.usual, undefined, 'else its URLs would be asked for as they are')
})

test('a new page with the usual value speaks against the pattern of that value, and not against the parameter', () => {
  const traps = openTraps({ suspects: [], aliases: [rowOf('?view'), rowOf('?view=print')] })
  judgePage(freshMemory(), traps, newPage('/a?view=print'), NO_LIMITS)
  const against = traps.aliases.map(([part, , other]) => [part, other])
  assert.deepEqual(against, [
    ['?view', 3],
    ['?view=print', 4],
  ])
})

function newPage(path: string): PageFacts {
  const text = `what ${path} says`
  const hash = hash64(text)
  const marks = { textDigest: hash, simhash: hash, shape: hash, embeds: 0n, tags: 1n }
  return {
    ...{ url: `http://site.test${path}`, path, depth: 1, generation: 1, at: 0, status: 200, mediaType: 'text/html' },
    ...{ bytes: 900, tookMs: 10, outcome: 'kept', duplicate: false, links: [], crossSite: 0 },
    content: { ...marks, digest: text, length: 900, words: 150, title: '', text: () => text },
  }
}
