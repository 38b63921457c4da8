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

test('a cookie, and a check that leads back: the page is asked for again, and its site goes on', async () => {
  const web = new Scripted({ [HOME]: [to(CHECK, COOKIE), PAGE], [CHECK]: to('/'), 'http://a.test/b': PAGE })
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
  const script = paths.map((url, at) => [url, to(`/wall?from=/${at}`, ['Set-Cookie', `n=${at}`])])
  const walled = new Scripted({ ...Object.fromEntries(script), 'http://b.test/wall?from=/0': to('/other') })
  const visited = await walled.visit({ agenda: paths })
  assert.ok(visited.pages.filter(({ url }) => paths.includes(url)).every(({ outcome }) => outcome.kind === 'moved'))
  const checks = walled.pagesAsked.filter((url) => url.includes('wall')).length
  assert.ok(checks <= 9 + 3, 'tried three times')
})

test('the check itself sets the cookie: the page is asked for again', async () => {
  const web = new Scripted({ [HOME]: [to(CHECK), PAGE], [CHECK]: to('/', COOKIE), 'http://a.test/b': PAGE })
  const { pages } = await web.visit({ agenda: [HOME] })
  assert.deepEqual(web.pagesAsked, ['a.test/', 'a.test/check?return=%2F', 'a.test/', 'a.test/b'])
  assert.ok(pages.every(({ outcome }) => outcome.kind === 'kept'))
})

test('a check that leads back without a cookie is none', async () => {
  const web = new Scripted({ [HOME]: to(CHECK), [CHECK]: to('/') })
  const { pages } = await web.visit({ agenda: [HOME] })
  assert.equal(web.pagesAsked.filter((url) => url === 'a.test/').length, 1)
  assert.equal(pages[0].outcome.kind, 'moved')
})

test('of pages to log in at, one is asked for twice in a visit without cookies, and none after a cookie', async () => {
  const paths = Array.from({ length: 5 }, (_, at) => `http://a.test/${at}`)
  const script = paths.flatMap((url, at) => [
    [url, to(`/login?next=/${at}`)],
    [`http://a.test/login?next=/${at}`, PAGE],
  ])
  const doubles = (asked: string[]) => asked.length - new Set(asked).size
  const web = new Scripted(Object.fromEntries(script))
  await web.visit({ agenda: paths })
  assert.equal(doubles(web.pagesAsked), 1)
  const first = { ...PAGE, headers: [COOKIE] }
  const known = new Scripted({ ...Object.fromEntries(script), [HOME]: first })
  await known.visit({ agenda: [HOME, ...paths] })
  assert.equal(doubles(known.pagesAsked), 0)
})

test('where pages to log in at come with cookies, one of them is asked for twice', async () => {
  const paths = Array.from({ length: 9 }, (_, at) => `http://a.test/${at}`)
  const script = paths.flatMap((url, at) => [
    [url, to(`/login?next=/${at}`, ['Set-Cookie', `n=${at}`])],
    [`http://a.test/login?next=/${at}`, PAGE],
  ])
  const web = new Scripted(Object.fromEntries(script))
  await web.visit({ agenda: paths })
  const logins = web.pagesAsked.filter((url) => url.includes('login'))
  assert.equal(logins.length, new Set(logins).size + 1)
})

test('a check that robots.txt forbids is not asked for', async () => {
  const robots = { 'http://a.test/robots.txt': { body: 'User-agent: *\nDisallow: /check' } }
  const web = new Scripted({ ...robots, [HOME]: to(CHECK, COOKIE), [CHECK]: to('/') })
  const { pages } = await web.visit({ agenda: [HOME] })
  assert.deepEqual(web.pagesAsked, ['a.test/'])
  assert.equal(pages[0].outcome.kind, 'moved')
})
