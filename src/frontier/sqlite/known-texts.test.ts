/** With and without the memory of known texts, the tables are the same, whatever happens. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import fc from 'fast-check'
import {
  type Bench,
  KEPT,
  link,
  openBench,
  PAUSE,
  page,
  part,
} from '../../../testkit/contracts/frontier/tools.contract.ts'
import type { Outcome } from '../../contracts/outcome.ts'
import type { Link } from '../../contracts/report.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { KnownTexts } from '../known-url-cache.ts'

const PLACES = ['a.test/', 'a.test/1', 'a.test/2', 'b.test/', 'b.test/1', 'b.test/2']
const TEXTS = 3
const OUTCOMES: readonly ((text: string) => Outcome)[] = [
  () => KEPT,
  () => ({ kind: 'gone', why: 'status-404' }),
  () => ({ kind: 'gone', why: 'reset' }),
  (text) => ({ kind: 'moved', to: text }),
  () => ({ kind: 'later', why: 'reset', notBefore: 0 }),
]

type Step =
  | { kind: 'admit' | 'taken back'; links: number[]; lastmod: boolean }
  | { kind: 'visit'; outcomes: number[]; crossSite: number[]; spelt: number[]; givenUp: boolean }
  | { kind: 'schedule' | 'seed'; at: number }

const textAt = (at: number): Link => {
  const known = link(PLACES[at % PLACES.length], 'http://c.test/')
  const text = Math.floor(at / PLACES.length) % TEXTS
  return text === 0 ? known : { ...known, url: `${known.url}?sid=${text}` }
}

const places = fc.array(fc.nat(PLACES.length * TEXTS - 1), { minLength: 1, maxLength: 6 })
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom<'admit' | 'taken back'>('admit', 'admit', 'admit', 'admit', 'taken back'),
      links: places,
      lastmod: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('visit' as const),
      outcomes: fc.array(fc.nat(OUTCOMES.length * TEXTS - 1), { minLength: 1, maxLength: 6 }),
      crossSite: places,
      spelt: places,
      givenUp: fc.boolean(),
    }),
    fc.record({ kind: fc.constantFrom('schedule' as const, 'seed' as const), at: fc.nat(PLACES.length - 1) }),
  ),
  { minLength: 20, maxLength: 60 },
)

async function take(bench: Bench, step: Step): Promise<void> {
  const { db, ledger, clock } = bench
  clock.pass(PAUSE)
  switch (step.kind) {
    case 'admit':
    case 'taken back': {
      const links = step.links.map((at) => ({ ...textAt(at), ...(step.lastmod ? { lastmod: at } : {}) }))
      const admitted = db.transact(async (tx) => {
        await ledger.admit(tx, links)
        if (step.kind === 'taken back') throw new Error('taken back')
      })
      await admitted.catch(() => {})
      return
    }
    case 'visit': {
      const { visits } = await bench.frontier.checkOut('w1', 1)
      for (const visit of visits) {
        const pages = visit.agenda.map(({ url, key, tries }, at) => {
          const chosen = step.outcomes[at % step.outcomes.length]
          const other = Math.floor(chosen / OUTCOMES.length)
          const text = other === 0 ? url : `${url.split('?')[0]}?sid=${other}`
          // Now and then under another text than waits, as a visit that found it itself does.
          return page(url, OUTCOMES[chosen % OUTCOMES.length](text), {
            url: other === 2 ? text : url,
            key,
            tries: tries + 1,
          })
        })
        const found = step.spelt
          .map(textAt)
          .filter(({ site }) => site === visit.site)
          .map((one): Link => ({ ...one, spelling: true }))
        const ended = step.givenUp ? 'given-up' : 'done'
        await bench.applyParts(part(bench, visit, 1, { pages, found, crossSite: step.crossSite.map(textAt), ended }))
      }
      return
    }
    case 'schedule':
      return db.transact((tx) => ledger.schedule(tx, [{ url: textAt(step.at).url, dueAt: clock.now() }]))
    case 'seed': {
      const { url, key, site } = textAt(step.at)
      await db.transact((tx) => ledger.tryAgain(tx, [{ url, key, site }]))
    }
  }
}

async function live(all: readonly Step[]): Promise<unknown[]> {
  const bench = await openBench(async () => openSqlite(':memory:'))
  for (const step of all) await take(bench, step)
  const tables = await bench.db.read((tx) =>
    ['url', 'url_spelling', 'site', 'frontier_total'].map((name) => sqliteTx(tx).allExact(`SELECT * FROM ${name}`)),
  )
  await bench.db.close()
  return tables
}

test('the tables are as they would be without it', async () => {
  let answered = 0
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const before = KnownTexts.prototype.has
      const counting = mock.method(KnownTexts.prototype, 'has', function (this: KnownTexts, key: bigint, text: string) {
        const yes = before.call(this, key, text)
        if (yes) answered++
        return yes
      })
      const withIt = await live(all)
      counting.mock.restore()
      const never = mock.method(KnownTexts.prototype, 'has', () => false)
      const withoutIt = await live(all)
      never.mock.restore()
      assert.deepEqual(withIt, withoutIt)
    }),
    { numRuns: 60 },
  )
  assert.ok(answered > 100, `${answered}`)
})

test('what was noted in a transaction that was taken back is forgotten', async () => {
  const bench = await openBench(async () => openSqlite(':memory:'))
  await assert.rejects(
    bench.db.transact(async (tx) => {
      await bench.ledger.admit(tx, [textAt(0)])
      throw new Error('no')
    }),
  )
  assert.equal(await bench.admit(textAt(0)), 1)
  assert.equal(await bench.admit(textAt(0)), 0)
})
