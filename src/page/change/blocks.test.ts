import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Block, blocksOf, linesOf, MAX_BLOCKS, MAX_TEXT } from './blocks.ts'

const shown = (html: string) => blocksOf(html).blocks.map(({ place, text }) => `${place}: ${text}`)
const factsOf = ({ facts }: Block) => facts.map(({ kind, text }) => `${kind} ${text}`)

test('a page is split where its lines break, and each block has its place', () => {
  const html = `<!doctype html><html><head><title>A  title</title><style>p {}</style></head><body>
    <div id="main"><h1>Head &amp; line</h1><p>One <b>bold</b> word<p>Next one<ul><li>first<li>second</ul></div>
    <table><tr><td>a<td>b<tr><td>c</table>after<script>x()</script><br>the end</body></html>`
  assert.deepEqual(shown(html), [
    'head > title: A title',
    'body > div#main > h1: Head & line',
    'body > div#main > p: One bold word',
    'body > div#main > p: Next one',
    'body > div#main > ul > li: first',
    'body > div#main > ul > li: second',
    'body > table > tr > td: a b',
    'body > table > tr > td: c',
    'body: after',
    'body: the end',
  ])
})

test('what is not shown is no block: scripts, styles, comments, templates, frames', () => {
  const html = '<p>a<script>b</script><style>c</style><!-- d --><template>e<p>f</template><iframe>g</iframe>h'
  assert.deepEqual(
    blocksOf(html).blocks.map(({ text }) => text),
    ['a', 'h'],
  )
  const other = blocksOf(html.replace('b</script>', 'B</script>').replace(' d ', ' D '))
  assert.notEqual(other.scripts, blocksOf(html).scripts)
  assert.notEqual(other.comments, blocksOf(html).comments)
  assert.equal(other.styles, blocksOf(html).styles)
})

test('a block has the facts of its tags; an image is a block without text', () => {
  const [text, image, end] = blocksOf(
    '<p class=x>See <a href=" /a ">it</a><p><img src=i.png alt="An image"><div hidden>',
  ).blocks
  assert.deepEqual(factsOf(text), ['tag p', 'attribute p class="x"', 'tag a', 'link /a'])
  assert.deepEqual([image.text, image.place], ['', 'p'])
  assert.deepEqual(factsOf(image), ['tag p', 'tag img', 'image i.png', 'image alt="An image"'])
  assert.deepEqual([end.text, factsOf(end)], ['', ['tag div', 'attribute div hidden=""']])
})

test('preformatted text is split into lines, a very long text into sentences', () => {
  assert.deepEqual(
    blocksOf('<pre>one\n  two\n\nthree</pre>').blocks.map(({ text }) => text),
    ['one', '  two', 'three'],
  )
  const sentence = `${'word '.repeat(100)}end. `
  const { blocks } = blocksOf(`<p>${sentence.repeat(10)}`)
  assert.equal(blocks.length, 10)
  assert.deepEqual(new Set(blocks.map(({ text }) => text)), new Set([sentence.trim()]))
  const { blocks: pieces } = blocksOf('x'.repeat(3 * MAX_TEXT))
  assert.deepEqual(
    pieces.map(({ text }) => text.length),
    [MAX_TEXT, MAX_TEXT, MAX_TEXT],
  )
})

test('deep, wrong and endless nesting has a place that fits a line', () => {
  const [{ place }] = blocksOf(`<body>${'<div>'.repeat(1000)}x`).blocks
  assert.equal(place, 'body > … > div > div > div > div > div')
  assert.deepEqual(shown('<body></div></ul><p>x</b></p></p>y'), ['body > p: x', 'body: y'])
  assert.deepEqual(shown('<div id="a b<c">x<div id=ok>y'), ['div: x', 'div > div#ok: y'])
})

test('lines of a text, whatever ends them; what is too much is counted', () => {
  assert.deepEqual(
    linesOf('a\r\n b\n\nc').blocks.map(({ text }) => text),
    ['a', ' b', '', 'c'],
  )
  const { blocks, rest } = linesOf('x\n'.repeat(MAX_BLOCKS + 7))
  assert.deepEqual([blocks.length, rest.length], [MAX_BLOCKS, 14])
  const page = blocksOf('<p>x'.repeat(MAX_BLOCKS + 7))
  assert.deepEqual([page.blocks.length, page.rest.length], [MAX_BLOCKS, 7])
})

test('any text can be split, and no letter of it is lost', () => {
  const piece = fc.constantFrom(
    '<p>',
    '</p>',
    '<b>',
    '</div>',
    '<div id=x>',
    '<pre>',
    '<title>',
    'word',
    ' ',
    '&lt;',
    '<!--',
    '-->',
    '<img src=x>',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const { blocks } = blocksOf(pieces.join(''))
      for (const { text, place } of blocks) assert.ok(text === text.trimEnd() && place.length < 200)
    }),
  )
  const words = fc.array(fc.constantFrom('<p>', '</p>', '<b>', '</b>', '<li>', 'word'), { maxLength: 60 })
  fc.assert(
    fc.property(words, (pieces) => {
      const text = blocksOf(pieces.join('')).blocks.map((block) => block.text)
      assert.equal(text.join('').length, 4 * pieces.filter((one) => one === 'word').length)
    }),
  )
})
