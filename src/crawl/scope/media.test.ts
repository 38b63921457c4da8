import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindByName, limitOf, unwantedKindsOf, wantsMediaOf } from './media.ts'

test('wanted media types', () => {
  const wants = wantsMediaOf(['text/html', 'image/*', 'Application/PDF'])
  for (const type of ['text/html', 'TEXT/HTML; charset=x', 'application/xhtml+xml', 'image/png', 'application/pdf', ''])
    assert.equal(wants(type), true, type)
  for (const type of ['text/plain', 'imagex/png', 'application/pdfx']) assert.equal(wants(type), false, type)
  assert.equal(wantsMediaOf(['*'])('anything'), true)
  assert.equal(wantsMediaOf(['*/*'])('any/thing'), true)
  assert.equal(wantsMediaOf(['application/vnd.oasis.*'])('application/vnd.oasis.opendocument.text'), true)
})

test('the limit that names the type most exactly', () => {
  const limit = limitOf([
    { type: '*/*', bytes: 1 },
    { type: 'text/*', bytes: 2 },
    { type: 'text/html', bytes: 3 },
  ])
  assert.equal(limit('text/html;charset=utf-8'), 3)
  assert.equal(limit('text/plain'), 2)
  assert.equal(limit('image/png'), 1)
  assert.equal(limit(''), 1)
  assert.equal(limitOf([])('text/html'), 10_000_000)
})

test('kinds by name: never for pages, never for unknown names', () => {
  assert.equal(kindByName('/a/b.JPG'), 'image')
  assert.equal(kindByName('/a/b.tar.gz?download=1'), 'archive')
  assert.equal(kindByName('/a.pdf'), 'pdf')
  for (const path of [
    '/',
    '/a',
    '/a.html',
    '/a.php',
    '/a.aspx',
    '/index.shtml',
    '/a.zip/',
    '/v1.2',
    '/x?f=a.zip',
    '/a.com',
    '/jpg',
    '/a.',
  ])
    assert.equal(kindByName(path), undefined, path)
})

test('only kinds that no wanted type could be are unwanted', () => {
  assert.equal(unwantedKindsOf(['*/*']).size, 0)
  const forText = unwantedKindsOf(['text/html', 'text/plain'])
  for (const kind of ['image', 'video', 'script', 'style', 'pdf', 'archive', 'office'])
    assert.ok(forText.has(kind), kind)
  assert.equal(unwantedKindsOf(['image/png']).has('image'), false, 'its name cannot tell png from others for sure')
  assert.equal(unwantedKindsOf(['application/vnd.oasis.opendocument.text']).has('office'), false)
  assert.equal(unwantedKindsOf(['text/*']).has('style'), false)
})
