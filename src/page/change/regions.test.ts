import assert from 'node:assert/strict'
import { test } from 'node:test'
import { page, paragraphs, Watched } from './watched.test-data.ts'

test('strings of over 30 characters that differ each time are left out, and nothing else', () => {
  const of = (digit: string, body = paragraphs(10)) => page({ ad: `Request ${digit.repeat(36)}`, body })
  const watched = new Watched(of('a'))
  for (const digit of ['b', 'c']) assert.equal(watched.look(of(digit)), 'small: a long string')
  assert.equal(watched.look(of('d')), 'volatile: a long string')
  const body = ['<p>Real news', ...paragraphs(10)]
  assert.match(watched.look(of('e', body)), /^small: body/)
  assert.equal(watched.look(of('f', body)), 'volatile: a long string')
  const alone = new Watched(`<p>${'a'.repeat(36)}`)
  for (const digit of ['b', 'c', 'd']) assert.equal(alone.look(`<p>${digit.repeat(36)}`), 'small: a long string')
})

test('a long text is content, though the page has more lines', () => {
  const of = (look: string) => `<p>Back<p>Contents<pre>${`${look} weaves its web. `.repeat(300)}</pre><p>Next<p>Index`
  const watched = new Watched(of('One'))
  for (const look of ['Two', 'Three', 'Four', 'Five']) assert.match(watched.look(of(look)), /^(?!volatile)/)
})

test('an advertisement that is sometimes missing is left out; what is missing beside it is a change', () => {
  const of = (...ad: string[]) => page({ ad: ad.map((line) => `<p>${line}`).join('') })
  const watched = new Watched(of('Buy silk', 'now'))
  assert.match(watched.look(of()), /^small/)
  assert.match(watched.look(of('Rent a web', 'for the night', 'or two')), /^small/)
  for (const ad of [['Sell flies', 'today'], [], ['Mend orbs'], []]) assert.match(watched.look(of(...ad)), /^volatile/)
  assert.match(watched.look(of('Hire a spider').replace('<h1>Weaving</h1>', '')), /^small/)
})

test('paragraphs that are others each time may be more at one look, from the second time on', () => {
  const of = (...ad: string[]) =>
    page({ body: [...paragraphs(5), ...ad.map((line) => `<p>${line}`), ...paragraphs(9)] })
  const watched = new Watched(of('Buy silk'))
  for (const ad of ['Sell flies', 'Rent a web']) watched.look(of(ad))
  assert.match(watched.look(of('Mend orbs', 'with silk')), /^small/)
  assert.match(watched.look(of('Other silk')), /^small/, 'an edit beside it may have been undone')
  assert.match(watched.look(of('Hire a spider', 'or a fly')), /^volatile/)
  assert.match(watched.look(of('Buy webs')), /^volatile/)
})

test('an edit beside a quote of fewer lines than it had is a change', () => {
  const of = (last: string, ...quote: string[]) =>
    page({ body: [...paragraphs(10), `<p>${last}`, `<blockquote>${quote.join('<br>')}</blockquote>`] })
  const watched = new Watched(of('Last words', 'What is written', 'without effort', 'A. Weaver'))
  for (const quote of ['Well begun', 'Measure twice'])
    watched.look(of('Last words', quote, `and ${quote}`, `says ${quote}`))
  assert.match(watched.look(of('Last words', 'Haste makes waste')), /^volatile/)
  assert.match(watched.look(of('Other words', 'Fortune favours', 'the bold')), /^small/)
})

test('a place that is volatile on the site does not hide what is missing beside it', () => {
  const of = (ad: string, last: string) => page({ ad, body: paragraphs(10) }).replace('<div id=ad>', `${last}$&`)
  const watched = new Watched(of('Buy silk', '<p>Made by hand'))
  const onSite = () => 'words' as const
  assert.match(watched.look(of('Sell flies', ''), { onSite }), /^small/)
})

test('items of two lines are a list as those of one are', () => {
  const of = (chosen: number[], more = '') =>
    page({ ad: `${chosen.map((n) => `<h4>Silk ${'abcdefghijkl'[n]}</h4><p>${n}.90 euros</p>`).join('')}${more}` })
  const watched = new Watched(of([0, 1, 2, 3]))
  assert.match(watched.look(of([4, 5, 2, 6])), /^small/)
  assert.match(watched.look(of([4, 1, 7, 8])), /^small/)
  assert.equal(watched.look(of([9, 1, 7, 8])), 'volatile: body > div#ad > h4', 'a single item, too')
  assert.match(watched.look(of([9, 1, 7, 8], '<h4>Silk new</h4><p>1.90 euros</p>')), /^small/, 'growth is news')
})

test('a stamp is known though all else is new, and what is new is not left out', () => {
  const stamped = (word: string, count: number, stamp: string) =>
    `<title>Index</title><body>${paragraphs(count, word).join('')}<p>See also<address>Made by Weaver ${stamp}</address>`
  const watched = new Watched(stamped('old', 20, '1.9.1'))
  assert.match(watched.look(stamped('other', 4, '1.9.4')), /^(medium|large|complete)/)
  assert.match(watched.look(stamped('new', 25, '1.9.8')), /^(medium|large|complete)/)
  assert.equal(watched.look(stamped('new', 25, '1.15.0')), 'volatile: body > address')
  assert.match(watched.look(stamped('newest', 25, '1.15.1')), /^(small|medium|large): body > p/)
  assert.match(watched.look(stamped('newest', 25, 'of another kind')), /^small: body > address/)
})

test('a stamp right behind a list of which some items changed with it is no part of the list', () => {
  const listed = (edition: string, stamp: string) => {
    const items = Array.from({ length: 7 }, (_, i) => `<li>item ${'abcdefg'[i]} of ${i % 3 === 0 ? edition : 'silk'}`)
    return `<h1>Items</h1><p>All of them<ul>${items.join('')}</ul><address>Made by Weaver ${stamp}</address>`
  }
  const watched = new Watched(listed('wool', '1.9.1'))
  watched.look(listed('linen', '1.9.4'))
  watched.look(listed('linen', '1.9.8'))
  assert.equal(watched.look(listed('linen', '1.15.0')), 'volatile: address')
  assert.match(watched.look(listed('cotton', '1.15.1')), /^(small|medium): ul > li/)
})

test('lines that are added behind a stamp are no part of it', () => {
  const headed = (stamp: string, added = '') =>
    `<title>Protocols</title><h1>Weaver ${stamp}</h1>${added}<div>Protocols</div><p>libweaver`
  const added = '<p>Loading<p>Searching<p>No matches'
  const watched = new Watched(headed('4.3.7'))
  watched.look(headed('5.1.9'))
  assert.match(watched.look(headed('7.1.5', added)), /^(small|medium|large): h1/)
  assert.equal(watched.look(headed('9.0.2', added)), 'volatile: h1')
  assert.match(watched.look(headed('9.0.3', added.replace('Searching', 'Looking'))), /^(small|medium|large): p/)
})
