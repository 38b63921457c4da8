import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { seededRandom } from '../../src/base/random.ts'
import { readText } from '../../src/page/reading.ts'
import { judgeAll, mutatedCases, ratesOf, realCases } from './cases.ts'
import { DETECTORS, type Detector, type Look } from './detectors.ts'
import { FOUND } from './found-volatile.ts'
import { MORE } from './more-volatile.ts'
import { COSMETIC, EDITS, LINK_EDITS, VOLATILE } from './mutate.ts'
import { OTHER } from './other-volatile.ts'
import { labelled } from './real-series.ts'

const PAGE = `<html><head><title>Manual</title></head><body class="x"><h1>The manual</h1>
${Array.from({ length: 30 }, (_, i) => `<p>Paragraph ${i} of <a href="p${i}.html">the manual</a> describes setting <b>number</b> ${i * 7} and what follows from it.</p>`).join('\n')}
</body></html>`

const look = (html: string): Look => ({ site: 'a', path: 'p', bytes: Buffer.from(html), image: () => undefined })
const textOf = (html: string) => readText({ mediaType: 'text/html', charset: 'utf-8', bytes: Buffer.from(html) })
const sorted = (text: string) => text.split(/\s+/).sort().join(' ')

test('edits change the text, moves keep its words, cosmetic changes and links keep all of it', () => {
  const random = seededRandom(1)
  for (let run = 0; run < 20; run++) {
    for (const [name, mutate] of Object.entries(EDITS)) {
      const edited = mutate(PAGE, random)
      assert.ok(edited !== undefined && textOf(edited) !== textOf(PAGE), name)
      if (name.endsWith('swapped')) assert.equal(sorted(textOf(edited)), sorted(textOf(PAGE)), name)
      else assert.notEqual(sorted(textOf(edited)), sorted(textOf(PAGE)), name)
    }
    for (const [name, mutate] of [...Object.entries(COSMETIC), ...Object.entries(LINK_EDITS)]) {
      const same = mutate(PAGE, random)
      assert.notEqual(same, PAGE, name)
      assert.equal(textOf(same ?? ''), textOf(PAGE), name)
    }
  }
  assert.equal(EDITS['paragraphs swapped']('<p>short</p>', random), undefined)
})

test('volatile parts differ at each look, and the rest of the page stays', () => {
  const random = seededRandom(2)
  for (const { name, next } of [...VOLATILE, ...FOUND, ...OTHER, ...MORE]) {
    const looks = [0, 1, 2, 3].map((nth) => next(PAGE, nth, random))
    assert.ok(new Set(looks).size > 1, name)
    for (const each of looks)
      assert.ok(textOf(each).includes('Paragraph 29 of the manual describes setting number 203'), name)
  }
})

test('detectors see looks one after the other, and are judged by what is known', async () => {
  /** Calls a change what it never saw. */
  const learning: Detector = {
    name: 'learning',
    look: async ({ bytes }, memory) => {
      const seen = (memory as string[] | undefined) ?? []
      return { memory: [...seen, `${bytes}`], changed: !seen.includes(`${bytes}`) }
    },
  }
  const bytes = DETECTORS.filter(({ name }) => name === 'bytes')
  const looks = ['a', 'b', 'a', 'c'].map(look)
  const labels = ['stamp', 'markup', 'content'] as const
  const judged = await judgeAll(realCases([{ site: 'a', path: 'p', looks, labels: [...labels] }]), [...bytes, learning])
  assert.deepEqual(
    judged.map(({ changed }) => changed),
    [
      [true, true],
      [true, false],
      [true, true],
    ],
  )
  assert.deepEqual(ratesOf(judged), [
    { found: 1, missed: 0, falseAlarms: 2, quiet: 0 },
    { found: 1, missed: 0, falseAlarms: 1, quiet: 1 },
  ])
})

test('every detector is quiet on an equal page, and known changes come out as the detectors are', async () => {
  const cases = mutatedCases([{ site: 'a', path: 'p', looks: [look(PAGE)], labels: [] }], VOLATILE, [], seededRandom(3))
  const judged = await judgeAll(
    [
      ...cases,
      { looks: [look(PAGE), look(PAGE)], known: [undefined, { kind: 'real', name: 'same', isChange: false }] },
    ],
    DETECTORS,
  )
  assert.deepEqual(
    judged.at(-1)?.changed,
    DETECTORS.map(() => false),
  )
  const called = (detector: string, name: string) =>
    judged.find((each) => each.name === name)?.changed[DETECTORS.findIndex((each) => each.name === detector)]
  assert.equal(called('text I', 'words swapped'), false)
  assert.equal(called('text digest', 'words swapped'), true)
  assert.equal(called('cascade I', 'paragraph added'), true)
  assert.equal(called('structure I', 'sentence added'), false)
  assert.equal(called('shape', 'time stamp'), false)
  assert.equal(called('bytes', 'CSRF token'), true)
})

const noPython = spawnSync('python3', ['--version']).status === 0 ? false : 'python3 is not installed'

test('labels: what changed, by another parser', { skip: noPython }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'labels-'))
  try {
    let files = 0
    const page = (html: string) => {
      const file = join(folder, `${files++}.html`)
      writeFileSync(file, html)
      return file
    }
    const foot = (time: string) => `<div>Last updated ${time} UTC</div>`
    const body = (nth: number, nav: string, rest: string) =>
      `<ul><li>${nav}</ul><p>Page ${nth} has a text of its own.</p>${rest}`
    const series = (nth: number, content: string) => ({
      site: 'a',
      files: [
        page(body(nth, 'Home', foot('2021-03-08 20:36:01'))),
        page(body(nth, 'Home', foot('2021-03-08 20:36:01'))),
        page(body(nth, 'Home', `<!-- x -->${foot('2021-03-08 20:36:01')}`)),
        page(body(nth, '<a href="/">Home</a>', foot('2021-03-08 20:36:01'))),
        page(body(nth, '<a href="/">Home</a>', foot('2024-05-31 00:35:55'))),
        page(body(nth, '<a href="/">Start here</a>', foot('2024-05-31 00:35:55'))),
        page(body(nth, '<a href="/">Start here</a>', content + foot('2024-05-31 00:35:55'))),
      ],
    })
    const all = [1, 2, 3, 4].map((nth) => series(nth, `<p>Setting ${nth} is new.</p>`))
    assert.deepEqual(labelled(all)[0], ['same', 'markup', 'links', 'stamp', 'template', 'content'])
    const stamps = {
      site: 'c',
      files: [2, 3, 3, 4, 5].map((day) => page(`<p>A text.</p>${foot(`2024-05-0${day} 10:00:00`)}`)),
    }
    assert.deepEqual(labelled([stamps]), [['stamp', 'same', 'stamp', 'known stamp']])
    const number = {
      site: 'b',
      files: [page('<p>The limit is 100 connections.'), page('<p>The limit is 200 connections.')],
    }
    assert.deepEqual(labelled([...all, number])[4], ['content'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
