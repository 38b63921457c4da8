/** The calls of a worker to the house, whatever carries them. */
import type { Event } from '../visit/events.ts'
import type { Frontier, Twin } from '../visit/ports.ts'
import type { SealedPart } from '../visit/sealed-part.ts'
import type { WorkerId } from '../visit/visit.ts'

/** What the house offers to its workers. */
export interface HouseCalls extends Frontier {
  checkInSealed(worker: WorkerId, parts: SealedPart[]): Promise<void>
  findTwin(digest: string): Promise<Twin | undefined>
}

export type Call = { [Name in keyof HouseCalls]: { name: Name; args: Parameters<HouseCalls[Name]> } }[keyof HouseCalls]

/** How a worker is doing. */
export interface Pulse {
  visits: number
  lateMs: number
  slow: readonly { site: string; why: string }[]
}

export type ToHouse =
  | { kind: 'call'; id: number; call: Call }
  | { kind: 'event'; event: Event }
  | ({ kind: 'pulse' } & Pulse)

export type ToWorker =
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'fault'; id: number; message: string }
  | { kind: 'stop' }
