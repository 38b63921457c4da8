/**
 * A whole cluster in virtual time, under faults: a server that dies and comes back, workers with disks and clocks of their
 * own, a bad network between them. At the end the collection must be the one that an undisturbed crawl makes, and no site
 * may have been asked too soon, twice at once, or for what it forbids.
 */
import type { Millis } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { workerTable } from '../../src/cluster/server/worker-table.ts'
import { capturesSince } from '../../src/collection/captures/read-captures.ts'
import type { Database } from '../../src/database/database.ts'
import { queries } from '../../src/database/queries.ts'
import type { RefreshOptions } from '../../src/frontier/contract.ts'
import { canonicalUrl, splitUrl } from '../web/spelling.ts'
import { AppliedLooks } from './applied-looks.ts'
import { type Befallen, drawFaults, type FaultPlan, type ScheduledFault, Troublemaker } from './cluster-faults.ts'
import { Failing, type ServerMachine, serverLife } from './cluster-server.ts'
import { ARCHIVE, type WorkerMachine, workerLife } from './cluster-worker.ts'
import { type ClusterWorld, downTime, FOLDER, ownRandom, VERSION } from './cluster-world.ts'
import { type SimulateOptions, type Stage, setStage } from './crawl-run.ts'
import { faultsOf, invariantOf } from './faults.ts'
import type { Forgotten } from './judge.ts'
import { judgeLooks } from './judge-looks.ts'
import { Machine } from './machine.ts'
import { type Badness, Network } from './network.ts'
import { outsideTime } from './outside-time.ts'
import type { Plant } from './plants.ts'
import type { Note, RunJournal } from './run-journal.ts'

export interface ClusterOptions extends Omit<SimulateOptions, 'alter' | 'journal' | 'database'> {
  workers: number
  servers: number
  uploads: boolean
  network: Badness
  plan: FaultPlan
  /** Share of workers whose clock is hours off from the start. */
  clocksOff: number
  /** A crawl that has not ended by then never will. */
  within: Millis
  /** Of the faults that the seed gives, those with these numbers; without it all of them. */
  faultsOnly?: readonly number[]
  plant?: Plant
  journal?: RunJournal
  /** What is collected is looked at again until then. */
  refreshUntil?: Millis
  /** Opens a new PostgreSQL database once for each server. Without it: SQLite, one server under all names. */
  open?(servers: number): Promise<readonly Database[]>
}

export interface ClusterReport {
  /** What was to befall it, as far as it was asked for. */
  schedule: ScheduledFault[]
  befallen: Befallen
  network: Network['counts']
  /** What was wrong at the end. */
  faults: string[]
  virtualMs: Millis
  /** Lines that tell what the run was about. */
  documents: number
  requests: number
  stage: Stage
}

/** What holds while every page is fetched once: the bytes counted are those of its first look. */
const OF_ONE_LOOK: ReadonlySet<string> = new Set(['repeated', 'bytes'])
/** The judge counts every other byte as a change. */
const REFRESH: RefreshOptions = { policy: 'index', newShare: 'first', minAge: 0, countsAsChange: 'markup' }
const HOUR: Millis = 3_600_000
const LOOK_EVERY: Millis = 60_000
const MAX_OVERDUE_LEASES = 5
/** A capture's time is the servers', as far as the worker knows it. */
const CLOSE: Millis = 1500

export async function runCluster(options: ClusterOptions): Promise<ClusterReport> {
  const looks = options.refreshUntil === undefined ? undefined : new AppliedLooks()
  const { stage, databases } = await openStage(options, looks)
  const { clock, ledger, database } = stage
  const random = seededRandom(options.seed)
  const note: Note = (who, what) => options.journal?.note(clock.elapsed(), who, what)
  const world: ClusterWorld = {
    ...stage,
    random,
    network: new Network(clock, seededRandom(options.seed + 1), options.network),
    servers: Array.from({ length: options.servers }, (_, i) => `http://server-${i + 1}`),
    uploads: options.uploads,
    askers: [],
    note,
    parts: { acknowledged: new Set(), settled: new Set() },
    plant: options.plant ?? {},
    troubles: [],
    ...(looks && { refresh: { options: REFRESH, until: options.refreshUntil ?? 0, looks } }),
  }
  const servers = serversOf(world, databases)
  const workers = await clock.run(joined(world, options))
  const failing = new Failing()
  const trouble = new Troublemaker(world, servers, workers, failing)
  const { lease } = stage.settings
  const names = {
    workers: workers.map(({ machine }) => machine.name),
    servers: world.servers,
    machineOf: (name: string) => (servers.find((one) => one.names.includes(name)) ?? servers[0]).machine.name,
    lease,
  }
  const schedule = drawFaults(options.plan, names, ownRandom(world)).filter(
    ({ number }) => options.faultsOnly?.includes(number) ?? true,
  )
  const over = new AbortController()
  const stop = new AbortController()
  const lives = ownRandom(world)
  // Who waits for what was lost may lose its lease.
  world.network.onLoss = (who, ms) => trouble.excuse(who, ms)
  world.network.onTrouble = (what) => note('network', what)
  for (const { machine } of servers) {
    machine.onDeath = (death) => {
      note(machine.name, `dies: ${death}`)
      trouble.count(`server ${death}`)
    }
  }
  for (const { machine } of workers) {
    machine.onDeath = (death) => {
      note(machine.name, `dies: ${death}`)
      trouble.count(`worker ${death}`)
      trouble.excuse(machine.name)
      endRequestsOf(world, machine.name)
    }
  }

  const serving = servers.map((server) =>
    server.machine.live(
      (power) => serverLife(world, server, failing, power, ownRandom({ random: lives }), stop.signal),
      () => {
        const ms = downTime(lives, options.plan.awayFor)
        trouble.excuse(undefined, ms)
        return ms
      },
    ),
  )
  const working = workers.map((me) => {
    const rests = ownRandom(world)
    return me.machine.live(
      async (power) => {
        const end = await workerLife(world, me, power, ownRandom({ random: rests }))
        if (end === 'again') trouble.excuse(me.machine.name)
        return end
      },
      () => downTime(rests, 2 * lease),
    )
  })
  const making = trouble.work(schedule, over.signal)
  const whole = async () => {
    await Promise.all(working)
    over.abort()
    await making
    failing.isNext = false
    for (const { machine } of servers) machine.isFull = false
    stop.abort()
    await Promise.all(serving)
    return undefined
  }
  const late = await clock.run(Promise.race([whole(), tooLate(world, options)]))
  const faults = [...world.troubles]
  if (late !== undefined) faults.push(late)
  else faults.push(...(await faultsAfter(world, stage, servers, workers, trouble.befallen)))
  const documents = await database.read(async (tx) => (await capturesSince(tx, 0, 1_000_000)).length)
  for (const verdict of faults.length === 0 ? ['all is right'] : faults) note('JUDGE', verdict)
  return {
    ...{ schedule, befallen: trouble.befallen, network: world.network.counts, faults, documents, stage },
    virtualMs: clock.elapsed(),
    requests: ledger.entries.length,
  }
}

/** Of a run that came to its end. */
async function faultsAfter(
  world: ClusterWorld,
  stage: Stage,
  servers: readonly ServerMachine[],
  workers: readonly WorkerMachine[],
  befallen: Befallen,
): Promise<string[]> {
  const { parts, refresh } = world
  const disks = servers.map(({ machine }) => machine.bareDisk)
  const volumes = [
    ...disks.map((disk) => ({ disk, folder: `${FOLDER}/archive` })),
    ...workers.map(({ machine }) => ({ disk: machine.bareDisk, folder: ARCHIVE })),
  ]
  const forgotten = await forgottenIn(world, befallen)
  const found = await faultsOf({ ...stage, disk: disks[0] }, forgotten, volumes, disks)
  return [
    ...(refresh ? await refreshFaults(stage, refresh.looks, found, forgotten) : found),
    ...[...parts.acknowledged]
      .filter((part) => !parts.settled.has(part))
      .map((part) => `acknowledged and lost: ${part}`),
  ]
}

/** One database for each server process. */
async function openStage(
  options: ClusterOptions,
  looks: AppliedLooks | undefined,
): Promise<{ stage: Stage; databases: Database[] }> {
  const opened = await options.open?.(options.servers)
  const stage = setStage({ ...(options as SimulateOptions), database: opened?.[0] })
  const databases = (opened ?? [stage.database])
    .map((one) => (one.dialect === 'postgres' ? outsideTime(one, stage.clock) : one))
    .map((one) => looks?.database(one) ?? one)
  const close = async () => void (await Promise.all(databases.map((one) => one.close())))
  return { stage: { ...stage, database: { ...databases[0], close } }, databases }
}

/** Names of servers are dealt out in turn. */
function serversOf(world: ClusterWorld, databases: readonly Database[]): ServerMachine[] {
  return databases.map((database, nth) => ({
    database,
    machine: new Machine(databases.length > 1 ? `server-${nth + 1}` : 'server', world.clock, ownRandom(world)),
    names: world.servers.filter((_, i) => i % databases.length === nth),
  }))
}

/** What was wrong as in any crawl, and with the looks. */
async function refreshFaults(
  { database, ledger: { entries } }: Stage,
  looks: AppliedLooks,
  found: readonly string[],
  forgotten: Forgotten,
): Promise<string[]> {
  const answered = entries.filter(({ status, whole }) => whole && (status === 200 || status === 304))
  const byUrl = Map.groupBy(answered, ({ url }) => url)
  const answers = new Map([...byUrl].map(([url, some]) => [url, some.map(({ wall }) => wall)]))
  const { faults, lost } = await judgeLooks(database, answers, { answer: CLOSE, look: 2 })
  const inexcusable = lost.filter(({ url, at }) => {
    const answer = byUrl.get(url)?.find(({ wall }) => wall === at)
    return answer !== undefined && !forgotten(answer)
  })
  return [
    ...found.filter((fault) => !OF_ONE_LOOK.has(invariantOf(fault))),
    ...(await looks.faults(database)),
    ...faults,
    ...inexcusable.map(({ url, at }) => `looks: ${url} was answered at ${at}, and nobody knows`),
  ]
}

/** In small steps: while a machine only computes, the clock goes to whatever is next, and that must not be the end. */
async function tooLate(world: ClusterWorld, { within, plan }: ClusterOptions): Promise<string> {
  const { clock } = world
  const quietFrom = plan.until + plan.fullFor + plan.awayFor
  for (let next = quietFrom; clock.elapsed() < within; ) {
    await clock.sleep(1000)
    if (clock.elapsed() < next) continue
    next = clock.elapsed() + LOOK_EVERY
    const left = await leasesLeft(world)
    if (left.length > 0) return `leases that do not end: ${left.join(', ')}`
  }
  return `not over: after ${within / HOUR} h of virtual time`
}

/** Long after their end. While machines fail that may happen, but not when nothing more befalls them. */
async function leasesLeft({ clock, database, settings }: ClusterWorld): Promise<string[]> {
  const before = clock.now() - MAX_OVERDUE_LEASES * settings.lease
  const sql = 'SELECT name, worker FROM site WHERE lease_until < ? ORDER BY name'
  const rows = await database.read((tx) => queries(tx).all<{ name: string; worker: string | null }>(sql, before))
  return rows.map(({ name, worker }) => `${name} of ${worker ?? 'nobody'}`)
}

async function joined(world: ClusterWorld, { workers, clocksOff }: ClusterOptions): Promise<WorkerMachine[]> {
  const { clock, database, random } = world
  const workerRows = workerTable(database)
  const machines: WorkerMachine[] = []
  for (let i = 1; i <= workers; i++) {
    const name = `worker-${i}`
    const secret = new Uint8Array(32).fill(i)
    const id = String(i).padStart(16, '0')
    await workerRows.register({ id, name, region: undefined, version: VERSION }, secret, clock.now())
    const machine = new Machine(name, clock, ownRandom(world))
    // Drawn in any case: what follows must not depend on it.
    const isOff = random.next() < clocksOff
    const clockOff = Math.round((random.next() * 2 - 1) * 12 * HOUR)
    const identity = { worker: id, secret: Buffer.from(secret).toString('base64url') }
    machines.push({ machine, identity, clockOff: isOff ? clockOff : 0 })
  }
  return machines
}

/** Its connections end with it. */
function endRequestsOf({ ledger, askers }: ClusterWorld, worker: string): void {
  for (const [at, entry] of ledger.entries.entries())
    if (entry.endedAt === undefined && askers[at] === worker) ledger.end(entry, 0, 0, false)
}

/** What may be asked for again: no answer to it is in the catalogue, and something had befallen who had it. */
async function forgottenIn({ database, ledger, askers, web }: ClusterWorld, { excuses }: Befallen): Promise<Forgotten> {
  const times = new Map<string, number[]>()
  for (const { url, at } of await database.read((tx) => capturesSince(tx, 0, 1_000_000))) {
    const known = canonicalUrl(url)
    times.set(known, [...(times.get(known) ?? []), at])
  }
  const places = new Map(ledger.entries.map((entry, at) => [entry, at]))
  return (answer, again) => {
    const asked = web.plan.epoch + answer.at
    // A part may end between what robots.txt was and what follows from it, or between it and where it really lies; and
    // who lost what follows asks for both again.
    const { path } = splitUrl(answer.url)
    const isRobots = path === '/robots.txt' || path === web.siteOf(answer.url)?.robots.movedTo
    const isUnread = isRobots && (again !== undefined || isRedirect(answer.status))
    if (!isUnread && times.get(answer.url)?.some((at) => Math.abs(at - asked) < CLOSE)) return false
    const worker = askers[places.get(answer) ?? -1]
    return excuses.some(
      (excuse) =>
        (excuse.worker === undefined || excuse.worker === worker) &&
        answer.at <= excuse.until &&
        (again === undefined || again.at >= excuse.from),
    )
  }
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400
