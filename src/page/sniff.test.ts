import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { howToRead, SNIFFED_BYTES, sniff } from './sniff.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')
const how = (declared: string, text: string | Uint8Array) => {
  const { as, sniffed } = howToRead(declared, typeof text === 'string' ? bytes(text) : text)
  return sniffed === undefined ? as : `${as} ${sniffed}`
}

const PAGE = '<!DOCTYPE html><html><head><title>x</title></head><body><a href=y>z</a></body></html>'
const PNG = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'
const PDF = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj'
const RSS = '<?xml version="1.0"?>\n<!-- made by hand -->\n<rss version="2.0"><channel>'
const NOISE = Uint8Array.from({ length: 4000 }, (_, i) => (i * i * 31 + i * 7) % 251)

test('what is declared and is so is read as declared, and nothing is sniffed', () => {
  assert.equal(how('text/html; charset=utf-8', PAGE), 'html')
  assert.equal(how('text/html', '\xef\xbb\xbf \n<HTML>'), 'html')
  assert.equal(how('text/html', '<!-- a comment --> <p>one</p>'), 'html')
  assert.equal(how('text/html', '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0"><html>'), 'html')
  assert.equal(how('application/xhtml+xml', '<?xml version="1.0"?><html xmlns="x">'), 'xhtml')
  assert.equal(how('application/xhtml+xml', '<?xml version="1.0"?><!DOCTYPE x><x>'), 'xhtml')
  assert.equal(how('text/plain', 'a note\non <b>tags</b>'), 'text')
  assert.equal(how('text/plain', '<p> is a tag that begins a paragraph'), 'text')
  assert.equal(how('application/pdf', PDF), 'none')
  assert.equal(how('image/jpeg', PNG), 'none', 'one image for another')
  assert.equal(how('image/heic', NOISE), 'none', 'what has no signature we know')
  assert.equal(
    how('application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'PK\x03\x04\x14\0'),
    'none',
  )
  assert.equal(how('application/msword', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0'), 'none')
  assert.equal(how('application/rss+xml', RSS), 'none')
  assert.equal(how('text/xml', '<root>no declaration</root>'), 'none')
  assert.equal(how('text/css', '<!-- p { color: red } --> </p>'), 'none')
  assert.equal(how('application/json', '{"html": "<p></p>"}'), 'none')
  assert.equal(how('application/octet-stream', NOISE), 'none')
  assert.equal(how('text/html', ''), 'html')
})

test('HTML is read as HTML, whatever it is called', () => {
  for (const type of [
    'text/plain',
    'application/octet-stream',
    'image/png',
    'application/pdf',
    'text/css',
    'x/y',
    '',
  ]) {
    assert.equal(how(type, PAGE), 'html text/html', type)
  }
  assert.equal(how('text/plain', '<h1>Title</h1> and <p>more</p>'), 'html text/html')
  assert.equal(how('text/xml', '<html xmlns="http://www.w3.org/1999/xhtml">'), 'xhtml application/xhtml+xml')
  const wide = Buffer.from('\ufeff' + PAGE, 'utf16le')
  assert.equal(how('text/plain', wide), 'html text/html')
  assert.equal(how('text/html', wide), 'html')
  assert.equal(how('text/html', Buffer.from(PAGE, 'utf16le')), 'html', 'UTF-16 without a mark')
})

test('text that is called HTML has no structure; but one tag anywhere near makes it a page', () => {
  assert.equal(how('text/html', '#include <stdio.h>\nint main() { return a < b; }'), 'text text/plain')
  assert.equal(how('text/html', 'Name;Age\nAnna;7'), 'text text/plain')
  assert.equal(how('text/html', `${'words '.repeat(5000)}<a href=x>`), 'html')
  assert.equal(how('text/html', 'AT&amp;T'), 'html', 'a reference')
  assert.equal(how('text/html', '> <base href=/x/>'), 'html')
  assert.equal(how('', 'just words'), 'text text/plain')
})

test('a page behind an XML declaration is a page, whatever comes first; other XML is not', () => {
  const xml = '<?xml version="1.0" encoding="UTF-8"?>\n'
  assert.equal(how('text/html', `${xml}<div><a href="x">a part of a page</a></div>`), 'html')
  assert.equal(how('text/html', `${xml}> <!DOCTYPE html><html>`), 'html')
  assert.equal(how('text/html', `${xml}Warning: no such file\n<br />${PAGE}`), 'html')
  assert.equal(how('text/html', `${xml}<ul><li><a class="b" href="x">x</a></ul>`), 'html')
  assert.equal(how('text/html', `${xml}<urlset><url><loc>http://a.test/?a&amp;b</loc></url>`), 'none application/xml')
  assert.equal(how('text/html', `${xml}<result><title>x</title><link>y</link></result>`), 'none application/xml')
  assert.equal(how('application/xml', `${xml}<section><p>x</p></section>`), 'none')
})

test('what is not text is not read as text', () => {
  assert.equal(how('text/html', PNG), 'none image/png')
  assert.equal(how('text/html', PDF), 'none application/pdf')
  assert.equal(how('text/html', '\x1f\x8b\x08\0\0'), 'none application/gzip')
  assert.equal(how('text/plain', 'PK\x03\x04\x14\0'), 'none application/zip')
  assert.equal(how('text/html', NOISE), 'none application/octet-stream')
  assert.equal(how('text/html', 'MZ\x90\0\x03'), 'none application/x-msdownload')
  assert.equal(how('text/html', 'BMW builds cars'), 'text text/plain', 'a weak signature needs bytes that no text has')
  assert.equal(how('text/html', RSS), 'none application/rss+xml')
  assert.equal(how('text/html', '<feed xmlns="http://www.w3.org/2005/Atom">'), 'none application/atom+xml')
  assert.equal(how('text/plain', '<?xml version="1.0"?><urlset>'), 'none application/xml')
  assert.equal(how('text/html', '<svg xmlns="http://www.w3.org/2000/svg">'), 'none image/svg+xml')
  assert.equal(how('application/octet-stream', PDF), 'none application/pdf')
  assert.equal(how('image/gif', 'Not found'), 'none text/plain')
})

test('a stray control does not make a page binary, many do', () => {
  assert.equal(how('text/html', `<p>a\0b\x02c</p>${'text '.repeat(100)}`), 'html')
  assert.equal(how('text/html', `<p>${'\0\x01\x02x'.repeat(100)}`), 'none application/octet-stream')
})

test('only the first bytes are looked at, and any bytes get an answer', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 3000 }),
      fc.constantFrom('text/html', 'text/plain', '', 'a/b'),
      (all, type) => {
        assert.equal(sniff(all), sniff(all.subarray(0, SNIFFED_BYTES)))
        assert.ok(['html', 'xhtml', 'text', 'none'].includes(howToRead(type, all).as))
      },
    ),
    { numRuns: 300 },
  )
})
