import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOON, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { hash64, sha1 } from '../../base/digest.ts'
import { keptAs } from '../../contracts/outcome.ts'
import { usualUrls } from '../../web/url/web-url.ts'
import { fileReports } from '../sample-catalogue.test-data.ts'
import { proposedMirrors } from './find-mirrors.ts'
import { whyNoMirror } from './homes.ts'
import { addPage, catalogueOf, type Sites } from './sample-sites.test-data.ts'

const PAIR = { replica: 'b.test', original: 'a.test' }

async function why(sites: Sites, since = 0): Promise<string | undefined> {
  const database = await catalogueOf(sites)
  return database.read((tx) => whyNoMirror(tx, usualUrls, PAIR, since))
}

test('equal home pages, by whichever scheme, stay; different ones leave', async () => {
  assert.equal(await why({ 'a.test': { '/': 'one' }, 'b.test': { 'https:/': 'one' } }), undefined)
  assert.equal(await why({ 'a.test': { '/': 'one' }, 'b.test': { '/': 'two' } }), 'their home pages differ')
})

test('a home page that was not fetched, or not since, proves nothing', async () => {
  assert.equal(await why({ 'a.test': { '/': 'one' }, 'b.test': { '/x': 'two' } }), undefined)
  assert.equal(await why({ 'a.test': { '/': 'one' }, 'b.test': { '/': 'two' } }, NOON + 1), undefined)
})

test('a home page that moved within its site is compared there', async () => {
  const en = { '/': '→http://b.test/en/', '/en/': 'one' }
  assert.equal(await why({ 'a.test': { '/': 'one' }, 'b.test': en }), undefined)
  assert.equal(await why({ 'a.test': { '/': 'two' }, 'b.test': en }), 'their home pages differ')
})

test('a replica that redirects to the original stays, one that redirects elsewhere leaves', async () => {
  assert.equal(await why({ 'a.test': { '/': 'one' }, 'b.test': { '/': '→http://a.test/' } }), undefined)
  const away = await why({ 'a.test': { '/': 'one' }, 'b.test': { '/': '→http://c.test/' } })
  assert.equal(away, 'the home page of b.test has moved to c.test')
  const turned = await why({ 'a.test': { '/': '→http://b.test/' }, 'b.test': { '/': 'one' } })
  assert.equal(turned, 'the home page of a.test has moved to b.test')
})

test('a page that only changed its markup, or a date, is the same', async () => {
  const database = await catalogueOf({ 'a.test': {}, 'b.test': {} })
  const before = new Map<string, { digest: string }>()
  const put = async (site: string, content: string, text: bigint, simhash: bigint) => {
    const memory = { digest: sha1(Buffer.from(content)), textDigest: text, simhash }
    await addPage(database, `http://${site}/`, content, { memory, outcome: keptAs(before.get(site), memory.digest) })
    before.set(site, memory)
  }
  const now = () => database.read((tx) => whyNoMirror(tx, usualUrls, PAIR, 0))
  await put('a.test', '<b>x', 7n, 0b1111n)
  await put('b.test', '<i>x', 7n, 0b111100000n)
  assert.equal(await now(), undefined)
  await put('b.test', '<i>y', 8n, 0b1000n)
  assert.equal(await now(), undefined)
  await put('b.test', '<i>z', 9n, 0b10000n)
  assert.equal(await now(), 'their home pages differ')
  await put('a.test', 'script 1', hash64(''), 1n)
  await put('b.test', 'script 2', hash64(''), 1n)
  assert.equal(await now(), 'their home pages differ', 'no text is no equal text')
})

test('proposals of the crawl are listed once per site', async () => {
  const database = await catalogueOf({ 'a.test': {}, 'b.test': {} })
  await database.transact(async (tx) => {
    const finding = { rule: 'mirror', evidence: 'equal those of x.test', at: NOON, examples: ['http://a.test/'] }
    const another = { ...finding, evidence: 'equal those of y.test' }
    const deep = { rule: 'depth', evidence: 'deep', at: NOON }
    await fileReports(tx, [
      sampleReport('a.test', 1, [], { findings: [finding, another] }),
      sampleReport('b.test', 1, [], { findings: [deep] }),
    ])
  })
  assert.deepEqual(await database.read((tx) => proposedMirrors(tx, 10)), {
    count: 1,
    proposals: [{ site: 'a.test', evidence: 'equal those of y.test', examples: ['http://a.test/'] }],
  })
})
