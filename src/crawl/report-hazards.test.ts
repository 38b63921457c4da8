/** Visits to sites that are not what they seem, with every defence on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshMemory } from '../contracts/site-memory.ts'
import { readInTurns } from '../page/reading.ts'
import { parseUrl } from '../web/url/web-url.ts'
import { absurdPath } from './missing-page.ts'
import { type Script, Scripted, type ScriptedAnswer } from './scripted.test-data.ts'

const SITE = 'http://a.test'
const PROBE = SITE + absurdPath('a.test')
const wary = { trusts: () => false }

const words = (seed: number, count = 60) =>
  Array.from({ length: count }, (_, at) => `w${(seed * 7919 + at * 104729) % 9973}`).join(' ')

function page(text: string, links: readonly string[]): ScriptedAnswer {
  return { body: `<html><title>t</title><p>${text}</p>${links.map((to) => `<a href="${to}">x</a>`).join(' ')}</html>` }
}

/** A home page, ten honest pages, and an endless calendar. */
function calendarSite(days: number): Script {
  const honest = Array.from({ length: 10 }, (_, at) => `/honest-${'abcdefghij'[at]}`)
  const script: Script = { [`${SITE}/`]: page(words(1), [...honest, '/cal/2030/1/1']) }
  for (const [at, path] of honest.entries()) script[SITE + path] = page(words(100 + at, 60 + 40 * at), ['/'])
  for (let day = 1; day <= days; day++) {
    const path = `/cal/2030/${1 + Math.floor(day / 28)}/${1 + (day % 28)}`
    const next = `/cal/2030/${1 + Math.floor((day + 1) / 28)}/${1 + ((day + 1) % 28)}`
    script[SITE + path] = page(`No events on day ${day}. ${words(5, 20)}`, ['/', next])
  }
  script[`${SITE}/cal/2030/1/1`] = page(`No events on day 0. ${words(5, 20)}`, ['/', '/cal/2030/1/2'])
  return script
}

test('an endless calendar is followed for a while and no further; the honest pages are all there', async () => {
  const web = new Scripted(calendarSite(300), wary)
  // What a later version cannot read may be the first URL of an agenda.
  const { pages, parts } = await web.visit({ agenda: [{ url: 'http://' }, `${SITE}/`], visit: { site: 'a.test' } })
  const asked = web.asked.map(({ url }) => url)
  const trap = asked.filter((url) => url.includes('/cal/'))
  assert.ok(trap.length <= 25, `${trap.length} requests inside the calendar`)
  assert.equal(pages.filter(({ url }) => url.includes('/honest-')).length, 10)
  const finding = parts.flatMap((part) => part.findings).find(({ pattern }) => pattern?.includes('/cal/'))
  assert.ok(finding !== undefined && finding.examples !== undefined)
  assert.ok(finding.examples.length <= 3 && finding.examples.every((url) => url.startsWith(`${SITE}/cal/`)))
  assert.ok(web.events.some((event) => event.kind === 'hazard' && event.rule === finding.rule))
})

test('the operator may trust the site: the same calendar is followed as far as the slice goes', async () => {
  const web = new Scripted(calendarSite(60), { trusts: () => true })
  await web.visit({ agenda: [`${SITE}/`] })
  assert.ok(web.asked.filter(({ url }) => url.includes('/cal/')).length > 40)
})

test('what was held back is queued again when the operator overrules the finding, not when it is confirmed', async () => {
  const first = await new Scripted(calendarSite(60), wary).visit({ agenda: [`${SITE}/`] })
  const { memory } = first.parts.at(-1)!
  assert.ok(memory.traps!.suspects.length > 0)
  for (const [more, requeue, left] of [
    [{ ...wary, trusts: () => true }, true, false],
    [{ ...wary, confirms: () => true }, undefined, true],
  ] as const) {
    const { parts } = await new Scripted(calendarSite(60), more).visit({ agenda: [`${SITE}/`], visit: { memory } })
    assert.equal(parts.find(({ learnt }) => learnt?.requeue)?.learnt?.requeue, requeue)
    assert.equal((parts.at(-1)!.memory.traps?.suspects.length ?? 0) > 0, left)
  }
})

test('what the operator confirmed is not sampled any more, until that is taken back', async () => {
  const first = await new Scripted(calendarSite(60), wary).visit({ agenda: [`${SITE}/`] })
  const { memory } = first.parts.at(-1)!
  const stopped = memory.traps!.suspects.find((one) => one.stopped)!
  const agenda = Array.from({ length: 50 }, (_, day) => ({
    ...{ url: `${SITE}/cal/2031/1/${day}`, via: `${SITE}/cal/2030/12/31`, depth: 4, path: 'Llll' },
  }))
  const visit = async (confirmed: string, before: typeof memory) => {
    const confirms = (_: string, rule: string, pattern: string) => `${rule} ${pattern}` === confirmed
    const web = new Scripted(calendarSite(60), { ...wary, confirms })
    const { parts } = await web.visit({ agenda, visit: { memory: before } })
    return {
      sampled: web.asked.filter(({ url }) => url.includes('/cal/')).length,
      memory: parts.at(-1)!.memory as typeof memory,
    }
  }
  const unconfirmed = await visit('', memory)
  assert.ok(unconfirmed.sampled > 0)
  const confirmed = await visit(`${stopped.rule} ${stopped.pattern}`, memory)
  assert.equal(confirmed.sampled, 0)
  const kept = confirmed.memory.traps!.suspects.find(({ pattern }) => pattern === stopped.pattern)!
  assert.equal(kept.isConfirmed, true)
  assert.equal(kept.refused, stopped.refused + agenda.length)
  const again = await visit('', confirmed.memory)
  assert.ok(again.sampled > 0)
  assert.equal(again.memory.traps!.suspects.find(({ pattern }) => pattern === stopped.pattern)?.isConfirmed, undefined)
})

test('a detector that throws leaves no half-counted page: its counts are those sent last', async () => {
  const first = await new Scripted(calendarSite(300), wary).visit({
    agenda: [`${SITE}/`],
    visit: { limits: { pages: 14, time: 1e9 } },
  })
  const { memory } = first.parts.at(-1)!
  assert.ok(memory.traps?.families?.some(([pattern]) => pattern === '/cal/#/#/#'))
  const trusts = (_site: string, rule: string) => {
    if (rule === 'endless-sequence') throw new Error('a bug')
    return false
  }
  const web = new Scripted(calendarSite(300), { trusts })
  const next = { url: `${SITE}/cal/2030/1/4`, via: `${SITE}/cal/2030/1/3`, depth: 4, path: 'Llll' }
  const { pages, parts } = await web.visit({ agenda: [next], visit: { memory } })
  assert.ok(pages.length > 1)
  assert.deepEqual(pages.at(-1)!.outcome, { kind: 'gone', why: 'reading' })
  assert.deepEqual(parts.at(-1)!.memory.traps, memory.traps)
})

/** Pages that are all alike, beside some that are not: the detectors want to know what is said of names that cannot exist. */
function alikeSite(probe: ScriptedAnswer): Script {
  const honest = Array.from({ length: 6 }, (_, at) => `/honest-${'abcdef'[at]}`)
  const alike = ['/one', '/two', '/three', '/four', '/five']
  const script: Script = { [`${SITE}/`]: page(words(1), [...honest, ...alike]), [PROBE]: probe }
  for (const [at, path] of honest.entries()) script[SITE + path] = page(words(100 + at, 60 + 40 * at), ['/'])
  for (const path of alike) script[SITE + path] = page('The same old words, again and again, on every page.', [])
  return script
}

test('a page that cannot exist is requested once, with the pause, archived, and never against robots.txt', async () => {
  const script = alikeSite({ status: 404, body: 'no' })
  const web = new Scripted(script, wary)
  const { pages } = await web.visit({ agenda: [`${SITE}/`] })
  const probes = web.asked.filter(({ url }) => url === PROBE)
  assert.equal(probes.length, 1)
  assert.equal(
    pages.some(({ url }) => url === PROBE),
    false,
  )
  assert.ok(web.kept.some(({ url }) => url === PROBE))

  const closed = new Scripted(
    { ...script, [`${SITE}/robots.txt`]: { body: 'User-agent: *\nDisallow: /no-such' } },
    wary,
  )
  await closed.visit({ agenda: [`${SITE}/`] })
  assert.equal(
    closed.asked.some(({ url }) => url === PROBE),
    false,
  )
})

test('if reading that answer throws, nothing else is lost, and the reading is watched', async () => {
  const probe = page('nothing here', [])
  const watched: string[] = []
  const whileHung: (object | undefined)[] = []
  const web = new Scripted(alikeSite(probe), {
    ...wary,
    watch: { begin: (_, item) => watched.push(`${item.path} ${item.url}`), end() {} },
    read(input) {
      if (new TextDecoder().decode(input.bytes) === probe.body) throw new Error('a bug')
      return readInTurns(input)
    },
    durable: async ({ traps }) => void whileHung.push(traps.probe),
  })
  const { why, parts } = await web.visit({ agenda: [`${SITE}/`] })
  assert.equal(why, 'done')
  assert.equal(web.asked.filter(({ url }) => url === PROBE).length, 1)
  assert.ok(watched.includes(`P ${PROBE}`))
  assert.deepEqual(whileHung.at(-1), {}, 'it is durable before the reading that it was asked for')
  assert.deepEqual(parts.at(-1)!.memory.traps?.probe, {})
  assert.ok(web.events.some((event) => event.kind === 'trouble'))
})

test('a blacklist also forbids the request for a missing page', async () => {
  const web = new Scripted(alikeSite({ status: 404 }), wary)
  web.tools.scope = () => ({
    ...web.scope,
    judgeSitemap: ({ path }) => (path.startsWith('/no-such') ? { yes: false, rule: 'blacklist' } : { yes: true }),
  })
  await web.visit({ agenda: [`${SITE}/`] })
  assert.equal(web.pagesAsked.length, 12)
})

test('an answer that only complains about the browser is stored and reported, but not a document', async () => {
  const scold = page('Your browser is not supported. Please enable JavaScript to continue.', [])
  const web = new Scripted({ [`${SITE}/`]: scold, [`${SITE}/2`]: scold }, wary)
  const { pages, counts, parts } = await web.visit({ agenda: [`${SITE}/`, `${SITE}/2`] })
  const findings = parts.flatMap((part) => part.findings).map(({ rule, examples }) => [rule, examples])
  assert.deepEqual(findings, [['unsupported-browser', [`${SITE}/`]]], 'the site is counted, and once')
  assert.deepEqual(pages[0].outcome, { kind: 'refused', by: 'hazard', rule: 'unsupported-browser' })
  assert.notEqual(pages[0].capture, undefined)
  assert.equal(counts.get('documents'), undefined)
  assert.equal(counts.get('duplicates'), undefined, 'what is no document has no duplicates')
  assert.equal(counts.get('stopped:unsupported-browser'), 2)
})

test('HTML that is declared as plain text is read as HTML, and says so', async () => {
  const script: Script = {
    [`${SITE}/`]: { ...page(words(1), ['/next']), headers: [['Content-Type', 'text/plain']] },
    [`${SITE}/next`]: page(words(2), []),
  }
  const web = new Scripted(script, wary)
  const { pages } = await web.visit({ agenda: [`${SITE}/`] })
  assert.equal(pages[0].sniffed, 'text/html')
  assert.ok(pages[0].annotations.includes('sniff:text/html'))
  assert.equal(pages[1].url, `${SITE}/next`)
})

test('nothing declared, and its bytes are a picture: not wanted', async () => {
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13)
  const web = new Scripted({ [`${SITE}/`]: { body: png, headers: [] } }, wary)
  const { pages } = await web.visit({ agenda: [`${SITE}/`] })
  assert.equal(pages[0].outcome.kind, 'refused')
  assert.deepEqual(
    web.kept.filter(({ url }) => url === `${SITE}/`),
    [],
  )
})

test('a site whose first documents are those of another is slowed and proposed as its mirror, and goes on', async () => {
  const links = ['/one', '/two', '/three', '/four']
  const script: Script = { [`${SITE}/`]: page(words(1), links) }
  for (const [at, path] of links.entries()) script[SITE + path] = page(words(50 + at), [])
  const web = new Scripted(script, { ...wary, findCopy: async () => ({ url: 'http://b.test/somewhere', at: 1 }) })
  const { parts, pages } = await web.visit({ agenda: [`${SITE}/`] })
  assert.deepEqual(parts.find((part) => part.learnt?.slow !== undefined)?.learnt?.slow, {
    rule: 'mirror',
    like: 'b.test',
  })
  assert.equal(pages.filter(({ outcome }) => outcome.kind === 'kept').length, 5)
})

test('when the operator overrules a site limit, waiting URLs are fetched and links followed again', async () => {
  const script: Script = { [`${SITE}/`]: page(words(1), ['/next']), [`${SITE}/next`]: page(words(2), []) }
  const memory = { ...freshMemory(), fetched: 9, stopped: 'site-urls>=9' }
  const stopped = new Scripted(script, wary)
  await stopped.visit({ agenda: [`${SITE}/`], visit: { memory } })
  assert.deepEqual(stopped.pagesAsked, ['a.test/'])
  const overruled = new Scripted(script, { trusts: (_, rule) => rule === 'site-urls' })
  await overruled.visit({ agenda: [`${SITE}/`], visit: { memory } })
  assert.deepEqual(overruled.pagesAsked, ['a.test/', 'a.test/next'])
})

test('a repeated visit adds nothing to what limits and detectors count', async () => {
  const script: Script = {
    [`${SITE}/moved`]: { status: 301, headers: [['Location', '/']] },
    [`${SITE}/kept`]: page(words(1), []),
    [`${SITE}/noindex`]: { body: '<meta name=robots content=noindex>' },
    [`${SITE}/fails`]: { status: 500 },
  }
  const captured = { url: `${SITE}/`, at: 0 }
  const before = { was: 'kept' as const, digest: 'sha1:', textDigest: 0n, simhash: 0n, captured }
  const agenda = [...Object.keys(script), `${SITE}/gone`].map((url) => ({ url, before }))
  const web = new Scripted(script, wary)
  const { parts, pages } = await web.visit({ agenda, visit: { known: BigUint64Array.of(parseUrl(`${SITE}/`)!.key) } })
  assert.deepEqual(
    pages.map(({ outcome }) => outcome.kind),
    ['moved', 'kept', 'refused', 'later', 'gone'],
  )
  const { fetched, traps, likeness } = parts.at(-1)!.memory
  assert.deepEqual([fetched, traps, likeness], [0, undefined, undefined])
})

test('known pages of what would be a trap are looked at again and again: no finding comes of it', async () => {
  const first = await new Scripted(calendarSite(300), wary).visit({
    agenda: [`${SITE}/`],
    visit: { limits: { pages: 16, time: 1e9 } },
  })
  const kept = first.pages.filter(({ memory }) => memory !== undefined)
  const { memory } = first.parts.at(-1)!
  assert.ok(kept.length > 14 && first.parts.every(({ findings }) => findings.length === 0))
  const findings: unknown[] = []
  let now = memory
  // Some are as they were, others change each time.
  for (let look = 0; look < 20; look++) {
    const changed = (body: string) => page(`${body} ${look}`, ['/', `/cal/2030/${look}/1`])
    const script = Object.fromEntries(
      Object.entries(calendarSite(300)).map(([url, answer], nth) => [url, nth % 2 === 0 ? answer : changed(url)]),
    )
    const agenda = kept.map(({ url, depth, via, path, memory }) => {
      return {
        url,
        depth,
        path,
        before: { was: 'kept' as const, ...memory!, captured: { url, at: 1 } },
        ...(via && { via }),
      }
    })
    // So many are known that only the agenda is fetched.
    const { parts, pages } = await new Scripted(script, wary).visit({
      agenda,
      visit: { memory: now, known: 'too many' },
    })
    assert.equal(pages.filter(({ outcome }) => outcome.kind === 'kept').length, kept.length)
    findings.push(...parts.flatMap((part) => part.findings))
    now = parts.at(-1)!.memory
  }
  assert.deepEqual(findings, [])
  assert.deepEqual([now.traps, now.fetched, now.stopped], [memory.traps, memory.fetched, undefined])
})

test("pages listed in the site's sitemap are read, however alike they are", async () => {
  const parts = Array.from({ length: 60 }, (_, at) => `/part/${at + 1}`)
  const honest = Array.from({ length: 10 }, (_, at) => `/honest-${'abcdefghij'[at]}`)
  const script: Script = {
    [`${SITE}/robots.txt`]: { body: `Sitemap: ${SITE}/map.txt` },
    [`${SITE}/map.txt`]: {
      body: parts.map((path) => SITE + path).join('\n'),
      headers: [['Content-Type', 'text/plain']],
    },
    [`${SITE}/`]: page(words(1), [...honest, '/part/1']),
  }
  for (const [at, path] of honest.entries()) script[SITE + path] = page(words(100 + at), ['/'])
  for (const [at, path] of parts.entries()) {
    script[SITE + path] = page(`Part ${at}. ${words(5, 20)}`, ['/', parts[(at + 1) % parts.length]])
  }
  const web = new Scripted(script, wary)
  const { pages } = await web.visit({ agenda: [`${SITE}/`] })
  assert.equal(
    pages.filter(({ url, outcome }) => url.includes('/part/') && outcome.kind === 'kept').length,
    parts.length,
  )
})

test('a chain of redirects to ever new URLs ends after twenty', async () => {
  const paths = Array.from(
    { length: 60 },
    (_, at) => `/${'abcdefghij'[at % 10]}/${'klmnopqrst'[Math.floor(at / 10)]}-${at}.html`,
  )
  const script: Script = { [`${SITE}/`]: page(words(1), [paths[0]]) }
  for (const [at, path] of paths.entries())
    script[SITE + path] = { status: 302, headers: [['Location', paths[at + 1] ?? '/']], body: '' }
  const web = new Scripted(script, wary)
  const { parts } = await web.visit({ agenda: [`${SITE}/`] })
  const hops = web.asked.filter(({ url }) => paths.some((path) => url === SITE + path)).length
  assert.ok(hops <= 20, `${hops} redirects were followed`)
  const rules = parts.flatMap((part) => part.findings).map(({ rule }) => rule)
  assert.deepEqual(rules, ['redirect-chain'])
})

test('a redirect to a page about the missing name is followed; one to a common error page is not', async () => {
  const error = `${SITE}/error?path=${encodeURIComponent(absurdPath('a.test'))}`
  const named = new Scripted(
    { ...alikeSite({ status: 302, headers: [['Location', error]] }), [error]: page('Not here', []) },
    wary,
  )
  const { parts } = await named.visit({ agenda: [`${SITE}/`] })
  assert.equal(named.asked.filter(({ url }) => url === error).length, 1)
  assert.notEqual(parts.at(-1)!.memory.traps?.probe?.like, undefined)
  const start = `${SITE}/start`
  const fixed = new Scripted(
    { ...alikeSite({ status: 302, headers: [['Location', start]] }), [start]: page(words(9), []) },
    wary,
  )
  await fixed.visit({ agenda: [`${SITE}/`] })
  assert.equal(
    fixed.asked.some(({ url }) => url === start),
    false,
  )
})

test('a library is asked once for a page that cannot exist, not against robots.txt, and read to its end', async () => {
  const script: Script = { [`${SITE}/`]: page(words(1), ['/page/1']) }
  for (let at = 1; at <= 400; at++) {
    const below = [2 * at, 2 * at + 1].filter((to) => to <= 400).map((to) => `/page/${to}`)
    script[`${SITE}/page/${at}`] = page(`Page ${at}`, below)
  }
  const isInvented = ({ url }: { url: string }) => url.startsWith(`${SITE}/page/`) && script[url] === undefined
  const web = new Scripted(script, wary)
  const { pages } = await web.visit({ agenda: [`${SITE}/`] })
  assert.equal(pages.length, 401)
  assert.equal(web.asked.filter(isInvented).length, 1)
  assert.equal(web.kept.filter(isInvented).length, 1)

  const rules = { body: 'User-agent: *\nDisallow: /page/*90713' }
  const closed = new Scripted({ ...script, [`${SITE}/robots.txt`]: rules }, wary)
  const { parts } = await closed.visit({ agenda: [`${SITE}/`] })
  assert.equal(closed.asked.some(isInvented), false)
  assert.ok(parts.some(({ findings }) => findings.length > 0))
})

test('an endless calendar of noindex pages is stopped too', async () => {
  const script = calendarSite(300)
  for (const [url, answer] of Object.entries(script))
    if (url.includes('/cal/'))
      script[url] = {
        ...answer,
        headers: [
          ['X-Robots-Tag', 'noindex'],
          ['Content-Type', 'text/html'],
        ],
      } as ScriptedAnswer
  const web = new Scripted(script, wary)
  await web.visit({ agenda: [`${SITE}/`] })
  assert.ok(web.asked.filter(({ url }) => url.includes('/cal/')).length <= 25)
})

test('a redirect to a scheme whose robots.txt is not read is not followed', async () => {
  const secure = PROBE.replace('http:', 'https:')
  const web = new Scripted(
    { ...alikeSite({ status: 301, headers: [['Location', secure]] }), [secure]: page('Not here', []) },
    wary,
  )
  await web.visit({ agenda: [`${SITE}/`] })
  assert.deepEqual(
    web.asked.map(({ url }) => url).filter((url) => url === PROBE || url === secure),
    [PROBE],
  )
})

const suspectOf = (pattern: string, rule: string, stopped: boolean) => ({
  ...{ pattern, rule, proof: 'text', evidence: '', at: 0, examples: [], stopped },
  ...{ budget: stopped ? 0 : 4, confirmed: 0, contradicted: 0, refused: 0, nextSample: 16 },
})

test('URLs that a page on trial lists are not held back', async () => {
  const item = { url: `${SITE}/item/5`, depth: 2, path: 'LL', via: `${SITE}/list/3` }
  const asked = async (isListStopped: boolean) => {
    const suspects = [suspectOf('/list/#', 'near-duplicates', isListStopped), suspectOf('/item/#', 'maze', true)]
    const web = new Scripted({ [item.url]: page(words(3), []) }, wary)
    await web.visit({ agenda: [item], visit: { memory: { ...freshMemory(), traps: { suspects } } } })
    return web.pagesAsked.length
  }
  assert.equal(await asked(true), 0)
  assert.equal(await asked(false), 1)
})

test('a trial by a rule that the operator overrules is over', async () => {
  const suspects = [suspectOf('/list/#', 'near-duplicates', false), suspectOf('/item/#', 'maze', true)]
  const web = new Scripted({ [`${SITE}/`]: page(words(3), []) }, { trusts: (_, rule) => rule === 'near-duplicates' })
  const { parts } = await web.visit({
    agenda: [`${SITE}/`],
    visit: { memory: { ...freshMemory(), traps: { suspects } } },
  })
  assert.deepEqual(
    parts.at(-1)?.memory.traps?.suspects.map(({ pattern }) => pattern),
    ['/item/#'],
  )
})

test('a known URL is reported again when a page lists it and its pattern is suspect; an alias is not', async () => {
  const list = `${SITE}/list`
  const known = new BigUint64Array(['/item/5?sort=a', '/item/6'].map((path) => parseUrl(SITE + path)!.key))
  const suspects = [
    { ...suspectOf('/item/#?sort=*&**', 'idle-parameter', true), proof: 'alias' },
    suspectOf('/item/#', 'maze', true),
  ]
  const web = new Scripted({ [list]: page(words(3), ['/item/5?sort=a', '/item/6']) }, wary)
  const visit = { known, memory: { ...freshMemory(), traps: { suspects } } }
  const { parts } = await web.visit({ agenda: [{ url: list, depth: 1, path: 'L', via: `${SITE}/` }], visit })
  assert.deepEqual(
    parts.flatMap(({ found }) => found.map(({ url }) => url)),
    [`${SITE}/item/6`],
  )
})

test('where nobody knows which URLs of the site are known, redirects say nothing', async () => {
  const script: Script = { [`${SITE}/basket/`]: page('Your basket is empty', []) }
  const baskets = Array.from({ length: 40 }, (_, at) => `${SITE}/basket/add/item/k${at}x7q/`)
  for (const url of baskets) script[url] = { status: 302, headers: [['Location', '/basket/']] }
  // What earlier visits have seen: the baskets are not the whole site.
  const memory = { ...freshMemory(), traps: { suspects: [], novel: [30, 30, 9_000] } } as ReturnType<typeof freshMemory>
  const basket = parseUrl(`${SITE}/basket/`)!.key
  const suspected = async (known: BigUint64Array | 'too many') => {
    const agenda = baskets.map((url) => ({ url, depth: 2, path: 'Ll' }))
    const { parts } = await new Scripted(script, wary).visit({ agenda, visit: { memory, known } })
    return parts.at(-1)!.memory.traps!.suspects.map(({ pattern }) => pattern)
  }
  assert.deepEqual(await suspected(BigUint64Array.of(basket)), ['/basket/add/item/**'])
  assert.deepEqual(await suspected('too many'), [])
})
