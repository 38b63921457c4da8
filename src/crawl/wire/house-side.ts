/** The house's end of a thread's port: answers the calls of one worker. */
import type { MessagePort, Worker } from 'node:worker_threads'
import type { Call, HouseCalls, Pulse, ToHouse, ToWorker } from '../../contracts/calls.ts'
import type { Event } from '../../contracts/events.ts'

export interface HouseListener {
  event(event: Event): void
  pulse(pulse: Pulse): void
  /** A call failed in the house: disk full, database gone. The crawl must end. */
  fault(error: unknown): void
}

export function answerCalls(port: Worker | MessagePort, house: HouseCalls, listener: HouseListener): void {
  port.on('message', (message: ToHouse) => {
    if (message.kind === 'event') return listener.event(message.event)
    if (message.kind === 'pulse') return listener.pulse(message)
    const { id, call } = message
    answer(house, call).then(
      (value) => port.postMessage({ kind: 'answer', id, value } satisfies ToWorker),
      (error: unknown) => {
        port.postMessage({ kind: 'fault', id, message: String(error) } satisfies ToWorker)
        listener.fault(error)
      },
    )
  })
}

function answer(house: HouseCalls, call: Call): Promise<unknown> {
  switch (call.name) {
    case 'checkOut':
      return house.checkOut(...call.args)
    case 'enter':
      return house.enter(...call.args)
    case 'renew':
      return house.renew(...call.args)
    case 'checkInSealed':
      return house.checkInSealed(...call.args)
    case 'findTwin':
      return house.findTwin(...call.args)
  }
}
