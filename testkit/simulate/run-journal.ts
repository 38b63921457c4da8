/**
 * The journal of a simulated run: what happened, in virtual time, one line each, the same from the same seed. Of a run that
 * is too long the beginning and the end are kept.
 */
import type { Millis } from '../../src/base/clock.ts'
import type { ServerCalls } from '../../src/contracts/calls.ts'
import type { Event } from '../../src/contracts/events.ts'
import type { Visit } from '../../src/contracts/visit.ts'
import type { Ledger } from '../../src/frontier/contract.ts'

const MAX_LINES = 20_000
const MAX_CHARS = 400
/** Of the lines kept, those from the beginning. */
const FIRST_SHARE = 0.1

export class RunJournal {
  readonly #max: number
  readonly #first: string[] = []
  readonly #last: string[] = []
  #count = 0

  constructor(maxLines = MAX_LINES) {
    this.#max = maxLines
  }

  note(at: Millis, who: string, what: string): void {
    const line = `${(at / 1000).toFixed(3).padStart(11)} s  ${who.padEnd(9)} ${what.replaceAll('\n', ' | ')}`
    this.#count++
    const firsts = Math.floor(this.#max * FIRST_SHARE)
    if (this.#first.length < firsts) this.#first.push(line.slice(0, MAX_CHARS))
    else this.#last.push(line.slice(0, MAX_CHARS))
    // Seldom, so that a line costs little: twice as many as are kept.
    if (this.#last.length > 2 * (this.#max - firsts)) this.#last.splice(0, this.#last.length - (this.#max - firsts))
  }

  get lines(): string[] {
    const lasts = this.#last.slice(-(this.#max - Math.floor(this.#max * FIRST_SHARE)))
    const left = this.#count - this.#first.length - lasts.length
    return [...this.#first, ...(left > 0 ? [`… ${left} lines are left out …`] : []), ...lasts]
  }
}

export type Note = (who: string, what: string) => void

/** Parts by name: those that the server said were stored, and those of which the frontier decided what becomes of them. */
export interface PartsSeen {
  acknowledged: Set<string>
  settled: Set<string>
}

/** Who was granted what, as the server sees it. */
export function notingCalls(calls: ServerCalls, note: Note, { acknowledged }: PartsSeen): ServerCalls {
  return {
    ...calls,
    async accept(worker, parts) {
      await calls.accept(worker, parts)
      for (const { site, visit, part } of parts) acknowledged.add(`part ${part} of ${site} (${visit})`)
    },
    async checkOut(worker, atMost) {
      const answer = await calls.checkOut(worker, atMost)
      for (const visit of answer.visits) note('server', `leases ${granted(visit)} to ${nameOf(worker)}`)
      return answer
    },
    async enter(worker, visit, address) {
      const answer = await calls.enter(worker, visit, address)
      note('server', `${nameOf(worker)} enters ${address} with visit ${visit}: ${answer}`)
      return answer
    },
    async renew(worker, visits) {
      const answer = await calls.renew(worker, visits)
      const lost = answer.lost.length === 0 ? '' : `, lost: ${answer.lost.join(' ')}`
      note('server', `renews ${visits.length} leases of ${nameOf(worker)}${lost}`)
      return answer
    },
    async leave(worker) {
      const lost = await calls.leave(worker)
      note('server', `${nameOf(worker)} leaves${lost.length === 0 ? '' : `, lost: ${lost.join(' ')}`}`)
      return lost
    },
    async giveBack(visits) {
      await calls.giveBack(visits)
      note('server', `takes back ${visits.join(' ')}: nobody was told of them`)
    },
    async takeBack(worker, has) {
      const taken = await calls.takeBack(worker, has)
      if (taken.length > 0) note('server', `takes back ${taken.join(' ')}: ${nameOf(worker)} never heard of them`)
      return taken
    },
  }
}

/** What became of reports and of leases, as the frontier decides it; the transaction may still fail. */
export function notingLedger(ledger: Ledger, note: Note, { settled }: PartsSeen): Ledger {
  return {
    ...ledger,
    async applyParts(tx, parts) {
      const results = await ledger.applyParts(tx, parts)
      for (const [at, { site, visit, part, pages, ended }] of parts.entries()) {
        const name = `part ${part} of ${site} (${visit})`
        const end = ended === undefined ? '' : `, ended: ${ended}`
        note('server', `${name}, ${pages.length} pages${end}: ${results[at]}`)
        if (results[at] !== 'out-of-order') settled.add(name)
      }
      return results
    },
    async reap(tx, now, isSettled) {
      const lost = await ledger.reap(tx, now, isSettled)
      for (const { visit, site, worker } of lost)
        note('server', `the lease of ${site} (${visit}) by ${nameOf(worker)} has ended`)
      return lost
    },
  }
}

function granted({ id, site, agenda, wait, lease }: Visit): string {
  return `${site} (${id}, ${agenda.length} URLs, wait ${seconds(wait)}, lease ${seconds(lease)})`
}

/** The server knows workers by their threads: `0000000000000002.w1`. */
const nameOf = (worker: string): string => worker.replace(/^0+(\d+)\b.*/, 'worker-$1')

const seconds = (ms: Millis): string => `${(ms / 1000).toFixed(3)} s`

export function wordsOfEvent(event: Event): string {
  switch (event.kind) {
    case 'request':
      return `wants ${event.url}`
    case 'checked-out':
      return `checked out ${event.sites} sites`
    case 'checked-in':
      return `checked in ${event.parts} parts, ${event.pages} pages`
    case 'visit-ended':
      return `ends its visit to ${event.site} after ${event.pages} pages: ${event.why}`
    case 'lease-lost':
      return `has lost its lease of ${event.site}`
    case 'trouble':
      return `trouble: ${event.what}`
    default: {
      const { kind, ...rest } = event
      return [kind, ...Object.entries(rest).map(([name, value]) => `${name} ${value}`)].join(' ')
    }
  }
}
