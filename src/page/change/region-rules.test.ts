import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runThrough } from '../../base/stretches.ts'
import { readLines as linesInTurns } from './lines.ts'
import { compileRules, type RegionRule } from './region-rules.ts'

const readLines = (...args: Parameters<typeof linesInTurns>) => runThrough(linesInTurns(...args))

const rule = (text: string): RegionRule =>
  text.startsWith('/') ? { kind: 'pattern', text: text.slice(1, -1) } : { kind: 'selector', text }

const PAGE = `<body><div id=top class="bar wide"><p>Today is <span class=clock>10:15</span>, welcome</div>
  <ul><li class=ad>Buy silk<li>Webs<li data-kind=visitors>You are visitor 17</ul>
  <div class=news><b>Flies <i>gone</i></b></div><p>The end`

/** The lines that are left, those that are watched with a star. */
function left(ignore: string[], watch: string[] = []): string[] {
  const bytes = Buffer.from(PAGE)
  const { byHash } = readLines(
    { mediaType: 'text/html', charset: 'utf-8', bytes },
    compileRules(ignore.map(rule), watch.map(rule)),
  )
  return [...byHash.values()].map(({ text, isWatched }) => (isWatched ? `*${text}` : text))
}

const ALL = ['Today is 10:15, welcome', 'Buy silk', 'Webs', 'You are visitor 17', 'Flies gone', 'The end']

test('what selectors and patterns name is left out, to the element', () => {
  assert.deepEqual(left([]), ALL)
  assert.deepEqual(left(['.clock'])[0], 'Today is , welcome')
  assert.deepEqual(left(['#top']), ALL.slice(1))
  assert.deepEqual(left(['li.ad, [data-kind=visitors]']), [ALL[0], 'Webs', ...ALL.slice(4)])
  assert.deepEqual(left(['div.news > b i']), [...ALL.slice(0, 4), 'Flies', 'The end'])
  assert.deepEqual(left(['ul > b', 'div > i', 'p .news', '.WIDE']), ALL)
  assert.deepEqual(left(['/visitor \\d+/']), [...ALL.slice(0, 3), 'You are ', ...ALL.slice(4)])
  assert.deepEqual(left(['*']), [])
})

test('what is watched is marked', () => {
  assert.deepEqual(left([], ['.ad', '/gone/']), [ALL[0], '*Buy silk', ...ALL.slice(2, 4), '*Flies gone', 'The end'])
  assert.deepEqual(left(['.clock'], ['#top'])[0], '*Today is , welcome')
})

test('what is not understood is an error', () => {
  for (const text of ['li:first-child', 'a + b', '::before', '#', '/(/', ''])
    assert.throws(() => compileRules([rule(text)], []), text)
})

test('tags that end by themselves, and tags in the wrong order', () => {
  const texts = (html: string, ...ignore: string[]) => {
    const { byHash } = readLines(
      { mediaType: 'text/html', charset: 'utf-8', bytes: Buffer.from(html) },
      compileRules(ignore.map(rule), []),
    )
    return [...byHash.values()].map(({ text, place }) => `${place}: ${text}`)
  }
  assert.deepEqual(texts('<body><p class=ad><span>Buy<p>News<div>More</div>', 'p.ad'), [
    'body > p: News',
    'body > div: More',
  ])
  assert.deepEqual(texts('<ul><li class=ad><b>Buy<li>Webs</ul>', '.ad'), ['ul > li: Webs'])
  assert.deepEqual(texts('<div class=ad>Buy</b> two</div>One', '.ad'), [': One'])
})

test('the title by the same rules; whether anything was left out', () => {
  const read = (...ignore: string[]) => {
    const { title, isPartial } = readLines(
      { mediaType: 'text/html', charset: 'utf-8', bytes: Buffer.from('<title>(3) Inbox</title><p>Inbox') },
      compileRules(ignore.map(rule), []),
    )
    return [title, isPartial]
  }
  assert.deepEqual(read('.x'), ['(3) Inbox', false])
  assert.deepEqual(read('/\\(\\d+\\) /'), ['Inbox', true])
  assert.deepEqual(read('title'), ['', true])
})

test('a long paragraph is one line, with its place', () => {
  const text = 'Silk and webs. '.repeat(300).trim()
  const { byHash } = readLines({ mediaType: 'text/html', charset: 'utf-8', bytes: Buffer.from(`<body><p>${text}`) })
  assert.deepEqual([...byHash.values()], [{ text, place: 'body > p' }])
})

test('hostile pages take linear time with rules, too', () => {
  const rules = compileRules(['.a .b .c .d', 'div > .x'].map(rule), [])
  for (const html of [
    '<div class="b c d">'.repeat(50_000),
    '<div>x'.repeat(50_000),
    '<b class="a b">'.repeat(50_000),
    '<b>x</i>'.repeat(50_000),
  ])
    assert.ok(
      readLines({ mediaType: 'text/html', charset: 'utf-8', bytes: Buffer.from(`<p>${html}`) }, rules).hashes.length <=
        8192,
    )
})
