/**
 * Random lives of a small web, beside a model that anyone can check by reading: maps and sets, no ranks, no indexes. After
 * each step the frontier must agree with it on what is known and marked, and must never have broken a promise.
 */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { Outcome } from '../../../src/contracts/outcome.ts'
import type { Link, VisitEnd, VisitReport } from '../../../src/contracts/report.ts'
import type { Visit } from '../../../src/contracts/visit.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import {
  ADDRESS_PAUSE,
  type Bench,
  KEPT,
  LEASE,
  link,
  type MakeDatabase,
  openBench,
  PAUSE,
  page,
  part,
} from './tools.contract.ts'

const SITES = ['a.test', 'b.test', 'c.test', 'd.test']
const WORKERS = ['w1', 'w2']
const ADDRESSES = ['192.0.2.1', '192.0.2.2']

type Step =
  | { do: 'admit'; urls: string[] }
  | { do: 'check-out'; worker: string; atMost: number }
  | { do: 'enter'; which: number; address: string }
  | {
      do: 'ask'
      which: number
      outcomes: number[]
      news: string[]
      ended: VisitEnd | undefined
      deliver: 'now' | 'stored'
    }
  | { do: 'apply' }
  | { do: 'renew'; worker: string }
  | { do: 'pass'; ms: number }
  | { do: 'reap' }
  | { do: 'lose'; worker: string }
  | { do: 'restart' }

/** A few URLs of each site, each under up to six texts: the first is the plain one. */
const url = fc
  .tuple(
    fc.constantFrom(...SITES),
    fc.integer({ min: 0, max: 5 }),
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 })),
  )
  .map(([site, number, text]) => `http://${site}/${number}${text === 0 ? '' : `?sid=${text}`}`)
const which = fc.nat(20)
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('admit' as const), urls: fc.array(url, { maxLength: 6 }) }) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('check-out' as const),
        worker: fc.constantFrom(...WORKERS),
        atMost: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('enter' as const), which, address: fc.constantFrom(...ADDRESSES) }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('ask' as const),
        which,
        outcomes: fc.array(fc.nat(4), { maxLength: 3 }),
        news: fc.array(url, { maxLength: 3 }),
        ended: fc.constantFrom<(VisitEnd | undefined)[]>(undefined, 'done', 'slice', 'stopped', 'silent', 'given-up'),
        deliver: fc.constantFrom('now' as const, 'stored' as const),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('apply' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('renew' as const), worker: fc.constantFrom(...WORKERS) }) },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, ADDRESS_PAUSE, PAUSE, LEASE) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('reap' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('lose' as const), worker: fc.constantFrom(...WORKERS) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  ),
  { minLength: 10, maxLength: 60 },
)

/** A URL by its plain text. */
interface Known {
  state: 'waiting' | 'missing' | 'done'
  /** What waits, or was asked for last. */
  text: string
  /** At most three; true: it was asked for. */
  others: Map<string, boolean>
}

/** A visit as its worker sees it. */
interface Out {
  visit: Visit
  worker: string
  parts: number
  todo: string[]
  leaseEnd: number
  address?: string
  ended: boolean
}

class Life {
  readonly urls = new Map<string, Known>()
  /** Texts that got their answer. */
  readonly answered = new Set<string>()
  readonly barred = new Set<string>()
  /** Nothing may be asked of a site before. */
  readonly politeAt = new Map<string, number>()
  readonly inbox: { report: VisitReport; zombie: boolean }[] = []
  readonly out: Out[] = []
  bench: Bench

  constructor(bench: Bench) {
    this.bench = bench
  }

  get now(): number {
    return this.bench.clock.now()
  }

  /** The one visit that may still tell of the site: the newest, whether its lease lasts or not. */
  current(site: string): Out | undefined {
    return this.out.findLast((out) => out.visit.site === site)
  }

  get known(): string[] {
    return [...this.urls.keys()]
  }

  get marked(): string[] {
    return this.known.filter((text) => this.urls.get(text)?.state !== 'waiting')
  }

  /** A link: of what is known only another text is news, and only while it waits or was not found. */
  learn(text: string): void {
    const url = this.urls.get(plain(text))
    const barred = this.barred.has(siteOf(text))
    if (url === undefined) this.urls.set(plain(text), { state: barred ? 'done' : 'waiting', text, others: new Map() })
    else if (barred || url.text === text || url.others.has(text) || url.others.size === 3) return
    else if (url.state === 'waiting') url.others.set(text, false)
    else if (url.state === 'missing') this.respell(url, text)
  }

  respell(url: Known, text: string): void {
    url.others.delete(text)
    url.others.set(url.text, true)
    url.text = text
    url.state = 'waiting'
  }

  tell(text: string, outcome: Outcome): void {
    const url = this.urls.get(plain(text))!
    if (outcome.kind === 'later') return
    this.answered.add(text)
    const isMissing = outcome.kind === 'gone'
    url.state = isMissing ? 'missing' : 'done'
    const next = [...url.others].find(([, tried]) => !tried)
    if (isMissing && next !== undefined) this.respell(url, next[0])
    // Sent to another text of the same URL.
    if (outcome.kind !== 'moved' || outcome.to === text || plain(outcome.to) !== plain(text)) return
    const tried = url.others.get(outcome.to)
    if (tried === false || (tried === undefined && url.others.size < 3)) this.respell(url, outcome.to)
  }

  async run(step: Step): Promise<void> {
    const { bench } = this
    switch (step.do) {
      case 'admit':
        await bench.admit(...step.urls.map((text) => linkTo(text)))
        for (const text of step.urls) this.learn(text)
        return
      case 'check-out':
        return this.checkOut(step.worker, step.atMost)
      case 'enter':
        return this.enter(step.which, step.address)
      case 'ask':
        return this.ask(step)
      case 'apply':
        return this.apply()
      case 'renew':
        return this.renew(step.worker)
      case 'pass':
        return bench.clock.pass(step.ms)
      case 'reap':
        await this.apply()
        for (const lost of await bench.db.transact((tx) => bench.ledger.reap(tx))) {
          const out = this.out.find(({ visit }) => visit.id === lost.visit)!
          assert.ok(out.leaseEnd <= this.now, 'a lease was reaped before its end')
          this.quiet(out.visit.site, out.leaseEnd)
        }
        return
      case 'lose':
        await this.apply()
        for (const lost of await bench.db.transact((tx) => bench.ledger.lose(tx, step.worker))) {
          const out = this.out.find(({ visit }) => visit.id === lost.visit)!
          out.leaseEnd = this.now
          this.quiet(out.visit.site, this.now)
        }
        return
      case 'restart':
        this.bench = await bench.restart({}, async (opened) => {
          this.bench = opened
          await this.apply()
        })
        for (const out of this.out.filter((each) => !each.ended && each.leaseEnd > this.now)) {
          this.quiet(out.visit.site, this.now)
          out.leaseEnd = this.now
        }
        for (const site of SITES)
          this.politeAt.set(site, Math.max(this.politeAt.get(site) ?? 0, this.now + ADDRESS_PAUSE))
        return
    }
  }

  /** A visit that was lost asked for the last time at `since`, at the latest. */
  quiet(site: string, since: number): void {
    this.politeAt.set(site, Math.max(this.politeAt.get(site) ?? 0, since + PAUSE))
  }

  async checkOut(worker: string, atMost: number): Promise<void> {
    const { visits, next } = await this.bench.frontier.checkOut(worker, atMost)
    assert.ok(visits.length <= atMost)
    for (const visit of visits) {
      const before = this.current(visit.site)
      assert.ok(before === undefined || before.ended || before.leaseEnd <= this.now, 'two visits of one site at once')
      assert.ok(
        !this.inbox.some(({ report }) => report.visit === before?.visit.id),
        'parts of the site are not applied',
      )
      assert.ok((this.politeAt.get(visit.site) ?? 0) <= this.now, 'a site before its time')
      const holder = visit.address === undefined ? undefined : this.holder(visit.address)
      assert.ok(holder === undefined || holder === worker, 'a site of an address that another worker holds')
      assert.deepEqual(
        new Set<unknown>(visit.known),
        new Set<unknown>(this.known.filter((text) => siteOf(text) === visit.site).map((text) => link(text).key)),
      )
      assert.ok(visit.agenda.length > 0, 'a visit for nothing')
      for (const item of visit.agenda) {
        const known = this.urls.get(plain(item.url))
        assert.deepEqual([known?.text, known?.state], [item.url, 'waiting'])
        assert.ok(!this.answered.has(item.url), `${item.url} is asked for again`)
      }
      const todo = visit.agenda.map((item) => item.url)
      this.out.push({ visit, worker, parts: 0, todo, leaseEnd: this.now + visit.lease, ended: false })
    }
    if (next === 'over') assert.deepEqual(this.marked, this.known, 'over, and something is not marked')
  }

  /** The worker that has a visit there whose lease lasts. */
  holder(address: string): string | undefined {
    return this.out.find((out) => out.address === address && !out.ended && out.leaseEnd > this.now)?.worker
  }

  async enter(index: number, address: string): Promise<void> {
    const out = this.live(index)
    if (out === undefined) return
    const holder = this.holder(address)
    const answer = await this.bench.frontier.enter(out.worker, out.visit.id, address)
    if (answer === 'here') {
      assert.ok(holder === undefined || holder === out.worker, 'two workers at one address')
      out.address = address
    } else assert.notEqual(holder, out.worker, 'turned away from its own address')
  }

  live(index: number): Out | undefined {
    const live = this.out.filter((out) => !out.ended && out.leaseEnd > this.now)
    return live.length === 0 ? undefined : live[index % live.length]
  }

  async ask({ which: index, outcomes, news, ended, deliver }: Step & { do: 'ask' }): Promise<void> {
    // Any visit that has not ended may tell, also one whose lease is gone.
    const telling = this.out.filter((out) => !out.ended)
    if (telling.length === 0) return
    const out = telling[index % telling.length]
    const { visit } = out
    const pages = outcomes.flatMap((kind) => {
      const text = out.todo.shift()
      return text === undefined ? [] : [page(plain(text), outcomeOf(kind, this.now), { url: text })]
    })
    const links = news.map((text) => linkTo(text, visit.agenda[0]?.url))
    const own = links.filter((each) => each.site === visit.site)
    const found = own.map((each) => (each.url === plain(each.url) ? each : { ...each, spelling: true as const }))
    const crossSite = links.filter((each) => each.site !== visit.site)
    const report = part(this.bench, visit, ++out.parts, {
      pages,
      found,
      crossSite,
      ...(ended === undefined ? {} : { ended }),
    })
    out.ended = ended !== undefined
    const zombie = this.current(visit.site) !== out
    // A zombie's lease ended long ago, and by its own clock earlier still: it has asked nothing since.
    if (!zombie) this.politeAt.set(visit.site, Math.max(this.politeAt.get(visit.site) ?? 0, report.courtesy.notBefore))
    this.inbox.push({ report, zombie })
    const { visit: id, fence } = report
    await this.bench.db.transact((tx) => this.bench.ledger.returning(tx, [{ visit: id, fence, last: out.ended }]))
    if (deliver === 'now') await this.apply()
  }

  async apply(): Promise<void> {
    // Which text of a URL comes first depends on whose links abroad are entered first: that is the ledger's own affair.
    for (const several = this.inbox.splice(0); several.length > 0; ) {
      const second = several.findIndex((each, at) => at > 0 && each.report.crossSite.length > 0)
      await this.applyTogether(several.splice(0, second < 0 ? several.length : second))
    }
  }

  async applyTogether(waiting: { report: VisitReport; zombie: boolean }[]): Promise<void> {
    const results = await this.bench.applyParts(...waiting.map(({ report }) => report))
    for (const [index, { report, zombie }] of waiting.entries()) {
      assert.equal(results[index], zombie ? 'stale' : 'applied')
      if (zombie) continue
      for (const { url: text, outcome } of report.pages) this.tell(text, outcome)
      // Of the site's own links, one that is known and not called another spelling says nothing.
      for (const each of report.found.filter(({ spelling }) => !spelling))
        if (!this.urls.has(plain(each.url))) this.learn(each.url)
      for (const each of report.found.filter(({ spelling }) => spelling)) this.learn(each.url)
      if (report.ended === 'given-up') {
        this.barred.add(report.site)
        for (const [text, url] of this.urls) if (siteOf(text) === report.site) url.state = 'done'
      }
    }
    // Links abroad come in after all parts: a site barred by any of them takes no more.
    for (const [index, { report }] of waiting.entries())
      if (results[index] === 'applied') for (const each of report.crossSite) this.learn(each.url)
    const again = await this.bench.applyParts(...waiting.map(({ report }) => report))
    assert.ok(again.every((result) => result === 'again' || result === 'stale'))
  }

  async renew(worker: string): Promise<void> {
    const mine = this.out.filter((out) => out.worker === worker && !out.ended)
    const ids = mine.map(({ visit }) => visit.id)
    const { lost, lease } = await this.bench.frontier.renew(worker, ids)
    for (const out of mine) {
      if (lost.includes(out.visit.id)) assert.ok(out.leaseEnd <= this.now, 'a lease was lost before its end')
      else out.leaseEnd = this.now + lease
    }
  }

  async check(): Promise<void> {
    const { db } = this.bench
    const totals = await db.read((tx) => frontierQueries.totals(tx))
    const known = this.known.length
    const marked = this.marked.length
    assert.deepEqual(totals.urls, { known, marked, waiting: known - marked, refreshing: 0 })
    const states: Record<string, number> = {}
    for (const name of SITES) {
      const site = await db.read((tx) => frontierQueries.site(tx, name))
      if (site === undefined) continue
      states[site.state] = (states[site.state] ?? 0) + 1
      const open = [...this.urls].filter(([text, url]) => siteOf(text) === name && url.state === 'waiting').length
      assert.equal(site.waiting, open, name)
      if (site.state === 'crawled' || site.state === 'barred') assert.equal(open, 0)
      if (site.state === 'waiting' || site.state === 'free') assert.ok(open > 0)
    }
    for (const [state, count] of Object.entries(totals.sites)) assert.equal(count, states[state] ?? 0, state)
  }
}

function plain(text: string): string {
  return text.split('?')[0]
}

/** By the key of the plain text, as if the rules in force made one URL of all its texts. */
function linkTo(text: string, via?: string): Link {
  return { ...link(plain(text), via), url: text }
}

function siteOf(text: string): string {
  return text.split('/')[2]
}

function outcomeOf(kind: number, now: number): Outcome {
  const outcomes: Outcome[] = [
    KEPT,
    { kind: 'moved', to: 'http://a.test/0' },
    { kind: 'refused', by: 'robots', rule: '/' },
    { kind: 'gone', why: 'status-404' },
    { kind: 'later', why: 'reset', notBefore: now + 3 * PAUSE },
  ]
  return outcomes[kind]
}

export function modelContract(make: MakeDatabase, runs: number): void {
  it(`agrees with the model in ${runs} random lives`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const life = new Life(await openBench(make, { slice: { pages: 3, time: 1 } }))
        for (const step of all) {
          await life.run(step)
          await life.check()
        }
        await life.bench.db.close()
      }),
      { numRuns: runs },
    )
  })
}
