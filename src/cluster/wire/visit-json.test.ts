import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { NowReading, PlanForWorkers } from '../../contracts/calls.ts'
import type { StoredCopy } from '../../contracts/ports.ts'
import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { AgendaItem, KnownPage, Visit } from '../../contracts/visit.ts'
import type { AnswerOf } from './calls.ts'
import { type CopyOnTheWire, type Reading, VisitOnTheWire, visitFromWire, visitToWire } from './visit-json.ts'

/** What JSON makes of a type of the treaty: keys are texts, and so are packed keys; a site's memory goes as it is. */
type OnTheWire<T> = T extends bigint | BigUint64Array | Uint8Array
  ? string
  : T extends SiteMemory
    ? SiteMemory
    : T extends readonly (infer Item)[]
      ? OnTheWire<Item>[]
      : T extends object
        ? { [Name in keyof T]: OnTheWire<T[Name]> }
        : T

type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Plain<T[Name]> }
    : T
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Same<A, B> = Equal<Plain<A>, Plain<B>>

test('the schemas are the treaty, field by field (the type checker says so)', () => {
  const same: [
    Same<Static<typeof VisitOnTheWire>, OnTheWire<Visit>>,
    Same<Static<typeof CopyOnTheWire>, StoredCopy>,
    Same<Static<typeof Reading>, NowReading>,
    Same<NonNullable<AnswerOf<'plan'>['plan']>, PlanForWorkers>,
    Same<AnswerOf<'renew'>, { lease: number; lost: string[] }>,
  ] = [true, true, true, true, true]
  const canFail: Same<{ a: string; b?: number }, { a: string }> = false
  assert.ok(same.every(Boolean) && !canFail)
})

const key = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const instant = fc.integer({ min: 0, max: 4e12 })
const duration = fc.double({ min: 0, max: 1e9, noNaN: true })
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
/** Absent, not undefined, as JSON has it. */
const dense = <T extends object>(value: fc.Arbitrary<T>) =>
  value.map((all) => Object.fromEntries(Object.entries(all).filter(([, field]) => field !== undefined)) as T)

const knownPage: fc.Arbitrary<KnownPage> = dense(
  fc.record({
    was: fc.constantFrom('kept' as const, 'moved' as const, 'read' as const),
    digest: fc.string({ minLength: 1, maxLength: 40 }),
    textDigest: key,
    simhash: key,
    etag: some(fc.string({ unit: 'grapheme' })),
    lastModified: some(fc.string()),
    captured: some(fc.record({ url: fc.webUrl(), at: instant })),
    looks: some(fc.nat()),
    lookedAt: some(instant),
    sketch: some(fc.uint8Array({ maxLength: 700 })),
  }),
)
const item: fc.Arbitrary<AgendaItem> = dense(
  fc.record({
    url: fc.webUrl(),
    key,
    depth: fc.nat(),
    dueAt: instant,
    via: some(fc.webUrl()),
    tries: fc.nat(),
    path: fc.string({ maxLength: 50 }),
    before: some(knownPage),
    hint: some(instant),
  }),
)
const memory: fc.Arbitrary<SiteMemory> = dense(
  fc.record({
    robots: fc.constant({ https: { state: 'rules' as const, at: 5, status: 200, text: 'Disallow: /ü' } }),
    fetched: fc.nat(),
    duplicates: fc.nat(),
    deepest: fc.nat(),
    silent: fc.nat(),
    stopped: some(fc.string()),
    hints: some(fc.record({ checked: fc.nat(), held: fc.nat() })),
    validators: some(fc.record({ asked: fc.nat(), lies: fc.nat(), renewed: fc.nat() })),
  }),
)
const visit: fc.Arbitrary<Visit> = dense(
  fc.record({
    id: fc.tuple(key, fc.integer({ min: 1, max: 1e9 })).map(([a, b]) => `${a.toString(16).padStart(16, '0')}.${b}`),
    fence: fc.integer({ min: 1 }),
    site: fc.domain(),
    address: some(fc.ipV4()),
    agenda: fc.array(item, { maxLength: 5 }),
    known: fc.oneof(
      fc.constant('too many' as const),
      fc.array(key, { maxLength: 50 }).map((keys) => BigUint64Array.from(keys)),
    ),
    memory,
    wait: duration,
    pause: duration,
    limits: fc.record({ pages: fc.nat(), time: duration }),
    lease: duration,
  }),
)

const shape = Compile(VisitOnTheWire)

test('a visit comes back as it was, and its text has the shape that is promised', () => {
  fc.assert(
    fc.property(visit, (before) => {
      const text = JSON.stringify(visitToWire(before))
      const read: unknown = JSON.parse(text)
      assert.ok(shape.Check(read), text)
      assert.deepEqual(visitFromWire(read), structuredClone(before))
    }),
  )
})

test('what comes from servers of pages is bounded', () => {
  const [one] = fc.sample(visit, 1)
  const [page] = fc.sample(item, 1)
  const sent = (before: Partial<KnownPage>) => {
    const known: KnownPage = { was: 'kept', digest: 'sha1:x', textDigest: 0n, simhash: 0n, ...before }
    return shape.Check(visitToWire({ ...one, agenda: [{ ...page, before: known }] }))
  }
  assert.ok(sent({ etag: 'x'.repeat(1024) }))
  for (const long of [{ etag: 'x'.repeat(1025) }, { lastModified: 'x'.repeat(1025) }, { digest: 'x'.repeat(201) }])
    assert.equal(sent(long), false)
  assert.equal(sent({ captured: { url: `http://a.test/${'x'.repeat(10_000)}`, at: 1 } }), false)
})

test('keys that are part of a larger buffer are sent alone', () => {
  const all = BigUint64Array.from([1n, 2n, 3n, 2n ** 64n - 1n])
  const [one] = fc.sample(visit, 1)
  const sent = visitFromWire(visitToWire({ ...one, known: all.subarray(1, 3) }))
  assert.deepEqual(sent.known, BigUint64Array.from([2n, 3n]))
})

test('damaged keys are a RangeError', () => {
  const [one] = fc.sample(visit, 1)
  assert.throws(() => visitFromWire({ ...visitToWire(one), known: 'AAAA' }), RangeError)
})
