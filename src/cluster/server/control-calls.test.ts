import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerOf } from '../wire/calls.ts'
import { testServer } from './server.test-tools.ts'

const SECRET = 'a secret'
const ELSEWHERE = { 'x-forwarded-for': '203.0.113.9' }
const OPERATOR = { authorization: `Join ${Buffer.from(SECRET).toString('base64url')}` }

test('an operator acts, sees what is in force and who did what; nobody else does', async () => {
  await using made = await testServer({ joinSecret: SECRET })
  const send = (path: string, body?: unknown, headers: Record<string, string> = OPERATOR) =>
    made.send(`/api/v1/${path}`, { headers, ...(body !== undefined && { body, method: 'POST' }) })
  const act = async (body: unknown) => {
    const answer = await send('actions', body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body as AnswerOf<'actions'>
  }
  for (const path of ['control', 'audit']) {
    assert.equal((await send(path, undefined, ELSEWHERE)).status, 403)
    // As at the dashboard, whoever is on this machine is the operator where there are no tokens.
    assert.equal((await send(path, undefined, {})).status, 200)
  }
  assert.equal((await send('actions', { action: 'pause' }, ELSEWHERE)).status, 403)

  const wrong = async (body: unknown) => {
    const answer = await send('actions', body)
    assert.equal(answer.status, 400)
    return (answer.body as { message: string }).message
  }
  assert.equal(await wrong({ action: 'pause-site' }), 'it must have required properties site')
  assert.equal(await wrong({ action: 'free-worker', worker: 7 }), '/worker must be string')
  for (const body of [{ action: 'nonsense' }, [], 'pause', null]) assert.notEqual(await wrong(body), '')

  assert.equal((await act({ action: 'pause', reason: 'a storm' })).isChanged, true)
  assert.equal((await act({ action: 'pause' })).isChanged, false)
  for (const site of ['b.test', 'http://a.test/x', 'c.test']) await act({ action: 'bar-site', site })
  await act({ action: 'set-pause', site: 'a.test', pauseMs: 5000 })
  await act({ action: 'resume-site', site: 'c.test' })

  const control = (await send('control')).body as AnswerOf<'control'>
  assert.equal(control.crawl.paused?.reason, 'a storm')
  assert.match(control.crawl.paused?.who ?? '', /^operator at (127\.|::)/)
  assert.deepEqual(
    control.sites.map(({ site, choice }) => [site, choice.pauseMs, choice.barred !== undefined]),
    [
      ['a.test', 5000, true],
      ['b.test', undefined, true],
    ],
  )
  const rest = (await send('control?after=a.test')).body as AnswerOf<'control'>
  assert.deepEqual(
    rest.sites.map(({ site }) => site),
    ['b.test'],
  )
  const audit = (await send('audit')).body as AnswerOf<'audit'>
  assert.deepEqual(
    audit.entries.map(({ action, subject }) => `${action} ${subject}`),
    [
      'resume-site c.test',
      'set-pause a.test',
      'bar-site c.test',
      'bar-site a.test',
      'bar-site b.test',
      'pause ',
      'pause ',
    ],
  )
  const older = (await send(`audit?before=${audit.entries[4].id}`)).body as AnswerOf<'audit'>
  assert.deepEqual(older.entries, audit.entries.slice(5))
})

test('a page of another site cannot act through the browser of an operator', async () => {
  await using made = await testServer({ joinSecret: SECRET })
  const act = (headers: Record<string, string>) =>
    made.send('/api/v1/actions', { method: 'POST', body: { action: 'pause' }, headers })
  for (const [name, value] of [
    ['origin', 'http://evil.test'],
    ['sec-fetch-site', 'same-site'],
  ]) {
    const { status, body } = await act({ [name]: value })
    assert.equal(status, 403)
    assert.match((body as { message: string }).message, /another site/)
  }
  assert.equal((await act({ origin: new URL(made.server.url).origin })).status, 200)
  // A browser does not send this by itself.
  assert.equal((await act({ ...OPERATOR, origin: 'http://evil.test' })).status, 200)
})

test('who may not act learns which secret is missing; answers are not cached, nor taken for another type', async () => {
  await using made = await testServer({ joinSecret: SECRET })
  const refused = await made.send('/api/v1/actions', { method: 'POST', body: { action: 'pause' }, headers: ELSEWHERE })
  assert.equal((refused.body as { message: string }).message, 'only operators may do that')
  const { headers } = await fetch(`${made.server.url}/api/v1/audit`)
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('cache-control'), 'no-store')
})

test('what is no action is refused with a reason, and changes nothing', async () => {
  await using made = await testServer()
  const wrong: [unknown, number, RegExp][] = [
    [{ action: 'explode' }, 400, /./],
    [{ action: 'pause', site: 'a.test' }, 400, /./],
    [{ action: 'bar-site' }, 400, /./],
    [{ action: 'set-pause', site: 'a.test', pauseMs: '5s' }, 400, /./],
    [{ action: 'set-pause', site: 'a.test', pauseMs: 10 }, 400, /between 1 s/],
    [{ action: 'bar-site', site: 'no site' }, 400, /not the name of a site/],
    [{ action: 'ask-again', site: 'a.test' }, 404, /not known/],
    [{ action: 'trust', site: 'a.test', rule: 'no-such' }, 400, /no hazard rule/],
    [{ action: 'overrule-mirror', site: 'a.test' }, 400, /./],
    [{ action: 'confirm-mirror', site: 'a.test', original: 'http://a.test/x' }, 400, /copy of itself/],
    [{ action: 'add-seeds', urls: [] }, 400, /./],
    [{ action: 'bar-site', site: 'x'.repeat(5000) }, 400, /./],
    [[], 400, /./],
  ]
  for (const [body, status, said] of wrong) {
    const answer = await made.send('/api/v1/actions', { method: 'POST', body })
    assert.equal(answer.status, status, JSON.stringify(body))
    assert.match((answer.body as { message: string }).message, said)
  }
  const audit = await made.send('/api/v1/audit')
  assert.deepEqual(audit.body, { entries: [] })
  for (const query of ['before=x', 'before=', 'other=1'])
    assert.equal((await made.send(`/api/v1/audit?${query}`)).status, 400, query)
})

test('a worker that waits for orders has them as soon as something is decided', async () => {
  await using made = await testServer()
  const as = await made.join()
  const orders = async (since: number, waitMs: number) => {
    const answer = await made.send('/api/v1/orders', { method: 'POST', as, body: { since, waitMs } })
    assert.equal(answer.status, 200)
    return answer.body as AnswerOf<'orders'>
  }
  assert.deepEqual(await orders(0, 0), { version: 0, isPaused: false, sites: [] })
  const waiting = orders(0, 20_000)
  await made.send('/api/v1/actions', { method: 'POST', body: { action: 'trust', site: 'a.test', rule: 'site-urls' } })
  const first = await waiting
  assert.deepEqual(first, {
    version: 1,
    isPaused: false,
    sites: [{ site: 'a.test', trust: ['site-urls'] }],
  })
  await made.send('/api/v1/actions', { method: 'POST', body: { action: 'pause' } })
  assert.deepEqual(await orders(first.version, 20_000), { version: 2, isPaused: true, sites: [] })
  assert.equal((await made.send('/api/v1/orders', { method: 'POST', body: { since: 0, waitMs: 0 } })).status, 401)
})
