import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageFacts } from './page-facts.ts'
import { patternOf } from './pattern.ts'
import { countRedirect, judgeRedirects } from './redirects.ts'

function moved(path: string, to: string, fresh = false): PageFacts {
  const links = [{ key: 1n, path: to, fresh }]
  return { path, outcome: 'moved', links, at: 0 } as unknown as PageFacts
}

function judgeAll(pages: PageFacts[], novel = 20): string[] {
  const columns: number[] = []
  let found: string[] = []
  for (const page of pages) {
    const pattern = patternOf(page.path)
    countRedirect(columns, page, pattern)
    found = judgeRedirects(columns, { page, pattern, novel } as Parameters<typeof judgeRedirects>[1]).map(
      ({ pattern: where }) => where,
    )
  }
  return found
}

const many = <T>(count: number, make: (nth: number) => T) => Array.from({ length: count }, (_, nth) => make(nth))
const basket = (nth: number) => `/checkout/cart/add/product/${nth}/form_key/k${nth}x7q9z/`

test('baskets that lead to one page are found after twenty, in their folder', () => {
  assert.deepEqual(judgeAll(many(19, (nth) => moved(basket(nth), '/checkout/cart/'))), [])
  assert.deepEqual(judgeAll(many(20, (nth) => moved(basket(nth), '/checkout/cart/'))), ['/checkout/cart/add/**'])
})

test('redirects to ever other known pages need more, and one to an unknown page ends the row', () => {
  const back = (nth: number) => moved(`/compare?id=${nth}`, `/page-${nth}.html`)
  assert.deepEqual(judgeAll(many(59, back)), [])
  assert.equal(judgeAll(many(60, back)).length, 1)
  assert.deepEqual(judgeAll([...many(50, back), moved('/compare?id=50', '/new.html', true), ...many(50, back)]), [])
})

test('a site that shows nothing else is read', () => {
  assert.deepEqual(
    judgeAll(
      many(80, (nth) => moved(basket(nth), '/checkout/cart/')),
      2,
    ),
    [],
  )
})

test('redirects home count for nothing, and neither do those of which nobody knows whether their target is known', () => {
  assert.deepEqual(judgeAll(many(80, (nth) => moved(basket(nth), '/'))), [])
  const blind = (nth: number): PageFacts => ({ ...moved(basket(nth), '/checkout/cart/'), isBlind: true })
  assert.deepEqual(judgeAll(many(80, blind)), [])
  const between = many(10, (nth) => [moved(basket(nth), '/checkout/cart/'), moved(basket(nth), '/'), blind(nth)]).flat()
  assert.deepEqual(judgeAll([...between, ...many(9, (nth) => moved(basket(nth), '/checkout/cart/'))]), [])
  assert.deepEqual(judgeAll([...between, ...many(10, (nth) => moved(basket(nth), '/checkout/cart/'))]).length, 1)
})

test('errors between the redirects say nothing, and a page ends the row', () => {
  const gone = (nth: number) => ({ path: basket(nth), outcome: 'gone', links: [], at: 0 }) as unknown as PageFacts
  const there = (nth: number): PageFacts => ({ ...gone(nth), outcome: 'kept', content: {} as PageFacts['content'] })
  const nineteen = many(19, (nth) => moved(basket(nth), '/checkout/cart/'))
  const last = moved(basket(19), '/checkout/cart/')
  assert.equal(judgeAll([...nineteen, gone(0), last]).length, 1)
  assert.deepEqual(judgeAll([...nineteen, there(0), last]), [])
})

test('the forms counted last are remembered, so a basket among many other redirects is found', () => {
  const others = (nth: number) => many(11, (at) => moved(`/${'abcdefghijk'[at]}?id=${nth}`, `/${at}.html`))
  const among = many(20, (nth) => [moved(basket(nth), '/checkout/cart/'), ...others(nth)]).flat()
  assert.deepEqual(judgeAll([...among.slice(0, -11)]), ['/checkout/cart/add/**'])
  const crowded = many(20, (nth) => [
    moved(basket(nth), '/checkout/cart/'),
    ...others(nth),
    moved(`/z?id=${nth}`, '/z'),
  ])
  assert.deepEqual(judgeAll([...crowded.flat().slice(0, -12)]), [], 'twelve others push it out')
})
