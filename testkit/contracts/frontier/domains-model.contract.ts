/**
 * Random lives of two domains in which anybody can make up sites, and of a web around them, beside a model that anyone can
 * check by reading `domains.ts`. After each step the frontier must agree with it on who is vouched for and who is held; at
 * the end everybody else was visited, once.
 */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { signed64 } from '../../../src/base/digest.ts'
import type { Link } from '../../../src/contracts/report.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { UNENDORSED_ALLOWED } from '../../../src/frontier/rules/domain-rows.ts'
import { deferralOf } from '../../../src/frontier/rules/site.ts'
import { siteKey } from '../../../src/web/url/web-url.ts'
import { type Bench, link, type MakeDatabase, openBench, PAUSE, seedUrl, whole } from './tools.contract.ts'

const DOMAINS = ['farm.test', 'house.test']
const AROUND = ['a.test', 'b.test']
const NAMES = 90

type Step =
  | { do: 'link'; via: string; domain: string; from: number; count: number; path: number }
  | { do: 'seed'; site: string }
  | { do: 'visit'; atMost: number; learns: boolean; from: number; count: number }
  | { do: 'pass' }
  | { do: 'reap' }
  | { do: 'restart' }

const domain = fc.constantFrom(...DOMAINS)
const number = fc.oneof({ weight: 3, arbitrary: fc.nat(5) }, fc.nat(NAMES - 1))
const site = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(number, domain).map(([one, of]) => `s${one}.${of}`) },
  { weight: 1, arbitrary: fc.constantFrom(...AROUND, ...DOMAINS, 'www.farm.test') },
)
const count = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 30, max: NAMES }))
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('link' as const),
        via: site,
        domain,
        from: number,
        count,
        path: fc.nat(1),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('seed' as const), site }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('visit' as const),
        atMost: fc.integer({ min: 1, max: 8 }),
        learns: fc.boolean(),
        from: number,
        count,
      }),
    },
    { weight: 2, arbitrary: fc.constant({ do: 'pass' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'reap' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  ),
  { minLength: 5, maxLength: 40 },
)

interface Known {
  seed: boolean
  visited: boolean
  deferral: number
  unendorsedSite?: { referrer: string | undefined; since: number; held: boolean }
}

const domainOf = (name: string) => name.split('.').slice(-2).join('.')
const isOwn = (name: string) => name === domainOf(name) || name === `www.${domainOf(name)}`
/** As the frontier takes them: what comes together, and what came in the same millisecond, by keys. */
const byKey = (a: string, b: string) => (signed64(siteKey(a)) < signed64(siteKey(b)) ? -1 : 1)

class Life {
  readonly sites = new Map<string, Known>()
  readonly wild = new Set<string>()
  bench: Bench

  constructor(bench: Bench) {
    this.bench = bench
  }

  of(name: string): [string, Known][] {
    return [...this.sites].filter(([site]) => domainOf(site) === name)
  }

  weight(linkingSite: string, target: string): number {
    if (linkingSite === target) return 0
    if (domainOf(linkingSite) !== domainOf(target) && !this.wild.has(domainOf(linkingSite))) return 2
    const known = this.sites.get(linkingSite)
    if (known === undefined) return 0
    if (known.seed) return 2
    return known.unendorsedSite === undefined ? 1 : 0
  }

  room(name: string): number {
    const all = this.of(name).map(([, known]) => known)
    const unendorsed = all.filter(({ unendorsedSite }) => unendorsedSite !== undefined)
    const out = unendorsed.filter(({ unendorsedSite }) => !unendorsedSite?.held)
    return UNENDORSED_ALLOWED + all.length - unendorsed.length - out.length
  }

  /** `voice` is undefined when the operator names it. */
  learn(links: { linkingSite: string | undefined; target: string }[]): void {
    const targets = [...new Set(links.map(({ target }) => target))].sort(byKey)
    for (const target of targets) {
      const linkingSites = new Set(links.filter((one) => one.target === target).map(({ linkingSite }) => linkingSite))
      this.learnOne(target, [...linkingSites])
    }
  }

  learnOne(target: string, linkingSites: (string | undefined)[]): void {
    const before = this.sites.get(target)
    const seed = linkingSites.includes(undefined)
    if (before !== undefined && before.unendorsedSite === undefined && !seed) return
    let referrer = before?.unendorsedSite?.referrer
    let endorsed = seed
    for (const linkingSite of linkingSites) {
      if (linkingSite === undefined || endorsed || linkingSite === referrer) continue
      const weight = this.weight(linkingSite, target)
      endorsed = weight === 2 || (weight === 1 && referrer !== undefined)
      if (weight === 1 && !endorsed) referrer = linkingSite
    }
    const known = before ?? { seed: false, visited: false, deferral: deferralOf(this.of(domainOf(target)).length + 1) }
    this.sites.set(target, known)
    if (seed) {
      known.seed = true
      known.deferral = 0
    }
    if (endorsed) {
      const wasUnendorsed = before === undefined || known.unendorsedSite !== undefined
      known.unendorsedSite = undefined
      if (wasUnendorsed) this.balance(domainOf(target))
      return
    }
    if (known.unendorsedSite !== undefined) {
      known.unendorsedSite.referrer = referrer
      return
    }
    known.unendorsedSite = { referrer, since: this.bench.clock.now(), held: false }
    known.unendorsedSite.held = this.wild.has(domainOf(target)) && !isOwn(target) && this.room(domainOf(target)) < 0
  }

  balance(name: string): void {
    if (!this.wild.has(name)) return
    const unendorsed = this.of(name)
      .flatMap(([site, known]) =>
        known.unendorsedSite === undefined ? [] : [{ site, known, unendorsedSite: known.unendorsedSite }],
      )
      .sort((a, b) => a.unendorsedSite.since - b.unendorsedSite.since || byKey(a.site, b.site))
    for (const { site, known, unendorsedSite } of unendorsed.toReversed())
      if (this.room(name) < 0 && !unendorsedSite.held && !known.visited && !isOwn(site)) unendorsedSite.held = true
    for (const { unendorsedSite } of unendorsed) if (this.room(name) > 0) unendorsedSite.held = false
  }

  async run(step: Step): Promise<void> {
    const { bench } = this
    switch (step.do) {
      case 'link': {
        const targets = namesOf(step)
        await bench.admit(...targets.map((target) => linkTo(target, step.via, step.path)))
        return this.learn(targets.map((target) => ({ linkingSite: step.via, target })))
      }
      case 'seed':
        await bench.db.transact((tx) => bench.ledger.seed(tx, [seedUrl(`${step.site}/`)]))
        return this.learn([{ linkingSite: undefined, target: step.site }])
      case 'visit': {
        const { visits } = await bench.frontier.checkOut('w1', step.atMost)
        // All are out from now on: what one of them learns holds none of the others.
        for (const { site } of visits) this.visit(site)
        for (const visit of visits) {
          const own = domainOf(visit.site)
          const targets = namesOf({ ...step, domain: DOMAINS[step.count % 2] }).filter((one) => one !== visit.site)
          const learns = step.learns && DOMAINS.includes(own)
          await bench.applyParts(
            whole(bench, visit, {
              crossSite: targets.map((target) => linkTo(target, visit.site, 0)),
              ...(learns ? { learnt: { wildcard: { domain: own, addresses: [] } } } : {}),
            }),
          )
          if (learns) {
            this.wild.add(own)
            this.balance(own)
          }
          this.learn(targets.map((target) => ({ linkingSite: visit.site, target })))
        }
        return
      }
      case 'pass':
        return bench.clock.pass(PAUSE)
      case 'reap':
        await bench.db.transact((tx) => bench.ledger.reap(tx))
        return
      case 'restart':
        this.bench = await bench.restart()
    }
  }

  visit(name: string): void {
    const known = this.sites.get(name)
    assert.ok(known !== undefined && !known.unendorsedSite?.held, `${name} is visited`)
    known.visited = true
  }

  async check(): Promise<void> {
    const { db } = this.bench
    await db.read(async (tx) => {
      const all = [...this.sites]
      const seen = await Promise.all(all.map(([name]) => frontierQueries.site(tx, name)))
      for (const [at, [name, known]] of all.entries()) {
        const view = seen[at]
        assert.equal(view?.state === 'held', known.unendorsedSite?.held === true, `${name} is ${view?.state}`)
        const { referrer } = known.unendorsedSite ?? {}
        const unendorsedSite = known.unendorsedSite && (referrer === undefined ? {} : { referrer })
        assert.deepEqual([view?.unendorsedSite, view?.deferral], [unendorsedSite, known.deferral], name)
      }
      for (const name of DOMAINS) {
        const all = this.of(name)
        const view = await frontierQueries.domain(tx, name)
        const held = all.filter(([, known]) => known.unendorsedSite?.held).length
        const endorsed = all.filter(([, known]) => known.unendorsedSite === undefined).length
        const seen = view && [view.sites, view.endorsed, view.held, view.wildcard]
        assert.deepEqual(seen ?? [0, 0, 0, false], [all.length, endorsed, held, this.wild.has(name)])
      }
      const { sites } = await frontierQueries.totals(tx)
      const held = [...this.sites.values()].filter(({ unendorsedSite }) => unendorsedSite?.held).length
      assert.equal(sites.held, held)
      assert.equal(
        Object.values(sites).reduce((sum, n) => sum + n),
        this.sites.size,
      )
    })
  }

  /** Nobody is lost: whoever is not held is visited in the end. */
  async end(): Promise<void> {
    for (;;) {
      const { visits, next } = await this.bench.frontier.checkOut('w1', 64)
      for (const visit of visits) {
        this.visit(visit.site)
        await this.bench.applyParts(whole(this.bench, visit))
      }
      if (next === 'over') break
      this.bench.clock.pass(Math.max(1, next))
    }
    for (const [name, { visited, unendorsedSite }] of this.sites)
      assert.equal(visited, unendorsedSite?.held !== true, name)
  }
}

function namesOf(step: { domain: string; from: number; count: number }): string[] {
  return Array.from({ length: step.count }, (_, index) => `s${(step.from + index) % NAMES}.${step.domain}`)
}

function linkTo(target: string, via: string, path: number): Link {
  return link(`${target}/${path === 0 ? '' : path}`, `http://${via}/`)
}

/** However few lives there are, in this one somebody is held. */
const FLOODED: Step[] = [
  { do: 'link', via: 'a.test', domain: 'farm.test', from: 0, count: 1, path: 0 },
  { do: 'visit', atMost: 1, learns: true, from: 0, count: 1 },
  { do: 'link', via: 's0.farm.test', domain: 'farm.test', from: 1, count: NAMES - 1, path: 0 },
]

export function domainsModelContract(make: MakeDatabase, runs: number): void {
  it(`agrees with the model of domains in ${runs} random lives`, async () => {
    let held = 0
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const life = new Life(await openBench(make))
        for (const step of all) {
          await life.run(step)
          await life.check()
        }
        held += [...life.sites.values()].filter(({ unendorsedSite }) => unendorsedSite?.held).length
        await life.end()
        await life.check()
        await life.bench.db.close()
      }),
      { numRuns: runs, examples: [[FLOODED]] },
    )
    assert.ok(held > 0, 'no life in which anybody is held')
  })
}
