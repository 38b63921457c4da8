import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Scripted, type ScriptedAnswer } from './scripted.test-data.ts'

const HOME = 'http://a.test/'
const CHECK = 'http://a.test/check?return=%2F'
const COOKIE = ['Set-Cookie', 'seen=1; Path=/'] as const
const PAGE: ScriptedAnswer = { body: '<a href="/b">b</a>' }

function to(location: string, ...more: (readonly [string, string])[]): ScriptedAnswer {
  return { status: 302, headers: [['Location', location], ...more] }
}

test('a check that sets a cookie and leads back: the page is asked for again, and its site goes on', async () => {
  const web = new Scripted({ [HOME]: [to(CHECK), PAGE], [CHECK]: to('/', COOKIE), 'http://a.test/b': PAGE })
  const { pages } = await web.visit({ agenda: [HOME] })
  assert.deepEqual(web.pagesAsked, ['a.test/', 'a.test/check?return=%2F', 'a.test/', 'a.test/b'])
  assert.equal(web.asked.at(-1)?.cookie, 'seen=1')
  assert.deepEqual(
    pages.map(({ url, outcome }) => [url, outcome.kind]),
    [
      [HOME, 'kept'],
      ['http://a.test/b', 'kept'],
    ],
  )
})

test('a page that redirects to itself with a cookie', async () => {
  const web = new Scripted({ [HOME]: [to('/', COOKIE), { body: 'here' }] })
  const { pages } = await web.visit({ agenda: [HOME] })
  assert.deepEqual(web.pagesAsked, ['a.test/', 'a.test/'])
  assert.equal(pages[0].outcome.kind, 'kept')
})

test('a redirect to itself without a cookie, and a check that never ends, are redirects', async () => {
  const web = new Scripted({ [HOME]: to('/') })
  const { pages } = await web.visit({ agenda: [HOME] })
  assert.deepEqual([pages.length, pages[0].outcome.kind], [1, 'moved'])
  const paths = Array.from({ length: 9 }, (_, at) => `http://b.test/${at}`)
  const script = paths.map((url, at) => [url, to(`/wall?from=/${at}`)])
  const walled = new Scripted({ ...Object.fromEntries(script), 'http://b.test/wall?from=/0': to('/other') })
  const visited = await walled.visit({ agenda: paths })
  assert.ok(visited.pages.filter(({ url }) => paths.includes(url)).every(({ outcome }) => outcome.kind === 'moved'))
  const checks = walled.pagesAsked.filter((url) => url.includes('wall')).length
  assert.ok(checks <= 9 + 3, 'tried three times')
})

test('a check that robots.txt forbids is not asked for', async () => {
  const robots = { 'http://a.test/robots.txt': { body: 'User-agent: *\nDisallow: /check' } }
  const web = new Scripted({ ...robots, [HOME]: to(CHECK), [CHECK]: to('/', COOKIE) })
  const { pages } = await web.visit({ agenda: [HOME] })
  assert.deepEqual(web.pagesAsked, ['a.test/'])
  assert.equal(pages[0].outcome.kind, 'moved')
})
