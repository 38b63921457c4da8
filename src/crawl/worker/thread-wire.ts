/** Calls between a worker thread and the coordinator, over a message port. This is the worker's end. */
import type { MessagePort, Worker } from 'node:worker_threads'
import { turn } from '../../base/clock.ts'
import type { Call, CoordinatorCalls, Pulse, ToCoordinator, ToWorker } from '../../contracts/calls.ts'
import type { Event } from '../../contracts/events.ts'
import type { FindCopy, Frontier, ReportSink, StoredCopy } from '../../contracts/ports.ts'
import { seal } from '../../contracts/sealed-part.ts'
import { StandingOrders } from './standing-orders.ts'

export interface RemoteCoordinator {
  frontier: Frontier
  sink: ReportSink
  findCopy: FindCopy
  event(event: Event): void
  pulse(pulse: Pulse): void
  /** Aborted when the coordinator says stop. */
  stop: AbortSignal
  orders: StandingOrders
}

/** Thousands of visits have news in one second: encoding all at once would make every timer late by 100 ms. */
const PARTS_PER_TURN = 64

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

export function reachCoordinator(port: MessagePort): RemoteCoordinator {
  const waiting = new Map<number, Waiting>()
  const stop = new AbortController()
  const orders = new StandingOrders()
  let last = 0

  port.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') return stop.abort()
    if (message.kind === 'orders') return orders.learn(message.orders)
    const call = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.kind === 'answer') call?.resolve(message.value)
    else call?.reject(new Error(message.message))
  })
  const post = (message: ToCoordinator, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)
  const send = <T>(call: Call, transfer: ArrayBuffer[] = []): Promise<T> =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
      post({ kind: 'call', id, call }, transfer)
    })

  return {
    frontier: {
      checkOut: (...args) => send({ name: 'checkOut', args }),
      enter: (...args) => send({ name: 'enter', args }),
      renew: (...args) => send({ name: 'renew', args }),
    },
    sink: {
      async send(worker, reports) {
        const calls: Promise<void>[] = []
        for (let at = 0; at < reports.length; at += PARTS_PER_TURN) {
          if (at > 0) await turn()
          const parts = reports.slice(at, at + PARTS_PER_TURN).map(seal)
          const call = send<void>(
            { name: 'accept', args: [worker, parts] },
            parts.map(({ body }) => body.buffer as ArrayBuffer),
          )
          // It may fail while the next ones are encoded; all are awaited below.
          call.catch(() => {})
          calls.push(call)
        }
        await Promise.all(calls)
      },
    },
    findCopy: (digest) => send<StoredCopy | undefined>({ name: 'findCopy', args: [digest] }),
    event: (event) => post({ kind: 'event', event }),
    pulse: (pulse) => post({ kind: 'pulse', ...pulse }),
    stop: stop.signal,
    orders,
  }
}

/** The coordinator's end of a thread's port: answers the calls of one worker. */

export interface CoordinatorListener {
  event(event: Event): void
  pulse(pulse: Pulse): void
  /** A call failed in the coordinator: disk full, database gone. The crawl must end. */
  fault(error: unknown): void
}

export function answerCalls(
  port: Worker | MessagePort,
  coordinator: CoordinatorCalls,
  listener: CoordinatorListener,
): void {
  port.on('message', (message: ToCoordinator) => {
    if (message.kind === 'event') return listener.event(message.event)
    if (message.kind === 'pulse') return listener.pulse(message)
    const { id, call } = message
    answer(coordinator, call).then(
      (value) => port.postMessage({ kind: 'answer', id, value } satisfies ToWorker),
      (error: unknown) => {
        port.postMessage({ kind: 'fault', id, message: String(error) } satisfies ToWorker)
        listener.fault(error)
      },
    )
  })
}

function answer(coordinator: CoordinatorCalls, { name, args }: Call): Promise<unknown> {
  return (coordinator[name] as (...args: Call['args']) => Promise<unknown>).call(coordinator, ...args)
}
