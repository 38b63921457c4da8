import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { textHash } from '../base/digest.ts'
import { isReadable, type Reading, readCharacters, readInTurns, readPage, readText } from './reading.ts'

function read(html: string, mediaType = 'text/html'): Reading {
  return readPage({ mediaType, charset: undefined, bytes: new TextEncoder().encode(html) })
}

function textOf(html: string, mediaType = 'text/html'): string {
  return readText({ mediaType, charset: undefined, bytes: new TextEncoder().encode(html) })
}

const hrefs = (html: string, mediaType?: string) =>
  read(html, mediaType).links.map((link) => `${link.kind} ${link.href}${link.nofollow ? ' nofollow' : ''}`)

test('what is readable', () => {
  for (const type of ['text/html', 'Text/HTML; charset=x', 'application/xhtml+xml', 'text/plain'])
    assert.ok(isReadable(type), type)
  for (const type of ['', 'text/css', 'application/pdf', 'text/html2']) assert.ok(!isReadable(type), type)
})

test('links of every kind, as they are written, in order (W13)', () => {
  const page = `<base href=" /inner/ "><base href=/second/>
    <a href=" one.html&#32;">1</a><A HREF='two?a=1&amp;b=2&copy=3' REL="External NoFollow">2</A><a name=x>no</a><a href="">no</a>
    <map><area href=three></map><frameset><frame src=four></frameset><iframe src=five></iframe>
    <form action=six></form><form action=no method=POST></form><form method=get action="se&#x76;en"></form>
    <link rel="Canonical" href=eight><link rel=alternate type="application/rss+xml" href=nine><link rel=next href=ten>
    <link rel=previous href=eleven><meta http-equiv=Refresh content="5; url='twelve'"><link rel=dns-prefetch href=no>
    <svg><a xlink:href=thirteen>13</a></svg><a href="four\nte\ten">14</a>`
  assert.deepEqual(hrefs(page), [
    'a one.html',
    'a two?a=1&b=2&copy=3 nofollow',
    'area three',
    'frame four',
    'iframe five',
    'form six',
    'form seven',
    'canonical eight',
    'alternate nine',
    'next ten',
    'prev eleven',
    'refresh twelve',
    'a thirteen',
    'a fourteen',
  ])
  assert.equal(read(page).base, '/inner/')
  assert.equal(read(page).links[8].media, 'application/rss+xml')
})

test('link types that name other pages are followed, those that name none are not', () => {
  const page = `<link rel=index href=1><link rel="Contents" href=2><link rel=up href=3><link rel="nofollow start" href=4>
    <link rel=glossary href=5><link rel="help" href=6><link rel=copyright href=7><link rel=search href=no>
    <link rel=preconnect href=no><link rel=manifest href=no><link href=no><link rel=shortlink href=no>`
  assert.deepEqual(hrefs(page), [
    'related 1',
    'related 2',
    'related 3',
    'related 4 nofollow',
    'related 5',
    'related 6',
    'related 7',
  ])
})

test('an iframe that nothing closes does not take the rest of the page with it', () => {
  const page = (frame: string) => `<title>t</title><a href=one>first</a>${frame}<p>rest <a href=two>second</a>`
  for (const name of ['iframe', 'noembed', 'noframes']) {
    for (const tag of [
      `<${name} src=f />`,
      `<${name} src=f>`,
      `<noscript><${name}/></noscript><${name}/></${name}s>`,
    ]) {
      const links = hrefs(page(tag)).filter((link) => link.startsWith('a '))
      assert.deepEqual(links, ['a one', 'a two'], tag)
      assert.match(textOf(page(tag)), /first\n*rest second/, tag)
    }
    const closed = page(`<${name}/>hidden</${name}>`)
    assert.deepEqual(hrefs(closed), ['a one', 'a two'])
    assert.doesNotMatch(textOf(closed), /hidden/)
    assert.deepEqual(hrefs(`${page(`<${name}/>`)}</${name}>`), ['a one'], 'by the standard, where there is an end')
  }
})

test('what is embedded is told apart, with what it is', () => {
  const page = `<img src=a.png><img src="data:image/png;base64,AA"><script src=b.js></script><link rel="alternate stylesheet" href=c.css>
    <video src=d.mp4 poster=e.jpg><source src=f.webm type="video/WebM; codecs=x"></video><audio src=g.ogg></audio>
    <embed src=h.swf type=application/x-shockwave-flash><object data=i></object><link rel="shortcut icon" href=j.ico>
    <link rel=preload as=font href=k.woff>`
  const { links } = read(page)
  assert.ok(links.every((link) => link.kind === 'embed'))
  assert.deepEqual(
    links.map((link) => `${link.href} ${link.media}`),
    [
      'a.png image',
      'b.js script',
      'c.css style',
      'd.mp4 video',
      'e.jpg image',
      'f.webm video/webm',
      'g.ogg audio',
      'h.swf application/x-shockwave-flash',
      'i object',
      'j.ico image',
      'k.woff font',
    ],
  )
})

test('no links from comments, scripts, templates and other raw text; but from noscript', () => {
  const page = `<!-- <a href=no> --><script>"<a href=no>"</script><style><a href=no></style><textarea><a href=no></textarea>
    <title><a href=no></title><template><a href=no></template><noscript><a href=yes>y</a></noscript><xmp><a href=no></xmp>`
  assert.deepEqual(hrefs(page), ['a yes'])
})

test('text: what a reader without scripts sees', () => {
  const page = `<html><head><title> The\n title &amp; more </title><style>p{}</style></head><body><h1>Big</h1>one <b>t</b>wo&nbsp;
    <script>no()</script><p>three<br>four<ul><li>five<li>six</ul><table><tr><td>a<td>b</table><textarea>area</textarea>
    <noscript>plain</noscript><template>hidden</template><iframe>no</iframe><xmp><i></xmp>&lt;end&gt;`
  const { title, signature } = read(page)
  const text = textOf(page)
  assert.equal(title, 'The title & more')
  assert.equal(text, 'Big\none two\nthree\nfour\nfive\nsix\na b\narea\nplain\n<i>\n<end>')
  assert.equal(signature.textDigest, textHash(text))
})

test('the title is the first outside SVG, and bounded', () => {
  assert.equal(read('<svg><title>icon</title></svg><title>page</title><title>other</title>').title, 'page')
  assert.equal(read(`<title>${'long '.repeat(1000)}`).title.length, 500)
  assert.equal(read(`<title>${'😀'.repeat(1000)}`).title, '😀'.repeat(250))
  assert.equal(read('none').title, '')
})

test('an empty element swallows nothing where it is empty: in SVG and in XHTML', () => {
  assert.deepEqual(hrefs('<svg><title/><style/></svg><a href=x>'), ['a x'])
  assert.deepEqual(hrefs('<svg><style/><p><script/></p><a href=no>'), [], 'an HTML block ends SVG that was left open')
  assert.deepEqual(hrefs('<script/><a href=no></script><a href=yes>'), ['a yes'])
  assert.deepEqual(hrefs('<script src="s"/><a href="x"/>', 'application/xhtml+xml'), ['embed s', 'a x'])
  assert.equal(textOf('<p><![CDATA[a < b]]></p>', 'application/xhtml+xml'), 'a < b')
  assert.equal(textOf('<p><![CDATA[a < b]]></p>'), '')
})

test('robots directives are handed on as written, by name', () => {
  const page = `<meta name=ROBOTS content="NoIndex, follow"><meta name=orbweaver content=none><meta name=viewport content="width=1">
    <meta name="googlebot" content="unavailable_after: 2030"><meta name=robots content="max-snippet:1"><meta content=noindex>`
  assert.deepEqual(read(page).robots, [
    { name: 'robots', content: 'NoIndex, follow' },
    { name: 'orbweaver', content: 'none' },
    { name: 'googlebot', content: 'unavailable_after: 2030' },
    { name: 'robots', content: 'max-snippet:1' },
  ])
})

test('the declared language', () => {
  assert.equal(read('<html lang=pt_BR><html lang=en>').language, 'pt-BR')
  assert.equal(read('<meta http-equiv=content-language content="de, en">').language, 'de')
  assert.equal(read('<meta http-equiv=content-language content=de><html xml:lang=fr>').language, 'fr')
  assert.equal(read('<html lang="{{lang}}">').language, undefined)
})

test('the structure is that of every start tag in order', () => {
  const tags = (html: string) => read(html).signature.tags
  assert.equal(tags('<p>a<b>'), tags('<P class=x>other<B></b>'))
  assert.notEqual(tags('<p><b>'), tags('<b><p>'))
  assert.notEqual(tags('<b>'.repeat(9000)), tags('<b>'.repeat(9001)))
})

test('bounds: links, lengths, text; each told among the troubles', () => {
  const many = read('<a href=x>'.repeat(50_003))
  assert.equal(many.links.length, 50_000)
  assert.deepEqual(many.troubles, ['links>50000'])
  const long = read(`<a href="${'x'.repeat(8193)}"><a href="${'x'.repeat(8192)}">`)
  assert.equal(long.links.length, 1)
  assert.deepEqual(long.troubles, ['href>8192'])
  const text = read('word '.repeat(250_000))
  assert.ok(text.signature.length <= 1_000_000)
  assert.deepEqual(text.troubles, ['text>1000000'])
  assert.deepEqual(read('<a href=x>fine').troubles, [])
})

test('malformed pages are read as far as they go (V14)', () => {
  assert.deepEqual(hrefs('<a href=one<a href=two>x</b></p><a href="three"class=x><<a href=four>'), [
    'a one<a',
    'a three',
    'a four',
  ])
  assert.deepEqual(hrefs('<td><a href=x></table></div></span><body><html><a href=y'), ['a x'])
  assert.equal(textOf('<p>a<b<c>d'), 'ad')
})

test('charset: the header first, then the page, then its bytes', () => {
  const bytes = Buffer.from('<meta charset=iso-8859-5>\xe9', 'latin1')
  assert.equal(readText({ mediaType: 'text/html', charset: undefined, bytes }), 'щ')
  assert.equal(readText({ mediaType: 'Text/HTML; x=1', charset: undefined, bytes }), 'щ')
  const told = { mediaType: 'text/html', charset: 'ISO-8859-1', bytes }
  assert.deepEqual([readText(told), readPage(told).charset], ['é', 'windows-1252'])
})

test('characters as a browser shows them; what is no text, or UTF-8 already, keeps its bytes', () => {
  const shown = (mediaType: string, charset: string | undefined, bytes: Uint8Array) => {
    const read = readCharacters({ mediaType, charset, bytes })
    return [read.charset, Buffer.from(read.utf8).toString()]
  }
  const cyrillic = Uint8Array.of(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2)
  assert.deepEqual(shown('text/html', 'windows-1251', cyrillic), ['windows-1251', 'Привет'])
  assert.deepEqual(shown('text/css', 'windows-1251', cyrillic), ['windows-1251', 'Привет'])
  const page = Buffer.from('<meta charset=iso-8859-7>\xe1', 'latin1')
  assert.deepEqual(shown('text/html', undefined, page), ['iso-8859-7', '<meta charset=iso-8859-7>α'])
  for (const [mediaType, bytes] of [
    ['text/html', Buffer.from('\ufeff<p>é')],
    ['image/png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['application/pdf', Buffer.from('%PDF-1.4 \xe9', 'latin1')],
  ] as const)
    assert.equal(readCharacters({ mediaType, charset: undefined, bytes }).utf8, bytes, mediaType)
})

test('no bytes make it throw', () => {
  const bits = [
    '<',
    '</',
    '>',
    '<a href="',
    '<!--',
    '<script',
    '<title>',
    '<svg>',
    '<template>',
    '<![CDATA[',
    '<meta content="',
    '&',
    '"',
    "'",
    '\xff',
    '\0',
    '<base href=',
    '<html lang=',
    "<script>location='",
    '<p onclick="open(\'x.html',
    '<a href="javascript:\'',
    '<?xml ',
    '%PDF-',
    'http://a.test/((',
    'x'.repeat(40),
    '你',
    'March 3 ',
    'enable javascript ',
  ]
  const types = ['text/html', 'application/xhtml+xml', 'text/plain', '', 'application/octet-stream', 'image/png']
  const part = fc.oneof(fc.constantFrom(...bits), fc.string({ maxLength: 5 }))
  const soup = fc.array(part, { maxLength: 50 }).map((parts) => Buffer.from(parts.join(''), 'latin1'))
  fc.assert(
    fc.property(fc.oneof(soup, fc.uint8Array({ maxLength: 200 })), fc.constantFrom(...types), (bytes, mediaType) => {
      const reading = readPage({ mediaType, charset: undefined, bytes })
      const text = readText({ mediaType, charset: undefined, bytes })
      assert.ok(text.isWellFormed() && reading.title.isWellFormed())
      assert.ok(!/[\0-\x09\x0b-\x1f\x7f-\x9f]/.test(text + reading.title), 'controls in the text')
      assert.ok(!/\S{31}/.test(text.replace(/你/g, ' ')), 'strings that are no words')
      assert.ok(reading.signature.length >= text.length, 'with what is left out of the text')
    }),
    { numRuns: 3000 },
  )
})

test('pages that are read in stretches, several at a time and others between them, are read as in one', () => {
  const tags = ['<p>', '<b>bold</b> ', '<a href="/x?a=1&amp;b=2">link</a>', '<script>var a = "/s.html"</script>']
  const long = (seed: number) =>
    Array.from(
      { length: 40_000 },
      (_, i) => `${tags[(i * seed) % tags.length]}word${(i * seed) % 97} &eacute;t&eacute; `,
    )
  const pages = [3, 5, 7, 9, 11, 13].map((seed) => Buffer.from(`<title>${seed}</title>${long(seed).join('')}`))
  const input = (bytes: Uint8Array) => ({ mediaType: 'text/html', charset: undefined, bytes })
  const alone = pages.map((bytes) => readPage(input(bytes)))
  const works = pages.map((bytes) => readInTurns(input(bytes)))
  const together: (Reading | undefined)[] = pages.map(() => undefined)
  let stretches = 0
  while (together.includes(undefined))
    for (const [nth, work] of works.entries()) {
      if (together[nth] !== undefined) continue
      const { done, value } = work.next()
      stretches++
      if (done) together[nth] = value
      assert.equal(read('<title>short</title>between').title, 'short')
      assert.equal(textOf('text <b>between</b>'), 'text between')
    }
  assert.deepEqual(together, alone)
  assert.ok(stretches > 4 * 4, String(stretches))
  // One that is given up half-way leaves its memory to others.
  for (let round = 0; round < 20; round++) {
    const left = readInTurns(input(pages[0]))
    assert.equal(left.next().done, false)
    left.return(alone[0])
  }
  assert.equal(readInTurns(input(pages[0])).next().done, false)
})

test('the own text of a page leaves out the words in links to other pages', () => {
  const page =
    '<h1>Vec</h1><a href=next.html>other <b>words</b></a> own <a href="#top">here</a> <a name=x>named</a> <a href=x>one<a href=y>two</a> end'
  const input = { mediaType: 'text/html', charset: undefined, bytes: new TextEncoder().encode(page) }
  assert.equal(readText(input, 'own').replace(/\s+/g, ' ').trim(), 'Vec own here named end')
  assert.match(readText(input), /other words.*one.*two/s)
})

test('a link that is left open in a template takes no words from the page', () => {
  const bytes = Buffer.from('<template><a href="/x">never shown</template><p>words of its own</p>')
  const input = { mediaType: 'text/html', charset: 'utf-8', bytes }
  assert.equal(readText(input, 'own').trim(), readText(input, 'all').trim())
})

test('a page that leads on by frames or a refresh does not scold the browser', () => {
  const scold = '<p>JavaScript is disabled on your browser.</p>'
  assert.ok(read(scold).troubles.includes('unsupported-browser'))
  for (const on of ['<frameset><frame src=a.html></frameset>', '<meta http-equiv=refresh content="0;a.html">'])
    assert.deepEqual(read(on + scold).troubles, [])
})
