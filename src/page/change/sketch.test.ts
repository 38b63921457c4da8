import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ByteWriter } from '../../base/bytes.ts'
import { seededRandom } from '../../base/random.ts'
import { MAX_SKETCH } from '../../contracts/visit.ts'
import { compileRules } from './region-rules.ts'
import { packRegions } from './regions.ts'
import { compareSketch, sketchOf } from './sketch.ts'
import { DAY, page, paragraphs, sketched, Watched } from './watched.test-data.ts'

test('how much of a text changed, and where', () => {
  const first = paragraphs(20)
  const replaced = (from: number, to: number) =>
    first.map((one, i) =>
      i >= from && i < to ? paragraphs(20, 'quite other tale')[i].replaceAll(' of ', ` ${i} with `) : one,
    )
  const of = (body: string[]) => new Watched(page({ body: first })).look(page({ body }))
  assert.equal(of(first), 'markup')
  assert.equal(of(replaced(3, 4)), 'small: body > div#main > p')
  assert.match(of(replaced(0, 10)), /^medium/)
  assert.match(of(replaced(0, 18)), /^large/)
  assert.match(new Watched('<p>one two three four').look('<p>five six seven eight'), /^complete/)
  assert.equal(of([...first.slice(0, 5), ...first.slice(6)]), 'small: after body > div#main > p')
  assert.equal(of([...first, '<p>And one more about spiders']), 'small: body > div#main > p')
})

test('a region that differs in each of three looks is left out, and nothing else', () => {
  const watched = new Watched(page({ stamp: '10:01', counter: 17 }))
  assert.match(watched.look(page({ stamp: '10:02', counter: 19 })), /^small: body > div#foot > p/)
  assert.match(watched.look(page({ stamp: '11:02', counter: 23 })), /^small/)
  assert.match(watched.look(page({ stamp: '11:15', counter: 29 })), /^volatile: body > div#foot > p/)
  // A real change is found all the same, beside it and in it.
  const body = paragraphs(10)
  body[4] = '<p>A new paragraph about silk'
  assert.equal(watched.look(page({ stamp: '11:19', counter: 31, body })), 'small: body > div#main > p')
  assert.match(watched.look(page({ stamp: '11:29', counter: 33, body })), /^volatile/)
  assert.match(
    watched.look(page({ stamp: '11:39, and we close on Mondays', counter: 35, body })),
    /^small: body > div#foot/,
  )
})

test('words that differ each time are left out too; a region that was still in between is not', () => {
  const watched = new Watched(page({ ad: 'Buy silk' }))
  watched.look(page({ ad: 'Sell flies today' }))
  watched.look(page({ ad: 'Rent a web for the night' }))
  assert.equal(watched.look(page({ ad: 'Other silk' })), 'volatile: body > div#ad')
  const news = new Watched(page({ ad: 'Silk is dear' }))
  news.look(page({ ad: 'Silk is cheap' }))
  news.same()
  news.look(page({ ad: 'Silk is gone' }))
  assert.match(news.look(page({ ad: 'Silk is back' })), /^small/)
})

test('a list in another order each time, and one of other items, are left out; what is moved once is a change', () => {
  const items = Array.from({ length: 12 }, (_, i) => `<li>Item number ${i} of ${'abcdefghijkl'[i]}`)
  const random = seededRandom(7)
  const shuffled = () =>
    items
      .map((item) => ({ item, at: random.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item)
  const lists = [
    { list: shuffled, least: 18 },
    { list: () => shuffled().slice(0, 6), least: 14 },
  ]
  for (const { list, least } of lists) {
    const of = (body = paragraphs(40)) => page({ ad: `<ul>${list().join('')}</ul>`, body })
    const watched = new Watched(of())
    for (let n = 0; n < 3; n++) watched.look(of())
    let volatile = 0
    for (let n = 0; n < 20; n++) if (watched.look(of()).startsWith('volatile')) volatile++
    assert.ok(volatile >= least, `${volatile} of 20`)
    const body = paragraphs(40)
    body[20] = '<p>Another paragraph'
    assert.match(watched.look(of(body)), /^small: /)
  }
  const moved = [...items.slice(1), items[0]]
  const once = new Watched(page({ ad: `<ul>${items.join('')}</ul>` }))
  assert.match(once.look(page({ ad: `<ul>${moved.join('')}</ul>` })), /^small/)
})

test('what is added on top each time is news', () => {
  const posts = (count: number) =>
    Array.from({ length: count }, (_, i) => `<li>Post ${count - i} on ${'abcdefghijklmnop'[count - i]}`)
  const of = (count: number) => page({ ad: `<ul>${posts(count).join('')}</ul>`, body: paragraphs(30) })
  const watched = new Watched(of(3))
  for (let count = 4; count < 12; count++) assert.match(watched.look(of(count)), /^small: body > div#ad > ul > li/)
})

test('an edit in a region of numbers counts, and so does the next one', () => {
  const watched = new Watched(page({ stamp: '10:01' }))
  let minute = 2
  const stamps = (looks: number) => Array.from({ length: looks }, () => watched.look(page({ stamp: `10:${minute++}` })))
  assert.deepEqual(stamps(4).slice(2), Array(2).fill('volatile: body > div#foot > p'))
  for (const edit of ['closed because of the flood', 'all spiders are recalled']) {
    assert.match(watched.look(page({ stamp: `10:${minute++}, ${edit}` })), /^small/)
    stamps(1)
    assert.match(stamps(5).join(), /volatile.*volatile/)
  }
})

test('strings of over 30 characters are in no line; a checksum that changes is a change', () => {
  const of = (digit: string) => page({ ad: digit.repeat(64), body: paragraphs(100) })
  assert.equal(new Watched(of('a')).look(of('b')), 'small: a long string')
})

test('lines whose hash ends in zeros do not make a sketch longer', () => {
  const html = '<p>f9cpa1i'.repeat(8000)
  assert.ok(new Watched(html).bytes < MAX_SKETCH)
})

test('a list in another order, or of other items, is one region, whichever of them stay where they are', () => {
  const item = (n: number) => `<li>Item ${'abcdefghijkl'[n]}`
  const list = (order: number[], more = '') =>
    page({ body: [...paragraphs(20), '<ul>', ...order.map(item), more, '</ul>'] })
  const ordered = new Watched(list([0, 1, 2, 3, 4, 5, 6, 7]))
  assert.match(ordered.look(list([4, 1, 2, 3, 0, 5, 6, 7])), /^small/)
  assert.match(ordered.look(list([0, 7, 2, 3, 4, 5, 6, 1])), /^small/)
  assert.match(ordered.look(list([7, 6, 5, 4, 3, 2, 1, 0])), /^volatile/)
  assert.match(ordered.look(list([7, 6, 5, 4, 3, 2, 1, 0], '<li>Item new')), /^small/, 'growth is news')
  const chosen = new Watched(list([0, 1, 2, 3]))
  assert.match(chosen.look(list([4, 1, 5, 3])), /^small/)
  assert.match(chosen.look(list([8, 1, 5, 9])), /^small/)
  assert.match(chosen.look(list([8, 1, 5, 10])), /^volatile/, 'a single item, too')
  const edited = new Watched(list([0, 1, 2, 3, 4, 5, 6, 7]))
  for (const order of [
    [8, 1, 2, 3, 4, 5, 6, 7],
    [8, 1, 2, 9, 4, 5, 6, 7],
    [8, 1, 2, 9, 4, 5, 10, 7],
  ])
    assert.match(edited.look(list(order)), /^small/, 'one item after the other is no volatile list')
})

test('some of a few paragraphs, whichever of them stay; an edit of the next one is a change', () => {
  const stock = ['one silk', 'two webs', 'three orbs', 'four flies', 'five spiders', 'six legs']
  const of = (...chosen: number[]) => page({ body: [...chosen.map((n) => `<p>Tip: ${stock[n]}`), ...paragraphs(10)] })
  const last = (...looks: number[][]) => {
    const watched = new Watched(of(...looks[0]))
    return looks.slice(1).map((chosen) => watched.look(of(...chosen)))
  }
  for (const looks of [
    [
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 4],
    ], // the one that stayed goes; one of the others is in its place
    [
      [0, 1],
      [0, 2],
      [0, 3],
      [2, 3],
    ],
    [
      [0, 1],
      [2, 1],
      [3, 2],
      [4, 0],
    ],
  ])
    assert.match(last(...looks)[2], /^volatile/, JSON.stringify(looks))
  const byTurns = last([0, 1], [0, 2], [3, 2], [4, 5], [0, 1])
  assert.match(byTurns[2], /^small/, 'one, then the other: neither differed twice in a row')
  assert.match(byTurns[3], /^volatile/)
  assert.match(last([0, 1], [0, 2], [0, 3], [5, 4])[2], /^small/, 'what is beside it has never been in it')
})

test('paragraphs edited by turns are content: none of them differed in three looks in a row', () => {
  const body = paragraphs(20)
  const watched = new Watched(page({ body }))
  for (const [day, at] of [5, 6, 5, 6, 5, 6].entries()) {
    body[at] = `<p>Paragraph ${at} as edited on day ${'abcdef'[day]}`
    assert.equal(watched.look(page({ body })), 'small: body > div#main > p')
  }
})

test('two advertisements stay known when what is between them is edited, too', () => {
  const ads = ['Buy silk', 'Sell flies today', 'Rent a web for the night', 'Other silk', 'Hire a spider', 'Mend orbs']
  const of = (n: number, ...news: string[]) => {
    const between = `<p>${news[0] ?? 'A paragraph'}<p>${news[1] ?? 'Another one'}`
    return page({
      body: [`<div>Here: ${ads[n]}</div>${between}<address>There: ${ads[n]}</address>`, ...paragraphs(20)],
    })
  }
  const watched = new Watched(of(0))
  for (const n of [1, 2]) assert.match(watched.look(of(n)), /^small/)
  assert.match(watched.look(of(3)), /^volatile/)
  assert.match(watched.look(of(4, 'Real news', 'And more')), /^small/)
  for (const n of [5, 0, 1]) assert.match(watched.look(of(n, 'Real news', 'And more')), /^volatile/)
  assert.match(watched.look(of(2, 'Other news', 'And more')), /^small/)
})

test('an edit once beside an advertisement is no part of it', () => {
  const of = (ad: string, text = 'A paragraph') => page({ ad, body: [`<p>${text}`, ...paragraphs(10)] })
  for (const edited of [1, 2]) {
    const watched = new Watched(of('Buy silk'))
    const text = (look: number) => (look < edited ? undefined : 'An edit')
    assert.match(watched.look(of('Sell flies today', text(1))), /^small/)
    assert.match(watched.look(of('Rent a web for the night', text(2))), /^small/)
    assert.match(watched.look(of('Other silk', 'An edit')), /^volatile: body > div#ad$/)
    assert.match(watched.look(of('Hire a spider', 'An edit')), /^volatile/)
    assert.match(watched.look(of('Mend orbs', 'Real news')), /^small/, `edited at look ${edited}`)
  }
})

test('words that change after numbers have are known at the fourth look, and no longer at the fifth', () => {
  const age = (text: string) => page({ ad: `Updated ${text}` })
  const watched = new Watched(age('yesterday'))
  watched.look(age('2 days ago'))
  watched.look(age('3 days ago'))
  assert.match(watched.look(age('last week')), /^volatile/)
  const numbers = new Watched(age('1 day ago'))
  for (const days of [2, 3, 4]) numbers.look(age(`${days} day ago`))
  assert.match(numbers.look(age('by the new owner')), /^small/)
})

test('a stamp at the end is known, however much else was edited', () => {
  const of = (word: string, stamp: string) =>
    page({ body: paragraphs(160).map((one, i) => (i % 4 === 0 ? `<p>Part ${i} ${word}` : one)), stamp })
  const watched = new Watched(of('silk', '10:01'))
  watched.look(of('web', '10:02'))
  watched.look(of('orb', '10:03'))
  assert.equal(watched.look(of('orb', '10:04')), 'volatile: body > div#foot > p')
})

test('a place that is volatile on the site hides nothing where it is most of the page', () => {
  const of = (text: string) => `<title>Manual</title><body><pre>${text}</pre>`
  const watched = new Watched(of('One way to weave'))
  const onSite = () => 'words' as const
  assert.match(watched.look(of('Another way'), { onSite }), /^(?:small|medium|large|complete)/)
})

test('many lines that differ each time are content, though they are not most of the page', () => {
  const of = (lines: number, look: number) =>
    page({ ad: Array.from({ length: lines }, (_, i) => `<div>Item ${i} of look ${'abcdef'[look]}</div>`).join('') })
  for (const [lines, expected] of [
    [30, /^volatile/],
    [40, /^(?:small|medium|large)/],
  ] as const) {
    const long = (look: number) => of(lines, look).replace('<div id=foot>', `${paragraphs(100).join('')}$&`)
    const watched = new Watched(long(0))
    for (let look = 1; look < 3; look++) watched.look(long(look))
    for (let look = 3; look < 6; look++) assert.match(watched.look(long(look)), expected, `${lines} lines`)
  }
})

test('two looks minutes apart are enough', () => {
  const watched = new Watched(page({ ad: 'Buy silk' }))
  assert.match(watched.look(page({ ad: 'Sell flies today' }), { since: 60_000 }), /^small/)
  assert.equal(watched.look(page({ ad: 'Rent a web for the night' })), 'volatile: body > div#ad')
})

test('an edit minutes after a look makes nothing volatile, if the next look finds it unchanged', () => {
  const looked = (between: (watched: Watched) => void) => {
    const watched = new Watched(page({ ad: 'Buy silk' }))
    watched.look(page({ ad: 'Sell flies today' }), { since: 60_000 })
    between(watched)
    return watched.look(page({ ad: 'Rent a web', counter: 1 }))
  }
  assert.match(
    looked((watched) => watched.same()),
    /^small/,
  )
  assert.match(
    looked((watched) => watched.look(page({ ad: 'Sell flies today', counter: 1 }))),
    /^small/,
  )
})

test('what is most of a page is its content, however often it changes', () => {
  const story = (n: number) => `<body><h1>Today</h1>${paragraphs(6, `tale${n}`).join('')}`
  const watched = new Watched(story(0))
  for (let n = 1; n < 6; n++) assert.match(watched.look(story(n)), /^(?:small|medium|large|complete)/)
})

test('most of a page is left out if its lines come back', () => {
  const stock = ['one silk', 'two webs', 'three orbs', 'four flies', 'five spiders', 'six legs']
  const of = (...chosen: number[]) =>
    `<title>Stub</title><p>See elsewhere<ul>${chosen.map((n) => `<li>Related: ${stock[n]}`).join('')}</ul>`
  const watched = new Watched(of(0, 1, 2))
  assert.match(watched.look(of(3, 4, 1)), /^(?:small|medium|large)/)
  assert.match(watched.look(of(0, 5, 2)), /^(?:small|medium|large)/)
  assert.match(watched.look(of(4, 3, 1)), /^volatile/)
  assert.match(watched.look(of(4, 0, 1).replace('elsewhere', 'nowhere')), /^(?!volatile)/)
})

test('a title is never most of a page', () => {
  const of = (version: string) => `<title>Stub (version ${version})</title><p>See elsewhere`
  const watched = new Watched(of('1.1'))
  watched.look(of('1.2'))
  watched.look(of('1.3'))
  assert.match(watched.look(of('1.4')), /^volatile/)
})

test('a stamp is known in another place, and beside a paragraph that was edited', () => {
  const of = (year: number, last: string, foot = 'div') =>
    page({ body: [...paragraphs(10), `<p>${last}`] }).replace(
      '<div id=foot>',
      `<${foot}>Copyright 2003-${year} A. Weaver</${foot}><div id=foot>`,
    )
  const watched = new Watched(of(2020, 'Last words'))
  watched.look(of(2021, 'Last words', 'address'))
  assert.match(watched.look(of(2022, 'Other last words')), /^small/)
  assert.match(watched.look(of(2023, 'Other last words')), /^volatile/)
  assert.match(watched.look(of(2024, 'Very last words')), /^small: body > div#main > p$/)
})

test('another template: what was learnt is forgotten', () => {
  const watched = new Watched(page({ stamp: '10:01' }))
  for (const stamp of ['10:02', '10:03', '10:04']) watched.look(page({ stamp }))
  assert.match(watched.look(page({ stamp: '10:05' })), /^volatile/)
  const other = (stamp: string) =>
    `<body><main>${paragraphs(10, 'new').join('')}</main><div id=foot><p>Last seen ${stamp}</div>`
  watched.look(other('10:06'))
  assert.match(watched.look(other('10:07')), /^small/)
})

test('what other pages of the site have shown, and what the operator watches', () => {
  const watched = new Watched(page({ ad: 'Buy silk' }))
  const onSite = () => 'words' as const
  assert.equal(watched.look(page({ ad: 'Sell flies' }), { onSite }), 'volatile: body > div#ad')
  watched.look(page({ ad: 'Rent a web' }))
  assert.deepEqual(
    watched.news.map(({ what }) => what),
    ['words', 'words'],
  )
  assert.equal(
    watched.look(page({ ad: 'Sell flies' }), {}, compileRules([], [{ kind: 'selector', text: '#ad' }])),
    'small: body > div#ad',
  )
})

test('a sketch is never longer than a server takes, however long a page was watched', () => {
  const now = sketched(page({ body: paragraphs(2030) }))
  const regions = new ByteWriter()
  const region = { shape: 0xffff, size: 32, times: 255, words: 255, quiet: 0, gone: Array<number>(48).fill(0xffff) }
  const counts = { came: 2 ** 40, back: 2 ** 40 }
  const all = Array.from({ length: 32 }, (_, nth) => ({ from: 60 * nth, to: 60 * nth + 32, ...region, ...counts }))
  packRegions(
    regions,
    all.map((one, nth) => ({ ...one, gone: one.gone.slice(0, nth < 2 ? 24 : 0) })),
  )
  const before = Buffer.concat([sketchOf(now).subarray(0, -2), regions.bytes(), Uint8Array.of(0)])
  assert.ok(before.length > MAX_SKETCH)
  const { sketch } = compareSketch(before, {
    ...{
      now,
      isSameText: true,
      looks: 1,
      since: DAY,
      page: new Map(),
      boxes: [],
      onSite: () => undefined,
      cameOnSite: () => false,
    },
  })!
  assert.ok(sketch.length > 4300 && sketch.length <= MAX_SKETCH, `${sketch.length} bytes`)
})

test('pages of any length take few bytes, and a change is found in them', () => {
  for (const count of [10, 300, 3000, 9000]) {
    const body = paragraphs(count)
    const watched = new Watched(page({ body }))
    assert.ok(watched.bytes < MAX_SKETCH, `${watched.bytes} bytes`)
    body[count >> 1] = '<p>Something else'
    assert.match(watched.look(page({ body })), /^small: body > div#main > p/)
    body.splice(count >> 2, 1)
    assert.match(watched.look(page({ body })), /^small: /)
    assert.equal(watched.look(page({ body })), 'markup')
  }
})

test('a look is volatile or a change exactly if a line differs', () => {
  const word = fc.constantFrom('silk', 'web', 'orb', '17', 'Monday', 'fly')
  const line = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => `<p>${words.join(' ')}`)
  const html = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(''))
  fc.assert(
    fc.property(fc.array(html, { minLength: 2, maxLength: 8 }), (looks) => {
      const watched = new Watched(looks[0])
      for (let i = 1; i < looks.length; i++) {
        const found = watched.look(looks[i])
        assert.equal(found === 'markup', looks[i] === looks[i - 1], found)
      }
    }),
  )
})

test('what is no sketch is none, and bytes from outside are bounded', () => {
  const look = {
    now: sketched('<p>one'),
    isSameText: false,
    looks: 1,
    since: DAY,
    page: new Map(),

    boxes: [],
    onSite: () => undefined,
    cameOnSite: () => false,
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void compareSketch(bytes, look)))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void compareSketch(Uint8Array.of(1, ...bytes), look)),
  )
})
