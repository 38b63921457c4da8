import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshMemory, type SiteMemory } from '../contracts/site-memory.ts'
import { FAILURES } from './failures.ts'
import { Scripted, type Visited } from './scripted.test-data.ts'

const name = { url: 'https://a.test/', path: 'N' }
const told = ({ parts }: Visited) => ({
  found: parts.flatMap(({ found }) => found).map(({ url, path, depth }) => [url, path, depth]),
  crossSite: parts.flatMap(({ crossSite }) => crossSite).map(({ url, path, depth }) => [url, path, depth]),
})

test('a missing name leads to the next guess; one that answers does not', async () => {
  const missing = await new Scripted({}).visit({ agenda: [name] })
  assert.deepEqual(told(missing), { found: [], crossSite: [['https://www.a.test/', 'NN', 0]] })
  const there = await new Scripted({ [name.url]: { body: 'hello' } }).visit({ agenda: [name] })
  assert.deepEqual(told(there).crossSite, [])
  assert.equal(there.pages[0].outcome.kind, 'kept')
})

test('no https: the table applies, the site does not rest, and then the next guess is tried', async () => {
  const web = new Scripted({ 'https://a.test/robots.txt': { failed: 'connect' }, 'http://a.test/': { body: 'here' } })
  let memory: SiteMemory | undefined
  for (let tries = 1; tries <= FAILURES['robots-unreachable'].tries; tries++) {
    const visited = await web.visit({ agenda: [name], ...(memory === undefined ? {} : { visit: { memory } }) })
    memory = visited.parts.at(-1)?.memory
    assert.equal(visited.why, 'done')
    const [{ outcome }] = visited.pages
    if (tries < FAILURES['robots-unreachable'].tries) {
      assert.ok(outcome.kind === 'later', `try ${tries}: ${outcome.kind}`)
      assert.deepEqual(told(visited).crossSite, [])
      await web.clock.run(web.clock.sleep(outcome.notBefore - web.clock.now()))
    } else {
      assert.deepEqual(outcome, { kind: 'gone', why: 'robots-unreachable' })
      assert.deepEqual(told(visited).crossSite, [['https://www.a.test/', 'NN', 0]])
    }
  }
  const visit = { visit: { memory: memory! } }
  const http = await web.visit({ agenda: [{ url: 'http://a.test/', path: 'NNN' }], ...visit })
  assert.equal(http.pages[0].outcome.kind, 'kept')
})

test('a refused connection under https concerns the scheme, under http the site', async () => {
  const none = { status: 404 }
  const web = new Scripted({
    'https://a.test/robots.txt': none,
    'https://a.test/': { failed: 'connect' },
    'http://a.test/robots.txt': none,
    'http://a.test/': { failed: 'connect' },
  })
  const https = await web.visit({ agenda: [name] })
  assert.equal(https.why, 'done')
  assert.equal(https.pages[0].outcome.kind, 'later')
  const http = await web.visit({ agenda: [{ url: 'http://a.test/', path: 'NNN' }] })
  assert.equal(http.why, 'silent')
})

test('a name that does not exist is given up with its site, and every guess on the agenda goes on elsewhere', async () => {
  const resolve = async () => ({ kind: 'failed', failure: { kind: 'no-such-name', detail: 'NXDOMAIN' } }) as const
  const web = new Scripted({}, { resolve })
  const visited = await web.visit({ agenda: ['http://a.test/page', name] })
  assert.equal(visited.why, 'given-up')
  assert.deepEqual(told(visited).crossSite, [['https://www.a.test/', 'N', 0]])
  const alone = await web.visit({ agenda: [name] })
  assert.deepEqual(told(alone).crossSite, [['https://www.a.test/', 'N', 0]])
})

test('a guess that was to be tried next at a site goes on elsewhere when the same visit gives the site up', async () => {
  const web = new Scripted({
    'https://www.a.test/robots.txt': { failed: 'connect' },
    'http://www.a.test/robots.txt': { failed: 'connect' },
  })
  const silent = { state: 'unreachable', at: web.clock.now() - 3_600_000, status: 0, text: '', tries: 3 } as const
  const memory: SiteMemory = { ...freshMemory(), robots: { http: silent, https: silent } }
  const agenda = [{ url: 'https://www.a.test/', path: 'N' }, 'http://www.a.test/page']
  const visited = await web.visit({ agenda, visit: { memory } })
  assert.equal(visited.why, 'given-up')
  assert.deepEqual(told(visited), {
    found: [['http://www.a.test/', 'NN', 0]],
    crossSite: [['https://a.test/', 'NNN', 0]],
  })
})

test('the other scheme of the same name waits in the same site', async () => {
  const visited = await new Scripted({}).visit({ agenda: [{ url: 'https://x.a.test/', path: 'N' }] })
  assert.deepEqual(told(visited), { found: [['http://x.a.test/', 'NN', 0]], crossSite: [] })
})

test('a site that answers 403 has answered', async () => {
  const web = new Scripted({
    'https://a.test/robots.txt': { body: 'User-agent: *\nDisallow: /', headers: [['Content-Type', 'text/plain']] },
  })
  const visited = await web.visit({ agenda: [name] })
  assert.equal(visited.pages[0].outcome.kind, 'refused')
  assert.deepEqual(told(visited).crossSite, [])
})
