/** What answers a call: a function from what was asked to the answer that the call's definition promises. */
import type { AnswerOf, CallName, RequestOf } from '../wire/calls.ts'

/** One request, after all that is common to calls has been checked. */
export interface Asked {
  /** The worker that asks; '' where anyone may. */
  worker: string
  /** Where it comes from, as far as the socket knows. */
  address: string
  /** A proxy stands between. */
  forwarded: boolean
  /** Of the path: the name of a volume. */
  name: string
  offset: number
  /** Of what an operator reads. */
  length?: number
  /** The join secret, as an operator shows it. */
  join?: string
  /** The body, where that is no JSON, and how it is packed. */
  bytes: Uint8Array
  packing: string
  /** The caller has hung up: nobody will read the answer. */
  gone(): boolean
  /** For the record of calls. */
  note: { visit?: string; items: number; result: string }
}

export type Handlers = {
  [Name in CallName]: (asked: Asked, body: RequestOf<Name>) => Promise<AnswerOf<Name>>
}
