/** Pages that are not what they are said to be, or say nothing but that they will not be read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPage, readText, TROUBLES } from './reading.ts'

const read = (html: string, mediaType = 'text/html') =>
  readPage({ mediaType, charset: undefined, bytes: new TextEncoder().encode(html) })
const troubles = (html: string, mediaType?: string) => read(html, mediaType).troubles.join()

const BASE64 = Buffer.from(Uint8Array.from({ length: 3000 }, (_, i) => (i * 37 + (i >> 3)) % 256)).toString('base64')
const LINES = BASE64.replace(/.{76}/g, '$&\n')

test('a type that its result belies: no links, no words, no white space (V32)', () => {
  assert.equal(troubles(BASE64), 'belied:no-white-space')
  assert.equal(troubles(BASE64, 'text/plain'), 'belied:no-white-space')
  assert.equal(troubles(LINES, 'text/plain'), 'belied:no-words')
  assert.equal(troubles(`begin 644 x\n${LINES}`), 'belied:no-words', 'some noise is no text')
  assert.equal(troubles(`<html><body>${BASE64}</body>`), 'belied:no-white-space')
  assert.equal(troubles(`<html><body><a href=x>${BASE64}</body>`), '', 'it has a link')
})

test('what is honest is not belied: short pages, pages of scripts, scripts without spaces, long words amid text', () => {
  assert.equal(troubles('<p>ok'), '')
  assert.equal(troubles('x'.repeat(1000), 'text/plain'), '', 'short')
  assert.equal(
    troubles(`<html><head><title>App</title><script>${'var a=1;'.repeat(500)}</script><div id=root></div>`),
    '',
  )
  assert.equal(troubles('漢字仮名交じり文'.repeat(300), 'text/plain'), '')
  assert.equal(troubles('ภาษาไทยไม่มีช่องว่าง'.repeat(200), 'text/plain'), '')
  assert.equal(troubles(`${'some words '.repeat(50)}${BASE64}`, 'text/plain'), '')
})

test('binary that is declared as HTML or text is not read', () => {
  const bytes = Uint8Array.from({ length: 4000 }, (_, i) => (i * i * 31 + i * 7) % 251)
  for (const mediaType of ['text/html', 'text/plain', 'application/xhtml+xml']) {
    const reading = readPage({ mediaType, charset: undefined, bytes })
    assert.deepEqual(reading.troubles, ['binary'])
    assert.deepEqual([reading.as, reading.links, reading.signature.textDigest], ['none', [], 0n])
  }
  assert.deepEqual(readPage({ mediaType: 'image/png', charset: undefined, bytes }).troubles, [])
})

test('an answer that only speaks of the browser (V28)', () => {
  const scolds = [
    '<title>Unsupported browser</title><h1>Your browser is not supported</h1><p>Please use a recent version of <a href=a>Chrome</a>, <a href=b>Firefox</a> or <a href=c>Safari</a>.',
    '<html><body><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div><script src=a.js></script>',
    '<p>This site requires JavaScript. Please enable JavaScript and reload the page.<p>Example Ltd',
    '<p>Cookies must be enabled to use this site.',
    '<h1>O seu navegador não é suportado</h1><p>Por favor atualize o seu navegador.',
    '<p>Ative o JavaScript para continuar.',
    '<p>Su navegador no es compatible con este sitio. Actualice su navegador.',
    '<p>Habilite JavaScript en su navegador',
    '<p>Ihr Browser wird nicht unterstützt. Bitte verwenden Sie Firefox oder Chrome.',
    '<noscript>Bitte aktivieren Sie JavaScript in Ihrem Browser.</noscript><p>Firma GmbH',
    '<p>Votre navigateur n’est pas pris en charge. Mettez à jour votre navigateur.',
    '<p>Veuillez activer les cookies pour continuer',
    '<p>Il tuo browser non è supportato. Aggiorna il tuo browser.',
    '<p>Per favore abilita JavaScript',
  ]
  for (const page of scolds) assert.equal(troubles(page), 'unsupported-browser', page)
})

test('a page that has more to say is a page', () => {
  const words = 'The library opens on weekdays from nine to five and on Saturdays until noon except in August '
  const pages = [
    `<noscript>Please enable JavaScript for the best experience.</noscript><p>${words}`,
    `<h1>How to enable JavaScript</h1><p>${'Open the menu of the program, choose settings, then look for the line about scripts. '.repeat(20)}`,
    '<p>We bake bread. <a href=1>Bread</a> <a href=2>Cakes</a> <a href=3>Shop</a> <a href=4>News</a>',
    '<p>Cookies baked daily: chocolate, oat, lemon.',
    '<p>Our browser game was updated.',
    '<p>ok',
    '',
  ]
  for (const page of pages) assert.equal(troubles(page), '', page)
})

test('troubles are a closed list without white space, fit for a log', () => {
  for (const trouble of TROUBLES) assert.match(trouble, /^[a-z0-9:>-]+$/)
  assert.equal(new Set(TROUBLES).size, TROUBLES.length)
})

test('plain text has a reading of its own: words and signature, and no links', () => {
  const text = `See http://a.test/x and <http://c.test/?q=1> for more of this, says the note that somebody wrote in plain
    text some years ago, when nobody thought that programs would ever look for addresses in it.`
  const reading = read(text, 'text/plain')
  assert.deepEqual(reading.links, [])
  assert.equal(reading.as, 'text')
  const folded = readText({ mediaType: 'text/plain', charset: undefined, bytes: new TextEncoder().encode(text) })
  assert.ok(folded.includes('<http://c.test/?q=1> for'), 'no tag is seen in it')
  assert.equal(reading.signature.words > 20, true)
  assert.equal(reading.title, '')
})
