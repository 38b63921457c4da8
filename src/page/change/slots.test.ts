import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SlotNews } from './slots.ts'
import { page, paragraphs, Watched } from './watched.test-data.ts'

/** Others each time, of any number of lines. */
const ADS = [
  ['Buy silk'],
  ['Sell flies', 'today'],
  ['Rent a web', 'for the night', 'or two'],
  ['Mend orbs'],
  [],
  ['Hire'],
]
const of = (ad: string[], body = paragraphs(10)) => page({ ad: ad.map((line) => `<p>${line}`).join(''), body })

test('an element with other lines each time may have any number of them, or none', () => {
  const watched = new Watched(of(ADS[0]))
  for (const ad of ADS.slice(1, 3)) assert.match(watched.look(of(ad)), /^small/)
  for (const ad of [...ADS.slice(3), ...ADS])
    assert.match(watched.look(of(ad)), /^volatile: (after )?body > (div#ad|h1)/)
})

test('an edit right before a slot, or right behind it, is a change', () => {
  for (const at of [0, -1]) {
    const edits: ((body: string[]) => string[])[] = [
      (body) => body.with(at, '<p>Another paragraph'),
      (body) => (at === 0 ? body.slice(1) : body.slice(0, -1)),
      (body) => (at === 0 ? ['<p>One more', ...body] : [...body, '<p>One more']),
    ]
    const placed = (ad: string[], body: string[]) => {
      const slot = `<aside>${ad.map((line) => `<p>${line}`).join('')}</aside>`
      return `<body><h1>Weaving</h1>${at === 0 ? slot : ''}${body.join('')}${at === 0 ? '' : slot}<p>The end`
    }
    for (const edit of edits) {
      const watched = new Watched(placed(ADS[0], paragraphs(10)))
      for (const ad of ADS.slice(1, 4)) watched.look(placed(ad, paragraphs(10)))
      assert.match(watched.look(placed(ADS[4], edit(paragraphs(10)))), /^small/)
      assert.match(watched.look(placed(ADS[5], edit(paragraphs(10)))), /^volatile/)
    }
  }
})

test('what pages say of a slot for their site: that it changed again, its words or only its numbers, or stayed', () => {
  const news = (...looks: string[]): SlotNews['what'][] => {
    const watched = new Watched(looks[0])
    return looks.slice(1).flatMap((html) => {
      watched.look(html)
      return watched.news.map(({ what }) => what)
    })
  }
  assert.deepEqual(news(of(ADS[0]), of(ADS[1]), of(ADS[2]), of(ADS[3])), ['words'])
  assert.deepEqual(news(of(['At 10:01']), of(['At 10:02']), of(['At 10:03'])), ['numbers'])
  const body = ['<p>Another', ...paragraphs(9)]
  assert.deepEqual(news(of(ADS[0]), of(ADS[1]), of(ADS[1], body)), ['stayed'])
  assert.deepEqual(news(of(ADS[0]), of(ADS[0], body), of(ADS[0], paragraphs(9))), [], 'the text has no slot')
  const same = new Watched(of(ADS[0]))
  same.look(of(ADS[1]))
  same.same()
  same.look(of(ADS[1], body))
  assert.deepEqual(
    same.news.map(({ what }) => what),
    ['stayed'],
  )
})

test('where only numbers change on the site, words are a change', () => {
  const watched = new Watched(of(['Visitors: 10']))
  watched.look(of(['Visitors: 12']))
  const numbers = { onSite: () => 'numbers' as const }
  for (const count of [15, 19]) assert.match(watched.look(of([`Visitors: ${count}`]), numbers), /^volatile/)
  assert.match(watched.look(of(['We are closed']), numbers), /^small/)
})

test('a name has no digits and not the classes of the body, and there is one of each on a page, the first, or the last', () => {
  const named = (html: (text: string) => string) => {
    const watched = new Watched(html('one'))
    watched.look(html('two words'))
    watched.look(html('three are here'))
    return watched.news.map(({ name }) => name)
  }
  const [one] = named(
    (text) => `<body class="page-1">${paragraphs(9).join('')}<div class="ad ad-17">${text}</div><p>End`,
  )
  const [other] = named(
    (text) => `<body class=page-2>${paragraphs(5).join('')}<div class="ad ad-4">${text}</div><p>End`,
  )
  const [third] = named((text) => `<body>${paragraphs(5).join('')}<div class="side">${text}</div><p>End`)
  assert.ok(one !== undefined && one === other && one !== third)
  const amid = named((text) => `<body>${paragraphs(5).join('')}<p>${text}</p>${paragraphs(5).join('')}`)
  assert.deepEqual(amid, [], 'neither the first nor the last')
  const last = named((text) => `<body>${paragraphs(5).join('')}<p>${text}</p>`)
  assert.equal(last.length, 1)
})

test('elements that a page has defined itself, and ins, are slots if they hold some', () => {
  for (const tag of ['ins', 'gpt-ad']) {
    const html = (texts: string[]) =>
      `<body><div>Head</div>${paragraphs(9).join('</p>')}</p><${tag} class="ad">${texts.map((text) => `<div>${text}</div>`).join('')}</${tag}><div>Foot</div>`
    const watched = new Watched(html(['Silk', 'now']))
    watched.look(html(['Flies']))
    watched.look(html(['Webs', 'and orbs', 'today']))
    assert.deepEqual(
      watched.news.map(({ what }) => what),
      ['words'],
      tag,
    )
    assert.match(watched.look(html(['Hire'])), /^volatile/)
  }
})
