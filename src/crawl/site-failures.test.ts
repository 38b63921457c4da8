import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshMemory } from '../contracts/site-memory.ts'
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
