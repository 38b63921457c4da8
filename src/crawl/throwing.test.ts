/** A visit meets hostile answers, and bugs of ours that they bring out: each costs its URL only, told once (V6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { UNLIMITED } from './hazards/limits.ts'
import { type Script, Scripted, type ScriptedAnswer, type Visited } from './scripted.test-data.ts'

const HOME = 'http://a.test/'
const SECOND = 'http://a.test/second'
const THIRD = 'http://a.test/third'
const plain: ScriptedAnswer = { body: 'nothing much' }
const outcomes = ({ pages }: Visited) =>
  pages.map(
    ({ url, outcome }) => `${url.slice(HOME.length)} ${outcome.kind}${outcome.kind === 'gone' ? outcome.why : ''}`,
  )

test('a detector that throws costs only the page, which is recorded once as unreadable', async () => {
  const web: Scripted = new Scripted(
    { [HOME]: plain, [SECOND]: { status: 404 }, [THIRD]: plain },
    {
      hazards: {
        urlsPerSite: UNLIMITED,
        duplicatesPerSite: UNLIMITED,
        get depth() {
          if (web.asked.at(-1)?.url === SECOND) throw new Error('a bug')
          return UNLIMITED
        },
      },
    },
  )
  const visited = await web.visit({ agenda: [HOME, SECOND, THIRD] })
  assert.deepEqual(outcomes(visited), [' kept', 'second gonereading', 'third kept'])
  assert.equal(visited.counts.get('failure:reading'), 1)
  assert.equal(visited.counts.get('documents'), 2)
  assert.match(JSON.stringify(web.events), /second: Error: a bug/)
})

test('a scope that throws costs only the URLs it judges, and none is fetched', async () => {
  const web = new Scripted({ [HOME]: plain, [SECOND]: plain, [THIRD]: plain })
  const { judge } = web.scope
  web.scope.judge = (url, depth) => {
    if (url.href !== THIRD) throw new Error('a bug')
    return judge.call(web.scope, url, depth)
  }
  const visited = await web.visit({ agenda: [HOME, SECOND, THIRD] })
  assert.deepEqual(outcomes(visited), [' gonereading', 'second gonereading', 'third kept'])
  assert.deepEqual(web.pagesAsked, ['a.test/third'])
})

test('when the disk or the coordinator has failed nothing goes on', async () => {
  const web = new Scripted({ [HOME]: plain }, { failed: () => true })
  web.scope.judge = () => {
    throw new Error('no room left')
  }
  await assert.rejects(web.visit({ agenda: [HOME] }), /no room left/)
})

const nasty = fc.constantFrom(
  ...[
    '<',
    '>',
    '</',
    '<!--',
    '-->',
    '<![CDATA[',
    '<a href="',
    '<base href="',
    '<meta http-equiv=refresh content="0;url=',
  ],
  ...['"', "'", '&#', '&#x110000;', '\u0000', '\ud800', 'http://', '//[::', '/%', '<script>', '<frame src=', '<title>'],
  ...[
    'User-agent: *\n',
    'Disallow: /*$*',
    'Sitemap: ',
    'Crawl-delay: 1e999\n',
    '\r',
    '\n',
    '<urlset>',
    '<loc>',
    '\ufeff',
  ],
)
const body = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.array(fc.oneof(nasty, fc.string({ maxLength: 6 })), { maxLength: 40 }).map((parts) => Buffer.from(parts.join(''))),
)
const value = fc.oneof(
  fc.constantFrom('text/html', 'text/plain; charset=utf-7', 'application/xhtml+xml', 'text/html; charset="', ''),
  fc.constantFrom('gzip', 'br', 'deflate', 'zstd', 'gzip, gzip', 'noindex', 'a: noindex, unavailable_after: x', '-1'),
  fc.constantFrom('http://b.test/', '/second', '//', 'http://[', 'javascript:', 'Thu, 99 Foo 0000 00:00:00 GMT'),
  fc.string({ maxLength: 20 }).map((text) => text.replace(/[^\x20-\x7e]/g, '?')),
)
const header = fc.tuple(
  fc.constantFrom(
    ...[
      'Content-Type',
      'Content-Encoding',
      'Location',
      'Link',
      'X-Robots-Tag',
      'Set-Cookie',
      'Retry-After',
      'Last-Modified',
    ],
  ),
  value,
)
const answer: fc.Arbitrary<ScriptedAnswer> = fc.record({
  status: fc.constantFrom(200, 200, 200, 204, 301, 302, 304, 404, 410, 429, 500, 503, 999),
  headers: fc.array(header, { maxLength: 4 }),
  body,
})

test('whatever a site answers, nothing is thrown and no URL is reported twice', async () => {
  const agenda = [HOME, SECOND, THIRD]
  await fc.assert(
    fc.asyncProperty(answer, answer, answer, answer, async (robots, home, second, third) => {
      const script: Script = {
        'http://a.test/robots.txt': robots,
        'http://a.test/sitemap.xml': second,
        [HOME]: home,
        [SECOND]: second,
        [THIRD]: third,
      }
      const web = new Scripted(script, { trusts: () => false })
      const { pages } = await web.visit({ agenda, visit: { limits: { pages: 20, time: 1e9 } } })
      const told = pages.map(({ url }) => url)
      const once = new Set(told)
      assert.equal(once.size, told.length)
      for (const event of web.events) assert.notEqual(event.kind, 'trouble', JSON.stringify(event))
    }),
    { numRuns: 1000 },
  )
})
