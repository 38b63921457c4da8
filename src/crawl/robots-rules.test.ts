import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Scripted, type ScriptedAnswer } from './scripted.test-data.ts'

const rules: ScriptedAnswer = { body: 'User-agent: *\nDisallow: /secret', headers: [['Content-Type', 'text/plain']] }

test('http redirecting to https: that robots.txt is fetched once, and holds for both', async () => {
  const web = new Scripted({
    'http://a.test/robots.txt': { status: 301, headers: [['Location', 'https://a.test/robots.txt']] },
    'https://a.test/robots.txt': rules,
  })
  await web.visit({ agenda: ['http://a.test/', 'https://a.test/', 'https://a.test/secret', 'http://a.test/secret'] })
  assert.deepEqual(
    web.asked.map(({ url }) => url),
    ['http://a.test/robots.txt', 'https://a.test/robots.txt', 'http://a.test/', 'https://a.test/'],
  )
})

test('redirected to another host or file: https has its own robots.txt', async () => {
  for (const target of ['https://b.test/robots.txt', 'https://a.test/other.txt']) {
    const web = new Scripted({
      'http://a.test/robots.txt': { status: 301, headers: [['Location', target]] },
      [target]: rules,
    })
    await web.visit({ agenda: ['http://a.test/', 'https://a.test/secret'] })
    assert.ok(web.asked.some(({ url }) => url === 'https://a.test/robots.txt'))
  }
})

test('given up for its robots.txt: the last part has the page that says so', async () => {
  const web = new Scripted({ 'http://a.test/robots.txt': { status: 503 } })
  const unreachable = { state: 'unreachable', at: web.clock.now(), status: 503, text: '', tries: 3 } as const
  const memory = { robots: { http: unreachable }, fetched: 0, duplicates: 0, deepest: 0, silent: 0 }
  const { why, parts } = await web.visit({ agenda: ['http://a.test/'], visit: { memory } })
  assert.equal(why, 'given-up')
  assert.deepEqual(parts.at(-1)!.pages.at(-1)!.outcome, { kind: 'gone', why: 'robots-unreachable' })
})
