import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshMemory, type SiteMemory } from '../contracts/site-memory.ts'
import type { KnownPage } from '../contracts/visit.ts'
import { digestOf, Scripted, type ScriptedAnswer } from './scripted.test-data.ts'

const PAGE = 'http://a.test/page'
const DATE = 'Sun, 15 Nov 2020 08:49:37 GMT'
const captured = { url: PAGE, at: 1_600_000_000_000 }
const known = (more: Partial<KnownPage> = {}): KnownPage => ({
  ...{ digest: digestOf('words'), textDigest: 0n, simhash: 0n, etag: '"1"', lastModified: DATE, captured },
  ...more,
})

async function look(answer: ScriptedAnswer, before: KnownPage, validators?: SiteMemory['validators']) {
  const web = new Scripted({ [PAGE]: answer })
  const memory = { ...freshMemory(), validators }
  const { pages, parts } = await web.visit({ agenda: [{ url: PAGE, before }], visit: { memory } })
  const { conditions } = web.asked.find(({ url }) => url === PAGE)!
  return { web, page: pages[0], conditions, validators: parts.at(-1)!.memory.validators }
}

test('an unmodified page: the record refers to the capture that has its payload, no body, validators renewed', async () => {
  const answer = {
    status: 304,
    headers: [
      ['ETag', '"1"'],
      ['Last-Modified', DATE],
    ],
  } as const
  const { web, page, conditions, validators } = await look(answer, known())
  assert.deepEqual(conditions, [
    ['If-None-Match', '"1"'],
    ['If-Modified-Since', DATE],
  ])
  assert.deepEqual(page.outcome, { kind: 'kept', how: 'same' })
  assert.deepEqual([page.status, page.bytes, page.memory?.digest], [304, 0, digestOf('words')])
  assert.deepEqual(web.kept.at(-1), { url: PAGE, digest: digestOf('words'), copy: captured })
  assert.deepEqual(validators, { asked: 1, lies: 0, renewed: 0 })
})

test('a first look and a page without validators are asked for plainly; a 304 that was not asked for is a failure', async () => {
  const { conditions, page } = await look({ status: 304 }, known({ etag: undefined, lastModified: undefined }))
  assert.deepEqual(conditions, [])
  assert.equal(page.outcome.kind, 'gone')
})

test('every twentieth look is whole; a server that would have hidden two changes is not believed again', async () => {
  const changed = { body: 'other words', headers: [['ETag', '"1"']] } as const
  const first = await look(changed, known(), { asked: 19, lies: 0, renewed: 0 })
  assert.deepEqual(first.conditions, [])
  assert.deepEqual(first.validators, { asked: 20, lies: 1, renewed: 0 })
  const second = await look(changed, known(), { asked: 39, lies: 1, renewed: 0 })
  assert.equal(second.validators?.lies, 2)
  const third = await look(changed, known(), second.validators)
  assert.deepEqual(third.conditions, [])
  const honest = await look({ ...changed, headers: [['ETag', '"2"']] }, known(), { asked: 19, lies: 0, renewed: 0 })
  assert.equal(honest.validators?.lies, 0)
})

test('a weak tag may stay while bytes change that do not matter', async () => {
  const before = known({ etag: 'W/"1"' })
  const answer = { body: 'words', headers: [['ETag', 'W/"1"']] } as const
  const { page } = await look(answer, before, { asked: 19, lies: 0, renewed: 0 })
  const same = { ...before, digest: 'sha1:other', textDigest: page.memory!.textDigest }
  const { validators } = await look(answer, same, { asked: 19, lies: 0, renewed: 0 })
  assert.equal(validators?.lies, 0)
})

test('tags that change though the page does not are of no use: only the date is sent', async () => {
  const answer = { body: 'words', headers: [['ETag', '"2"']] } as const
  const { validators, page } = await look(answer, known(), { asked: 0, lies: 0, renewed: 2 })
  assert.deepEqual(page.outcome, { kind: 'kept', how: 'same' })
  assert.equal(validators?.renewed, 3)
  assert.deepEqual((await look(answer, known(), validators)).conditions, [['If-Modified-Since', DATE]])
})
