import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { conformanceTest } from '../../base/conformance.test-data.ts'
import { charsetInContent, charsetOf, declaredCharset, decode, LATE_BYTES } from './charset.ts'
import { encodingOf } from './encodings.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')
const of = (page: string | Uint8Array, header?: string) =>
  charsetOf(typeof page === 'string' ? bytes(page) : page, header)

test('BOM before header before declaration before the bytes themselves', () => {
  const page = '<meta charset=iso-8859-2>\xe3'
  assert.deepEqual(of(`\xef\xbb\xbf${page}`, 'koi8-r'), { charset: 'utf-8', source: 'bom' })
  assert.deepEqual(of(`\xff\xfe${page}`, 'koi8-r'), { charset: 'utf-16le', source: 'bom' })
  assert.deepEqual(of(page, 'koi8-r'), { charset: 'koi8-r', source: 'header' })
  assert.deepEqual(of(page, 'nonsense'), { charset: 'iso-8859-2', source: 'declared' })
  assert.deepEqual(of('<p>ol\xc3\xa1'), { charset: 'utf-8', source: 'bytes' })
})

test('labels are those of the Encoding Standard', () => {
  assert.equal(encodingOf('Latin1'), 'windows-1252')
  assert.equal(encodingOf(' UTF8\n'), 'utf-8')
  assert.equal(encodingOf('iso-2022-kr'), undefined)
  assert.equal(encodingOf('x'.repeat(5000)), undefined)
})

test('a UTF-8 page cut inside a character is still UTF-8', () => {
  const page = Buffer.from('<p>'.padEnd(2000) + 'ação 你')
  for (const less of [0, 1, 2]) assert.equal(of(page.subarray(0, page.length - less)).charset, 'utf-8')
  assert.equal(of('<p>caf\xe9').charset, 'windows-1252', 'one odd byte at the end is not enough')
})

test('without any word about it, the bytes are looked at', () => {
  const portuguese =
    'A rede é composta por muitas páginas; não há ninguém que as conheça todas, e são úteis à investigação. '
  assert.equal(of(Buffer.from(portuguese.repeat(5), 'latin1')).charset, 'windows-1252')
  const cyrillic = Uint8Array.from([
    0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x20, 0xec, 0xe8, 0xf0, 0x2c, 0x20, 0xfd, 0xf2, 0xee, 0x20, 0xf2, 0xe5, 0xf1,
    0xf2, 0x20, 0xea, 0xee, 0xe4, 0xe8, 0xf0, 0xee, 0xe2, 0xea, 0xe8, 0x20, 0xe8, 0x20, 0xed, 0xe5, 0x20, 0xe1, 0xee,
    0xeb, 0xe5, 0xe5, 0x20,
  ])
  assert.equal(of(Buffer.concat([cyrillic, cyrillic, cyrillic])).charset, 'windows-1251')
  assert.equal(of(Buffer.from('<html><p>wide', 'utf16le')).charset, 'utf-16le')
  assert.equal(of('\xe9').source, 'bytes')
})

test('Korean syllables outside KS X 1001 are read as in browsers', () => {
  const korean = (hex: string) => decode(Buffer.from(hex, 'hex'), 'ks_c_5601-1987').text
  assert.equal(korean('bbd794ee8c63c164'), '뿡뷁똠햏')
  assert.equal(korean('a2e6a2e7c8fec6528141'), '€®힝힣갂')
  // Half a character takes no letter of a tag with it.
  assert.equal(korean('94ee813c703eff80b1'), '뷁\ufffd<p>\ufffd\ufffd\ufffd')
})

test('Korean text is one character for each in the standard’s index', () => {
  const leads = Array.from({ length: 0x7e }, (_, i) => i + 0x81)
  const trails = Array.from({ length: 0xbe }, (_, i) => i + 0x41)
  const text = decode(
    Uint8Array.from(leads.flatMap((lead) => trails.flatMap((trail) => [lead, trail, 10]))),
    'euc-kr',
  ).text
  const read = text.split('\n').filter((cell) => cell !== '' && !cell.includes('\ufffd'))
  assert.equal(read.length, 17_048)
  assert.equal(new Set(read).size, 17_048)
  assert.equal(read.filter((cell) => cell >= '가' && cell <= '힣').length, 11_172)
})

/** In an encoding of one byte a letter. */
function encoded(text: string, encoding: string): Buffer {
  const all = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))
  const bytes = Array.from(text, (letter) => all.indexOf(letter))
  assert.ok(!bytes.includes(-1), `${encoding} has all letters of the text`)
  return Buffer.from(bytes)
}

/** Article 1 of the Universal Declaration of Human Rights. */
const RUSSIAN =
  'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.'
const UKRAINIAN =
  'Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.'
const GREEK =
  'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση.'
const HEBREW =
  'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחוה.'
const ARABIC =
  'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء.'
const THAI = 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ'
const SLOVENE =
  'Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake pravice. Obdarjeni so z razumom in vestjo in bi morali ravnati drug z drugim kakor bratje. Vsakdo je upravičen do uživanja vseh svoboščin, ne glede na raso, barvo kože, spol, jezik, vero, narodno ali družbeno pripadnost.'
const HUNGARIAN =
  'Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek.'
const FRENCH =
  'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.'

test('scripts of one byte a letter are told by their letters, among any amount of ASCII', () => {
  const ascii = 'var menu = document.getElementById("menu"); http://www.example.org/news/2020/index.php?page=1 '
  for (const [text, ...encodings] of [
    [RUSSIAN, 'windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866', 'x-mac-cyrillic'],
    [RUSSIAN.toUpperCase(), 'windows-1251', 'koi8-r', 'iso-8859-5'],
    [UKRAINIAN, 'windows-1251', 'koi8-u', 'x-mac-cyrillic'],
    [GREEK, 'windows-1253', 'iso-8859-7'],
    [HEBREW, 'windows-1255'],
    [ARABIC, 'windows-1256', 'iso-8859-6'],
    [THAI, 'windows-874'],
  ]) {
    for (const encoding of encodings) {
      const page = encoded(text, encoding)
      const decoded = (bytes: Uint8Array) => new TextDecoder(of(bytes).charset).decode(bytes)
      assert.equal(decoded(page), text, encoding)
      const mixed = Buffer.concat([Buffer.from(ascii.repeat(20)), page, Buffer.from(ascii.repeat(200))])
      assert.ok(decoded(mixed).includes(text), `${encoding} among ASCII`)
    }
  }
})

test('Latin letters, also of languages that the statistics do not know', () => {
  for (const [text, encoding] of [
    [FRENCH, 'windows-1252'],
    [HUNGARIAN, 'iso-8859-2'],
    [SLOVENE, 'windows-1250'],
    [SLOVENE, 'iso-8859-2'],
  ]) {
    assert.equal(of(encoded(text, encoding)).charset, encoding)
  }
  const late = Buffer.concat([encoded(HUNGARIAN.repeat(40), 'iso-8859-2'), bytes('\x84')])
  assert.equal(of(late).charset, 'windows-1250', 'what only windows-1250 has comes after the sample')
})

test('UTF-8 with a wrong byte in it is still UTF-8', () => {
  for (const text of [
    RUSSIAN,
    UKRAINIAN,
    GREEK,
    HEBREW,
    ARABIC,
    THAI,
    SLOVENE,
    FRENCH,
    '모든 인간은 태어날 때부터 자유로우며',
  ]) {
    for (const times of [1, 50]) {
      const page = Buffer.concat([Buffer.from(text.repeat(times)), bytes('\xe9 '), Buffer.from(text)])
      assert.equal(of(page).charset, 'utf-8', text)
    }
  }
})

test('punctuation in an English page makes it nothing else', () => {
  for (const odd of [
    '\xa0',
    '\xa9 2020',
    '\xa0\xa0\xa0\xa0 \xa0\xa0',
    '\x93Hello\x94 \x96 it\x92s',
    '\xa0\x96\xa0 \xa0\x95\xa0 \xab\xa0 \xa0\xbb \xae\xa0',
    '\xb7\xa0\xb7\xa0\xab\xa0\xbb\xa0\xae\xa0',
  ]) {
    const page = `<p>Plain words of an English page ${odd} and so on, and on.`
    assert.equal(of(page).charset, 'windows-1252', JSON.stringify(odd))
  }
})

test('the scripts of East Asia', () => {
  for (const [encoding, text] of [
    ['euc-kr', 'uPC15yDAzrCjwLogxcK+7rOvILanus7FzSDA2sCvt86/7LjnILHXIMG4vvaw+iCxx7iuv6EgwNa+7iC1v7Xux8+02S4='],
    [
      'shift_jis',
      'greC14LEgsyQbIrUgs2BQZC2guqCyIKqgueCyYK1gsSOqZdSgsWCoILogUGCqYLCgUGRuIy1gsaMoJeYgsaCyYLCgqKCxJW9k5mCxYKggumBQg==',
    ],
    [
      'big5',
      'pEikSKXNptOm26XRLKZitEzEWalNxXanUaRXpECr36WttaWhQ6VMrcy94aazsnqpyqlNqH2k3yyow8CzpUilU6fMw/arWaq6uuuvq6SsrNu576vdoUM=',
    ],
    [
      'gb18030',
      'yMvIy8n6tvjX1NPJLNTa1/DRz7rNyKjA+8nP0rvCyca9tciho8v7w8e4s9PQwO3Q1LrNwbzQxCyyotOm0tTQ1rXcudjPtbXEvqvJ8c/gttS0/aGj',
    ],
  ]) {
    assert.equal(of(Buffer.from(text, 'base64')).charset, encoding)
  }
  assert.equal(of('<p>\x1b$B$3$l$OF|K\\8l\x1b(B').charset, 'iso-2022-jp')
})

test('a declaration that comes late is found before the bytes are guessed at', () => {
  assert.deepEqual(of('<!--' + 'x'.repeat(3000) + '--><meta charset=iso-8859-2>\xe3\xb1.'), {
    charset: 'iso-8859-2',
    source: 'declared',
  })
})

test('an XML declaration counts where no meta does', () => {
  assert.equal(of('<?xml version="1.0" encoding="ISO-8859-5"?><html>\xe9').charset, 'iso-8859-5')
  assert.equal(of('<?xml version="1.0" encoding="ISO-8859-5"?><meta charset=koi8-r>\xe9').charset, 'koi8-r')
})

test('charset in a content attribute', () => {
  assert.equal(charsetInContent('text/html; charset=utf-8;x'), 'utf-8')
  assert.equal(charsetInContent('charset charset = "a b"'), 'a b')
  assert.equal(charsetInContent('charset="a'), undefined)
  assert.equal(charsetInContent('text/html'), undefined)
})

test('any bytes decode, whatever the header says', () => {
  const label = fc.option(fc.oneof(fc.string(), fc.constantFrom('utf-16', 'gbk', 'iso-2022-jp', 'x-user-defined')), {
    nil: undefined,
  })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), label, (page, header) => {
      assert.equal(typeof decode(page, header).text, 'string')
    }),
  )
})

interface Case {
  file: string
  n: number
  data_base64: string
  encoding: string
  scripted: boolean
}

conformanceTest('the prescan agrees with html5lib-tests', (folder) => {
  const path = join(folder, 'html', 'html5lib_meta_prescan.json')
  const { cases } = JSON.parse(readFileSync(path, 'utf8')) as { cases: Case[] }
  // Those that only a run script would reach are not for a prescan.
  for (const one of cases.filter((each) => !each.scripted)) {
    const page = Buffer.from(one.data_base64, 'base64')
    const { charset, source } = charsetOf(page, undefined)
    const found = source === 'bytes' ? declaredCharset(page, LATE_BYTES) : charset
    assert.equal(found ?? 'windows-1252', one.encoding.toLowerCase(), `${one.file} ${one.n}: ${page.subarray(0, 80)}`)
  }
  assert.ok(cases.length > 80)
})
