/**
 * A machine of a simulated cluster: a disk that outlives its processes, one process at a time, and what can befall both.
 * A process that is killed leaves its writes; a loss of power takes those that were not synced.
 */
import type { Clock, Millis } from '../../src/base/clock.ts'
import type { AppendFile, Disk } from '../../src/base/disk.ts'
import type { Random } from '../../src/base/random.ts'
import type { Event } from '../../src/contracts/events.ts'
import { type MemoryDisk, memoryDisk } from '../memory-disk.ts'
import type { CrashPoint } from './crash-points.ts'
import { Power } from './power.ts'

export type Death = 'killed' | 'without power'

/** How long a sync may take. */
const SLOWEST_SYNC: Millis = 40

export class Machine {
  readonly name: string
  /** As the machine finds it: without room, writes fail. */
  readonly disk: Disk
  readonly bareDisk: MemoryDisk
  isFull = false
  /** All the stalls of its process together. */
  stoodStill: Millis = 0
  /** Told of each death, in its instant. */
  onDeath: (death: Death) => void = () => {}
  readonly #clock: Clock
  readonly #random: Random
  #power: Power | undefined
  #armed: { point: CrashPoint; left: number; death: Death } | undefined

  constructor(name: string, clock: Clock, random: Random) {
    this.name = name
    this.#clock = clock
    this.#random = random
    this.bareDisk = memoryDisk(() => clock.sleep(1 + random.integer(SLOWEST_SYNC)))
    this.disk = withoutRoom(this.bareDisk, random, () => this.isFull)
  }

  get isUp(): boolean {
    return this.#power !== undefined
  }

  /** Process after process until one says that all is done; `rest`: how long after an end the next one begins. */
  async live(life: (power: Power) => Promise<'done' | 'again'>, rest: () => Millis): Promise<void> {
    for (;;) {
      const power = new Power()
      power.onStep = () => this.#countDown('step')
      this.#power = power
      this.stoodStill = 0
      const end = await Promise.race([life(power), power.cutOff.then(() => 'again' as const)])
      this.#power = undefined
      this.#armed = undefined
      // What an ended process had still in mind is gone with it.
      if (power.on) power.cut()
      if (end === 'done') return
      await this.#clock.sleep(rest())
    }
  }

  /** It will die there, if it comes to that. */
  arm(point: CrashPoint, death: Death): void {
    if (point.kind === 'time') {
      const power = this.#power
      this.#clock.after(point.after, () => {
        if (power !== undefined && power === this.#power) this.die(death)
      })
    } else this.#armed = { point, left: point.nth, death }
  }

  /** To be told what the machine's processes say. */
  hear(event: Event): void {
    this.#countDown(event.kind)
  }

  die(death: Death): void {
    const power = this.#power
    if (power === undefined || !power.on) return
    power.cut()
    if (death === 'without power') this.bareDisk.crash(this.#random)
    this.onDeath(death)
  }

  /** False when nothing runs here that could stand still. */
  stall(ms: Millis): boolean {
    const power = this.#power
    if (power === undefined || power.standsStill) return false
    power.standStill()
    this.#clock.after(ms, () => {
      this.stoodStill += ms
      power.goOn()
    })
    return true
  }

  #countDown(what: Event['kind'] | 'step'): void {
    const armed = this.#armed
    if (armed === undefined) return
    const { point } = armed
    const isIt = point.kind === 'event' ? point.event === what : what === 'step'
    if (!isIt || --armed.left > 0) return
    this.#armed = undefined
    this.die(armed.death)
  }
}

/** What fits is written, as real disks do, and then the write fails. Removing always works. */
function withoutRoom(disk: Disk, random: Random, isFull: () => boolean): Disk {
  const refuse = (): never => {
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  }
  const guarded = (file: AppendFile): AppendFile => ({
    get size() {
      return file.size
    },
    write(bytes) {
      if (!isFull()) return file.write(bytes)
      file.write(bytes.subarray(0, random.integer(bytes.length + 1)))
      refuse()
    },
    sync: () => file.sync(),
    close: () => file.close(),
  })
  return {
    ...disk,
    append(path) {
      if (isFull() && disk.size(path) === undefined) refuse()
      return guarded(disk.append(path))
    },
  }
}
