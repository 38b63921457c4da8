import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hash64 } from '../../base/digest.ts'
import { openTraps } from './open-traps.ts'
import type { PageFacts } from './page-facts.ts'
import { weightOf } from './quiet.ts'

let pages = 0

/** Of a text of its own, without unknown links. */
function quietPage(changes: Partial<PageFacts> = {}, content: Partial<PageFacts['content'] & object> = {}): PageFacts {
  const text = hash64(`page ${++pages}`)
  const signature = { digest: '', textDigest: text, simhash: text, shape: text, embeds: 0n, tags: 1n }
  return {
    ...{ url: '', path: `/page-${pages}`, depth: 1, generation: 1, at: 0, status: 200, mediaType: 'text/html' },
    ...{ bytes: 900, tookMs: 10, outcome: 'kept', duplicate: false, links: [], crossSite: 0 },
    content: { ...signature, length: 9_000, words: 1_000, title: '', text: () => '', ...content },
    ...changes,
  }
}

const siteWith = (novel: number) => openTraps({ suspects: [], novel: [novel, novel, 9_000 * novel] })

/** As how many pages each of 400 counts. */
function weights(make: () => PageFacts, traps = siteWith(100)): Set<number> {
  return new Set(Array.from({ length: 400 }, (_, now) => weightOf(traps, make(), now)))
}

test('where a hundred pages were new, one in eight quiet pages counts as eight, and missing ones likewise', () => {
  const traps = siteWith(100)
  let sum = 0
  for (let now = 0; now < 4_000; now++) sum += weightOf(traps, quietPage(), now)
  assert.ok(Math.abs(sum - 4_000) < 800, `${sum}`)
  assert.deepEqual(
    weights(() => quietPage({ outcome: 'gone', content: undefined })),
    new Set([0, 8]),
  )
})

test('every page counts once that may be of a trap, or of which that cannot be told', () => {
  const one = new Set([1])
  const link = { key: 1n, path: '/x', fresh: true }
  assert.deepEqual(
    weights(() => quietPage(), siteWith(99)),
    one,
    'of a small site',
  )
  for (const [why, changes] of Object.entries({
    blind: { isBlind: true },
    parameters: { path: '/a?b=1' },
    'an unknown link': { links: [link] },
    'the home page': { depth: 0 },
    'a known payload': { duplicate: true },
    'a slow answer': { tookMs: 60_000, bytes: 900 },
    'no page': { outcome: 'refused', content: undefined },
  } satisfies Record<string, Partial<PageFacts>>))
    assert.deepEqual(
      weights(() => quietPage(changes)),
      one,
      why,
    )
  assert.deepEqual(
    weights(() => quietPage({}, { words: 10 })),
    one,
    'perhaps an error',
  )
  const probed = (like?: number[]) => Object.assign(siteWith(100), { probe: like === undefined ? {} : { like } })
  assert.deepEqual(
    weights(() => quietPage({}, { words: 10 }), probed()),
    new Set([0, 8]),
    'the site answers missing names with errors',
  )
  assert.deepEqual(
    weights(() => quietPage(), probed([1, 2, 3])),
    one,
    'or with pages',
  )
  assert.deepEqual(
    weights(() => quietPage({}, { embeds: undefined })),
    one,
    'pictures not counted',
  )
})

test('a text that was there before is judged, also if it was only remembered', () => {
  const traps = siteWith(100)
  const now = Array.from({ length: 99 }, (_, at) => at).find((at) => weightOf(siteWith(100), quietPage(), at) === 0)!
  const page = quietPage()
  assert.equal(weightOf(traps, page, now), 0)
  assert.equal(weightOf(traps, { ...page, path: '/copy' }, now), 1)
})
