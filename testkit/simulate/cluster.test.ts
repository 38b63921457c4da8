/** A cluster under faults, in virtual time: whatever dies, stalls, lies about the time or is lost, the same set, politely. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresForTests } from '../postgres/database.test-tools.ts'
import { FAULT_KINDS, type FaultKind } from './cluster-faults.ts'
import { replayCluster, withTroubles } from './cluster-replay.ts'
import { type ClusterOptions, type ClusterReport, runCluster } from './cluster-run.ts'
import { clusterOf, sharedClusterOf } from './cluster-seed.ts'
import { GOOD } from './network.ts'
import { RunJournal } from './run-journal.ts'

async function run(options: ClusterOptions): Promise<ClusterReport> {
  const report = await runCluster(options)
  await report.stage.database.close()
  return report
}

const RUNS = 36

test(`${RUNS} clusters under every kind of fault collect the right set, once, with every pause kept`, async (t) => {
  const counts = new Map<string, number>()
  for (let seed = 1; seed <= RUNS; seed++) {
    const { faults, befallen } = await run(clusterOf(seed))
    assert.ok(faults.length === 0, `${faults.join('\n')}\nnpm run chaos -- --simulated 1 --seed ${seed} replays it`)
    for (const [kind, count] of befallen.counts) counts.set(kind, (counts.get(kind) ?? 0) + count)
  }
  t.diagnostic([...counts].map(([kind, count]) => `${kind} ${count}`).join(', '))
  for (const kind of FAULT_KINDS) assert.ok((counts.get(kind) ?? 0) > 0, `${kind} never happened`)
})

test('two servers over PostgreSQL that refresh under faults: no look is lost but with its worker, none is counted twice', async (t) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return t.skip(postgres.skipped)
  t.after(() => postgres.end())
  const { faults, befallen } = await run(sharedClusterOf(6, (servers) => postgres.makeShared(servers)))
  assert.ok(
    faults.length === 0,
    `${faults.join('\n')}\nnpm run chaos -- --simulated 1 --seed 6 --refreshing --postgres`,
  )
  const counts = [...befallen.counts].filter(([kind]) => /killed|power/.test(kind))
  t.diagnostic([...befallen.counts].map(([kind, count]) => `${kind} ${count}`).join(', '))
  // Over PostgreSQL a seed does not repeat each step, so it may be another process.
  assert.ok(counts.length > 0, 'nothing died')
})

const only = (...kinds: FaultKind[]) =>
  Object.fromEntries(FAULT_KINDS.map((kind) => [kind, kinds.includes(kind) ? 1 : 0])) as Record<FaultKind, number>

const quiet = (seed: number): ClusterOptions => {
  const options = clusterOf(seed)
  return { ...options, network: GOOD, clocksOff: 0, plan: { ...options.plan, max: 0 } }
}

test('without faults nothing is asked for twice, and nothing is excused', async () => {
  for (const uploads of [true, false]) {
    const { faults, befallen, requests } = await run({ ...quiet(3), uploads })
    assert.deepEqual(faults, [])
    assert.deepEqual(befallen, { counts: new Map(), excuses: [] })
    assert.ok(requests > 20)
  }
})

test('one server of two that is away excuses only those who wait for it in vain', async () => {
  const base = quiet(3)
  const plan = { ...base.plan, every: 60_000, max: 4, awayFor: 20_000, weights: only('a server away') }
  const { faults, befallen } = await run({ ...base, servers: 2, plan })
  assert.deepEqual(faults, [])
  assert.ok((befallen.counts.get('a server away') ?? 0) > 0)
  assert.deepEqual(
    befallen.excuses.filter(({ worker }) => worker === undefined),
    [],
  )
})

test('a server that dies again and again costs no page: workers keep what it had not taken', async () => {
  const weights = only('server killed', 'server without power')
  const base = quiet(8)
  const settings = { ...base.settings, lease: 3_600_000 }
  const { faults, befallen } = await run({
    ...{ ...base, settings, within: 24 * 3_600_000 },
    plan: { ...base.plan, every: 3000, max: 30, weights },
  })
  assert.deepEqual(faults, [])
  const deaths = [...befallen.counts.values()].reduce((sum, n) => sum + n, 0)
  assert.ok(deaths >= 3, `${deaths} deaths`)
})

test('the same seed gives the same journal, byte for byte', async () => {
  const told = async (seed: number) => {
    const journal = new RunJournal()
    await run({ ...clusterOf(seed), journal })
    return journal.lines.join('\n')
  }
  const [first, again] = [await told(11), await told(11)]
  assert.equal(first, again)
  for (const what of [
    / FAULT /,
    / leases \S+ \(/,
    / asks \S+ for http/,
    / is answered 200 /,
    /: applied$/m,
    / JUDGE .*all is right$/,
  ])
    assert.match(first, what)
  assert.notEqual(await told(12), first)
})

test('who lost what followed from a robots.txt that lies elsewhere may ask for both again', async () => {
  const { report } = await replayCluster(withTroubles(clusterOf(410), [1, 3, 'network']))
  assert.deepEqual(report.faults, [])
})
