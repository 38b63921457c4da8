import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readPage } from '../../page/reading.ts'
import { Shingles } from './shingles.ts'
import { words } from './sites.test-data.ts'

const minimaOf = (text: string) => {
  const bytes = new TextEncoder().encode(`<p>${text}</p>`)
  return readPage({ mediaType: 'text/html', charset: 'utf-8', bytes }).signature.minima
}

test('what is made of known pages says nothing new, whatever its order; another page does', () => {
  const shingles = new Shingles()
  const [one, other, third] = ['one', 'other', 'third'].map((seed) => words(seed, 120))
  assert.equal(shingles.learn(minimaOf(one), 0n), false)
  assert.equal(shingles.learn(minimaOf(other), 0n), false)
  assert.equal(shingles.learn(minimaOf(`${other} ${one}`), 0n), true)
  assert.equal(shingles.learn(minimaOf(one.split(' ').slice(0, 90).join(' ')), 0n), true)
  assert.equal(shingles.learn(minimaOf(third), 0n), false)
})

test('on a site of very many pages the sample is coarser, and what returns is recognised when it can be', () => {
  const shingles = new Shingles()
  const pages = Array.from({ length: 2000 }, (_, at) => minimaOf(words(`page ${at}`, 150)))
  const first = pages.map((page) => shingles.learn(page, 0n))
  const again = pages.map((page) => shingles.learn(page, 0n))
  const count = (all: (boolean | undefined)[], one: boolean) => all.filter((said) => said === one).length
  assert.equal(count(again, false), 0)
  assert.ok(count(again, true) > 5 && count(first, false) > 300, `${count(again, true)}, ${count(first, false)}`)
  assert.ok(count(first, true) < 20, `${count(first, true)}`)
  assert.ok(shingles.text().length <= 1_208)
})

test('a page with other pictures is another page, and a template says nothing', () => {
  const shingles = new Shingles()
  const template = words('terms of sale', 130)
  const goods = Array.from({ length: 40 }, (_, at) => minimaOf(`${words(`good ${at}`, 12)} ${template}`))
  assert.ok(goods.filter((page) => shingles.learn(page, 0n) === true).length < 8)
  const same = minimaOf(words('gallery', 60))
  assert.deepEqual(
    [1n, 2n, 3n, 3n].map((pictures) => shingles.learn(same, pictures)),
    [undefined, undefined, undefined, true],
  )
})

const minima = fc.array(fc.nat({ max: 0xffff }), { minLength: 64, maxLength: 64 }).map((all) => new Uint16Array(all))

test('opened again it says the same', () => {
  fc.assert(
    fc.property(fc.array(minima, { maxLength: 40 }), (pages) => {
      const shingles = new Shingles()
      for (const page of pages) {
        const again = new Shingles(shingles.text())
        assert.equal(again.learn(page, 0n), shingles.learn(page, 0n))
        assert.equal(again.text(), shingles.text())
      }
    }),
    { numRuns: 50 },
  )
})
