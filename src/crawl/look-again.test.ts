import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeReport } from '../contracts/encode-report.ts'
import type { Headers } from '../contracts/exchange.ts'
import { freshMemory, type SiteMemory } from '../contracts/site-memory.ts'
import type { KnownPage, PageMemory } from '../contracts/visit.ts'
import { readInTurns } from '../page/reading.ts'
import { parseUrl } from '../web/url/web-url.ts'
import { isWholeLook, judgeValidators } from './look-again.ts'
import { digestOf, type Responder, Scripted, type ScriptedAnswer } from './scripted.test-data.ts'
import type { SiteTools } from './tools.ts'

const HTML: Headers = [['Content-Type', 'text/html']]

const PAGE = 'http://a.test/page'
const DATE = 'Sun, 15 Nov 2020 08:49:37 GMT'
const captured = { url: PAGE, at: 1_600_000_000_000 }
const known = (more: Partial<KnownPage> = {}): KnownPage => ({
  ...{
    was: 'kept' as const,
    digest: digestOf('words'),
    textDigest: 0n,
    simhash: 0n,
    etag: '"1"',
    lastModified: DATE,
    captured,
  },
  ...more,
})

/** The first whole look at the page. */
const WHOLE = Array.from({ length: 200 }, (_, asked) => asked).find((asked) =>
  isWholeLook(parseUrl(PAGE)!.key, asked, 0),
)!

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
  assert.deepEqual(conditions, [['If-None-Match', '"1"']])
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

test('one look in twenty is whole; a server that would have hidden two changes is not believed again', async () => {
  const changed = { body: 'other words', headers: [['ETag', '"1"']] } as const
  const first = await look(changed, known(), { asked: WHOLE, lies: 0, renewed: 0 })
  assert.deepEqual(first.conditions, [])
  assert.deepEqual(first.validators, { asked: WHOLE + 1, lies: 1, renewed: 0 })
  const second = await look(changed, known(), { asked: WHOLE, lies: 1, renewed: 0 })
  assert.equal(second.validators?.lies, 2)
  const third = await look(changed, known(), { ...second.validators!, asked: WHOLE - 1 })
  assert.deepEqual(third.conditions, [])
  const honest = await look({ ...changed, headers: [['ETag', '"2"']] }, known(), { asked: WHOLE, lies: 0, renewed: 0 })
  assert.equal(honest.validators?.lies, 0)
})

test('pages that take turns have whole looks, each of them', () => {
  for (const pages of [1, 2, 4, 5, 10, 20]) {
    const whole = new Set<number>()
    for (let asked = 0; asked < pages * 2500; asked++)
      if (isWholeLook(BigInt(asked % pages), asked, 0)) whole.add(asked % pages)
    assert.equal(whole.size, pages)
  }
})

test('a weak tag may stay while bytes change that do not matter', async () => {
  const before = known({ etag: 'W/"1"' })
  const answer = { body: 'words', headers: [['ETag', 'W/"1"']] } as const
  const { page } = await look(answer, before, { asked: WHOLE, lies: 0, renewed: 0 })
  const same = { ...before, digest: 'sha1:other', textDigest: page.memory!.textDigest }
  const { validators } = await look(answer, same, { asked: WHOLE, lies: 0, renewed: 0 })
  assert.equal(validators?.lies, 0)
})

const tagged = (etag: string, date: string) =>
  ({
    body: 'words',
    headers: [
      ['ETag', etag],
      ['Last-Modified', date],
    ],
  }) as const

test('tags that change though the page does not are of no use: only the date is sent', async () => {
  const answer = tagged('"2"', DATE)
  const { validators, page } = await look(answer, known(), { asked: 0, lies: 0, renewed: 2 })
  assert.deepEqual(page.outcome, { kind: 'kept', how: 'same' })
  assert.equal(validators?.renewed, 3)
  assert.deepEqual((await look(answer, known(), validators)).conditions, [['If-Modified-Since', DATE]])
})

test('tags are of use where files are touched: their dates change, too', async () => {
  const answer = tagged('"2"', 'Wed, 02 Jan 2019 00:00:00 GMT')
  const { validators } = await look(answer, known(), { asked: 0, lies: 0, renewed: 2 })
  assert.equal(validators?.renewed, 2)
})

test('a server that does not look at tags is asked by the date, after three bodies in vain', async () => {
  const answer = tagged('"1"', DATE)
  const { conditions, validators } = await look(answer, known(), { asked: 0, lies: 0, renewed: 2 })
  assert.deepEqual(conditions, [['If-None-Match', '"1"']])
  assert.deepEqual((await look(answer, known(), validators)).conditions, [['If-Modified-Since', DATE]])
})

test('a tag without a date is sent though it seems to be of no use; where the date is sent, it is the date that may lie', async () => {
  const renewed = { asked: 0, lies: 0, renewed: 3 }
  const undated = await look({ body: 'words' }, known({ lastModified: undefined }), renewed)
  assert.deepEqual(undated.conditions, [['If-None-Match', '"1"']])
  const changed = {
    body: 'other words',
    headers: [
      ['ETag', '"2"'],
      ['Last-Modified', DATE],
    ],
  } as const
  const { conditions, validators } = await look(changed, known(), { ...renewed, asked: WHOLE })
  assert.deepEqual([conditions, validators?.lies], [[], 1])
})

test('a 304 with another tag than ours does not make it the tag of the page we have', async () => {
  const answer = { status: 304, headers: [['ETag', '"2"']] } as const
  assert.equal((await look(answer, known())).page.memory?.etag, '"1"')
  const { etag: _, ...untagged } = known()
  assert.equal((await look(answer, untagged)).page.memory?.etag, '"2"')
})

test('the same bytes are not read again: no link, no title, no second document, a small part', async () => {
  const body = `<title>Words</title>${'<a href=/other>x</a><a href=http://b.test/>y</a>'.repeat(50)}`
  let readings = 0
  const tools: Partial<SiteTools> = {
    read: (input) => {
      readings++
      return readInTurns(input)
    },
  }
  const web = new Scripted({ [PAGE]: { body, headers: [...HTML, ['ETag', '"2"']] } }, tools)
  const before = known({ digest: digestOf(body), textDigest: 7n, simhash: 9n })
  const { pages, parts, counts } = await web.visit({ agenda: [{ url: PAGE, before }] })
  const [page] = pages
  assert.deepEqual([page.outcome, page.status, readings], [{ kind: 'kept', how: 'same' }, 200, 0])
  assert.deepEqual(page.memory, { digest: digestOf(body), textDigest: 7n, simhash: 9n, etag: '"2"' })
  assert.deepEqual(web.kept.at(-1), { url: PAGE, digest: digestOf(body), copy: captured })
  assert.deepEqual(
    parts.flatMap(({ found, crossSite, findings }) => [...found, ...crossSite, ...findings]),
    [],
  )
  assert.equal(page.links.length, 0)
  assert.deepEqual([counts.get('documents'), counts.get('looks:same')], [undefined, 1])
  const { robots: _, ...memory } = parts.at(-1)!.memory
  const own = { ...parts.at(-1)!, pages, memory }
  assert.ok(encodeReport(own).length < 600, String(encodeReport(own).length))
  // Once changed, it is read as ever, and is still no second document.
  const changed = new Scripted({ [PAGE]: { body } }, tools)
  const other = await changed.visit({ agenda: [{ url: PAGE, before: known() }] })
  assert.deepEqual([other.pages[0].outcome, readings], [{ kind: 'kept', how: 'changed' }, 1])
  assert.deepEqual([other.counts.get('documents'), other.counts.get('looks:changed')], [undefined, 1])
})

test('a redirect that has become a page is a change and a new document', async () => {
  const before = known({ was: 'moved', digest: digestOf('words'), captured: undefined })
  const web = new Scripted({ [PAGE]: { body: 'words' } })
  const { pages, counts } = await web.visit({ agenda: [{ url: PAGE, before }] })
  assert.deepEqual(web.asked.at(-1)!.conditions, [])
  assert.deepEqual([pages[0].outcome, counts.get('documents')], [{ kind: 'kept', how: 'changed' }, 1])
})

test('what says noindex now is not kept: with the page, with the same bytes, with a 304', async () => {
  const headers = [...HTML, ['X-Robots-Tag', 'noindex']] as const
  for (const answer of [
    { body: 'words', headers },
    { body: 'other words', headers },
    { status: 304, headers },
  ]) {
    const { web, page } = await look(answer, known())
    assert.deepEqual(page.outcome, { kind: 'refused', by: 'directive', rule: 'noindex' })
    assert.deepEqual([page.capture, web.kept.some(({ url }) => url === PAGE)], [undefined, false])
  }
})

test('a sitemap as it was is not read again, and stays a sitemap; one that may not be kept needs no record', async () => {
  const map = 'http://a.test/sitemap.xml'
  const xml = '<urlset><url><loc>http://a.test/1</loc></url></urlset>'
  const before = known({ was: 'read', digest: digestOf(xml), etag: '"1"', captured: { url: map, at: 1 } })
  const noindex = { body: xml, headers: [['X-Robots-Tag', 'noindex']] } as const
  for (const [answer, item, records] of [
    [{ status: 304 }, before, 1],
    [{ body: xml }, before, 1],
    [noindex, { ...before, captured: undefined }, 0],
    [{ status: 304 }, { ...before, captured: undefined }, 0],
  ] as const) {
    const web = new Scripted({ [map]: answer })
    const { pages, counts } = await web.visit({ agenda: [{ url: map, path: 'M', before: item }] })
    assert.deepEqual(pages[0].outcome, { kind: 'read', as: 'sitemap', urls: 0, same: true })
    assert.equal(web.kept.filter(({ url }) => url === map).length, records)
    assert.deepEqual([web.pagesAsked, counts.get('sitemaps')], [['a.test/sitemap.xml'], undefined])
  }
  // Its bytes may be kept now, and nothing has them yet.
  const web = new Scripted({ [map]: { body: xml } })
  const { pages } = await web.visit({ agenda: [{ url: map, path: 'M', before: { ...before, captured: undefined } }] })
  assert.deepEqual([pages[0].outcome, web.kept.at(-2)?.url], [{ kind: 'read', as: 'sitemap', urls: 1 }, map])
})

test('a sitemap that changes time and again does not use up the URLs that a site may list', async () => {
  const map = 'http://a.test/sitemap.xml'
  const xml = '<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>'
  const before = known({ was: 'read', captured: { url: map, at: 1 } })
  const memory = { ...freshMemory(), sitemaps: { asked: 1, urls: 2 } }
  const web = new Scripted({ [map]: { body: xml } })
  const { pages, parts } = await web.visit({ agenda: [{ url: map, path: 'M', before }], visit: { memory } })
  assert.deepEqual(pages[0].outcome, { kind: 'read', as: 'sitemap', urls: 2 })
  assert.equal(parts.at(-1)!.memory.sitemaps?.urls, 2)
})

test('a sitemap that has grown counts with all that it lists now: so many may be too many to be believed', async () => {
  const map = 'http://a.test/sitemap.xml'
  const locs = Array.from({ length: 3000 }, (_, n) => `<url><loc>http://a.test/${n}</loc></url>`)
  const before = known({ was: 'read', captured: { url: map, at: 1 } })
  const memory = { ...freshMemory(), sitemaps: { asked: 1, urls: 2 } }
  const web = new Scripted({ [map]: { body: `<urlset>${locs.join('')}</urlset>` } })
  const { parts } = await web.visit({ agenda: [{ url: map, path: 'M', before }], visit: { memory } })
  assert.equal(parts.at(-1)!.memory.sitemaps?.urls, 3000)
})

test('what robots.txt, the scope or a blacklist forbids now is not asked for', async () => {
  const excluded = 'http://a.test/excluded'
  const web = new Scripted({
    'http://a.test/robots.txt': { body: 'User-agent: *\nDisallow: /page' },
    [PAGE]: { body: 'words' },
    [excluded]: { body: 'words' },
  })
  const { pages, counts } = await web.visit({ agenda: [PAGE, excluded].map((url) => ({ url, before: known() })) })
  assert.deepEqual(web.pagesAsked, [])
  assert.deepEqual(
    pages.map(({ outcome }) => outcome),
    [
      { kind: 'refused', by: 'robots', rule: 'Disallow: /page' },
      { kind: 'refused', by: 'scope', rule: 'exclude excluded' },
    ],
  )
  assert.equal(counts.get('looks:refused'), 2)
})

test('a site that ends in a limit, and a pattern that is a trap: what is known there is still looked at', async () => {
  const web = new Scripted({ [PAGE]: { body: 'words' } }, { trusts: () => false })
  const memory = { ...freshMemory(), fetched: 5000, stopped: 'site-urls>=5000' }
  const item = { url: PAGE, depth: 3, path: 'LLL', via: 'http://a.test/' }
  const { pages, parts } = await web.visit({ agenda: [{ ...item, before: known() }], visit: { memory } })
  assert.deepEqual(pages[0].outcome, { kind: 'kept', how: 'same' })
  assert.deepEqual([parts.at(-1)!.memory.fetched, parts.flatMap(({ findings }) => findings)], [5000, []])
  const first = await web.visit({ agenda: [item], visit: { memory } })
  assert.equal(first.pages[0].outcome.kind, 'refused')
})

test('a later look says nothing of traps, and does not even open what the detectors remember', async () => {
  const traps = {
    suspects: [],
    get families(): never {
      throw new Error('opened')
    },
  }
  for (const answer of [{ status: 304 }, { body: 'other words' }]) {
    const web = new Scripted({ [PAGE]: answer }, { trusts: () => false })
    const visit = { memory: { ...freshMemory(), traps } }
    const { pages, parts } = await web.visit({ agenda: [{ url: PAGE, before: known() }], visit })
    assert.equal(pages[0].outcome.kind, 'kept')
    assert.deepEqual(
      parts.flatMap(({ findings }) => findings),
      [],
    )
  }
})

test('looks are as polite as first requests: a 429 with Retry-After ends them for that long', async () => {
  const web = new Scripted({ [PAGE]: { status: 429, headers: [['Retry-After', '600']] }, [`${PAGE}2`]: { body: 'x' } })
  const agenda = [PAGE, `${PAGE}2`].map((url) => ({ url, before: known() }))
  const { pages, parts } = await web.visit({ agenda, leaseMs: 300_000 })
  assert.deepEqual([pages.length, pages[0].outcome.kind], [1, 'later'])
  const asked = web.asked.at(-1)!
  assert.equal(asked.url, PAGE)
  assert.equal(parts.at(-1)!.courtesy.notBefore, web.clock.now() + 600_000 - (web.clock.elapsed() - asked.endedAt))
  assert.ok(web.durableAt.some((at) => at >= asked.endedAt))
})

/** Visit after visit, with what the last one left, as the coordinator would hand it out. */
async function looks(answer: Responder, times: number, validators?: SiteMemory['validators']) {
  const web = new Scripted({ [PAGE]: answer })
  let memory: SiteMemory = { ...freshMemory(), ...(validators && { validators }) }
  let before = known()
  const outcomes: string[] = []
  for (let nth = 0; nth < times; nth++) {
    const { pages, parts } = await web.visit({ agenda: [{ url: PAGE, before }], visit: { memory } })
    memory = parts.at(-1)!.memory
    before = { ...before, ...pages[0].memory! }
    const { outcome, status } = pages[0]
    outcomes.push(`${status} ${outcome.kind === 'kept' ? outcome.how : outcome.kind}`)
  }
  return { web, outcomes, memory }
}

test('a server that says 304 though the page has changed is found out by whole looks, and then not believed', async () => {
  let version = 0
  const { outcomes, memory } = await looks((conditions) => {
    version++
    return conditions.length > 0 ? { status: 304 } : { body: `version ${version}`, headers: [...HTML, ['ETag', '"1"']] }
  }, 100)
  const whole = outcomes.flatMap((outcome, at) => (outcome === '200 changed' ? [at] : []))
  assert.equal(outcomes.length - whole.length, outcomes.filter((outcome) => outcome === '304 same').length)
  // The first whole look, the second, and from then on every one.
  assert.ok(whole[0] > 0 && whole[1] > whole[0] + 1 && whole[1] < 60, String(whole))
  assert.deepEqual(
    whole.slice(1),
    Array.from({ length: 100 - whole[1] }, (_, nth) => whole[1] + nth),
  )
  assert.deepEqual(memory.validators, { asked: 100, lies: 4, renewed: 0 })
})

test('a server that was mended is believed again after some thirty changes that its tags told', async () => {
  let version = 0
  const answer: Responder = () => ({ body: `version ${++version}`, headers: [...HTML, ['ETag', `"${version}"`]] })
  const { web, memory } = await looks(answer, 60, { asked: 1000, lies: 4, renewed: 0 })
  const conditions = web.asked.filter(({ url }) => url === PAGE).map((asked) => asked.conditions.length)
  assert.deepEqual(conditions.slice(0, 33), Array(33).fill(0))
  assert.ok(conditions.slice(33).filter((sent) => sent > 0).length > 20, String(conditions))
  assert.ok(memory.validators!.lies < 2)
  // A page that did not change, or that has no validator, tells nothing.
  const same: Responder = () => ({ body: 'words', headers: [...HTML, ['ETag', '"1"']] })
  assert.equal((await looks(same, 40, { asked: 0, lies: 2, renewed: 0 })).memory.validators?.lies, 2)
  const untagged: Responder = () => ({ body: `version ${++version}`, headers: HTML })
  assert.equal((await looks(untagged, 40, { asked: 0, lies: 2, renewed: 0 })).memory.validators?.lies, 2)
})

test('an honest server is asked whole once in twenty times, later in three hundred, and answers 304 otherwise', async () => {
  const etag = (conditions: Headers) => conditions.some(([name, value]) => name === 'If-None-Match' && value === '"1"')
  const answer: Responder = (conditions) =>
    etag(conditions) ? { status: 304 } : { body: 'words', headers: [...HTML, ['ETag', '"1"']] }
  const { outcomes, memory } = await looks(answer, 1000)
  const isWhole = (outcome: string) => outcome === '200 same'
  const whole = outcomes.filter(isWhole).length
  assert.ok(whole >= 2 && whole <= 15, String(whole))
  assert.equal(outcomes.filter((outcome) => outcome === '304 same').length, 1000 - whole)
  assert.deepEqual(memory.validators, { asked: 1000, lies: 0, renewed: 0 })
})

test('a strong tag promises the same bytes, a weak one the same text', () => {
  const liesOf = (etag: string, textDigest: bigint) => {
    const before = { digest: 'a', etag, textDigest: 1n } as PageMemory
    const after = { digest: 'b', etag, textDigest } as PageMemory
    return judgeValidators(freshMemory(), before, after, false).validators?.lies
  }
  assert.deepEqual([liesOf('"1"', 1n), liesOf('W/"1"', 1n), liesOf('W/"1"', 2n)], [1, 0, 1])
})
