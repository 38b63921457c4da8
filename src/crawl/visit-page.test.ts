import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { sha1 } from '../base/digest.ts'
import { STALE_CONNECTION } from '../contracts/exchange.ts'
import type { FailureKind, Outcome } from '../contracts/outcome.ts'
import type { PageReport } from '../contracts/report.ts'
import { readInTurns } from '../page/reading.ts'
import { FAILURES } from './failures.ts'
import { digestOf, PAUSE, Scripted, type ScriptedAnswer } from './scripted.test-data.ts'

const HOME = 'http://a.test/'

/** What became of one page, asked for the first time. */
async function pageAfter(answer: ScriptedAnswer, item: { tries?: number; depth?: number } = {}) {
  const web = new Scripted({ [HOME]: answer })
  const visited = await web.visit({ agenda: [{ url: HOME, ...item }] })
  const [page] = visited.pages
  return { web, visited, page }
}

function told(page: PageReport): Outcome & { status: number } {
  return { ...page.outcome, status: page.status }
}

test('kept: bytes, links, title, and what a later visit compares with', async () => {
  const body = '<title>Home</title><a href="/b">b</a><a href="http://c.test/d">d</a>'
  const headers = [
    ['Content-Type', 'text/html'],
    ['ETag', '"1"'],
  ] as const
  const { web, visited, page } = await pageAfter({ body, headers })
  assert.deepEqual(told(page), { kind: 'kept', how: 'first', status: 200 })
  assert.equal(page.title, 'Home')
  assert.equal(page.capture?.digest, digestOf(body))
  assert.equal(page.memory?.digest, digestOf(body))
  assert.equal(page.memory?.etag, '"1"')
  assert.equal(page.bytes, body.length)
  assert.ok(page.links.length > 16)
  assert.deepEqual(web.pagesAsked, ['a.test/', 'a.test/b'])
  const crossSite = visited.parts.flatMap((part) => part.crossSite.map(({ url }) => url))
  assert.deepEqual(crossSite.sort(), ['http://c.test/', 'http://c.test/d'])
  assert.equal(visited.counts.get('documents'), 1)
  assert.equal(visited.counts.get('links'), 2)
})

test('visited again with the earlier result: the same, or changed', async () => {
  for (const [digest, how] of [
    [digestOf('words'), 'same'],
    [digestOf('other words'), 'changed'],
  ] as const) {
    const web = new Scripted({ [HOME]: { body: 'words' } })
    const before = { was: 'kept' as const, digest, textDigest: 0n, simhash: 0n, captured: { url: HOME, at: 0 } }
    const { pages } = await web.visit({ agenda: [{ url: HOME, before }] })
    assert.deepEqual(pages[0].outcome, { kind: 'kept', how })
  }
})

test('moved: the target is a link, the redirect is archived and no document', async () => {
  const headers = [['Location', 'elsewhere.html']] as const
  const web = new Scripted({ [HOME]: { status: 301, headers }, 'http://a.test/elsewhere.html': { body: 'here' } })
  const { pages, counts } = await web.visit({ agenda: [HOME] })
  assert.deepEqual(told(pages[0]), { kind: 'moved', to: 'http://a.test/elsewhere.html', status: 301 })
  assert.deepEqual(told(pages[1]), { kind: 'kept', how: 'first', status: 200 })
  assert.equal(pages[1].path, 'R')
  assert.equal(counts.get('documents'), 1)
  assert.equal(web.kept.length, 3)
})

test('a redirect without a target is a failure', async () => {
  for (const headers of [[], [['Location', 'http://']] as const, [['Location', 'mailto:a@b.test']] as const]) {
    const { page } = await pageAfter({ status: 302, headers })
    assert.deepEqual(page.outcome, { kind: 'gone', why: 'status-other' })
  }
})

test('where a redirect to another scheme leads is noted, of robots.txt too', async () => {
  const data = `data:text/html,${'x'.repeat(5000)}`
  for (const location of [
    'file:///etc/passwd',
    'ftp://a.test/x',
    data,
    'http://',
    Buffer.from('tel:ß').toString('latin1'),
  ]) {
    const headers = [['Location', location]] as const
    const { visited, page } = await pageAfter({ status: 302, headers })
    const text = Buffer.from(location, 'latin1').toString()
    assert.deepEqual(page.annotations, [`location:${text.slice(0, 200)}`])
    assert.deepEqual(visited.counts.get('failure:status-other'), 1)
  }
  const web = new Scripted({
    'http://a.test/robots.txt': { status: 301, headers: [['Location', 'file:///robots.txt']] },
    [HOME]: { body: 'home' },
  })
  const { parts } = await web.visit({ agenda: [HOME] })
  assert.deepEqual(parts[0].pages[0].annotations, ['location:file:///robots.txt'])
})

test('noindex, by header or by meta, for all or for us: read, its links followed, nothing kept', async () => {
  const link = '<a href="/next">n</a>'
  const answers: ScriptedAnswer[] = [
    { body: `<meta name=robots content=noindex>${link}` },
    { body: `<meta name="Orbweaver" content="noindex">${link}` },
    {
      body: link,
      headers: [
        ['Content-Type', 'text/html'],
        ['X-Robots-Tag', 'noindex'],
      ],
    },
  ]
  for (const answer of answers) {
    const { web, visited, page } = await pageAfter(answer)
    assert.deepEqual(told(page), { kind: 'refused', by: 'directive', rule: 'noindex', status: 200 })
    assert.equal(page.capture, undefined)
    assert.deepEqual(web.pagesAsked, ['a.test/', 'a.test/next'])
    assert.equal(visited.counts.get('refused:directive'), 1)
    assert.equal(visited.counts.get('documents'), undefined)
  }
})

test('nofollow, of the page or of a link: kept, and not followed', async () => {
  for (const body of ['<meta name=robots content=nofollow><a href=/next>n</a>', '<a rel="nofollow" href=/next>n</a>']) {
    const { web, visited, page } = await pageAfter({ body })
    assert.equal(page.outcome.kind, 'kept')
    assert.deepEqual(web.pagesAsked, ['a.test/'])
    assert.equal(visited.counts.get('refused:directive'), 1)
  }
})

test('declined by its head: not downloaded, counted by its type', async () => {
  const { web, visited, page } = await pageAfter({ headers: [['Content-Type', 'image/png']], body: 'x'.repeat(5000) })
  assert.deepEqual(told(page), { kind: 'refused', by: 'unwanted', rule: 'media type image/png', status: 200 })
  assert.equal(page.bytes, 0)
  assert.equal(page.capture, undefined)
  assert.equal(visited.counts.get('unwanted:image/png'), 1)
  assert.equal(web.kept.length, 1)
})

test('without a type it is read as a page', async () => {
  const { web, page } = await pageAfter({ headers: [], body: '<a href=/next>n</a>' })
  assert.equal(page.mediaType, '')
  assert.equal(web.pagesAsked.length, 2)
})

test('missing, forbidden, protected, gone: over at once, each with its own outcome, and archived', async () => {
  for (const status of [401, 403, 404, 410] as const) {
    const { web, visited, page } = await pageAfter({ status, body: '<a href=/next>n</a>' })
    assert.deepEqual(told(page), { kind: 'gone', why: `status-${status}`, status })
    assert.equal(web.kept.length, 2)
    assert.deepEqual(web.pagesAsked, ['a.test/'])
    assert.equal(visited.counts.get(`failure:status-${status}`), 1)
    assert.equal(visited.counts.get(`status:${status}`), status === 404 ? 2 : 1)
    assert.equal(visited.why, 'done')
  }
})

test('every other failure goes back with its penalty until its tries are used up, or ends the visit', async () => {
  const kinds = ['status-5xx', 'status-408', 'reset', 'first-byte-timeout', 'idle-timeout', 'exchange-timeout'] as const
  const statuses: Partial<Record<FailureKind, number>> = { 'status-5xx': 500, 'status-408': 408 }
  for (const kind of [...kinds, 'too-slow', 'protocol', 'head-too-large'] as const) {
    const status = statuses[kind]
    const answer = status === undefined ? { failed: kind } : { status }
    const first = await pageAfter(answer)
    const { wait, tries } = FAILURES[kind]
    if (tries > 1) {
      assert.ok(first.page.outcome.kind === 'later' && first.page.outcome.why === kind, kind)
      const from = first.page.at + Math.round(first.page.tookMs)
      assert.ok(first.page.outcome.notBefore >= from + wait, kind)
    }
    const last = await pageAfter(answer, { tries: tries - 1 })
    assert.deepEqual(last.page.outcome, { kind: 'gone', why: kind })
    assert.equal(last.page.tries, tries)
    assert.equal(last.visited.why, 'done', kind)
  }
})

test('a failure of the whole site ends the visit, and in the end gives the site up', async () => {
  for (const kind of ['connect', 'connect-timeout', 'tls', 'dns'] as const) {
    const web = new Scripted({ 'http://a.test/robots.txt': { status: 404 }, [HOME]: { failed: kind } })
    const first = await web.visit({ agenda: [HOME, 'http://a.test/b'] })
    assert.equal(first.why, 'silent', kind)
    assert.deepEqual(web.pagesAsked, ['a.test/'])
    const { courtesy, memory } = first.parts.at(-1)!
    assert.ok(courtesy.notBefore >= web.clock.now() + FAILURES[kind].wait, kind)
    const rests = FAILURES[kind].tries - 1
    const again = await web.visit({ agenda: [{ url: HOME, tries: rests }], visit: { memory: { ...memory, rests } } })
    assert.equal(again.why, 'given-up', kind)
  }
})

test('three pages in a row without an answer: the site rests; an answer between them begins the count anew', async () => {
  const failed: ScriptedAnswer = { failed: 'first-byte-timeout' }
  const urls = ['1', '2', '3', '4'].map((name) => `http://a.test/${name}`)
  const web = new Scripted(Object.fromEntries(urls.map((url) => [url, failed])))
  assert.equal((await web.visit({ agenda: urls })).why, 'silent')
  assert.equal(web.pagesAsked.length, 3)
  const mixed = new Scripted({ ...Object.fromEntries(urls.map((url) => [url, failed])), [urls[1]]: { body: 'well' } })
  assert.equal((await mixed.visit({ agenda: urls })).why, 'done')
})

test('429 and 503: the site waits as requested, and that is durable before the next request', async () => {
  for (const status of [429, 503]) {
    const web = new Scripted({ [HOME]: { status, headers: [['Retry-After', '30']] }, 'http://a.test/b': { body: 'b' } })
    const { pages } = await web.visit({ agenda: [HOME, 'http://a.test/b'] })
    const [first, second] = web.asked.slice(1)
    assert.ok(second.at - first.endedAt >= 30_000)
    assert.ok(web.durableAt.some((at) => at >= first.endedAt && at <= second.at))
    assert.ok(pages[0].outcome.kind === 'later' && pages[0].outcome.notBefore >= pages[0].at + 30_000)
  }
})

test('a wait too long for a visit ends it, and the coordinator learns how long', async () => {
  const web = new Scripted({ [HOME]: { status: 503, headers: [['Retry-After', '600']] } })
  const { why, parts } = await web.visit({ agenda: [HOME, 'http://a.test/b'] })
  assert.equal(why, 'slice')
  assert.deepEqual(web.pagesAsked, ['a.test/'])
  assert.ok(parts.at(-1)!.courtesy.notBefore >= web.clock.now() + 599_000)
})

test('a kept connection that was closed: repeated once after the pause, not a failure', async () => {
  const stale: ScriptedAnswer = { failed: 'reset', detail: STALE_CONNECTION }
  const web = new Scripted({ [HOME]: [stale, { body: 'well' }] })
  const { pages, counts } = await web.visit({ agenda: [HOME] })
  assert.deepEqual(
    pages.map(({ outcome }) => outcome.kind),
    ['kept'],
  )
  assert.equal(counts.get('failure:reset'), undefined)
  const [first, second] = web.asked.slice(1)
  assert.ok(second.at - first.endedAt >= PAUSE)
  const twice = new Scripted({ [HOME]: stale, 'http://a.test/b': { body: 'b' } })
  const after = await twice.visit({ agenda: [HOME, 'http://a.test/b'] })
  assert.deepEqual(twice.pagesAsked, ['a.test/', 'a.test/', 'a.test/b'])
  assert.deepEqual(
    after.pages.map(({ outcome }) => outcome.kind),
    ['later', 'kept'],
  )
})

test('bodies that broke off are requested again, and after the last try kept, read and marked', async () => {
  for (const [cut, why, note] of [
    ['time', 'exchange-timeout', 'timeTrunc'],
    ['disconnect', 'reset', 'connTrunc'],
  ] as const) {
    const first = await pageAfter({ cut, body: '<a href=/next>n</a>' })
    assert.deepEqual([first.page.outcome.kind, 'why' in first.page.outcome && first.page.outcome.why], ['later', why])
    assert.equal(first.page.capture, undefined)
    const tries = FAILURES[why].tries - 1
    const { web, visited, page } = await pageAfter({ cut, body: '<a href=/next>n</a>' }, { tries })
    assert.equal(page.outcome.kind, 'kept')
    assert.deepEqual(page.annotations, [`${tries + 1}t`, note])
    assert.equal(visited.counts.get('cut'), 1)
    assert.equal(web.pagesAsked.length, 2)
  }
  const { page } = await pageAfter({ body: '<p>a word '.repeat(2_000) })
  assert.deepEqual(page.annotations, ['lenTrunc'])
  assert.equal(page.bytes, 10_000)
})

test('a payload that comes again is a revisit of what the visit reported, or of what the catalogue has', async () => {
  const again = 'http://a.test/b'
  const script = { [HOME]: { body: 'words' }, [again]: { body: 'words' } }
  const web = new Scripted(script)
  const visit = async (...agenda: string[]) => (await web.visit({ agenda })).pages.map(({ capture }) => capture?.kind)
  assert.deepEqual(await visit(HOME, again), ['response', 'revisit'])
  const copies = () => web.kept.filter(({ url }) => !url.endsWith('/robots.txt')).map(({ copy }) => copy?.url)
  assert.deepEqual(copies(), [undefined, HOME])
  // The same worker, later: the first visit may have lost its lease, and then its report was refused.
  assert.deepEqual(await visit(again), ['response'])
  web.tools.findCopy = async () => ({ url: HOME, at: 1 })
  assert.deepEqual(await visit(again), ['revisit'])
  assert.deepEqual(copies().slice(2), [undefined, HOME])
})

test('a response that was kept and not reported is no copy', async () => {
  const again = 'http://a.test/b'
  const script = { [HOME]: { body: 'words' }, [again]: { body: 'words' } }
  let isKept = false
  const trusts = () => {
    if (isKept) throw new Error('a bug, after the page was kept')
    return true
  }
  const web = new Scripted(script, { trusts })
  const { keep } = web.tools.archive
  web.tools.archive.keep = (exchange, ...rest) => {
    isKept = exchange.url === HOME
    return keep(exchange, ...rest)
  }
  const { pages } = await web.visit({ agenda: [HOME, again] })
  assert.deepEqual(
    pages.map(({ outcome, capture }) => [outcome.kind, capture?.kind]),
    [
      ['gone', undefined],
      ['kept', 'response'],
    ],
  )
})

test('a bug of ours that one page brings out costs that page only; a disk that fails ends the visit', async () => {
  const script = { [HOME]: { body: 'a' }, 'http://a.test/b': { body: 'b' } }
  const findCopy = async (): Promise<undefined> => {
    if (asked++ === 1) throw new Error('a bug')
  }
  let asked = 0
  const { pages, why } = await new Scripted(script, { findCopy }).visit({ agenda: [HOME, 'http://a.test/b'] })
  assert.deepEqual(pages[0].outcome, { kind: 'gone', why: 'reading' })
  assert.deepEqual([pages[1].outcome.kind, why], ['kept', 'done'])
  asked = 0
  const failing = new Scripted(script, { findCopy, failed: () => true })
  await assert.rejects(failing.visit({ agenda: [HOME] }), /a bug/)
})

test('a page whose reading throws is kept, counted as failed in reading, and not tried again', async () => {
  const read: typeof readInTurns = (input) => {
    if (Buffer.from(input.bytes).includes('killer')) throw new Error('too deep')
    return readInTurns(input)
  }
  const web = new Scripted({ [HOME]: { body: '<a href=/b>b</a>killer' }, 'http://a.test/b': { body: 'b' } }, { read })
  const { pages, counts, why } = await web.visit({ agenda: [HOME, 'http://a.test/b'] })
  assert.deepEqual(pages[0].outcome, { kind: 'gone', why: 'reading' })
  assert.ok(pages[0].capture !== undefined)
  assert.equal(pages[1].outcome.kind, 'kept')
  assert.equal(counts.get('failure:reading'), 1)
  assert.equal(why, 'done')
  assert.ok(web.events.some((event) => event.kind === 'trouble'))
})

test('out of scope or forbidden by robots.txt: reported with the rule, never requested', async () => {
  const web = new Scripted({ 'http://a.test/robots.txt': { body: 'User-agent: *\nDisallow: /private' } })
  const agenda = ['http://a.test/excluded', 'http://a.test/private/x', { url: 'http://a.test/deep', depth: 51 }]
  const { pages, counts } = await web.visit({ agenda })
  assert.deepEqual(
    pages.map(({ outcome, status }) => [outcome.kind === 'refused' && `${outcome.by} ${outcome.rule}`, status]),
    [
      ['scope exclude excluded', -5000],
      ['robots Disallow: /private', -9998],
      ['scope depth>50', -4001],
    ],
  )
  assert.deepEqual(web.pagesAsked, [])
  assert.equal(counts.get('refused:robots'), 1)
})

test('an unrequested partial answer is archived, and is not the page', async () => {
  const headers = [
    ['Content-Type', 'text/html'],
    ['Content-Range', 'bytes 0-30/90000'],
  ] as const
  const { web, visited, page } = await pageAfter({ status: 206, headers, body: '<a href="/next">a beginning</a>' })
  assert.deepEqual(told(page), { kind: 'gone', why: 'status-other', status: 206 })
  assert.ok(web.kept.some(({ url }) => url === HOME))
  assert.deepEqual(web.pagesAsked, ['a.test/'])
  assert.deepEqual([page.memory, visited.counts.get('documents')], [undefined, undefined])
})

test('a wrong content coding is kept as it came, with a note', async () => {
  const html = Buffer.from('<title>Coded</title><a href="/next">next</a>'.padEnd(2000, ' words'))
  const packed = gzipSync(html)
  const wrongSum = Buffer.from(packed)
  wrongSum[wrongSum.length - 8] ^= 1
  for (const [coding, body, mark, isRead] of [
    ['gzip', html, 'coding:not-sent', true],
    ['gzip', packed.subarray(0, packed.length - 10), 'coding:early', true],
    ['gzip', wrongSum, 'coding:damaged', true],
    ['gzipped', html, 'coding:unknown', true],
    ['gzipped', packed, 'coding:unknown', false],
    ['gzip, gzip, gzip, gzip', html, 'coding:too-many', true],
    ['gzip, gzip, gzip, gzip', packed, 'coding:too-many', false],
    ['utf-8', html, undefined, true],
    ['gzip', packed, undefined, true],
  ] as const) {
    const headers = [
      ['Content-Type', 'text/html'],
      ['Content-Encoding', coding],
    ] as const
    const { web, visited, page } = await pageAfter({ headers, body })
    assert.equal(page.outcome.kind, 'kept', coding)
    assert.deepEqual(
      page.annotations.filter((note) => note.startsWith('coding:')),
      mark === undefined ? [] : [mark],
    )
    assert.equal(page.capture?.digest, sha1(body))
    assert.equal(visited.counts.get(`trouble:${mark}`), mark === undefined ? undefined : 1)
    assert.deepEqual(web.pagesAsked, isRead ? ['a.test/', 'a.test/next'] : ['a.test/'], coding)
    assert.equal(page.title, isRead ? 'Coded' : '')
  }
})

test('content codings and media types in several header lines are one list', async () => {
  const headers = [
    ['Content-Type', 'application/octet-stream'],
    ['Content-Encoding', 'gzip'],
    ['Content-Type', 'text/html'],
    ['Content-Encoding', 'br'],
  ] as const
  const { page } = await pageAfter({ headers, body: brotliCompressSync(gzipSync('<title>Coded</title><p>words')) })
  assert.deepEqual([page.title, page.mediaType, page.annotations], ['Coded', 'text/html', []])
})

test('a Refresh in the head of an answer is a link, whatever the base of the page', async () => {
  const headers = [
    ['Content-Type', 'text/html'],
    ['Refresh', ' 0 ; URL="caf\xc3\xa9" '],
  ] as const
  for (const body of ['', '<base href="/other/">']) {
    const { web } = await pageAfter({ headers, body })
    assert.deepEqual(web.pagesAsked, ['a.test/', 'a.test/caf%C3%A9'])
  }
})

test('a document that is not read has the note too', async () => {
  const headers = [
    ['Content-Type', 'text/plain'],
    ['Content-Encoding', 'gzip'],
  ] as const
  const { page } = await pageAfter({ headers, body: gzipSync('x'.repeat(9000)).subarray(0, 20) })
  assert.ok(page.annotations.includes('coding:early'))
})

test('a certificate that browsers warn of is noted, and counted for documents', async () => {
  const { visited, page } = await pageAfter({ body: '<p>words', certificate: 'expired' })
  assert.deepEqual([page.outcome.kind, page.annotations], ['kept', ['certificate:expired']])
  assert.equal(visited.counts.get('trouble:certificate:expired'), 1)
  const missing = await pageAfter({ status: 404, certificate: 'wrong-name' })
  assert.ok(missing.page.annotations.includes('certificate:wrong-name'))
  assert.equal(missing.visited.counts.get('trouble:certificate:wrong-name'), undefined)
})
