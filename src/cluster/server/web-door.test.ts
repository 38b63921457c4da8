/** The door with pages that are made up: who gets in, what a form must show, what every answer says. */
import assert from 'node:assert/strict'
import { createHmac, hash } from 'node:crypto'
import { request as ask } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { realClock } from '../../base/clock.ts'
import type { Tokens } from './roles.ts'
import type { PageAsked, Pages } from './web-door.ts'
import { openWebServer } from './web-server.ts'

const VIEWER = 'a-viewer-token-of-some-length'
const OPERATOR = 'an-operator-token-of-some-length'

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

async function door(t: TestContext, tokens: Partial<Tokens> = {}, base = '', clock = realClock) {
  const asked: PageAsked[] = []
  const failures: unknown[] = []
  const performed: { who: string; fields: Record<string, string> }[] = []
  const pages: Pages = {
    async render(one) {
      asked.push(one)
      if (one.path === '/bug') throw new Error('the secret reason')
      return { status: 200, type: 'text/html', body: `${one.role} ${one.path} ${one.csrf} ${one.message?.text ?? ''}` }
    },
    asset: (path) => (path === '/assets/x.css' ? { status: 200, type: 'text/css', body: 'p{}' } : undefined),
    signIn: (_base, back, message) => ({
      status: 200,
      type: 'text/html',
      body: `sign in ${back} ${message?.text ?? ''}`,
    }),
    bot: () => ({ status: 200, type: 'text/html', body: 'who we are' }),
    metrics: async (accept) => ({ type: 'text/plain', text: `up 1 ${accept}` }),
    async perform(who, fields) {
      performed.push({ who, fields: Object.fromEntries(fields) })
      return { text: 'done as told', isWrong: false }
    },
  }
  const server = await openWebServer({
    ...{ host: '127.0.0.1', port: 0, pages, base, clock, failed: (error: unknown) => failures.push(error) },
    tokens: { viewer: tokens.viewer, operator: tokens.operator },
  })
  t.after(() => server.close())
  const { origin } = new URL(server.url)
  const send = (path: string, headers: Record<string, string> = {}, form?: Record<string, string>, method?: string) =>
    new Promise<Answer>((resolve, reject) => {
      const body = form && String(new URLSearchParams(form))
      const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
      const request = ask(origin + path, {
        method: method ?? (form === undefined ? 'GET' : 'POST'),
        headers: { ...type, ...headers },
      })
      request.on('error', reject)
      request.on('response', async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
      })
      request.end(body)
    })
  const signIn = async (token: string) => {
    const { headers } = await send('/login', {}, { token, back: '/' })
    return String(headers['set-cookie']).split(';')[0]
  }
  return { send, origin, signIn, asked, performed, failures }
}

test('without tokens: this machine is the operator, by its own name only, and nobody else', async (t) => {
  const { send } = await door(t)
  assert.match((await send('/sites')).body, /^operator \/sites/)
  assert.equal((await send('/', { host: 'evil.test' })).status, 403)
  for (const name of ['x-forwarded-for', 'x-real-ip', 'via', 'x-forwarded-host'])
    assert.equal((await send('/', { [name]: '203.0.113.9' })).status, 403, name)
  assert.equal((await send('/healthz', { host: 'evil.test' })).status, 200)
})

test('the page for webmasters is for everyone; metrics are for viewers', async (t) => {
  const { send } = await door(t, { viewer: VIEWER })
  const { status, body } = await send('/bot', { host: 'crawler.example.org' })
  assert.deepEqual([status, body], [200, 'who we are'])
  assert.equal((await send('/metrics')).status, 401)
  const shown = await send('/metrics', { authorization: `Bearer ${VIEWER}`, accept: 'application/openmetrics-text' })
  assert.deepEqual([shown.status, shown.body], [200, 'up 1 application/openmetrics-text'])
})

test('with tokens: nothing without one, even here; each token has its role', async (t) => {
  const { send } = await door(t, { viewer: VIEWER, operator: OPERATOR })
  const { status, headers } = await send('/site?name=a.test')
  assert.equal(status, 303)
  assert.equal(headers.location, '/login?back=%2Fsite%3Fname%3Da.test')
  assert.match((await send('/', { authorization: `Bearer ${VIEWER}` })).body, /^viewer/)
  assert.match((await send('/', { authorization: `Bearer ${OPERATOR}` })).body, /^operator/)
  assert.equal((await send('/', { authorization: 'Bearer nonsense' })).status, 401)
  assert.equal((await send('/', { 'x-live': '1' })).status, 401)
})

test('signing in gives a cookie that scripts and other sites do not get; signing out takes it', async (t) => {
  const { send } = await door(t, { viewer: VIEWER, operator: OPERATOR })
  const { status, headers } = await send('/login', {}, { token: OPERATOR, back: '/sites' })
  assert.equal(status, 303)
  assert.equal(headers.location, '/sites')
  const cookie = String(headers['set-cookie'])
  assert.match(
    cookie,
    /^orbweaver-\d+=operator\.\d+\.[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/,
  )
  const secure = await send('/login', { 'x-forwarded-proto': 'https' }, { token: OPERATOR })
  assert.match(String(secure.headers['set-cookie']), /; Secure$/)
  const [session] = cookie.split(';')
  assert.match((await send('/', { cookie: `other=1; ${session}` })).body, /^operator/)
  for (const forged of [
    session.replace('operator', 'viewer'),
    session.replace(/\d{13}/, '9999999999999'),
    session.replace(/=.*/, '=x'),
  ])
    assert.equal((await send('/', { cookie: forged })).status, 303, forged)
  assert.match(
    String((await send('/logout', { cookie: session }, {})).headers['set-cookie']),
    /^orbweaver-\d+=; .*Max-Age=0/,
  )
})

test('dashboards on one host, at other ports or paths, do not sign each other out', async (t) => {
  const doors = [await door(t, { operator: OPERATOR }), await door(t, { operator: OPERATOR }, '/crawl')]
  const cookies = await Promise.all(
    doors.map(async ({ send }) => String((await send('/login', {}, { token: OPERATOR })).headers['set-cookie'])),
  )
  assert.match(cookies[1], /; Path=\/crawl; /)
  assert.notEqual(cookies[0].split('=')[0], cookies[1].split('=')[0])
  const proxied = doors.map(({ send }) => send('/login', { host: 'crawls.example.org' }, { token: OPERATOR }))
  const names = (await Promise.all(proxied)).map(({ headers }) => String(headers['set-cookie']).split('=')[0])
  assert.equal(names[0], 'orbweaver')
  assert.match(names[1], /^orbweaver-[0-9a-f]{8}$/)
  const both = cookies.map((one) => one.split(';')[0]).join('; ')
  for (const { send } of doors) assert.match((await send('/', { cookie: both })).body, /^operator/)
})

test('whoever has the viewer token cannot make a session or a form of an operator', async (t) => {
  const { send, performed, origin } = await door(t, { viewer: VIEWER })
  const until = `operator.${Date.now() + 60_000}`
  const keys = [VIEWER, hash('sha256', JSON.stringify([VIEWER, undefined])), '']
  for (const key of keys) {
    const sign = (text: string) => createHmac('sha256', key).update(text).digest('hex')
    const cookie = `orbweaver-${new URL(origin).port}=${until}.${sign(until)}`
    assert.equal((await send('/', { cookie })).status, 303)
    assert.equal((await send('/act', { cookie }, { action: 'stop', csrf: sign('form') })).status, 403)
  }
  assert.equal(performed.length, 0)
})

test('a wrong token is refused, and soon as one too many; the right one is not', async (t) => {
  const { send } = await door(t, { operator: OPERATOR })
  const statuses: number[] = []
  for (let n = 0; n < 12; n++) statuses.push((await send('/login', {}, { token: `wrong${n}` })).status)
  assert.equal(statuses[0], 403)
  assert.equal(statuses.at(-1), 429)
  assert.equal((await send('/login', {}, { token: OPERATOR })).status, 303)
})

test('a stranger behind the same proxy uses up what strangers may ask, not what those may who are known', async (t) => {
  // Time stands still, so that nothing is granted anew meanwhile.
  const still = { ...realClock, elapsed: () => 0 }
  const { send, signIn } = await door(t, { viewer: VIEWER, operator: OPERATOR }, '', still)
  const cookie = await signIn(OPERATOR)
  const floods = await Promise.all(Array.from({ length: 400 }, () => send('/bot')))
  assert.ok(floods.some(({ status }) => status === 429))
  assert.equal((await send('/')).status, 429)
  assert.equal((await send('/', { authorization: `Bearer ${VIEWER}` })).status, 200)
  assert.equal((await send('/', { cookie })).status, 200)
  assert.equal((await send('/login')).status, 200)
  assert.equal((await send('/login', {}, { token: OPERATOR })).status, 303)
})

test('a redirect after signing in never leads elsewhere', async (t) => {
  const { send } = await door(t, { operator: OPERATOR })
  for (const back of ['//evil.test/', 'https://evil.test/', '/\\evil.test', '/a\r\nset-cookie: x=1'])
    assert.equal((await send('/login', {}, { token: OPERATOR, back })).headers.location, '/', back)
})

test('an action needs an operator, the form and its own origin', async (t) => {
  const { send, signIn, performed } = await door(t, { viewer: VIEWER, operator: OPERATOR })
  const cookie = await signIn(OPERATOR)
  const csrf = (await send('/', { cookie })).body.split(' ')[2]
  const form = { action: 'pause', back: '/sites?page=2', csrf }
  assert.equal((await send('/act', {}, form)).status, 403)
  assert.equal((await send('/act', { cookie: await signIn(VIEWER) }, form)).status, 403)
  assert.equal((await send('/act', { cookie }, { ...form, csrf: 'x' })).status, 403)
  assert.equal((await send('/act', { cookie, 'sec-fetch-site': 'cross-site' }, form)).status, 403)
  assert.equal((await send('/act', { cookie, 'sec-fetch-site': 'same-site' }, form)).status, 403)
  assert.equal((await send('/act', { cookie, origin: 'http://evil.test' }, form)).status, 403)
  assert.equal((await send('/act', { cookie, origin: 'null' }, form)).status, 403)
  assert.equal((await send('/act', { cookie, 'content-type': 'text/plain' }, form)).status, 415)
  assert.equal((await send('/act', { cookie }, { ...form, urls: 'x'.repeat(300_000) })).status, 413)
  assert.equal(performed.length, 0)
  const { status, headers } = await send('/act', { cookie, 'sec-fetch-site': 'same-origin' }, form)
  assert.equal(status, 303)
  assert.deepEqual(performed, [{ who: 'operator at 127.0.0.1', fields: form }])
  assert.match(String(headers.location), /^\/sites\?page=2&said=[0-9a-z-]+$/i)
  assert.match((await send(String(headers.location), { cookie })).body, /done as told$/)
  assert.doesNotMatch((await send('/sites?page=2&said=x', { cookie })).body, /done as told$/)
})

test('other sites may link to a page, not load it; other methods are refused', async (t) => {
  const { send, asked, origin } = await door(t)
  const loaded = (site: string, dest: string) => send('/', { 'sec-fetch-site': site, 'sec-fetch-dest': dest })
  for (const dest of ['image', 'script', 'iframe', 'empty'])
    assert.equal((await loaded('cross-site', dest)).status, 403, dest)
  assert.equal((await loaded('cross-site', 'document')).status, 200)
  assert.equal((await loaded('same-origin', 'empty')).status, 200)
  for (const method of ['PUT', 'DELETE', 'OPTIONS']) assert.equal((await fetch(origin, { method })).status, 405, method)
  assert.equal(asked.length, 2)
})

test('whoever opens many connections gets no more than some', async (t) => {
  const { origin } = await door(t)
  const { port } = new URL(origin)
  const sockets = Array.from({ length: 510 }, () => connect(Number(port), '127.0.0.1'))
  t.after(() => sockets.forEach((socket) => void socket.destroy()))
  const closed = sockets.map((socket) => new Promise((resolve) => socket.on('error', resolve).on('close', resolve)))
  await Promise.race(closed)
})

test('below a base path, whether the proxy leaves it or not', async (t) => {
  const { send } = await door(t, { operator: OPERATOR }, '/crawl')
  const authorization = `Bearer ${OPERATOR}`
  for (const path of ['/sites', '/crawl/sites'])
    assert.match((await send(path, { authorization })).body, /^operator \/sites/)
  assert.match((await send('/crawl', { authorization })).body, /^operator \/ /)
  assert.match((await send('/crawlers', { authorization })).body, /^operator \/crawlers/)
  assert.equal((await send('/crawl/sites')).headers.location, '/crawl/login?back=%2Fsites')
  assert.equal((await send('/crawl/healthz')).status, 200)
})

test('a base path may have the name of a page', async (t) => {
  const { send } = await door(t, {}, '/sites')
  assert.match((await send('/sites/sites?page=2')).body, /^operator \/sites /)
  assert.match((await send('/sites/')).body, /^operator \/ /)
})

test('every answer forbids scripts and frames of others, and what is long is packed', async (t) => {
  const { send } = await door(t)
  for (const path of ['/', '/assets/x.css', '/login']) {
    const { headers } = await send(path)
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; .*frame-ancestors 'none'/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'same-origin')
  }
  const long = { 'accept-encoding': 'gzip' }
  assert.equal((await send('/', long)).headers['content-encoding'], undefined)
  assert.equal((await send(`/${'x'.repeat(2000)}`, long)).headers['content-encoding'], 'gzip')
})

test('a form that is broken off is no trouble', async (t) => {
  const { origin, send, failures } = await door(t)
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  const head = ['POST /login HTTP/1.1', 'host: localhost', 'content-type: application/x-www-form-urlencoded']
  socket.write([...head, 'content-length: 100', '', 'token=x'].join('\r\n'))
  await setTimeout(100)
  socket.resetAndDestroy()
  await setTimeout(100)
  assert.equal((await send('/')).status, 200)
  assert.deepEqual(failures, [])
})

test('a page that fails is told to the operator, not to who asked; other methods are refused', async (t) => {
  const { send, failures, asked } = await door(t)
  const { status, body } = await send('/bug')
  assert.equal(status, 500)
  assert.doesNotMatch(body, /secret/)
  assert.match(String(failures[0]), /the secret reason/)
  assert.equal((await send('/', {}, undefined, 'DELETE')).status, 405)
  assert.equal((await send('/', {}, undefined, 'HEAD')).body, '')
  assert.equal(asked.length, 2)
})
