/** What is read letter by letter, held against the same in regular expressions, which are easier to believe. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ordinalOf } from './count-page.ts'
import { wordsOf } from './few-words.ts'
import { patternOf, repeatsIn } from './pattern.ts'
import { foldLeaf, foldName, foldSegment, isDateWord, looksRandom } from './segments.ts'

const word = fc.constantFrom(
  ...['a', 'x', '2024', '20310412', '7', 'list', 'photo-3', 'ab12cd34ef', '**', '{name}', '', '%2F', 'é"\\\u0000'],
  ...[
    'January',
    'MARCH',
    'мир',
    '𐐷word',
    'K',
    'News-of-the-day.HTML',
    'a.b_c',
    '.htaccess',
    'x.',
    'p15',
    'p1.h5',
    'loop',
  ],
)
const hostile = fc.string({ unit: 'binary', maxLength: 60 })
const segment = fc.oneof(
  word,
  hostile,
  fc.array(word, { maxLength: 4 }).map((words) => words.join('-')),
)
const query = fc.array(fc.tuple(segment, segment), { maxLength: 8 })
const path = fc.oneof(
  fc.tuple(fc.array(segment, { maxLength: 12 }), query).map(([segments, pairs]) => {
    const asked = pairs.map(([name, value]) => `${name}=${value}`).join('&')
    return `/${segments.join('/')}${asked === '' ? '' : `?${asked}`}`
  }),
  hostile,
  fc.nat({ max: 600 }).map((times) => '/loop/x'.repeat(times)),
)

const readable = (text: string) => text.replace(/[^\w.~%!$'+,;=:@#-]/g, '_')
const EXTENSION = /(?<=.)\.[A-Za-z]\w{0,4}$/s

function slowSegment(text: string): string {
  if (text.length <= 10 && isDateWord(text, 0, text.length)) return '#'
  return looksRandom(text) ? '*' : readable(text.slice(0, 96).replace(/\d+/g, '#')).slice(0, 24)
}

function slowLeaf(leaf: string): string {
  const extension = EXTENSION.exec(leaf)
  if (extension === null) return slowSegment(leaf)
  return slowSegment(leaf.slice(0, extension.index)) + extension[0].toLowerCase()
}

function slowName(folded: string): string {
  const extension = EXTENSION.exec(folded)?.[0] ?? ''
  const name = folded.slice(0, folded.length - extension.length)
  if (name === '' || name === '*' || name === '#') return folded
  return name.includes('#') && name.replace(/[^A-Za-z]+/g, '').length <= 10 ? folded : `{name}${extension}`
}

test('segments, leaves and names', () => {
  fc.assert(
    fc.property(segment, (text) => {
      assert.equal(foldSegment(text), slowSegment(text))
      assert.equal(foldLeaf(text), slowLeaf(text))
      assert.equal(foldName(foldLeaf(text)), slowName(foldLeaf(text)))
    }),
    { numRuns: 5000 },
  )
})

function slowFolders(text: string): string[] {
  const segments = text.replace(/\?.*/s, '').replace(/^\//, '').split('/')
  const inside = segments.at(-1) === '' ? segments.slice(0, -2) : segments.slice(0, -1)
  const folders = inside.slice(0, 3).map(
    (_, at) =>
      `/${inside
        .slice(0, at + 1)
        .map(slowSegment)
        .join('/')}/**`,
  )
  return folders.filter((folder) => folder.length < 80).reverse()
}

test('folders and parameters of a path, also when they are remembered', () => {
  fc.assert(
    fc.property(path, (text) => {
      const { folders, names } = patternOf(text)
      assert.deepEqual(folders, slowFolders(text))
      assert.deepEqual(patternOf(text), patternOf(` ${text}`.slice(1)))
      if (!text.includes('?')) return assert.deepEqual(names, [])
      const pairs = text.slice(text.indexOf('?') + 1).split('&')
      const all = (pairs.at(-1) === '' ? pairs.slice(0, -1) : pairs).map((pair) => {
        const name = pair.split('=', 1)[0]
        return /^\d+(-|$)/.test(name) ? '#' : readable(name.slice(0, 20))
      })
      assert.deepEqual(names, [...new Set(all)].slice(0, 10).sort())
    }),
    { numRuns: 5000 },
  )
})

test('numbers, words and repeats of a path', () => {
  fc.assert(
    fc.property(path, (text) => {
      const digits = [...text.slice(0, 300).matchAll(/\d+/g)].slice(0, 3).map(([one]) => Math.min(Number(one), 99_999))
      assert.equal(ordinalOf(text), digits.length === 0 ? -1 : digits.reduce((all, one) => all * 100_000 + one, 0))
      const plain = text.slice(0, 300).replace(/%[0-9a-f]{2}|[?&][^=&]*=/gi, ' ')
      assert.deepEqual(wordsOf(text), [...new Set(plain.match(/\p{L}{2,}/gu))].slice(0, 12))
      const segments = text.replace(/\?.*/s, '').slice(0, 2000).split('/')
      const counted = segments.filter((one) => one !== '' && !/^\d+$/.test(one))
      assert.equal(repeatsIn(text), counted.length - new Set(counted).size)
    }),
    { numRuns: 5000 },
  )
})
