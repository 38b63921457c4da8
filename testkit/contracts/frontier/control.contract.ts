/** What every frontier does when an operator steers it. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Problem } from '../../../src/base/errors.ts'
import type { Action, Control } from '../../../src/contracts/control.ts'
import { freshMemory } from '../../../src/contracts/site-memory.ts'
import { StandingOrders } from '../../../src/crawl/worker/standing-orders.ts'
import { openControl } from '../../../src/frontier/control.ts'
import { Decisions, decidedSites, forgetStop, readAudit, writeAudit } from '../../../src/frontier/decisions.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import {
  type Bench,
  KEPT,
  LEASE,
  link,
  type MakeDatabase,
  openBench,
  PAUSE,
  page,
  part,
  whole,
} from './tools.contract.ts'

const HOUR = 3_600_000
const RULES = ['site-urls', 'endless-sequence']

interface Steered extends Bench {
  control: Control
  decisions: Decisions
}

async function steered(make: MakeDatabase, bench?: Bench): Promise<Steered> {
  let pauseOf: (site: string) => number | undefined = () => undefined
  let mayLearn: (name: string, original: string) => boolean = () => true
  const opened =
    bench ??
    (await openBench(make, {
      defaultPause: (site) => pauseOf(site) ?? PAUSE,
      mayLearn: (name, original) => mayLearn(name, original),
    }))
  const decisions = new Decisions(opened.db)
  await decisions.refresh()
  mayLearn = (name, original) => !decisions.isNoMirror(name, original)
  pauseOf = (site) => decisions.choiceOf(site)?.pauseMs
  const control = openControl({
    database: opened.db,
    ledger: opened.ledger,
    decisions,
    clock: opened.clock,
    urls: opened.options.urls,
    rules: RULES,
    findingState: async (_, site, { rule, pattern }) =>
      site !== 'a.test' || rule !== 'endless-sequence' ? undefined : pattern === '/old/#' ? 'withdrawn' : 'in-force',
    checkBlacklist(line) {
      if (line === 'nonsense') throw new Problem('bad-config', 'no line')
    },
    freeWorker: async (tx, worker) => (await opened.ledger.lose(tx, worker)).length,
    settled: async () => {},
  })
  return { ...opened, control, decisions }
}

const view = (bench: Bench, name: string) => bench.db.read((tx) => frontierQueries.site(tx, name))
const totals = (bench: Bench) => bench.db.read((tx) => frontierQueries.totals(tx))
const audit = (bench: Bench) => bench.db.read((tx) => readAudit(tx, undefined, 100))

export function controlContract(make: MakeDatabase): void {
  it('hands out no paused site, keeps the crawl from being over, and goes on after resuming', async () => {
    const bench = await steered(make)
    await bench.seed('a.test/', 'b.test/')
    const done = await bench.control.perform('anna', { action: 'pause-site', site: 'a.test', reason: 'too slow' })
    assert.equal(done.isChanged, true)
    assert.deepEqual(await bench.names(), ['b.test'])
    bench.clock.pass(365 * 86_400_000)
    const { visits, next } = await bench.frontier.checkOut('w1', 9)
    assert.deepEqual(visits, [])
    assert.notEqual(next, 'over')
    assert.deepEqual(bench.control.choiceOf('a.test')?.paused, {
      at: 1_700_000_000_000,
      who: 'anna',
      reason: 'too slow',
    })
    await bench.control.perform('anna', { action: 'resume-site', site: 'a.test' })
    assert.deepEqual(await bench.names(), ['a.test'])
    assert.deepEqual(bench.control.choiceOf('a.test'), {})
  })

  it('finishes a barred site with its reason, keeps what waits there, and brings it back', async () => {
    const bench = await steered(make)
    await bench.seed('a.test/', 'a.test/1')
    await bench.control.perform('anna', { action: 'bar-site', site: 'A.test', reason: 'the webmaster asked' })
    assert.deepEqual(await bench.names(), [])
    assert.equal((await bench.frontier.checkOut('w1', 1)).next, 'over')
    const barred = await view(bench, 'a.test')
    assert.equal(barred?.state, 'barred')
    assert.equal(barred?.reason, 'operator: the webmaster asked')
    assert.equal((await totals(bench)).urls.waiting, 0)
    // Named again, and linked to: it stays barred.
    await bench.admit(link('a.test/2', 'http://b.test/'))
    await bench.db.transact((tx) => bench.ledger.tryAgain(tx, []))
    assert.deepEqual(await bench.names(), [])
    await bench.control.perform('anna', { action: 'resume-site', site: 'http://a.test/some/page' })
    const back = await view(bench, 'a.test')
    assert.equal(back?.reason, undefined)
    assert.equal((await totals(bench)).urls.waiting, 3)
    const visit = await bench.one()
    assert.deepEqual(visit.agenda.map(({ url }) => url).sort(), [
      'http://a.test/',
      'http://a.test/1',
      'http://a.test/2',
    ])
  })

  it('follows links to a confirmed copy at the original, and those to an overruled one at the site', async () => {
    const bench = await steered(make)
    const mirror = (action: 'confirm-mirror' | 'overrule-mirror' | 'undecide-mirror', site: string, original: string) =>
      bench.control.perform('anna', { action, site, original })
    const aliasOf = async (site: string) => (await view(bench, site))?.alias?.original
    await bench.seed('a.test/', 'b.test/', 'b.test/1')
    assert.equal((await mirror('confirm-mirror', 'B.test', 'http://a.test/x')).isChanged, true)
    assert.equal((await mirror('confirm-mirror', 'b.test', 'a.test')).isChanged, false)
    assert.equal(await aliasOf('b.test'), 'a.test')
    await bench.admit(link('b.test/2', 'http://c.test/'))
    assert.equal((await view(bench, 'a.test'))?.waiting, 3)
    await assert.rejects(mirror('confirm-mirror', 'a.test', 'b.test'), /a copy of a\.test: overrule that pair first/)
    await assert.rejects(mirror('confirm-mirror', 'a.test', 'a.test'), /copy of itself/)
    assert.equal((await mirror('overrule-mirror', 'b.test', 'a.test')).isChanged, true)
    assert.equal((await mirror('overrule-mirror', 'b.test', 'a.test')).isChanged, false)
    assert.equal(await aliasOf('b.test'), undefined)
    assert.deepEqual(bench.control.choiceOf('b.test'), { notCopyOf: ['a.test'] })
    await bench.admit(link('b.test/3', 'http://c.test/'))
    assert.equal((await view(bench, 'b.test'))?.waiting, 4, 'what had been moved waits there too')
    assert.deepEqual(await bench.db.read(frontierQueries.decidedMirrors), {
      confirmed: [],
      overruled: [{ replica: 'b.test', original: 'a.test' }],
    })
    await mirror('undecide-mirror', 'b.test', 'a.test')
    assert.deepEqual(bench.control.choiceOf('b.test'), {})
    assert.deepEqual(
      (await audit(bench)).map(({ action, subject, after }) => [action, subject, after]),
      [
        ['undecide-mirror', 'b.test', '{}'],
        ['overrule-mirror', 'b.test', '{"notCopyOf":["a.test"]}'],
        ['overrule-mirror', 'b.test', '{"notCopyOf":["a.test"]}'],
        ['confirm-mirror', 'b.test', '{"copyOf":"a.test"}'],
        ['confirm-mirror', 'b.test', '{"copyOf":"a.test"}'],
      ],
    )
  })

  it('learns no alias that an operator overruled, and drops one that was learnt', async () => {
    const bench = await steered(make)
    const learn = async () => {
      await bench.seed('www.a.test/')
      const { visits } = await bench.frontier.checkOut('w1', 9)
      const visit = visits.find(({ site }) => site === 'www.a.test')!
      const alias = { to: 'a.test', how: 'www', https: true, evidence: 'moved' }
      await bench.applyParts(part(bench, visit, 1, { ended: 'done', learnt: { alias } }))
      bench.clock.pass(HOUR)
      return (await view(bench, 'www.a.test'))?.alias
    }
    const action = { action: 'overrule-mirror', site: 'a.test', original: 'www.a.test' } as const
    assert.equal((await learn())?.original, 'a.test')
    await bench.control.perform('anna', action)
    assert.equal((await view(bench, 'www.a.test'))?.alias, undefined, 'whichever of the two is named first')
    await bench.admit(link('www.a.test/new', 'http://c.test/'))
    assert.equal(await learn(), undefined)
  })

  it('bars a site before it is ever found', async () => {
    const bench = await steered(make)
    await bench.control.perform('anna', { action: 'bar-site', site: 'later.test' })
    await bench.seed('later.test/', 'b.test/')
    assert.deepEqual(await bench.names(), ['b.test'])
  })

  for (const how of ['pause-site', 'bar-site'] as const)
    it(`${how} counts from the end of the visit that is out, whether it ends or is lost, and after a restart`, async () => {
      const bench = await steered(make)
      await bench.seed('a.test/', 'b.test/')
      const visits = (await bench.frontier.checkOut('w1', 2)).visits
      const [a, b] = [visits.find(({ site }) => site === 'a.test')!, visits.find(({ site }) => site === 'b.test')!]
      for (const { site } of visits) await bench.control.perform('anna', { action: how, site })
      assert.equal((await view(bench, 'a.test'))?.state, 'leased')
      await bench.applyParts(
        part(bench, a, 1, { ended: 'stopped', pages: [page('a.test/')], found: [link('a.test/1')] }),
      )
      const state = how === 'bar-site' ? 'barred' : 'waiting'
      assert.equal((await view(bench, 'a.test'))?.state, state)
      bench.clock.pass(LEASE + 1)
      await bench.db.transact((tx) => bench.ledger.reap(tx))
      assert.equal((await view(bench, 'b.test'))?.state, state)
      // A late part of the lost visit still counts, and frees nothing.
      await bench.db.transact((tx) =>
        bench.ledger.returning(tx, [{ visit: b.id, fence: b.fence, part: 1, last: true }]),
      )
      await bench.applyParts(part(bench, b, 1, { ended: 'slice', found: [link('b.test/1')] }))
      assert.equal((await view(bench, 'b.test'))?.state, state)
      const next = await steered(make, await bench.restart())
      next.clock.pass(10 * PAUSE)
      assert.deepEqual(await next.names(), [])
      for (const site of ['a.test', 'b.test']) await next.control.perform('anna', { action: 'resume-site', site })
      assert.deepEqual((await next.names()).sort(), ['a.test', 'b.test'])
    })

  it('bars a site with known pages, whatever plans their looks', async () => {
    const refresh = { policy: 'psp', newShare: 0.5, minAge: 0 } as const
    const bench = await steered(make, await openBench(make, { refresh }))
    await bench.seed('a.test/', 'a.test/1')
    const visit = await bench.one()
    await bench.control.perform('anna', { action: 'bar-site', site: 'a.test' })
    await bench.applyParts(whole(bench, visit))
    assert.equal((await view(bench, 'a.test'))?.state, 'barred')
    bench.clock.pass(30 * 86_400_000)
    assert.deepEqual(await bench.names(), [])
    await bench.control.perform('anna', { action: 'resume-site', site: 'a.test' })
    assert.deepEqual(await bench.names(), ['a.test'])
  })

  for (const once of [false, true])
    it(`leaves known pages to the servers that refresh them, when a command beside them steers${once ? ' a single pass' : ''}`, async () => {
      const refresh = { policy: 'index', newShare: 0.5, minAge: 0 } as const
      const bench = await openBench(make, { leasesOutlive: true })
      await bench.seed('a.test/', 'b.test/')
      for (const visit of (await bench.frontier.checkOut('w1', 2)).visits) await bench.applyParts(whole(bench, visit))
      bench.clock.pass(HOUR)
      const pass = once ? { once: bench.clock.now() } : {}
      const server = await bench.restart({ refresh: { ...refresh, ...pass } })
      while (await server.db.transact((tx) => server.ledger.enrol(tx, 100)));
      server.clock.pass(30 * 86_400_000)
      const lookAtAll = async () => {
        const { visits } = await server.frontier.checkOut('w1', 9)
        for (const visit of visits) await server.applyParts(whole(server, visit))
        return visits.map(({ site }) => site).sort()
      }
      if (once) assert.deepEqual(await lookAtAll(), ['a.test', 'b.test'])
      // Without refreshing, as the command line opens it.
      const isRefreshing = await server.db.read((tx) => frontierQueries.isRefreshing(tx))
      const command = await steered(make, await bench.restart({ besideServers: { isRefreshing } }))
      const before = await view(server, 'a.test')
      for (const action of ['pause-site', 'resume-site', 'bar-site', 'resume-site'] as const) {
        await command.control.perform('anna', { action, site: 'a.test' })
        if (action === 'pause-site') assert.equal((await view(server, 'a.test'))?.state, before?.state)
        if (action !== 'resume-site') assert.deepEqual((await lookAtAll()).includes('a.test'), false)
        server.clock.pass(30 * 86_400_000)
      }
      // A pass that looked at every page does not begin again.
      assert.deepEqual(await lookAtAll(), once ? [] : ['a.test', 'b.test'])
      assert.equal((await view(server, 'a.test'))?.state, once ? 'crawled' : 'waiting')
    })

  it('weakens no pause: a site that asked to be left alone is, after resuming and asking again too', async () => {
    const bench = await steered(make)
    await bench.seed('a.test/')
    const visit = await bench.one()
    const now = bench.clock.now()
    const courtesy = { pause: PAUSE, lastAnswerAt: now, notBefore: now + 600_000 }
    await bench.applyParts(part(bench, visit, 1, { ended: 'slice', courtesy, found: [link('a.test/1')] }))
    const actions: Action[] = [
      { action: 'pause-site', site: 'a.test' },
      { action: 'resume-site', site: 'a.test' },
      { action: 'bar-site', site: 'a.test' },
      { action: 'resume-site', site: 'a.test' },
      { action: 'ask-again', site: 'a.test' },
    ]
    for (const action of actions) await bench.control.perform('anna', action)
    bench.clock.pass(599_000)
    assert.deepEqual(await bench.names(), [])
    bench.clock.pass(1_000)
    assert.deepEqual(await bench.names(), ['a.test'])
  })

  it('keeps what a site asked for though a visit to it was lost afterwards', async () => {
    const bench = await steered(make)
    await bench.seed('a.test/')
    const visit = await bench.one()
    const now = bench.clock.now()
    const courtesy = { pause: PAUSE, lastAnswerAt: now, notBefore: now + 86_400_000 }
    const pages = [page('a.test/', { kind: 'later', why: 'status-503', notBefore: now + 86_400_000 })]
    await bench.applyParts(part(bench, visit, 1, { courtesy, pages }))
    await bench.db.transact((tx) => bench.ledger.lose(tx, 'w1'))
    await bench.control.perform('anna', { action: 'ask-again', site: 'a.test' })
    bench.clock.pass(86_300_000)
    assert.deepEqual(await bench.names(), [])
    bench.clock.pass(200_000)
    assert.deepEqual(await bench.names(), ['a.test'])
  })

  it('asks a silent site again after its pause, without what it knew of robots.txt and failures', async () => {
    const bench = await steered(make)
    await bench.seed('a.test/')
    const visit = await bench.one()
    const now = bench.clock.now()
    const memory = {
      ...freshMemory(),
      fetched: 7,
      silent: 3,
      rests: 2,
      robots: { http: { state: 'unreachable' as const, at: now, status: 0, text: '' } },
    }
    const courtesy = { pause: PAUSE, lastAnswerAt: now, notBefore: now + 86_400_000 }
    const pages = [page('a.test/', { kind: 'later', why: 'reset', notBefore: now + 86_400_000 })]
    await bench.applyParts(part(bench, visit, 1, { ended: 'silent', courtesy, memory, pages }))
    bench.clock.pass(PAUSE)
    assert.deepEqual(await bench.names(), [])
    await bench.control.perform('anna', { action: 'ask-again', site: 'a.test' })
    bench.clock.pass(PAUSE)
    const again = await bench.one()
    assert.equal(again.site, 'a.test')
    assert.deepEqual(again.memory, { ...freshMemory(), fetched: 7 })
    await assert.rejects(bench.control.perform('anna', { action: 'ask-again', site: 'no.test' }), /not known/)
  })

  for (const { how, robots, silent, isShortened } of [
    { how: 'it asked for in robots.txt after a reset', robots: { http: 503 }, silent: 1, isShortened: false },
    { how: 'one of its schemes asked for', robots: { http: 429, https: 0 }, silent: 0, isShortened: false },
    { how: 'one of its schemes does not explain', robots: { http: 200, https: 0 }, silent: 0, isShortened: false },
    { how: 'a robots.txt without answer explains', robots: { http: 0 }, silent: 0, isShortened: true },
  ])
    it(`asking again ${isShortened ? 'ends' : 'keeps'} a wait that ${how}`, async () => {
      const bench = await steered(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      const now = bench.clock.now()
      const stored = Object.entries(robots).map(([scheme, status]) => {
        const state = status === 200 ? ('rules' as const) : ('unreachable' as const)
        return [scheme, { state, at: now, status, text: '' }]
      })
      const memory = { ...freshMemory(), silent, robots: Object.fromEntries(stored) }
      const courtesy = { pause: PAUSE, lastAnswerAt: now, notBefore: now + 86_400_000 }
      await bench.applyParts(part(bench, visit, 1, { ended: 'silent', courtesy, memory }))
      await bench.control.perform('anna', { action: 'ask-again', site: 'a.test' })
      bench.clock.pass(PAUSE)
      assert.deepEqual(await bench.names(), isShortened ? ['a.test'] : [])
      bench.clock.pass(86_400_000 - PAUSE)
      if (!isShortened) assert.deepEqual((await bench.one()).memory.robots, {}, 'robots.txt is forgotten all the same')
    })

  it('keeps what a site asked for though many visits to it were lost', async () => {
    const bench = await steered(make)
    await bench.seed('a.test/')
    for (let losses = 1; losses <= 5; losses++) {
      const visit = await bench.one()
      const now = bench.clock.now()
      const courtesy = { pause: PAUSE, lastAnswerAt: now, notBefore: now + 86_400_000 }
      if (losses === 5) await bench.applyParts(part(bench, visit, 1, { courtesy }))
      await bench.db.transact((tx) => bench.ledger.lose(tx, 'w1'))
      if (losses < 5) bench.clock.pass(PAUSE)
    }
    assert.equal((await view(bench, 'a.test'))?.losses, 5)
    // Less is left of it than such a site rests.
    bench.clock.pass(86_400_000 - LEASE)
    await bench.control.perform('anna', { action: 'ask-again', site: 'a.test' })
    bench.clock.pass(LEASE - 1)
    assert.deepEqual(await bench.names(), [])
    bench.clock.pass(1)
    assert.deepEqual(await bench.names(), ['a.test'])
  })

  it('says that a stopped site is not asked again before it is resumed', async () => {
    const bench = await steered(make)
    await bench.seed('a.test/')
    const said = async () => (await bench.control.perform('anna', { action: 'ask-again', site: 'a.test' })).now
    assert.match(await said(), /asked again as soon as its pause allows/)
    await bench.control.perform('anna', { action: 'pause-site', site: 'a.test' })
    assert.match(await said(), /is paused: .* not asked before it is resumed/)
    await bench.control.perform('anna', { action: 'bar-site', site: 'a.test' })
    assert.match(await said(), /is barred: .* not asked before it is resumed/)
    await bench.control.perform('anna', { action: 'resume-site', site: 'a.test' })
    assert.match(await said(), /asked again as soon as its pause allows/)
  })

  it('asks a site again that was given up', async () => {
    const bench = await steered(make)
    await bench.seed('a.test/')
    await bench.applyParts(part(bench, await bench.one(), 1, { ended: 'given-up' }))
    await bench.control.perform('anna', { action: 'bar-site', site: 'a.test' })
    await bench.control.perform('anna', { action: 'resume-site', site: 'a.test' })
    assert.equal((await view(bench, 'a.test'))?.state, 'barred', 'it was given up before')
    await bench.control.perform('anna', { action: 'ask-again', site: 'a.test' })
    bench.clock.pass(PAUSE)
    assert.deepEqual(await bench.names(), ['a.test'])
  })

  it('sets the pause of a site, never below a second', async () => {
    const bench = await steered(make)
    await bench.seed('a.test/')
    const set = (pauseMs: number | null) =>
      bench.control.perform('anna', { action: 'set-pause', site: 'a.test', pauseMs })
    await assert.rejects(set(999), { code: 'bad-flag' })
    await assert.rejects(set(Number.NaN), { code: 'bad-flag' })
    assert.equal((await set(30_000)).isChanged, true)
    const visit = await bench.one()
    assert.equal(visit.pause, 30_000)
    assert.deepEqual(bench.decisions.ordersSince(0).sites, [{ site: 'a.test', pauseMs: 30_000 }])
    assert.equal((await set(null)).isChanged, true)
    assert.equal((await set(null)).isChanged, false)
  })

  it('repeats an action without effect, and writes each one down with who, before and after', async () => {
    const bench = await steered(make)
    const twice: Action[] = [
      { action: 'pause', reason: 'power\u0000 cut' },
      { action: 'pause', reason: 'again' },
      { action: 'resume' },
      { action: 'resume' },
      { action: 'bar-site', site: 'a.test' },
      { action: 'bar-site', site: 'a.test' },
      { action: 'confirm-hazard', site: 'a.test', rule: 'endless-sequence', pattern: '/cal/#' },
      { action: 'confirm-hazard', site: 'a.test', rule: 'endless-sequence', pattern: '/cal/#' },
      { action: 'trust', site: 'a.test', rule: 'site-urls' },
      { action: 'trust', site: 'a.test', rule: 'site-urls' },
      { action: 'distrust', site: 'a.test' },
      { action: 'distrust', site: 'a.test' },
      { action: 'add-seeds', urls: ['http://c.test/'] },
      { action: 'add-seeds', urls: ['http://c.test/'] },
      { action: 'blacklist', pattern: 'http://c.test/private/' },
      { action: 'blacklist', pattern: 'http://c.test/private/' },
      { action: 'unblacklist', pattern: 'http://c.test/private/' },
      { action: 'unblacklist', pattern: 'http://c.test/private/' },
      { action: 'stop' },
      { action: 'stop' },
    ]
    const changed: boolean[] = []
    for (const action of twice) changed.push((await bench.control.perform('anna', action)).isChanged)
    assert.deepEqual(
      changed,
      twice.map((_, nth) => nth % 2 === 0),
    )
    const written = await audit(bench)
    assert.deepEqual(
      written.map(({ action }) => action),
      twice.map(({ action }) => action).reverse(),
    )
    const first = written.at(-1)!
    assert.equal(first.who, 'anna')
    assert.equal(first.before, '{}')
    assert.deepEqual(JSON.parse(first.after!), { paused: { at: first.at, who: 'anna', reason: 'power cut' } })
    assert.equal(written.at(-2)!.before, written.at(-2)!.after)
    const older = await bench.db.read((tx) => readAudit(tx, written[9].id, 3))
    assert.deepEqual(older, written.slice(10, 13))
    assert.deepEqual(
      (await bench.db.read((tx) => decidedSites(tx, '', 9))).map(({ site }) => site),
      ['a.test'],
    )
  })

  it('sends workers what is confirmed; overruling the rule undoes it', async () => {
    const bench = await steered(make)
    const finding = { site: 'a.test', rule: 'endless-sequence', pattern: '/cal/#' }
    const confirmed = () => bench.decisions.ordersSince(0).sites[0]?.confirmed
    await bench.control.perform('anna', { action: 'confirm-hazard', ...finding })
    await bench.control.perform('anna', { action: 'confirm-hazard', ...finding, pattern: '/list/#' })
    assert.deepEqual(bench.control.choiceOf('a.test')?.confirmed?.[0], {
      ...{ rule: finding.rule, pattern: finding.pattern, who: 'anna' },
      at: (await audit(bench)).at(-1)!.at,
    })
    assert.deepEqual(confirmed(), [
      { rule: finding.rule, pattern: '/cal/#' },
      { rule: finding.rule, pattern: '/list/#' },
    ])
    await bench.control.perform('anna', { action: 'trust', site: 'a.test', rule: 'site-urls' })
    assert.equal(confirmed()?.length, 2)
    await bench.control.perform('anna', { action: 'trust', site: 'a.test', rule: 'endless-sequence' })
    assert.equal(confirmed(), undefined)
    await assert.rejects(bench.control.perform('anna', { action: 'confirm-hazard', ...finding }), /let it count again/)
    await bench.control.perform('anna', { action: 'distrust', site: 'a.test' })
    await bench.control.perform('anna', { action: 'confirm-hazard', ...finding })
    await bench.control.perform('anna', { action: 'trust', site: 'a.test' })
    assert.equal(bench.control.choiceOf('a.test')?.confirmed, undefined)
  })

  it('writes of a blacklist only the line that changed, and answers with bounded texts', async () => {
    const bench = await steered(make)
    const lines = Array.from({ length: 50 }, (_, nth) => `http://c.test/private/${nth}/`)
    for (const pattern of lines) await bench.control.perform('anna', { action: 'blacklist', pattern })
    await bench.control.perform('anna', { action: 'unblacklist', pattern: lines[0] })
    await bench.control.perform('anna', { action: 'pause' })
    const [paused, removed, added] = await audit(bench)
    assert.equal(bench.control.crawl.blacklist?.length, 49)
    assert.deepEqual([removed.before, removed.after], [JSON.stringify({ blacklist: [lines[0]] }), '{}'])
    assert.deepEqual([added.before, added.after], ['{}', JSON.stringify({ blacklist: [lines[49]] })])
    assert.equal(paused.before, '{}')
    assert.deepEqual(Object.keys(JSON.parse(paused.after!)), ['paused'])
    // As an earlier version wrote them.
    const entry = { at: 1, who: 'anna', action: 'blacklist', subject: '' }
    const long = JSON.stringify(['x'.repeat(20_000)])
    await bench.db.transact((tx) => writeAudit(tx, { ...entry, before: '{}', after: long }))
    assert.deepEqual(JSON.parse((await audit(bench))[0].after!), { characters: long.length })
    const text = JSON.stringify(['x'.repeat(9_000)])
    await bench.db.transact(async (tx) => {
      for (let nth = 0; nth < 60; nth++) await writeAudit(tx, { ...entry, before: text, after: text })
    })
    const first = await bench.db.read((tx) => readAudit(tx, undefined, 1000))
    assert.ok(first.length > 50 && first.length < 60)
    const rest = await bench.db.read((tx) => readAudit(tx, first.at(-1)!.id, 1000))
    assert.equal(first.length + rest.length, 50 + 2 + 1 + 60)
  })

  it('refuses what is not possible, says why, and writes nothing', async () => {
    const bench = await steered(make)
    const wrong: [Action, RegExp][] = [
      [{ action: 'bar-site', site: 'not a site' }, /name of a site/],
      [{ action: 'bar-site', site: `${'x'.repeat(3000)}.test` }, /name of a site/],
      [{ action: 'trust', site: 'a.test', rule: 'no-such' }, /no hazard rule/],
      [{ action: 'confirm-hazard', site: 'a.test', rule: 'no-such' }, /no hazard rule/],
      [{ action: 'confirm-hazard', site: 'b.test', rule: 'endless-sequence' }, /was not found at b.test/],
      [{ action: 'confirm-hazard', site: 'a.test', rule: 'endless-sequence', pattern: '/old/#' }, /withdrawn/],
      [{ action: 'add-seeds', urls: ['http://a.test/', 'ftp://b.test/'] }, /no URL/],
      [{ action: 'add-seeds', urls: [] }, /between 1 and/],
      [{ action: 'blacklist', pattern: 'nonsense' }, /no line/],
      [{ action: 'blacklist', pattern: 'a.test\nb.test' }, /no line of a blacklist/],
    ]
    for (const [action, why] of wrong) await assert.rejects(bench.control.perform('anna', action), why)
    assert.deepEqual(await audit(bench), [])
    assert.equal((await totals(bench)).urls.known, 0)
  })

  it('announces that known pages changed: they are due, others are only counted', async () => {
    const hints: string[] = []
    const refresh = {
      policy: 'index',
      newShare: 0.5,
      minAge: HOUR,
      onHint: (result: string) => hints.push(result),
    } as const
    const bench = await steered(make, await openBench(make, { refresh }))
    await bench.seed('a.test/', 'a.test/1')
    const visit = await bench.one()
    const pages = visit.agenda.map(({ url, key }) => page(url, KEPT, { key, at: bench.clock.now() }))
    await bench.applyParts(part(bench, visit, 1, { pages, ended: 'done' }))
    await bench.db.transact((tx) => bench.ledger.setPrice(tx, 1e12))
    bench.clock.pass(2 * HOUR)
    assert.deepEqual(await bench.names(), [])
    const urls = ['http://a.test/1', 'http://a.test/new', 'http://z.test/']
    const { now, isChanged } = await bench.control.perform('squid', { action: 'announce', urls })
    assert.match(now, /^1 of 3 pages .+ 2 are not in the collection/)
    assert.ok(isChanged)
    assert.deepEqual(
      (await bench.one()).agenda.map(({ url }) => url),
      ['http://a.test/1'],
    )
    assert.deepEqual(hints, ['performed'])
    assert.equal((await totals(bench)).urls.known, 2)
    const none = await bench.control.perform('squid', { action: 'announce', urls: ['http://z.test/'] })
    assert.ok(!none.isChanged)
  })

  it('tells workers what they do not know: every decision once, in order', async () => {
    const bench = await steered(make)
    const orders = () => bench.decisions.ordersSince(0)
    assert.deepEqual(orders(), { version: 0, isPaused: false, sites: [] })
    await bench.control.perform('anna', { action: 'pause' })
    await bench.control.perform('anna', { action: 'trust', site: 'a.test' })
    const { version } = bench.decisions
    await bench.control.perform('anna', { action: 'blacklist', pattern: 'b.test' })
    await bench.control.perform('anna', { action: 'bar-site', site: 'c.test' })
    assert.deepEqual(bench.decisions.ordersSince(version), {
      version: version + 2,
      isPaused: true,
      blacklist: ['b.test'],
      sites: [{ site: 'c.test', isStopped: true }],
    })
    assert.equal(bench.decisions.ordersSince(version + 1).blacklist, undefined, 'it did not change since')
    assert.deepEqual(
      orders().sites.map(({ site }) => site),
      ['a.test', 'c.test'],
    )
    // Another process learns the same.
    const other = new Decisions(bench.db)
    const woken = other.changed.signal()
    await other.refresh()
    assert.equal(woken.aborted, true)
    assert.deepEqual(other.ordersSince(0), orders())
    assert.equal(other.isPaused, true)
    assert.equal(other.isStopped('c.test'), true)
    assert.equal(other.isStopped('a.test'), false)
    await bench.control.perform('anna', { action: 'resume' })
    assert.equal(bench.decisions.ordersSince(version + 2).blacklist, undefined)
    await bench.control.perform('anna', { action: 'unblacklist', pattern: 'b.test' })
    assert.deepEqual(bench.decisions.ordersSince(version + 3).blacklist, [], 'an empty list is news, too')
    const standing = new StandingOrders()
    for (const since of [version, version + 1]) standing.learn(other.ordersSince(since))
    assert.deepEqual(standing.blacklist, ['b.test'])
    standing.learn(bench.decisions.ordersSince(version + 2))
    assert.deepEqual(standing.all.blacklist, [])
  })

  it('knows that what it remembers may be old while something is decided, and where others decide', async () => {
    const bench = await steered(make)
    const isShared = bench.db.dialect === 'postgres'
    assert.equal(bench.decisions.mayBeOld, isShared)
    const performing = bench.control.perform('anna', { action: 'pause' })
    assert.equal(bench.decisions.mayBeOld, true)
    await performing
    assert.equal(bench.decisions.mayBeOld, isShared)
    assert.equal(bench.decisions.isPaused, true)
  })

  it('stops what runs, once: a process that begins later goes on, one that has not seen it yet still ends', async () => {
    const bench = await steered(make)
    await bench.control.perform('anna', { action: 'pause' })
    const running = bench.decisions.version
    await bench.control.perform('anna', { action: 'stop' })
    assert.equal(bench.control.crawl.stopped?.who, 'anna')
    await bench.db.transact(forgetStop)
    await bench.decisions.refresh()
    const { stopped, stopVersion = 0, paused } = bench.control.crawl
    assert.equal(stopped, undefined)
    assert.ok(stopVersion > running && stopVersion < bench.decisions.version)
    assert.notEqual(paused, undefined, 'a pause is kept')
    for (const isChanged of [true, false])
      assert.equal((await bench.control.perform('anna', { action: 'stop' })).isChanged, isChanged)
    await bench.db.transact(forgetStop)
    await bench.decisions.refresh()
    const { version } = bench.decisions
    await bench.db.transact(forgetStop)
    await bench.decisions.refresh()
    assert.equal(bench.decisions.version, version)
  })

  it('frees what a worker holds', async () => {
    const bench = await steered(make)
    await bench.seed('a.test/')
    await bench.one('w7')
    const freed = await bench.control.perform('anna', { action: 'free-worker', worker: 'w7' })
    assert.equal(freed.isChanged, true)
    assert.match(freed.now, /^1 sites of worker w7 are free again\. If its process runs after all, end it now/)
    assert.equal((await bench.control.perform('anna', { action: 'free-worker', worker: 'w7' })).isChanged, false)
    bench.clock.pass(PAUSE)
    assert.deepEqual(await bench.names('w8'), ['a.test'])
  })

  it('goes on as before when nobody decides anything', async () => {
    const bench = await steered(make)
    await bench.seed('a.test/')
    await bench.applyParts(whole(bench, await bench.one()))
    assert.equal((await bench.frontier.checkOut('w1', 1)).next, 'over')
  })
}
