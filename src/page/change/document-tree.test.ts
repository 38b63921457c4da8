import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readPage } from '../reading.ts'
import { MAX_NODES, type PaperSignature, signPage } from './document-tree.ts'
import { changedLevels, findChange, imagesOf } from './paper-cascade.ts'
import { textCodes } from './text-codes.ts'

function sign(html: string, mediaType = 'text/html'): PaperSignature {
  return signPage({ mediaType, charset: 'utf-8', bytes: Buffer.from(html) })
}

test("the paper's page gives its tag strings (Y7)", () => {
  const page =
    '<!DOCTYPE html><html><head><title>Basic HTML Code Example</title></head><body><h1>Welcome to My Web Page!</h1>' +
    '<p>This page</p><p>There is</p><P>Link:</P></body></html>'
  const { first, last } = sign(page)
  assert.deepEqual([first, last], ['hhtbhppp', 'ldey1ppp'])
})

/** Nested elements with these numbers of nodes by level, all children under the first node of the level above. */
function nested([count, ...rest]: readonly number[]): string {
  const inside = rest.length === 0 ? '' : nested(rest)
  return `<div>${inside}</div>${'<div></div>'.repeat(count - 1)}`
}

test('Table I, by level, and the levels that changed (Y7)', async () => {
  const initially = [1, 1, 2, 2, 1, 2, 1, 4, 1]
  const latter = [1, 1, 2, 2, 1, 2, 2, 5, 3]
  const [before, after] = [sign(nested(initially)), sign(nested(latter))]
  assert.deepEqual(before.tree.levels, initially)
  assert.deepEqual(after.tree.levels, latter)
  assert.deepEqual(changedLevels(before.tree.levels, after.tree.levels), [7, 8, 9])
  const change = await findChange('II', before, after)
  assert.deepEqual(change, {
    by: 'levels',
    levels: [7, 8, 9],
    place: { id: 8, level: 6, path: [1, 1, 1, 1, 1, 1] },
  })
})

test('id, children, level and content value of each node, breadth first; a value is of its own text (Y11)', () => {
  const { tree } = sign('<html><body><ul>a<li>bc<b>d</b>e<li>f</ul><p>g<br>h</body></html>')
  // html, body, ul, p, li, li, br, b
  assert.deepEqual([...tree.children], [1, 2, 2, 1, 1, 0, 0, 0])
  assert.deepEqual([...tree.level], [1, 2, 3, 3, 4, 4, 4, 5])
  const own = ['', '', 'a', 'gh', 'bce', 'f', '', 'd']
  assert.deepEqual(
    [...tree.value],
    own.map((text) => textCodes(text).codeII),
  )
})

test('the place of a change of text, and of an element that only moved within its level (Y11)', async () => {
  const page = (cells: string) => sign(`<html><body><div>one</div><div>two<p>${cells}</p></div></body></html>`)
  assert.deepEqual(await findChange('II', page('x <b>old</b>'), page('x <b>new</b>')), {
    by: 'content',
    place: { id: 6, level: 5, path: [1, 1, 2, 1, 1] },
  })
  const before = sign('<body><ul><li>a<li>b</ul><ul></ul></body>')
  const after = sign('<body><ul><li>a</ul><ul><li>b</ul></body>')
  assert.deepEqual(await findChange('II', before, after), {
    by: 'levels',
    levels: [],
    place: { id: 2, level: 2, path: [1, 1] },
  })
})

test('a check is made only if the one before found no change; images come last (Y10)', async () => {
  const asked: string[] = []
  const images = (before: string[], now: string[]) => async () => {
    asked.push('images')
    return [before, now] as const
  }
  const page = sign('<p>text <img src=a.png>')
  for (const method of ['I', 'II'] as const) {
    assert.equal(
      (await findChange(method, page, sign('<h1>text <img src=a.png>'), images([], [])))?.by,
      method === 'I' ? 'first letters' : undefined,
    )
    asked.length = 0
    assert.equal(
      (await findChange(method, page, sign('<p>text <b><img src=a.png></b>'), images([], ['1'])))?.by,
      method === 'I' ? 'first letters' : 'levels',
    )
    assert.equal(
      (await findChange(method, page, sign('<p>texts <img src=a.png>'), images([], ['1'])))?.by,
      method === 'I' ? 'text' : 'content',
    )
    assert.deepEqual(asked, [])
    assert.deepEqual(await findChange(method, page, page, images(['1', '2'], ['1', '3'])), { by: 'images', image: 1 })
    assert.equal(await findChange(method, page, page, images(['1'], ['1'])), undefined)
    assert.deepEqual(asked, ['images', 'images'])
  }
  // Same first letters, so that the second string decides.
  assert.equal((await findChange('I', sign('<ul><li>x</ul>'), sign('<u><li>x</u>')))?.by, 'last letters')
})

test('images that are linked count as those that are embedded (Y10)', () => {
  const page =
    '<img src=a.png><a href="photo.JPG?size=1">p</a><a href=page.html>q</a><object data=b type=image/gif></object>'
  const { links } = readPage({ mediaType: 'text/html', charset: 'utf-8', bytes: Buffer.from(page) })
  assert.deepEqual(imagesOf(links), ['a.png', 'photo.JPG?size=1', 'b'])
})

test('scripts, styles and comments are no text; raw text is no structure', () => {
  const { first, text } = sign('<title>a<b></title><script>var x = "<p>"</script><style>p{}</style><!-- c --><p>d')
  assert.equal(first, 'tssp')
  assert.deepEqual(text, textCodes('a<b>d'))
  assert.equal(sign('<iframe/><p>never closed').first, 'ip')
  assert.deepEqual(sign('<iframe>never closed').text, textCodes('never closed'))
  assert.deepEqual(sign('<p>a<script>never closed').text, textCodes('a'))
  assert.deepEqual(sign('<p/><b/>x', 'application/xhtml+xml').tree.levels, [2])
  assert.deepEqual(sign('<p><svg><g/><g/></svg>').tree.levels, [1, 1, 2])
  assert.deepEqual(sign('plain &amp; text', 'text/plain').text, textCodes('plain &amp; text'))
})

test('the columns of a tree agree, whatever the page', () => {
  const piece = fc.constantFrom(
    '<p>',
    '</p>',
    '<div>',
    '</div>',
    '<li>',
    '</ul>',
    '<ul>',
    '<td>',
    '<tr>',
    '<br>',
    'x',
    '<x-y>',
    '</x-y>',
    '<svg>',
    '<g/>',
    '<script>',
    '</script>',
    '<iframe>',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const { first, last, tree } = sign(pieces.join(''))
      const nodes = tree.children.length
      assert.equal(first.length, nodes)
      assert.equal(last.length, nodes)
      assert.equal(
        tree.levels.reduce((sum, count) => sum + count, 0),
        nodes,
      )
      assert.equal(
        tree.children.reduce((sum, count) => sum + count, 0),
        nodes - (tree.levels[0] ?? 0),
      )
      // The children of level n are level n + 1.
      tree.levels.forEach((count, i) => {
        const of = [...tree.children].filter((_, node) => tree.level[node] === i)
        if (i > 0)
          assert.equal(
            of.reduce((sum, children) => sum + children, 0),
            count,
          )
      })
    }),
  )
})

test('why structure is not the default: other tags with the same letters, and levels with the same counts', async () => {
  const change = (one: string, other: string) => findChange('I', sign(one), sign(other))
  assert.equal(await change('<p><code>x</code>', '<p><cite>x</cite>'), undefined)
  assert.deepEqual(sign('<p><b>a</b><p>c').tree.levels, sign('<h1>x</h1><h2><i>y</i></h2>').tree.levels)
})

test('hostile pages: linear, bounded, without recursion', async () => {
  const big = (part: string, bytes: number) => part.repeat(Math.ceil(bytes / part.length))
  for (const part of [
    '<p>',
    '<div>',
    '<b></i>',
    '</div>',
    '<x a=b>',
    '<svg>',
    '<iframe>',
    '&amp;',
    '<li><p>',
    '<table><tr><td>',
  ])
    for (const opening of ['<p>', '<script>', '<title>']) {
      const begun = process.cpuUsage()
      // 10 MB take about 0.3 s of CPU.
      const signature = sign(
        opening + big(part, (part === '<p>' || part === '<div>') && opening === '<p>' ? 10_000_000 : 500_000),
      )
      const seconds = process.cpuUsage(begun).user / 1e6
      assert.ok(signature.tree.children.length <= MAX_NODES)
      assert.ok(seconds < 5, `${opening}${part}: ${seconds} s`)
    }
  const deep = sign('<div>'.repeat(100_000) + 'x' + '</div>'.repeat(100_000))
  assert.equal(deep.tree.levels.length, 100_000)
  const change = await findChange('II', deep, sign('<div>'.repeat(100_000) + 'y' + '</div>'.repeat(100_000)))
  assert.equal(change?.by === 'content' && change.place.path.length, 100_000)
  const attributes = Array.from({ length: 1_000_000 }, (_, i) => `a${i}=1`).join(' ')
  assert.equal(sign(`<p ${attributes}>x</p>`).first, 'p')
  const cut = sign('<p>'.repeat(MAX_NODES + 1) + 'late')
  assert.equal(cut.cut, true)
  assert.deepEqual(cut.text, textCodes('late'))
})
