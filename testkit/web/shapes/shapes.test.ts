import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readHtml } from '../naive-crawl.test-data.ts'
import { makeWeb } from '../web.ts'
import type { WireAnswer } from '../wire.ts'
import { LOOKALIKE_SHAPES, SHAPES, type ShapeName, TRAP_SHAPES } from './all.ts'
import type { ShapePage } from './shape.ts'

const SEEDS = [1, 2, 3, 5, 8, 13]
/** More than any real part has. */
const MANY = 800
const ENDS_BY_ITSELF = new Set<ShapeName>([
  'drip-feed',
  'gzip-bomb',
  'huge-head',
  'endless-body',
  'wrong-types',
  'link-farm',
])
/** Servers refuse what is longer, and so do crawlers. */
const ENDS_BY_LENGTH = new Set<ShapeName>(['redirect-growth', 'amp-entities'])
const ANSWERS_ANYTHING = new Set<ShapeName>(['soft-404', 'soft-404-echo', 'markov-tarpit'])

/** Breadth first through a shape, without its site. */
function explore(name: ShapeName, seed: number, bound: number, max: number): Map<string, ShapePage> {
  const shape = SHAPES[name]
  const found = new Map<string, ShapePage>()
  const queue = shape.entries(seed, 'test').filter((to) => to.startsWith('/'))
  const seen = new Set(queue)
  for (let at = 0; at < queue.length && found.size < max; at++) {
    const page = shape.page(queue[at], bound, seed, { at: at * 60_000 })
    if (page === undefined) {
      if (queue[at].length > 8_000) continue
      assert.equal(queue[at], '/', `${name} ${seed} links to ${queue[at]}, which it does not have`)
      continue
    }
    found.set(queue[at], page)
    for (const to of [...page.targets, ...(page.to === undefined ? [] : [page.to])])
      if (to.startsWith('/') && !seen.has(to)) {
        seen.add(to)
        queue.push(to)
      }
  }
  return found
}

const realsOf = (pages: Map<string, ShapePage>) => {
  const shown = [...pages].flatMap(([path, { sort, shows }]) => (sort === 'real' ? [path] : (shows ?? [])))
  return [...new Set(shown)].sort()
}

for (const name of TRAP_SHAPES) {
  test(`${name} goes on for ever, ends when it is bounded, and shows the same real pages either way`, () => {
    for (const seed of SEEDS) {
      const bounded = explore(name, seed, 40, 50_000)
      assert.ok(bounded.size < 20_000, `${bounded.size} pages though bounded, seed ${seed}`)
      const endless = explore(name, seed, Number.POSITIVE_INFINITY, MANY)
      if (ENDS_BY_LENGTH.has(name)) assert.ok(endless.size > 250, `${endless.size}`)
      else if (!ENDS_BY_ITSELF.has(name)) assert.equal(endless.size, MANY, `seed ${seed}`)
      // What is real lies near the entrance: whoever goes on finds no more of it.
      assert.deepEqual(realsOf(endless), realsOf(bounded), `seed ${seed}`)
      for (const [path, { shows }] of bounded) {
        if (shows === undefined) continue
        const plain = SHAPES[name].page(shows, 40, seed, {})
        if (plain !== undefined) assert.notEqual(plain.sort, 'trap', `${path} shows ${shows}`)
      }
    }
  })
}

for (const name of LOOKALIKE_SHAPES) {
  test(`${name} is finite, real throughout, and no two of its pages are the same`, () => {
    for (const seed of SEEDS) {
      const pages = explore(name, seed, 40, 5_000)
      assert.ok(pages.size >= 50 && pages.size < 300, `${pages.size}`)
      assert.ok([...pages.values()].every(({ sort }) => sort === 'real'))
      assert.equal(new Set([...pages.values()].map(({ body }) => body)).size, pages.size, `seed ${seed}`)
    }
  })
}

test('whatever is asked for, shapes answer at once, and the same again', () => {
  const names = [...TRAP_SHAPES, ...LOOKALIKE_SHAPES]
  const words = ['a', '/', '?', '&', 'amp;', '=', '1', 'id', '%2F', '..', ';', '(S(', 'page', 'continue', '2026-02-30']
  const path = fc.oneof(
    fc.webPath(),
    fc.array(fc.constantFrom(...words), { maxLength: 400 }).map((list) => list.join('')),
  )
  fc.assert(
    fc.property(fc.constantFrom(...names), path, fc.nat(), (name, tail, seed) => {
      for (const entry of SHAPES[name].entries(seed, 'test')) {
        for (const asked of [`/${tail.replace(/^\/+/, '')}`, entry + tail]) {
          if (!asked.startsWith('/')) continue
          const page = SHAPES[name].page(asked, Number.POSITIVE_INFINITY, seed, {})
          assert.deepEqual(SHAPES[name].page(asked, Number.POSITIVE_INFINITY, seed, {}), page)
          if (page !== undefined && !ANSWERS_ANYTHING.has(name)) assert.ok(page.words.length > 0)
        }
      }
    }),
    { numRuns: 400 },
  )
})

test('what a page of a shape says in bytes is what its definition says', () => {
  const count = TRAP_SHAPES.length + LOOKALIKE_SHAPES.length
  const options = {
    seed: 9,
    sites: count * 10,
    pagesPerSite: 3,
    hazardShare: 0.2,
    hazardShapes: TRAP_SHAPES,
    lookalikeShare: 0.2,
    hazardBound: 30,
  }
  const web = makeWeb(options)
  const shapes = new Set<string>()
  for (const site of web.allSites()) {
    const name = site.hazard ?? site.lookalike
    if (name === undefined) continue
    const queue = SHAPES[name].entries(site.seed, 'test').map((to) => (to.startsWith('/') ? site.origin + to : to))
    const seen = new Set(queue)
    for (let at = 0; at < Math.min(queue.length, 60); at++) {
      const page = web.define(queue[at], { at: web.plan.epoch })
      assert.ok(page, queue[at])
      shapes.add(page.shape?.name ?? '')
      if (page.shape === undefined) continue
      for (const { target } of page.content?.links ?? []) if (!seen.has(target)) queue.push(target)
      for (const { target } of page.content?.links ?? []) seen.add(target)
      if (page.to !== undefined || (page.misbehaves ?? 'slow') !== 'slow') continue
      const answer = web.answer({ url: queue[at], at: web.plan.epoch, attempt: 1, headers: [] }) as WireAnswer
      if (!page.contentType.startsWith('text/html')) continue
      const read = readHtml(answer.payload, answer.head.headers, queue[at])
      const right = page.content?.links.map((link) => link.target) ?? []
      assert.deepEqual([...new Set(read.links)].sort(), [...new Set(right)].sort(), queue[at])
    }
  }
  for (const name of [...TRAP_SHAPES, ...LOOKALIKE_SHAPES]) assert.ok(shapes.has(name), name)
})

test('who returns the cookie of a site sees no session ids there, or sees them all the same', () => {
  for (const [name, always] of [
    ['session-ids-without-cookie', false],
    ['session-ids-always', true],
  ] as const) {
    for (const seed of SEEDS) {
      const shape = SHAPES[name]
      const [home] = shape.entries(seed, 'test')
      const first = shape.page(home, Number.POSITIVE_INFINITY, seed, {})
      const cookie = first?.headers?.find(([header]) => header === 'Set-Cookie')?.[1].split(';', 1)[0]
      assert.ok(cookie !== undefined && first !== undefined)
      const plain = (page: ShapePage | undefined) =>
        page?.targets.every((to) => to === '/' || shape.page(to, Number.POSITIVE_INFINITY, seed, {})?.sort === 'real')
      assert.equal(plain(first), false, 'the first page does not know yet')
      assert.equal(plain(shape.page(home, Number.POSITIVE_INFINITY, seed, { cookie })), !always)
    }
  }
})
