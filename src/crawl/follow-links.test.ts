/** What becomes of the links of a page, beside the plainest way to say it: sets of its own for every page, an object for every link. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { virtualClock } from '../../testkit/virtual-clock.ts'
import { HashSet64 } from '../base/hash-set.ts'
import { runThrough, type Stretches } from '../base/stretches.ts'
import { type OutLink, packLinks, unpackLinks } from '../contracts/adjacency.ts'
import { countLabel } from '../contracts/counts.ts'
import { freshMemory } from '../contracts/site-memory.ts'
import type { AgendaItem, Visit } from '../contracts/visit.ts'
import type { FoundLink } from '../page/reading.ts'
import { normalPath, parseUrl, resolver, usualUrls, type WebUrl } from '../web/url/web-url.ts'
import {
  followLinks,
  LINKS_PER_STRETCH,
  type LinkSource,
  linkFacts,
  offerPlainer,
  outLink,
  rememberIndexNames,
  resolveLinks,
} from './follow-links.ts'
import { LocalFrontier, linkTo } from './local-frontier.ts'
import { Reporter } from './reporter.ts'
import { emptyBlacklist, parseBlacklist } from './scope/blacklist.ts'
import { type LinkPolicy, makeScope, type Scope } from './scope/scope.ts'
import { isFeed, offerFeed } from './sitemaps.ts'
import type { VisitState } from './tools.ts'
import { VisitTimes } from './visit-times.ts'

const SID = '11111111111111111111111111111111'
const HREFS = [
  ...[
    '/',
    '/a',
    '/a#x',
    'a',
    '../a',
    './a',
    '/b.jpg',
    '/b/',
    '/b/index.html',
    '/%61',
    '?q=1',
    '#',
    '',
    'http://h.test/a',
  ],
  ...[`/a?PHPSESSID=${SID}`, `/c?PHPSESSID=${SID}`, '/c', '/c;x', 'https://h.test/a', '/stopped/1', '/banned/1'],
  ...['http://other.test/', 'http://other.test/x', 'http://other.test/y.zip', 'http://far.test/x', 'mailto:x@y.z'],
  ...['javascript:void(0)', 'http://h.test:0/', '/feed.xml', '/é?é'],
]
const found: fc.Arbitrary<FoundLink> = fc.record({
  href: fc.constantFrom(...HREFS),
  kind: fc.constantFrom('a', 'a', 'a', 'embed', 'alternate', 'iframe'),
  nofollow: fc.nat(4).map((n) => n === 0),
  media: fc.constantFrom('', 'image', 'application/rss+xml'),
})

const item = (url: string, depth: number): AgendaItem => ({
  url,
  key: parseUrl(url)!.key,
  depth,
  dueAt: 0,
  tries: 0,
  path: 'L',
})

function scopeOf(banned: boolean, links: LinkPolicy = 'combined'): Scope {
  return makeScope({
    mode: 'host',
    seeds: ['http://h.test/', 'http://other.test/'].map((url) => parseUrl(url)!),
    include: [],
    exclude: [],
    queries: true,
    mediaTypes: ['text/html'],
    maxDepth: 3,
    maxUrlLength: 100,
    blacklist: banned ? parseBlacklist([{ name: 'x', text: 'http://h.test/banned/' }]) : emptyBlacklist,
    links,
    sizes: [],
  })
}

function screenOf(scope: Scope, known: bigint[]): VisitState {
  const visit: Visit = {
    id: 'v',
    fence: 1,
    site: 'h.test',
    agenda: [item('http://h.test/', 0)],
    known: BigUint64Array.from(known),
    memory: freshMemory(),
    wait: 0,
    pause: 0,
    limits: { pages: 5, time: 1 },
    lease: 1,
  }
  return {
    site: 'h.test',
    scope,
    local: new LocalFrontier(visit),
    reporter: new Reporter(visit, () => ({ pause: 0, notBefore: 0 }), new VisitTimes(virtualClock(0), new Map())),
    crossSiteSeen: new HashSet64(),
    sitemaps: 'robots',
    noteHost() {},
    isPatternFull: (url) => url.path.startsWith('/stopped/'),
    isSuspect: () => false,
    plainer: () => undefined,
    cookieChecks: 0,
    now: 7,
  }
}

/** The plainest way. */
function plainly(links: readonly FoundLink[], base: string, from: LinkSource, tools: VisitState) {
  const { tally } = tools.reporter
  const resolve = resolver(base)
  const urls: { found: FoundLink; url: WebUrl }[] = []
  for (const link of links) {
    const resolved = resolve(link.href)
    if (resolved.kind === 'empty') continue
    tally.add('links')
    if (resolved.kind === 'malformed') tally.add('malformed')
    else if (resolved.kind === 'unwanted') tally.add(`unwanted:${countLabel(resolved.scheme)}`)
    else urls.push({ found: link, url: resolved.url })
  }
  const facts = new Map<bigint, { path: string; fresh: boolean }>()
  let crossSite = 0
  for (const { found, url } of urls) {
    if (found.kind === 'embed') continue
    if (url.site !== tools.site) crossSite++
    else if (!facts.has(url.key)) facts.set(url.key, { path: normalPath(url), fresh: !tools.local.knows(url.key) })
  }
  const out: OutLink[] = []
  const onPage = new Set<bigint>()
  const followed = new Set<bigint>()
  for (const { found, url } of urls) {
    const first = !onPage.has(url.key)
    onPage.add(url.key)
    const feed = isFeed(found, url, tools)
    const unwanted = feed
      ? undefined
      : (tools.scope.unwantedKind(url) ?? (found.kind === 'embed' ? 'embed' : undefined))
    if (unwanted !== undefined) tally.add(`unwanted:${countLabel(unwanted)}`)
    const follow = unwanted !== undefined ? 'unwanted' : found.nofollow ? 'directive' : from.follow
    const again = followed.has(url.key)
    if (follow === 'yes') followed.add(url.key)
    if (follow === 'yes' ? again : !first) {
      if (follow === 'yes' && tools.local.isSpelling(url.key, url.href, url.lossy)) offerPlainly(url, from.item, tools)
      continue
    }
    let admitted = false
    if (follow === 'yes') admitted = feed ? offerFeed(url, from.item, tools) : offerPlainly(url, from.item, tools)
    else if (follow !== 'unwanted') tally.add(`refused:${follow}`)
    if (first) out.push({ ...outLink(url, admitted, tools), ...(found.kind === 'embed' && { kind: 'embed' as const }) })
  }
  return { facts: { links: [...facts.values()], crossSite }, packed: packLinks(out) }
}

function offerPlainly(url: WebUrl, from: AgendaItem, tools: VisitState): boolean {
  const wanted = (target: WebUrl, depth: number) => {
    const finding = tools.scope.judge(target, depth)
    if (finding.yes) return true
    tools.reporter.tally.add('refused:scope')
    const limit = finding.rule.split('>')[0]
    if (limit === 'depth' || limit === 'url-length') tools.reporter.tally.add(`stopped:${limit}`)
    return false
  }
  // Its own site is not listed by anybody here; another always is.
  const [depth, path] = [from.depth + 1, from.path + (url.site === tools.site ? 'l' : 'L')]
  if (url.site === tools.site) {
    if (!wanted(url, depth) || tools.isPatternFull(url, { depth, path, via: from.url })) return false
    const link = linkTo(url, depth, from.url, path)
    const { href, key } = url
    const news = tools.local.offer(
      { url: href, key, depth, dueAt: tools.now, via: from.url, tries: 0, path },
      url.lossy,
    )
    if (news !== 'known') rememberIndexNames(tools.local, tools.reporter)
    if (news !== 'known') tools.reporter.addLink(news === 'spelling' ? { ...link, spelling: true } : link)
    return true
  }
  const { admit } = tools.scope.crossSite(url)
  let entered = false
  for (const target of admit) {
    const its = target.key === url.key ? depth : 0
    if (!wanted(target, its)) continue
    if (target.key === url.key) entered = true
    if (tools.crossSiteSeen.add(target.key)) tools.reporter.addCrossSite(linkTo(target, its, from.url, path))
  }
  return entered
}

const BASES = ['http://h.test/', 'http://h.test/b/page', 'http://other.test/b/']

test('pages give the same reports, counts, queue and judgements as the plainest implementation', () => {
  const pages = fc.array(
    fc.record({
      links: fc.array(found, { maxLength: 30 }),
      base: fc.constantFrom(...BASES),
      depth: fc.nat(3),
      follow: fc.constantFrom('yes', 'yes', 'directive', 'hazard'),
      banned: fc.boolean(),
    }),
    { maxLength: 6 },
  )
  const known = fc.subarray(['/a', '/b/', '/c'].map((path) => parseUrl(`http://h.test${path}`)!.key))
  const scopes = [scopeOf(false), scopeOf(true)]
  fc.assert(
    fc.property(pages, known, (pages, known) => {
      const ours = screenOf(scopes[0], known)
      const plain = screenOf(scopes[0], known)
      for (const { links, base, depth, follow, banned } of pages) {
        // Blacklists may change from page to page.
        ours.scope = scopes[banned ? 1 : 0]
        plain.scope = ours.scope
        const from: LinkSource = { item: item('http://h.test/b/page', depth), follow, lister: undefined }
        const expected = plainly(links, base, from, plain)
        const resolved = runThrough(resolveLinks(links, usualUrls.resolver(base), ours.reporter.tally))
        const { links: facts, crossSite } = linkFacts(resolved, ours)
        assert.deepEqual(
          { links: facts.map(({ path, fresh }) => [path, fresh]), crossSite },
          { links: expected.facts.links.map(({ path, fresh }) => [path, fresh]), crossSite: expected.facts.crossSite },
        )
        assert.deepEqual(unpackLinks(runThrough(followLinks(resolved, from, ours))), unpackLinks(expected.packed))
        if (follow === 'directive') assert.deepEqual(ours.local.take(), plain.local.take())
      }
      const [told, toldPlainly] = [ours.reporter.take(), plain.reporter.take()]
      assert.deepEqual(
        { ...told, counts: [...(told?.counts ?? [])].sort() },
        { ...toldPlainly, counts: [...(toldPlainly?.counts ?? [])].sort() },
      )
      for (let next = ours.local.take(); next !== undefined; next = ours.local.take())
        assert.deepEqual(next, plain.local.take())
      assert.equal(plain.local.take(), undefined)
    }),
    { numRuns: 2000 },
  )
})

test('a page of very many links leaves no memory behind for the next one', () => {
  const links: FoundLink[] = Array.from({ length: 50_000 }, (_, i) => ({
    href: `/x${i % 40_000}`,
    kind: 'a',
    nofollow: false,
    media: '',
  }))
  const tools = screenOf(scopeOf(false), [])
  const from: LinkSource = { item: item('http://h.test/', 0), follow: 'yes', lister: undefined }
  const many = runThrough(resolveLinks(links, resolver('http://h.test/'), tools.reporter.tally))
  assert.equal(many.filter(({ first }) => first).length, 40_000)
  assert.equal(unpackLinks(runThrough(followLinks(many, from, tools))).length, 40_000)
  const few = runThrough(resolveLinks(links.slice(0, 2), resolver('http://h.test/'), tools.reporter.tally))
  assert.deepEqual(
    few.map(({ first }) => first),
    [true, true],
  )
})

test('pages of very many links are taken in stretches of bounded length, and do not mix with those between', () => {
  const linksOf = (name: string, count: number): FoundLink[] =>
    Array.from({ length: count }, (_, i) => ({
      href: `/${name}${i >> 1}`,
      kind: 'a',
      nofollow: i % 4 === 0,
      media: '',
    }))
  const from: LinkSource = { item: item('http://h.test/', 0), follow: 'yes', lister: undefined }
  const work = function* (links: readonly FoundLink[]): Stretches<Uint8Array> {
    const tools = screenOf(scopeOf(false), [])
    const resolved = yield* resolveLinks(links, resolver('http://h.test/'), tools.reporter.tally)
    return yield* followLinks(resolved, from, tools)
  }
  const pages = [linksOf('a', 10_000), linksOf('b', 8_000), linksOf('c', LINKS_PER_STRETCH)]
  const alone = pages.map((links) => Buffer.from(runThrough(work(links))))
  const under = pages.map((links) => ({ run: work(links), stretches: 0, bytes: new Uint8Array(0) as Uint8Array }))
  for (let left = under.length; left > 0; )
    for (const page of under) {
      if (page.bytes.length > 0) continue
      page.stretches++
      const { done, value } = page.run.next()
      if (!done) continue
      page.bytes = value
      left--
    }
  assert.ok(under.every(({ bytes }, i) => alone[i].equals(bytes)))
  // Twice over the links, with a rest before each stretch; an ordinary page has none.
  assert.deepEqual(
    under.map(({ stretches }) => stretches),
    [11, 9, 1],
  )
})

test('a link whose site is entered by another URL, or not at all, keeps its URL text', () => {
  const tools = screenOf(scopeOf(false, 'home-page'), [])
  const hrefs = ['http://other.test/x', 'http://other.test/', 'http://far.test/x', '/a']
  const links = hrefs.map((href): FoundLink => ({ href, kind: 'a', nofollow: false, media: '' }))
  const resolved = runThrough(resolveLinks(links, usualUrls.resolver('http://h.test/'), tools.reporter.tally))
  const packed = unpackLinks(
    runThrough(followLinks(resolved, { item: item('http://h.test/', 0), follow: 'yes', lister: undefined }, tools)),
  )
  assert.deepEqual(
    packed.map(({ url }) => url),
    ['http://other.test/x', 'http://other.test/', 'http://far.test/x', undefined],
  )
})

test('what is held back is asked for in its plainer form, once: two held forms that name each other are no loop', () => {
  const tools = screenOf(scopeOf(false), [])
  const [held, plain] = ['http://h.test/stopped/?view=1', 'http://h.test/?view=2'].map((url) => parseUrl(url)!)
  const from = { depth: 1, via: 'http://h.test/', path: 'Ll' }
  offerPlainer(held, from, { ...tools, plainer: () => plain })
  assert.equal(tools.local.knows(plain.key), true)
  const other = parseUrl('http://h.test/stopped/?view=3')!
  let asked = 0
  const plainer = (url: WebUrl) => {
    asked++
    return url.key === held.key ? other : held
  }
  offerPlainer(held, from, { ...tools, plainer })
  assert.equal(asked, 1)
  assert.deepEqual(
    [held, other].map(({ key }) => tools.local.knows(key)),
    [false, false],
  )
})
