import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { RobotsMemory, SiteMemory } from '../contracts/site-memory.ts'
import { freshMemory } from '../contracts/site-memory.ts'
import { usualUrls } from '../web/url/web-url.ts'
import { withOwner } from './robots.ts'
import { itemOf, Scripted } from './scripted.test-data.ts'
import { aliasFrom, siblingLink, wwwSibling } from './site-names.ts'

const YES = { judge: () => ({ yes: true }) as const }
const NO = { judge: () => ({ yes: false, rule: 'scope' }) as const }
const tools = { scope: YES, urls: usualUrls }
const moved = (url: string, status: number, to: string) => ({ url, status, outcome: { kind: 'moved', to } as const })
const robots = (more: Partial<RobotsMemory> = {}): RobotsMemory => ({
  state: 'none',
  at: 0,
  status: 404,
  text: '',
  ...more,
})
const withRobots = (memory: RobotsMemory): SiteMemory => ({ ...freshMemory(), robots: { http: memory } })

test('a sibling has the same owner', () => {
  assert.equal(wwwSibling('example.org'), 'www.example.org')
  assert.equal(wwwSibling('www.example.org:8080'), 'example.org:8080')
  assert.equal(wwwSibling('blog.example.co.uk'), 'www.blog.example.co.uk')
  for (const none of ['co.uk', 'www.co.uk', 'org', 'www.org', '192.0.2.1', '[::1]', 'localhost'])
    assert.equal(wwwSibling(none), undefined, none)
  fc.assert(
    fc.property(fc.domain(), (host) => {
      const sibling = wwwSibling(host)
      if (sibling !== undefined) assert.equal(wwwSibling(sibling), host)
    }),
  )
})

const sameRobots = withRobots(robots({ from: 'www.a.test' }))

test('a permanent redirect of the home page to the sibling with the same robots.txt: an alias at once', () => {
  for (const status of [301, 308]) {
    const { alias } = aliasFrom('a.test', moved('http://a.test/', status, 'https://www.a.test/'), sameRobots, tools)
    assert.deepEqual(alias, {
      to: 'www.a.test',
      how: 'www',
      https: true,
      evidence: `${status} http://a.test/ → https://www.a.test/; its robots.txt is the same`,
    })
  }
  const bare = withRobots(robots({ from: 'a.test' }))
  const back = aliasFrom('www.a.test', moved('http://www.a.test/', 301, 'http://a.test/'), bare, tools)
  assert.deepEqual([back.alias?.to, back.alias?.https], ['a.test', false])
  const session = 'http://www.a.test/?PHPSESSID=0123456789abcdef0123456789abcdef'
  assert.ok(aliasFrom('a.test', moved('http://a.test/', 301, session), sameRobots, tools).alias)
})

test('otherwise when another page is redirected to the same path there, in either order', () => {
  const home = moved('http://a.test/', 301, 'http://www.a.test/')
  const deep = moved('http://a.test/x?y=1', 302, 'http://www.a.test/x?y=1')
  for (const [one, other] of [
    [home, deep],
    [deep, home],
  ]) {
    const first = aliasFrom('a.test', one, freshMemory(), tools)
    assert.equal(first.alias, undefined)
    const kept = JSON.parse(JSON.stringify(first.memory)) as SiteMemory
    assert.equal(aliasFrom('a.test', one, kept, tools).alias, undefined, 'the same again is no second witness')
    const second = aliasFrom('a.test', other, kept, tools)
    assert.equal(second.alias?.to, 'www.a.test')
    assert.equal(second.memory.sentTo, undefined)
  }
})

test('a temporary redirect counts when it happens twice, to the same name', () => {
  const first = aliasFrom('a.test', moved('http://a.test/', 302, 'http://www.a.test/'), sameRobots, tools)
  assert.equal(first.alias, undefined)
  const kept = JSON.parse(JSON.stringify(first.memory)) as SiteMemory
  const second = aliasFrom('a.test', moved('https://a.test/', 307, 'http://www.a.test/'), kept, tools)
  assert.equal(second.alias?.to, 'www.a.test')
  assert.equal(second.memory.sentTo, undefined)
})

test('and for no other reason', () => {
  const cases: [string, number, string][] = [
    ['http://a.test/', 301, 'http://www.b.test/'],
    ['http://a.test/', 301, 'http://web.a.test/'],
    ['http://a.test/', 301, 'https://a.test/'],
    ['http://a.test/', 301, 'http://www.a.test/welcome'],
    ['http://a.test/deep', 301, 'http://www.a.test/'],
    ['http://a.test/deep?x=1', 301, 'http://www.a.test/deep'],
    ['http://a.test/', 301, 'http://www.a.test:8080/'],
    ['http://a.test/', 301, 'nonsense'],
  ]
  for (const [url, status, to] of cases)
    assert.deepEqual(aliasFrom('a.test', moved(url, status, to), sameRobots, tools), { memory: sameRobots }, to)
  const page = moved('http://a.test/', 301, 'http://www.a.test/')
  assert.equal(aliasFrom('a.test', page, sameRobots, { ...tools, scope: NO }).alias, undefined)
  assert.equal(aliasFrom('a.test', page, withRobots(robots()), tools).alias, undefined, 'a robots.txt of its own')
  const kept = { ...page, status: 200, outcome: { kind: 'kept', how: 'first' } as const }
  assert.equal(aliasFrom('a.test', kept, sameRobots, tools).alias, undefined)
})

test('a robots.txt belongs to the site where a redirect found it, and only under that name', () => {
  const owner = (from: string) => withOwner(robots(), from, 'a.test', usualUrls).from
  assert.equal(owner('https://www.a.test/robots.txt'), 'www.a.test')
  assert.equal(owner('https://a.test/robots.txt'), undefined)
  assert.equal(owner('https://www.a.test/'), undefined)
})

test("an alias never evades what the site's own robots.txt forbids", () => {
  const page = moved('http://a.test/', 301, 'http://www.a.test/')
  const sentTo = { site: 'www.a.test', times: 0, deep: true } as const
  const learns = (memory: RobotsMemory) =>
    aliasFrom('a.test', page, { ...withRobots(memory), sentTo }, tools).alias !== undefined
  const rules = { state: 'rules', status: 200, text: 'User-agent: *\nDisallow: /private\n' } as const
  assert.equal(learns(robots()), true)
  assert.equal(learns(robots({ state: 'uninterpretable' })), true)
  assert.equal(learns(robots({ state: 'unreachable' })), false)
  assert.equal(learns(robots(rules)), false)
  assert.equal(learns(robots({ ...rules, from: 'www.a.test' })), true)
  assert.equal(learns(robots({ ...rules, from: 'b.test' })), false)
  assert.equal(
    learns(robots({ ...rules, text: 'User-agent: *\nCrawl-delay: 3\nSitemap: http://a.test/s.xml\n' })),
    true,
  )
})

test("a silent scheme is no obstacle if the other has the sibling's rules", () => {
  const page = moved('http://a.test/', 301, 'http://www.a.test/')
  const shut = (status: number) => robots({ state: 'unreachable', status })
  const learns = (http: RobotsMemory, https: RobotsMemory) =>
    aliasFrom('a.test', page, { ...freshMemory(), robots: { http, https } }, tools).alias !== undefined
  assert.equal(learns(robots({ from: 'www.a.test' }), shut(0)), true)
  assert.equal(learns(robots({ from: 'www.a.test' }), shut(503)), false)
  assert.equal(learns(robots(), shut(0)), false)
})

test('the sibling of a submitted name that does not exist', () => {
  const link = siblingLink('a.test', [itemOf({ url: 'https://a.test/', path: 'L' })], tools)
  assert.deepEqual([link?.url, link?.path, link?.depth, link?.via], ['https://www.a.test/', 'LN', 0, 'https://a.test/'])
  const seed = siblingLink('www.a.test', [itemOf({ url: 'http://www.a.test/deep' })], tools)
  assert.deepEqual([seed?.url, seed?.path], ['http://a.test/', 'N'])
  const deep = itemOf({ url: 'http://a.test/deep', path: 'L' })
  assert.equal(siblingLink('a.test', [deep], tools), undefined, 'some link to some page')
  assert.ok(siblingLink('a.test', [deep, itemOf({ url: 'http://a.test/', path: 'LL' })], tools))
  assert.equal(siblingLink('b.a.test', [itemOf({ url: 'http://b.a.test/' })], tools), undefined)
  assert.equal(siblingLink('www.a.test', [itemOf({ url: 'http://www.a.test/', path: 'LN' })], tools), undefined)
  assert.equal(siblingLink('a.test', [itemOf({ url: 'http://a.test/' })], { ...tools, scope: NO }), undefined)
})

test('a visit learns the alias, reports it, and leaves the rest to the original', async () => {
  const web = new Scripted({
    'http://a.test/robots.txt': { status: 301, headers: [['Location', 'https://www.a.test/robots.txt']] },
    'https://www.a.test/robots.txt': {
      headers: [['Content-Type', 'text/plain']],
      body: 'User-agent: *\nDisallow: /no',
    },
    'http://a.test/': { status: 301, headers: [['Location', 'https://www.a.test/']] },
  })
  const { why, parts } = await web.visit({ agenda: ['http://a.test/', 'http://a.test/1', 'http://a.test/2'] })
  assert.equal(why, 'slice')
  assert.deepEqual(web.pagesAsked, ['a.test/'])
  const learnt = parts.flatMap((part) => (part.learnt?.alias === undefined ? [] : [part.learnt.alias]))
  assert.deepEqual(
    learnt.map(({ to, https }) => [to, https]),
    [['www.a.test', true]],
  )
  const crossSite = parts.flatMap((part) => part.crossSite.map(({ url, path }) => [url, path]))
  assert.deepEqual(crossSite, [['https://www.a.test/', 'R']])
})

test('a visit to a name that does not exist tries the other, and says so', async () => {
  const nobody = { kind: 'failed', failure: { kind: 'no-such-name', detail: 'NXDOMAIN' } } as const
  const web = new Scripted({}, { resolve: async () => nobody })
  const { why, parts, pages } = await web.visit({ agenda: ['http://a.test/'] })
  assert.equal(why, 'given-up')
  assert.deepEqual(
    parts.flatMap((part) => part.crossSite.map(({ url, path }) => [url, path])),
    [['http://www.a.test/', 'N']],
  )
  assert.deepEqual(pages[0].annotations, ['sibling:www.a.test'])
})
