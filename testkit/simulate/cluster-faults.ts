/**
 * What befalls the machines of a simulated cluster, and when. The whole schedule is drawn from a seed before the run, and
 * its faults are numbered: any of them can be left out without changing the others.
 */
import type { Millis } from '../../src/base/clock.ts'
import type { Random } from '../../src/base/random.ts'
import type { Failing, ServerMachine } from './cluster-server.ts'
import type { WorkerMachine } from './cluster-worker.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { type CrashPoint, drawPointOf, SERVER_EVENTS, WORKER_EVENTS } from './crash-points.ts'
import type { Death, Machine } from './machine.ts'

export const FAULT_KINDS = [
  'worker killed',
  'worker without power',
  'worker stalled',
  'worker disk full',
  'worker clock set',
  'server killed',
  'server without power',
  'server stalled',
  'server disk full',
  'servers away',
  'a server away',
  'transaction failed',
] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

export interface FaultPlan {
  /** The mean time between two faults. */
  every: Millis
  /** No more than so many, and none later than that. */
  max: number
  until: Millis
  /** How often each comes, against the others. */
  weights: Readonly<Record<FaultKind, number>>
  /** The longest that a worker's disk is full. */
  fullFor: Millis
  /** The longest that no server answers, be it that they are down, full or out of reach. */
  awayFor: Millis
}

export const EVEN_WEIGHTS = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, 1])) as Record<FaultKind, number>

/** One entry of the schedule. */
export interface ScheduledFault {
  /** From 1, in the order of the schedule. */
  number: number
  at: Millis
  kind: FaultKind
  /** The name of the machine, or of the server that is cut off. */
  where: string
  /** How long it lasts; for a clock, by how much it is wrong. */
  ms: Millis
  /** Where a machine dies. */
  point?: CrashPoint
}

/** In which a worker may have lost what it had learnt, or its leases; without a worker: any of them. */
export interface Excuse {
  worker?: string
  from: Millis
  until: Millis
}

export interface Befallen {
  counts: Map<FaultKind, number>
  excuses: Excuse[]
}

const HOURS: Millis = 3_600_000

export interface ClusterNames {
  workers: readonly string[]
  servers: readonly string[]
  /** The machine that has this name of a server. */
  machineOf(server: string): string
  lease: Millis
}

export function drawFaults(plan: FaultPlan, { workers, servers, machineOf, lease }: ClusterNames, random: Random) {
  const faults: ScheduledFault[] = []
  for (let at = 0; faults.length < plan.max; ) {
    at += -Math.log(1 - random.next()) * plan.every
    if (at > plan.until) break
    const kind = drawKind(plan.weights, random)
    // All are drawn for each fault, so that what one needs does not change the next.
    const worker = workers[random.integer(workers.length)]
    const server = servers[random.integer(servers.length)]
    const away = random.integer(random.next() < 0.5 ? plan.awayFor / 4 : plan.awayFor)
    const share = random.next()
    const point = drawPointOf(kind.startsWith('worker') ? WORKER_EVENTS : SERVER_EVENTS, random)
    const base = { number: faults.length + 1, at, kind }
    switch (kind) {
      case 'worker killed':
      case 'worker without power':
        faults.push({ ...base, where: worker, ms: 0, point })
        break
      case 'server killed':
      case 'server without power':
        faults.push({ ...base, where: machineOf(server), ms: 0, point })
        break
      case 'worker stalled':
        faults.push({ ...base, where: worker, ms: lease / 10 + Math.floor(share * 3 * lease) })
        break
      case 'worker disk full':
        faults.push({ ...base, where: worker, ms: Math.floor(share * plan.fullFor) })
        break
      case 'worker clock set':
        faults.push({ ...base, where: worker, ms: Math.round((share * 2 - 1) * 12 * HOURS) })
        break
      case 'a server away':
        faults.push({ ...base, where: server, ms: away })
        break
      default:
        faults.push({ ...base, where: machineOf(server), ms: kind === 'transaction failed' ? 0 : away })
    }
  }
  return faults
}

function drawKind(weights: Readonly<Record<FaultKind, number>>, random: Random): FaultKind {
  const sum = FAULT_KINDS.reduce((total, kind) => total + weights[kind], 0)
  let at = random.next() * sum
  return FAULT_KINDS.find((kind) => (at -= weights[kind]) < 0) ?? FAULT_KINDS[0]
}

/** `3 at 12.5 s: worker stalled: worker-2, 93.1 s`. */
export function wordsOfFault({ number, at, kind, where, ms, point }: ScheduledFault): string {
  const when = `${number} at ${(at / 1000).toFixed(1)} s: ${kind}`
  if (point === undefined) return ms === 0 ? when : `${when}: ${where}, ${(ms / 1000).toFixed(1)} s`
  const times = point.kind === 'time' ? 'at once' : `at ${point.kind === 'event' ? point.event : 'step'} ${point.nth}`
  return `${when}: ${where}, ${times}`
}

export class Troublemaker {
  readonly befallen: Befallen = { counts: new Map(), excuses: [] }
  readonly #world: ClusterWorld
  readonly #servers: readonly ServerMachine[]
  readonly #workers: readonly WorkerMachine[]
  readonly #failing: Failing

  constructor(
    world: ClusterWorld,
    servers: readonly ServerMachine[],
    workers: readonly WorkerMachine[],
    failing: Failing,
  ) {
    this.#world = world
    this.#servers = servers
    this.#workers = workers
    this.#failing = failing
  }

  async work(faults: readonly ScheduledFault[], over: AbortSignal): Promise<void> {
    const { clock, note } = this.#world
    for (const fault of faults) {
      await clock.sleep(fault.at - clock.elapsed(), over)
      if (over.aborted) return
      note('FAULT', wordsOfFault(fault))
      if (this.#make(fault)) this.count(fault.kind)
    }
  }

  count(kind: FaultKind): void {
    const { counts } = this.befallen
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }

  excuse(worker: string | undefined, ms: Millis = 0): void {
    const from = this.#world.clock.elapsed()
    this.befallen.excuses.push({ ...(worker !== undefined && { worker }), from, until: from + ms })
  }

  /** False: it has not happened, or not yet. */
  #make({ kind, where, ms, point }: ScheduledFault): boolean {
    const { clock, network, servers, note } = this.#world
    const worker = this.#workers.find(({ machine }) => machine.name === where)
    const { machine } = worker ?? this.#servers.find((server) => server.machine.name === where) ?? this.#servers[0]
    switch (kind) {
      case 'worker killed':
      case 'worker without power':
      case 'server killed':
      case 'server without power':
        // Counted when it dies: it may never come to that point.
        machine.arm(point!, deathOf(kind))
        return false
      case 'worker stalled':
      case 'server stalled':
        // A server in the middle of whatever it was asked: it answers when it goes on, to whoever still waits.
        if (!machine.stall(ms)) return false
        this.excuse(worker?.machine.name, ms)
        clock.after(ms, () => note(machine.name, 'goes on'))
        return true
      case 'worker disk full':
      case 'server disk full':
        this.#fill(machine, ms)
        return true
      case 'worker clock set':
        worker!.clockOff = ms
        return true
      case 'servers away':
        for (const server of servers) network.cut(server, ms)
        this.excuse(undefined, ms)
        return true
      case 'a server away':
        network.cut(where, ms)
        if (network.allAwayFor(servers) > 0) this.excuse(undefined, network.allAwayFor(servers))
        return true
      case 'transaction failed':
        this.#failing.isNext = true
        return true
    }
  }

  #fill(machine: Machine, ms: Millis): void {
    machine.isFull = true
    // While there is no room a worker cannot keep what no server takes.
    this.excuse(this.#servers.some((server) => server.machine === machine) ? undefined : machine.name, ms)
    this.#world.clock.after(ms, () => {
      machine.isFull = false
      this.#world.note(machine.name, 'has room on its disk again')
    })
  }
}

function deathOf(kind: FaultKind): Death {
  return kind.endsWith('killed') ? 'killed' : 'without power'
}
