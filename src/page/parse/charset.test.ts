import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { conformanceTest } from '../../base/conformance.test-data.ts'
import { charsetOf, decode, encodingOf } from './charset.ts'
import { charsetInContent, declaredCharset, LATE_BYTES } from './meta-prescan.ts'

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
    const found = source === 'bytes' ? declaredCharset(page, LATE_BYTES, encodingOf) : charset
    assert.equal(found ?? 'windows-1252', one.encoding.toLowerCase(), `${one.file} ${one.n}: ${page.subarray(0, 80)}`)
  }
  assert.ok(cases.length > 80)
})
