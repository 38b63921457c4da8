/**
 * The power of one machine: everything that a coordinator holds of the world goes through it, and when it is cut, all of that
 * stops in the same instant. Promises of that life never settle, files and names stay as they are, the transaction under
 * way is rolled back, requests vanish from the network. What is left is what the next life finds.
 *
 * A machine can also stand still, as a process does between SIGSTOP and SIGCONT: what it waits for comes to it when it
 * goes on, in the order in which it would have come.
 */
import type { Clock } from '../../src/base/clock.ts'
import type { AppendFile, Disk } from '../../src/base/disk.ts'
import type { Journal } from '../../src/base/journal.ts'
import type { Event } from '../../src/contracts/events.ts'
import type { OpenSession, Resolve } from '../../src/contracts/exchange.ts'
import type { Database, Tx } from '../../src/database/database.ts'
import { hasSessions, withSessions } from './outside-time.ts'

class PowerCut extends Error {}

export class Power {
  /** Resolves when the power is cut. */
  readonly cutOff: Promise<void>
  /** Called for everything that the machine does to the world, before it is done: it may cut the power. */
  onStep: () => void = () => {}
  #on = true
  #announce: () => void = () => {}
  #timers = new Set<() => void>()
  /** What has come while the machine stands still; undefined while it goes. */
  #late: (() => void)[] | undefined

  constructor() {
    this.cutOff = new Promise((resolve) => {
      this.#announce = resolve
    })
  }

  get on(): boolean {
    return this.#on
  }

  cut(): void {
    this.#on = false
    this.#late = undefined
    for (const cancel of this.#timers) cancel()
    this.#timers.clear()
    this.#announce()
  }

  get standsStill(): boolean {
    return this.#late !== undefined
  }

  standStill(): void {
    this.#late ??= []
  }

  goOn(): void {
    const late = this.#late ?? []
    this.#late = undefined
    for (const call of late) call()
  }

  /** At once, or when the machine goes on; never when its power is gone by then. */
  #soon(call: () => void): void {
    if (!this.#on) return
    if (this.#late === undefined) call()
    else this.#late.push(() => this.#soon(call))
  }

  /** Monotonic time begins anew with each life, as it does when a machine starts. */
  clock(clock: Clock): Clock {
    return this.#clockThat(clock, (call) => this.#soon(call))
  }

  /** For what happens on the way to the machine and from it: that goes on while it stands still. */
  networkClock(clock: Clock): Clock {
    return this.#clockThat(clock, (call) => {
      if (this.#on) call()
    })
  }

  #clockThat(clock: Clock, rings: (call: () => void) => void): Clock {
    const begun = clock.elapsed()
    const after: Clock['after'] = (ms, call) => {
      let isOver = false
      const cancel = clock.after(ms, () => {
        this.#timers.delete(end)
        rings(() => {
          if (!isOver) call()
        })
      })
      const end = () => {
        isOver = true
        cancel()
        this.#timers.delete(end)
      }
      this.#timers.add(end)
      return end
    }
    return {
      now: clock.now,
      elapsed: () => clock.elapsed() - begun,
      after,
      sleep: (ms, signal) => {
        if (signal?.aborted) return this.hears(Promise.resolve())
        return new Promise((resolve) => {
          const wake = () => {
            cancel()
            signal?.removeEventListener('abort', wake)
            if (this.#on) resolve()
          }
          const cancel = after(ms, wake)
          signal?.addEventListener('abort', wake)
        })
      },
    }
  }

  disk(disk: Disk): Disk {
    return {
      append: (path) => (this.#step() ? this.#file(disk.append(path)) : DEAD_FILE),
      read: (path, offset, length) => (this.#on ? disk.read(path, offset, length) : new Uint8Array(0)),
      size: (path) => (this.#on ? disk.size(path) : undefined),
      list: (folder) => (this.#on ? disk.list(folder) : []),
      makeFolder: (folder) => {
        if (this.#step()) disk.makeFolder(folder)
      },
      rename: (from, to) => {
        if (this.#step()) disk.rename(from, to)
      },
      remove: (path) => {
        if (this.#step()) disk.remove(path)
      },
      truncate: (path, size) => {
        if (this.#step()) disk.truncate(path, size)
      },
      syncFolder: (folder) => (this.#step() ? this.hears(disk.syncFolder(folder)) : never()),
    }
  }

  #file(file: AppendFile): AppendFile {
    return {
      get size() {
        return file.size
      },
      write: (bytes) => {
        if (this.#step()) file.write(bytes)
      },
      sync: () => (this.#step() ? this.hears(file.sync()) : never()),
      close: () => {
        if (this.#on) file.close()
      },
    }
  }

  database(database: Database): Database {
    const within = <T>(run: Database['transact'], work: (tx: Tx) => Promise<T> | T): Promise<T> => {
      if (!this.#step()) return never<T>()
      const done = run(async (tx) => {
        if (!this.#on) throw new PowerCut()
        // The cut does not wait for work that hangs: its statements are undone, and no later one gets through.
        const cut = this.cutOff.then(() => {
          throw new PowerCut()
        })
        const result = await Promise.race([work(this.#statements(tx)), cut])
        // Before the commit and, because this throws, instead of it.
        if (!this.#step()) throw new PowerCut()
        return result
      })
      return this.hears(done).then((result) => (this.#step() ? result : never<T>()))
    }
    const powered: Database = {
      dialect: database.dialect,
      transact: (work) => within(database.transact, work),
      read: (work) => within(database.read, work),
      // It outlives the machine.
      close: async () => {},
    }
    if (!hasSessions(database)) return powered
    return withSessions(powered, async () => {
      if (!this.#step()) return never()
      const session = await this.hears(database.session())
      void this.cutOff.then(() => session.destroy())
      return session
    })
  }

  /** The same transaction, which takes no statement when the power is gone. */
  #statements(tx: Tx): Tx {
    const guard =
      (call: (...values: unknown[]) => unknown) =>
      (...values: unknown[]): unknown => {
        if (this.#on) return call(...values)
        if (tx.dialect === 'sqlite') throw new PowerCut()
        // As statements of PostgreSQL fail: later, and with no harm when nobody awaits it.
        const failed = Promise.reject(new PowerCut())
        failed.catch(() => {})
        return failed
      }
    const guarded = Object.create(tx) as Record<string, unknown>
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(tx)))
      if (typeof value === 'function') guarded[name] = guard(value)
    return guarded as unknown as Tx
  }

  journal(journal: Journal<Event>): Journal<Event> {
    return {
      record: (event) => {
        if (this.#on) journal.record(event)
      },
    }
  }

  openSession(openSession: OpenSession): OpenSession {
    return () => {
      const session = openSession()
      return {
        close: () => session.close(),
        fetch: (request) => {
          if (!this.#on) return never()
          const may = () => this.#step() && !this.standsStill && request.may()
          return this.hears(session.fetch({ ...request, may }))
        },
      }
    }
  }

  resolve(resolve: Resolve): Resolve {
    return (host, signal) => (this.#on ? this.hears(resolve(host, signal)) : never())
  }

  #step(): boolean {
    if (this.#on) this.onStep()
    return this.#on
  }

  /** What comes from outside: settles as the promise does, unless the power is gone by then. */
  hears<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.#soon(() => resolve(value)),
        (error) => this.#soon(() => reject(error)),
      )
    })
  }
}

/** Each its own: one for all would hold on to everything that ever waited for it. */
const never = <T>() => new Promise<T>(() => {})

const DEAD_FILE: AppendFile = { size: 0, write() {}, sync: () => never(), close() {} }
