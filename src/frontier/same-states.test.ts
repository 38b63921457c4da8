/**
 * Whatever happens, SQLite and PostgreSQL end in equal states: the same random life is lived on both, and their tables are
 * compared after every step. What legitimately differs is left out: buckets, regions and nearness, which SQLite does not have;
 * a site that is due is the same as a free one, for only SQLite marks it, and until when it waits says nothing of a site that
 * doesn't; a site reserved at an address that nobody holds any more is the same as one that is not reserved, for it is freed at
 * the next check-out or tick; and of `seq` only the order counts, for links that PostgreSQL sifts out take no number.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import {
  type Bench,
  KEPT,
  LEASE,
  link,
  openBench,
  PAUSE,
  page,
  part,
  seedUrl,
} from '../../testkit/contracts/frontier/tools.contract.ts'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import type { Outcome } from '../contracts/outcome.ts'
import type { Link, VisitEnd, VisitReport } from '../contracts/report.ts'
import { freshMemory, type SiteMemory } from '../contracts/site-memory.ts'
import type { SiteName, Visit } from '../contracts/visit.ts'
import { postgresTx } from '../database/postgres/tx.ts'
import { openSqlite } from '../database/sqlite/open.ts'
import { sqliteTx } from '../database/sqlite/tx.ts'
import type { FrontierOptions, RefreshOptions } from './contract.ts'
import { frontierQueries } from './queries.ts'

const SITES = ['a.test', 'www.a.test', 'b.test', 'c.test', 'one.wild.test', 'two.wild.test']
const PATHS = ['/', '/1', '/2', '/dir/', '/dir/index.html', '/dir/index.php']
const WORKERS = ['w1', 'w2']
const ADDRESSES = ['192.0.2.1', '192.0.2.2']
const OUTCOMES: readonly ((url: string) => Outcome)[] = [
  () => KEPT,
  () => ({ kind: 'gone', why: 'status-404' }),
  () => ({ kind: 'gone', why: 'reset' }),
  (url) => ({ kind: 'moved', to: url.includes('?') ? url.split('?')[0] : `${url}?PHPSESSID=3` }),
  () => ({ kind: 'later', why: 'reset', notBefore: 0 }),
  () => ({ kind: 'refused', by: 'hazard', rule: 'maze', held: true }),
  () => ({ kind: 'kept', how: 'changed' }),
  () => ({ kind: 'kept', how: 'same' }),
  () => ({ kind: 'gone', why: 'status-410' }),
]

interface Found {
  site: number
  path: number
  /** 0: the plain text. */
  text: number
  /** On which site's home page. */
  via: number
  how: string
  lastmod: number | undefined
  spelling: boolean
}

interface Report {
  which: number
  outcomes: number[]
  texts: number[]
  found: Found[]
  ended: VisitEnd | undefined
  alias: number | undefined
  learnt: 'wildcard' | 'slow' | 'requeue' | undefined
  address: string | undefined
  /** What it learnt of robots.txt and of traps. */
  remembers: boolean
}

type Step =
  | { do: 'admit'; links: Found[] }
  | { do: 'flood'; from: number; count: number }
  | { do: 'seed' | 'try again' | 'schedule'; links: Found[] }
  | { do: 'check out'; worker: string }
  | { do: 'apply'; reports: Report[] }
  | { do: 'pass'; ms: number }
  | { do: 'reap' | 'returning' }
  | { do: 'lose' | 'renew'; worker: string }
  | { do: 'take back'; worker: string; has: number[] }
  | { do: 'enter'; which: number; address: string }
  | { do: 'give back'; which: number }
  | { do: 'alias'; name: number; original: number; how: string }
  | { do: 'unalias'; name: number }
  | { do: 'stop site'; name: number; how: 'paused' | 'barred' | null }
  | { do: 'ask again'; name: number }
  | { do: 'hint'; links: Found[] }
  | { do: 'enrol' | 'set the price'; count: number }

const site = fc.nat(SITES.length - 1)
const found: fc.Arbitrary<Found> = fc.record({
  site,
  path: fc.nat(PATHS.length - 1),
  text: fc.oneof(fc.constant(0), fc.nat(4)),
  via: site,
  how: fc.constantFrom('L', 'L', 'LL', 'Ll', 'LS', 'Ls'),
  lastmod: fc.option(fc.nat(5), { nil: undefined, freq: 4 }),
  spelling: fc.boolean(),
})
const links = fc.array(found, { minLength: 1, maxLength: 6 })
const report: fc.Arbitrary<Report> = fc.record({
  which: fc.nat(9),
  outcomes: fc.array(fc.nat(OUTCOMES.length - 1), { minLength: 1, maxLength: 5 }),
  texts: fc.array(fc.constantFrom(0, 0, 0, 1, 2), { minLength: 1, maxLength: 3 }),
  found: fc.array(found, { maxLength: 5 }),
  ended: fc.constantFrom<(VisitEnd | undefined)[]>(undefined, 'done', 'done', 'slice', 'silent', 'given-up'),
  alias: fc.option(site, { nil: undefined, freq: 4 }),
  learnt: fc.constantFrom(undefined, undefined, 'wildcard' as const, 'slow' as const, 'requeue' as const),
  address: fc.constantFrom(undefined, ...ADDRESSES),
  remembers: fc.boolean(),
})
const worker = fc.constantFrom(...WORKERS)
const HOUR = 3_600_000
const refreshing = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hint' as const), links }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('enrol', 'set the price'), count: fc.constantFrom(0, 1, 3, 1000) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(HOUR, 100 * HOUR) }) },
)
const steps = stepsWith()
const stepsWhenRefreshing = stepsWith(refreshing)

function stepsWith(...more: fc.Arbitrary<unknown>[]): fc.Arbitrary<Step[]> {
  return fc.array(
    fc.oneof(
      ...more.map((arbitrary) => ({ weight: 4, arbitrary })),
      { weight: 5, arbitrary: fc.record({ do: fc.constant('admit' as const), links }) },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('flood' as const), from: site, count: fc.constantFrom(5, 40) }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('seed', 'try again', 'schedule'), links }) },
      { weight: 6, arbitrary: fc.record({ do: fc.constant('check out' as const), worker }) },
      {
        weight: 7,
        arbitrary: fc.record({
          do: fc.constant('apply' as const),
          reports: fc.array(report, { minLength: 1, maxLength: 3 }),
        }),
      },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, PAUSE, LEASE) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('reap', 'returning') }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('lose', 'renew'), worker }) },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('take back' as const),
          worker,
          has: fc.array(fc.nat(9), { maxLength: 3 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('enter' as const),
          which: fc.nat(9),
          address: fc.constantFrom(...ADDRESSES),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('give back' as const), which: fc.nat(9) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('alias' as const),
          name: site,
          original: site,
          how: fc.constantFrom('list', 'www'),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('unalias', 'ask again'), name: site }) },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('stop site' as const),
          name: site,
          how: fc.constantFrom('paused', 'barred', null),
        }),
      },
    ),
    { minLength: 15, maxLength: 40 },
  ) as fc.Arbitrary<Step[]>
}

function urlOf({ site, path, text }: Pick<Found, 'site' | 'path' | 'text'>): string {
  return `http://${SITES[site]}${PATHS[path]}${text === 0 ? '' : `?PHPSESSID=${text}`}`
}

function linkOf(one: Found): Link {
  const { lastmod, spelling, how, via } = one
  const made: Link = { ...link(urlOf(one), `http://${SITES[via]}/`), path: how }
  return { ...made, ...(lastmod === undefined ? {} : { lastmod }), ...(spelling ? { spelling: true } : {}) }
}

const NAMES: readonly SiteName[] = SITES
const NO_ROBOTS: SiteMemory['robots'] = { http: { state: 'none', at: 0, status: 404, text: '' } }

class Life {
  readonly bench: Bench
  /** Visits that are out, and the number of their next part. */
  readonly out: { visit: Visit; worker: string; part: number }[] = []
  /** By the operator: none of them is handed out. */
  readonly stopped = new Set<SiteName>()

  constructor(bench: Bench) {
    this.bench = bench
  }

  /** What it answers must be the same, too. */
  async take(step: Step): Promise<unknown> {
    const { ledger, clock, db } = this.bench
    switch (step.do) {
      case 'admit':
        return db.transact((tx) => ledger.admit(tx, step.links.map(linkOf)))
      case 'flood': {
        const names = Array.from({ length: step.count }, (_, nth) => `s${nth}.wild.test/`)
        return this.bench.admit(...names.map((name) => link(name, `http://${SITES[step.from]}/`)))
      }
      case 'seed':
        return db.transact((tx) =>
          ledger.seed(
            tx,
            step.links.map((one) => seedUrl(urlOf(one))),
          ),
        )
      case 'try again':
        return db.transact((tx) =>
          ledger.tryAgain(
            tx,
            step.links.map((one) => seedUrl(urlOf(one))),
          ),
        )
      case 'schedule': {
        const dueAt = clock.now() + PAUSE
        return db.transact((tx) =>
          ledger.schedule(
            tx,
            step.links.map((one) => ({ url: urlOf(one), dueAt })),
          ),
        )
      }
      case 'check out':
        return this.#checkOut(step.worker)
      case 'apply':
        return this.bench.applyParts(...step.reports.flatMap((one) => this.#report(one) ?? []))
      case 'pass':
        return clock.pass(step.ms)
      case 'reap': {
        const lost = await db.transact((tx) => ledger.reap(tx))
        return lost.map(({ visit }) => visit).sort()
      }
      case 'returning': {
        const parts = this.out.map(({ visit: { id, fence }, part }) => ({ visit: id, fence, part, last: true }))
        return db.transact((tx) => ledger.returning(tx, parts))
      }
      case 'lose': {
        const lost = await db.transact((tx) => ledger.lose(tx, step.worker))
        return lost.map(({ visit }) => visit).sort()
      }
      case 'take back': {
        const has = step.has.flatMap((which) => this.out[which]?.visit.id ?? [])
        return (await db.transact((tx) => ledger.takeBack(tx, step.worker, has))).sort()
      }
      case 'renew': {
        const ids = this.out.map(({ visit }) => visit.id)
        return (await this.bench.frontier.renew(step.worker, ids)).lost.sort()
      }
      case 'enter': {
        const out = this.out[step.which % Math.max(1, this.out.length)]
        return out && this.bench.frontier.enter(out.worker, out.visit.id, step.address)
      }
      case 'give back': {
        const [given] = this.out.splice(step.which % Math.max(1, this.out.length), 1)
        return given && db.transact((tx) => ledger.giveBack(tx, [given.visit.id]))
      }
      case 'alias': {
        const { name, original, how } = step
        return db.transact((tx) => ledger.alias(tx, { name: NAMES[name], original: NAMES[original], how }))
      }
      case 'unalias':
        return db.transact((tx) => ledger.unalias(tx, NAMES[step.name]))
      case 'stop site':
        this.stopped[step.how === null ? 'delete' : 'add'](NAMES[step.name])
        return db.transact((tx) => ledger.stopSite(tx, NAMES[step.name], step.how, 'asked'))
      case 'ask again':
        return db.transact((tx) => ledger.askAgain(tx, NAMES[step.name]))
      case 'hint': {
        const lastmod = clock.now() - PAUSE
        return this.bench.admit(...step.links.map((one) => ({ ...linkOf(one), lastmod })))
      }
      case 'enrol':
        // Whether that was all depends on the order in which URLs are read, if some were added meanwhile.
        await db.transact((tx) => ledger.enrol(tx, step.count + 1))
        return
      case 'set the price':
        return db.transact((tx) => ledger.setPrice(tx, step.count))
    }
  }

  /** All that is free: in which order is not the same on both. */
  async #checkOut(worker: string): Promise<unknown> {
    const all: Visit[] = []
    for (let visits: Visit[] | undefined; visits === undefined || visits.length > 0; ) {
      visits = (await this.bench.frontier.checkOut(worker, 64)).visits
      all.push(...visits)
    }
    assert.deepEqual(
      all.filter(({ site }) => this.stopped.has(site)),
      [],
    )
    all.sort((a, b) => (a.id < b.id ? -1 : 1))
    this.out.push(...all.map((visit) => ({ visit, worker, part: 1 })))
    return all.map(({ known, ...visit }) => ({
      ...visit,
      known: typeof known === 'string' ? known : [...known].sort(),
    }))
  }

  #report({
    which,
    outcomes,
    texts,
    found,
    ended,
    alias,
    learnt,
    address,
    remembers,
  }: Report): VisitReport | undefined {
    const out = this.out[which % Math.max(1, this.out.length)]
    if (out === undefined) return undefined
    const { visit } = out
    const pages = visit.agenda.map(({ url, key, tries, depth, path }, at) => {
      const asked = texts[at % texts.length] === 0 ? url : `${url.split('?')[0]}?PHPSESSID=${texts[at % texts.length]}`
      const outcome = OUTCOMES[outcomes[at % outcomes.length]](asked)
      return page(asked, outcome, { key, tries: tries + 1, depth, path, at: this.bench.clock.now() })
    })
    const links = found.map(linkOf)
    const domain = visit.site.endsWith('.wild.test') ? 'wild.test' : visit.site
    const report = part(this.bench, visit, out.part++, {
      pages,
      found: links.filter(({ site }) => site === visit.site),
      crossSite: links.filter(({ site }) => site !== visit.site).map(({ spelling: _, ...one }) => one),
      learnt: {
        ...(alias === undefined ? {} : { alias: { to: NAMES[alias], how: 'www', https: false, evidence: 'home' } }),
        ...(learnt === 'wildcard' ? { wildcard: { domain, addresses: ['192.0.2.9'] } } : {}),
        ...(learnt === 'slow' ? { slow: 'a copy' } : {}),
        ...(learnt === 'requeue' ? { requeue: true } : {}),
      } as VisitReport['learnt'],
      ...(remembers
        ? { memory: { ...freshMemory(), robots: NO_ROBOTS, traps: { suspects: [], alike: out.part } } }
        : {}),
      ...(ended === undefined ? {} : { ended }),
    })
    if (address !== undefined) report.courtesy = { ...report.courtesy, address }
    if (ended !== undefined) this.out.splice(this.out.indexOf(out), 1)
    return report
  }

  /** Every table, in one form: sorted rows of texts. */
  async tables(): Promise<Record<string, string[]>> {
    const { db, clock } = this.bench
    return db.read(async (tx) => {
      const tables: Record<string, string[]> = {}
      const read = async (sql: string) =>
        tx.dialect === 'sqlite'
          ? sqliteTx(tx).allExact<Record<string, unknown>>(sql)
          : postgresTx(tx).allExact<Record<string, unknown>>(sql)
      const held = await read(`SELECT address, worker FROM address WHERE visits > 0 OR until > ${clock.now()}`)
      const holders = new Map(held.map(({ address, worker }) => [address, worker]))
      for (const [name, columns] of Object.entries(TABLES)) {
        const rows = await read(`SELECT ${columns} FROM ${name}`)
        if (name === 'url') countThrough(rows)
        for (const row of rows) if (row.holder && holders.get(row.address) !== row.holder) row.holder = ''
        tables[name] = rows.map((row) => textOf(row, clock.now())).sort()
      }
      const { sites, ...totals } = await frontierQueries.totals(tx)
      const { waiting, free, ...states } = sites
      tables.totals = [JSON.stringify({ ...totals, ...states, resting: waiting + free })]
      return tables
    })
  }
}

const TABLES = {
  site: `key, name, state, reason, since, seed, rank, losses, deferral, not_before, polite_at, pause, address, holder, fence,
    worker, lease_until, entered, granted, part, known, waiting, refreshing, stopped`,
  url: 'site, key, url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark, lastmod',
  known_page: `site, key, looked_at, refresh_at, interval_ms, class, rate, weight, changes, changed_ms, unchanged_ms, failures,
    missing_since, hinted_at`,
  site_looks: 'site, looks, changes, changed_ms, unchanged_ms, hints_right, hints_wrong, unhinted, planned_at',
  url_spelling: 'site, key, position, url, depth, via_site, via_key, path, tried',
  domain: 'key, name, sites, unendorsed, held, wildcard, pending, addresses, probed_at',
  unendorsed_site: 'site, domain, referrer, since, hold_state',
  site_alias: 'site, name, original, how, https, since, evidence, pending',
  address_sites: 'address, sites',
  site_memory: 'site, memory',
  site_robots: 'site, robots',
  site_traps: 'site, traps',
  seed: 'site, key, url, added_at, source',
}

/** `seq` becomes the place in the queue of the site: 0, 1, 2 … */
function countThrough(rows: Record<string, unknown>[]): void {
  rows.sort((a, b) => Number(a.seq) - Number(b.seq))
  const counts = new Map<unknown, number>()
  for (const row of rows) {
    row.seq = counts.get(row.site) ?? 0
    counts.set(row.site, Number(row.seq) + 1)
  }
}

function textOf(row: Record<string, unknown>, now: number): string {
  const isDue = row.state === 'waiting' && Number(row.not_before) <= now
  const isResting = row.state === 'waiting' || row.state === 'free'
  const changed = isDue ? { state: 'free' } : row.state === undefined || isResting ? {} : { not_before: 'none' }
  const values = { ...row, ...changed }
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}

/** What a finding held back, with another spelling, is queued again by the visit that learns that its site is an alias. */
function heldBackAtAnAlias(): Step[] {
  const at = (path: number, text: number, spelling: boolean): Found => {
    return { site: 3, path, text, via: 3, how: 'L', lastmod: undefined, spelling }
  }
  const rest = { which: 0, texts: [0], ended: 'slice' as const, address: undefined, remembers: false }
  const checkOut = { do: 'check out', worker: 'w1' } as const
  return [
    { do: 'admit', links: [at(3, 3, false)] },
    checkOut,
    {
      do: 'apply',
      reports: [{ ...rest, outcomes: [5], found: [at(4, 0, true)], alias: undefined, learnt: undefined }],
    },
    { do: 'admit', links: [at(1, 0, false)] },
    { do: 'pass', ms: PAUSE },
    checkOut,
    { do: 'apply', reports: [{ ...rest, outcomes: [0], found: [], alias: 4, learnt: 'requeue' }] },
  ]
}

/** Each of two visits fetches another text of a page than waits there, and links to the one that waits at the other. */
function crosswise(): Step[] {
  const old = [0, 2].map((site): Found => {
    return { site, path: 1, text: 2, via: 3, how: 'L', lastmod: undefined, spelling: false }
  })
  const rest = { ended: undefined, alias: undefined, learnt: undefined, address: undefined, remembers: false }
  const reports = [0, 1].map((which): Report => ({ which, outcomes: [3], texts: [1], found: old, ...rest }))
  return [
    { do: 'admit', links: old },
    { do: 'check out', worker: 'w1' },
    { do: 'apply', reports },
  ]
}

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
after(() => ('skipped' in postgres ? undefined : postgres.end()))

async function liveTwice(
  lives: fc.Arbitrary<Step[]>,
  examples: [Step[]][],
  options: Partial<FrontierOptions>,
): Promise<void> {
  if ('skipped' in postgres) return
  await fc.assert(
    fc.asyncProperty(lives, async (all) => {
      const one = new Life(await openBench(async () => openSqlite(':memory:'), options))
      const other = new Life(await openBench(() => postgres.make(), options))
      try {
        for (const step of all) {
          assert.deepEqual(await one.take(step), await other.take(step), JSON.stringify(step))
          assert.deepEqual(await one.tables(), await other.tables(), JSON.stringify(step))
        }
      } finally {
        await Promise.all([one.bench.db.close(), other.bench.db.close()])
      }
    }),
    // Shortening a life takes minutes; the seed that is printed repeats it. LIVES=150: more of them, in some minutes.
    { numRuns: Number(process.env.LIVES ?? 12), examples, endOnFailure: true },
  )
}

test('SQLite and PostgreSQL end in equal states', { skip }, () =>
  liveTwice(steps, [[crosswise()], [heldBackAtAnAlias()]], {}),
)

const REFRESH: RefreshOptions = { policy: 'index', newShare: 0.5, minAge: HOUR }

for (const policy of ['index', 'psp'] as const)
  test(`they do so when refreshing by ${policy}`, { skip }, () =>
    liveTwice(stepsWhenRefreshing, [], { refresh: { ...REFRESH, policy } }),
  )
