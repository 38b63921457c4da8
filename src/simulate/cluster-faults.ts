/** What befalls the machines of a simulated cluster, and when: drawn from a seed, told by name. */
import type { Millis } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { Failing } from './cluster-server.ts'
import type { WorkerMachine } from './cluster-worker.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { drawPointOf, SERVER_EVENTS, WORKER_EVENTS } from './crash-points.ts'
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
  most: number
  until: Millis
  /** How often each comes, against the others. */
  weights: Readonly<Record<FaultKind, number>>
  /** The longest that a worker's disk is full. */
  fullFor: Millis
  /** The longest that no server answers, be it that they are down, full or out of reach. */
  awayFor: Millis
}

export const EVEN_WEIGHTS = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, 1])) as Record<FaultKind, number>

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
const WORKER_FAULT = /^worker /

export class Troublemaker {
  readonly befallen: Befallen = { counts: new Map(), excuses: [] }
  readonly #world: ClusterWorld
  readonly #server: Machine
  readonly #workers: readonly WorkerMachine[]
  readonly #failing: Failing
  readonly #random: Random

  constructor(
    world: ClusterWorld,
    server: Machine,
    workers: readonly WorkerMachine[],
    failing: Failing,
    random: Random,
  ) {
    this.#world = world
    this.#server = server
    this.#workers = workers
    this.#failing = failing
    this.#random = random
  }

  async work(plan: FaultPlan, over: AbortSignal): Promise<void> {
    const { clock } = this.#world
    const { every, most, until } = plan
    for (let done = 0; done < most; done++) {
      await clock.sleep(-Math.log(1 - this.#random.next()) * every, over)
      if (over.aborted || clock.elapsed() > until) return
      const kind = this.#draw(plan.weights)
      if (this.#make(kind, plan)) this.count(kind)
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

  #draw(weights: Readonly<Record<FaultKind, number>>): FaultKind {
    const sum = FAULT_KINDS.reduce((total, kind) => total + weights[kind], 0)
    let at = this.#random.next() * sum
    return FAULT_KINDS.find((kind) => (at -= weights[kind]) < 0) ?? FAULT_KINDS[0]
  }

  /** False: it has not happened, or not yet. */
  #make(kind: FaultKind, plan: FaultPlan): boolean {
    const { network, servers, settings } = this.#world
    const random = this.#random
    const worker = this.#workers[random.integer(this.#workers.length)]
    const machine = WORKER_FAULT.test(kind) ? worker.machine : this.#server
    const awayFor = random.integer(random.next() < 0.5 ? plan.awayFor / 4 : plan.awayFor)
    switch (kind) {
      case 'worker killed':
      case 'worker without power':
        // Counted when it dies: it may never come to that point.
        machine.arm(drawPointOf(WORKER_EVENTS, random), deathOf(kind))
        return false
      case 'server killed':
      case 'server without power':
        machine.arm(drawPointOf(SERVER_EVENTS, random), deathOf(kind))
        return false
      case 'worker stalled': {
        const ms = settings.lease / 10 + random.integer(3 * settings.lease)
        if (!machine.stall(ms)) return false
        this.excuse(machine.name, ms)
        return true
      }
      case 'server stalled':
        // In the middle of whatever it was asked; it answers when it goes on, to whoever still waits.
        if (!machine.stall(awayFor)) return false
        this.excuse(undefined, awayFor)
        return true
      case 'worker disk full':
        this.#fill(machine, random.integer(plan.fullFor))
        return true
      case 'server disk full':
        this.#fill(machine, awayFor)
        return true
      case 'worker clock set':
        worker.clockOff = Math.round((random.next() * 2 - 1) * 12 * HOURS)
        return true
      case 'servers away':
        for (const server of servers) network.cut(server, awayFor)
        this.excuse(undefined, awayFor)
        return true
      case 'a server away':
        network.cut(servers[random.integer(servers.length)], awayFor)
        this.excuse(undefined, network.allAwayFor(servers))
        return true
      case 'transaction failed':
        this.#failing.isNext = true
        return true
    }
  }

  #fill(machine: Machine, ms: Millis): void {
    machine.isFull = true
    // While there is no room a worker cannot keep what no server takes.
    this.excuse(machine === this.#server ? undefined : machine.name, ms)
    this.#world.clock.after(ms, () => {
      machine.isFull = false
    })
  }
}

function deathOf(kind: FaultKind): Death {
  return kind.endsWith('killed') ? 'killed' : 'without power'
}
