import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshMemory, type SiteMemory } from '../contracts/site-memory.ts'
import { FAILURES } from './failures.ts'
import { type Script, Scripted, type ScriptedAnswer } from './scripted.test-data.ts'

const urls = [1, 2, 3, 4].map((name) => `http://a.test/${name}`)
const failing = (...answers: ScriptedAnswer[]): Script =>
  Object.fromEntries(answers.map((answer, i) => [urls[i], answer]))
const reset: ScriptedAnswer = { failed: 'reset' }
const refused: ScriptedAnswer = { failed: 'connect' }

test('a server that restarts resets some connections and refuses the next: one rest, not the end of the site', async () => {
  const web = new Scripted(failing(reset, reset, refused))
  const { why, parts } = await web.visit({ agenda: urls })
  assert.equal(why, 'silent')
  const { memory, courtesy } = parts.at(-1)!
  assert.deepEqual([memory.silent, memory.rests], [3, 1])
  const wait = courtesy.notBefore - web.clock.now()
  assert.ok(wait <= FAILURES.connect.wait, `${wait}`)
})

test('as many rests in a row as the table says, then the site is given up, and its last page says why', async () => {
  const web = new Scripted(failing(refused))
  let last = await web.visit({ agenda: urls })
  for (let rests = 2; rests <= FAILURES.connect.tries; rests++) {
    assert.equal(last.why, 'silent')
    last = await web.visit({ agenda: urls, visit: { memory: last.parts.at(-1)!.memory } })
  }
  assert.equal(last.why, 'given-up')
  assert.deepEqual(last.pages.at(-1)!.outcome, { kind: 'gone', why: 'connect' })
})

test('any answer ends the silence, also one that sends us away', async () => {
  const web = new Scripted(failing(reset, reset, { status: 503, headers: [['Retry-After', '1']] }, reset))
  const { why, parts } = await web.visit({ agenda: urls })
  assert.equal(why, 'done')
  assert.equal(parts.at(-1)!.memory.silent, 1)
})

test('bodies that break off are not silence', async () => {
  const broken: ScriptedAnswer = { body: 'half of it', cut: 'disconnect' }
  const web = new Scripted(failing(broken, broken, broken, { body: 'whole' }))
  assert.equal((await web.visit({ agenda: urls })).why, 'done')
})

test('a 429 or 503 that does not say for how long: the whole site rests for the wait of the table', async () => {
  for (const status of [429, 503] as const) {
    const web = new Scripted(failing({ status }, { body: 'well' }))
    await web.visit({ agenda: urls })
    const [, first, second] = web.asked
    assert.ok(second.at - first.endedAt >= FAILURES[`status-${status}`].wait)
  }
})

test('a 429 or 503 for robots.txt is durable at once', async () => {
  const web = new Scripted({ 'http://a.test/robots.txt': { status: 503, headers: [['Retry-After', '3000']] } })
  const { why, parts } = await web.visit({ agenda: urls })
  assert.equal(why, 'silent')
  assert.equal(web.durableAt.length, 1)
  assert.ok(parts[0].courtesy.notBefore >= web.clock.now() + 3_000_000)
})

test('an answer to robots.txt ends the silence, no answer does not', async () => {
  const memory = { ...freshMemory(), silent: 2, rests: 1 }
  for (const [answer, silent] of [
    [{ status: 503, headers: [['Retry-After', '3000']] }, 0],
    [refused, 2],
  ] as const) {
    const web = new Scripted({ 'http://a.test/robots.txt': answer })
    const { why, parts } = await web.visit({ agenda: urls, visit: { memory } })
    assert.equal(why, 'silent')
    assert.equal(parts.at(-1)!.memory.silent, silent)
    assert.equal('rests' in parts.at(-1)!.memory, silent > 0)
  }
})

test('a body that broke off after two silent pages ends the silence', async () => {
  const broken: ScriptedAnswer = { body: 'half of it', cut: 'disconnect' }
  const { why, parts } = await new Scripted(failing(reset, reset, broken, reset)).visit({ agenda: urls })
  assert.equal(why, 'done')
  assert.equal(parts.at(-1)!.memory.silent, 1)
})

test('a site whose name servers fail waits ever longer, nothing is asked of it, and it is given up in the end', async () => {
  const resolve = async () => ({ kind: 'failed', failure: { kind: 'dns', detail: 'ESERVFAIL' } }) as const
  const web = new Scripted({}, { resolve })
  const { wait, growth, tries } = FAILURES.dns
  let memory = freshMemory()
  for (let rests = 1; rests <= tries; rests++) {
    const { why, parts, pages, counts } = await web.visit({ agenda: urls, visit: { memory } })
    const [{ courtesy }] = parts
    memory = parts[0].memory as typeof memory
    assert.deepEqual([memory.silent, memory.rests], [rests, rests])
    assert.equal(counts.get('failure:dns'), 1)
    assert.equal(why, rests < tries ? 'silent' : 'given-up')
    assert.deepEqual(
      pages.map(({ url, outcome }) => [url, outcome.kind]),
      [[urls[0], rests < tries ? 'later' : 'gone']],
    )
    const waits = rests < tries ? wait * growth ** (rests - 1) : 0
    assert.equal(courtesy.notBefore - web.clock.now(), waits)
  }
  assert.deepEqual(web.asked, [])
})

test('a failure of one scheme counts when its page is gone, and not while it waits', async () => {
  const down = (tries: number) => ({ state: 'unreachable', status: 503, at: 0, tries }) as const
  const counted = async (tries: number) => {
    const https = down(tries)
    const memory = { ...freshMemory(), robots: { http: { state: 'missing', status: 404, at: 1e15 }, https } }
    const web = new Scripted({ 'https://a.test/robots.txt': { status: 503 }, 'http://a.test/1': { body: 'well' } })
    const agenda = ['http://a.test/1', 'https://a.test/2']
    const { pages, counts } = await web.visit({ agenda, visit: { memory: memory as unknown as SiteMemory } })
    const kinds = pages.filter(({ url }) => url.startsWith('https:')).map(({ outcome }) => outcome.kind)
    return [kinds.join(), counts.get('failure:robots-unreachable') ?? 0]
  }
  assert.deepEqual(await counted(1), ['later', 0])
  assert.deepEqual(await counted(FAILURES['robots-unreachable'].tries - 1), ['gone', 1])
})
