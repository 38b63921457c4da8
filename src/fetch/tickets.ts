/**
 * TLS tickets of the servers that were met last, so that the next handshake with one is short: the second connection of a
 * visit, or the first of a later visit. A worker's visits share them; a ticket with its certificate has 1 to 3 KB.
 * Whoever takes a ticket gives it back when it has served: a server that chokes on one is not offered it again.
 */
import type { CertificateFault } from '../contracts/exchange.ts'

export interface Ticket {
  session: Buffer
  /** Of the certificate that was shown when it was given: a session that is resumed shows none. */
  fault: CertificateFault | undefined
}

export class Tickets {
  readonly #max: number
  readonly #kept = new Map<string, Ticket>()

  constructor(max: number) {
    this.#max = max
  }

  take(server: string): Ticket | undefined {
    const ticket = this.#kept.get(server)
    this.#kept.delete(server)
    return ticket
  }

  keep(server: string, ticket: Ticket): void {
    this.#kept.delete(server)
    this.#kept.set(server, ticket)
    if (this.#kept.size > this.#max) this.#kept.delete(this.#kept.keys().next().value as string)
  }
}
