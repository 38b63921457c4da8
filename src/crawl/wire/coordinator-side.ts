/** The coordinator's end of a thread's port: answers the calls of one worker. */
import type { MessagePort, Worker } from 'node:worker_threads'
import type { Call, CoordinatorCalls, Pulse, ToCoordinator, ToWorker } from '../../contracts/calls.ts'
import type { Event } from '../../contracts/events.ts'

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

function answer(coordinator: CoordinatorCalls, call: Call): Promise<unknown> {
  switch (call.name) {
    case 'checkOut':
      return coordinator.checkOut(...call.args)
    case 'enter':
      return coordinator.enter(...call.args)
    case 'renew':
      return coordinator.renew(...call.args)
    case 'checkInSealed':
      return coordinator.checkInSealed(...call.args)
    case 'findCopy':
      return coordinator.findCopy(...call.args)
  }
}
