/**
 * The one way of a visit to a server: waits for the site's pause and the address's, asks `may()` at the last moment, sends
 * one request, notes when the answer ended. robots.txt and pages go through here alike, so the pause counts for both.
 */
import type { Instant, Millis } from '../base/clock.ts'
import type { Address, Exchange, FetchRequest, FetchSession, Head, Headers, Want } from '../contracts/exchange.ts'
import type { VisitId } from '../contracts/visit.ts'
import type { CookieJar } from '../web/http/cookies.ts'
import { headerOf } from '../web/http/headers.ts'
import { retryAfter } from '../web/http/http-date.ts'
import type { SiteCourtesy } from './courtesy.ts'
import { waitAfter } from './failures.ts'
import type { Lease, SiteTools } from './tools.ts'

export interface Asking {
  site: string
  visit: VisitId
  session: FetchSession
  address: Address
  /** Further addresses of the name, to be tried when this one cannot be connected to at all. */
  others: Address[]
  /** Something was sent to the address. */
  isReached: boolean
  courtesy: SiteCourtesy
  cookies: CookieJar
  lease: Lease
  signal: AbortSignal
  /** The visit's address went to another worker while it asked for a robots.txt elsewhere: it asks nothing more. */
  isAway: boolean
}

/** A site whose address belongs to another worker goes to that one after this. */
export const ELSEWHERE_WAIT: Millis = 5_000

/** The longest wait that a visit sits out; for a longer one it gives its place to another site. */
export const LONGEST_WAIT_IN_VISIT: Millis = 60_000

/** Undefined: the visit should end (stopped, lease too short, or the wait too long for it). */
export async function ask(
  url: string,
  wants: (status: number, headers: Headers) => Want,
  asking: Asking,
  tools: SiteTools,
): Promise<Exchange | undefined> {
  for (;;) {
    const exchange = await askHere(url, wants, asking, tools)
    if (exchange === undefined) return undefined
    asking.isReached ||= exchange.request.length > 0
    if (asking.isReached || !isDead(exchange) || !(await moveOn(asking, tools))) return exchange
  }
}

/** Nobody answers there. */
function isDead({ answer }: Exchange): boolean {
  return answer.kind === 'failed' && (answer.failure.kind === 'connect' || answer.failure.kind === 'connect-timeout')
}

/**
 * To the next address of the name, as if the visit had begun there: it has room for a visit and no other worker is there. The
 * site's pause counts from the attempt that failed, and the address's holds as for anybody.
 */
async function moveOn(asking: Asking, tools: SiteTools): Promise<boolean> {
  const { site, visit, courtesy, others } = asking
  for (let next = others.shift(); next !== undefined; next = others.shift()) {
    const shared = !tools.pauses.configured(site, next.ip).own
    if (shared && !tools.addresses.join(next.ip)) continue
    if (shared && (await tools.enter(tools.worker, visit, next.ip)) === 'elsewhere') {
      tools.addresses.leave(next.ip)
      continue
    }
    leaveAddress(asking, tools)
    asking.address = next
    courtesy.at(next.ip)
    return true
  }
  return false
}

export function leaveAddress({ address, courtesy }: Asking, tools: SiteTools): void {
  if (!courtesy.own) tools.addresses.leave(address.ip)
}

async function askHere(
  url: string,
  wants: (status: number, headers: Headers) => Want,
  asking: Asking,
  tools: SiteTools,
): Promise<Exchange | undefined> {
  const { courtesy, signal } = asking
  const { ip } = asking.address
  const book = courtesy.own ? undefined : tools.addresses
  let exchange: Exchange
  let outrun: boolean
  do {
    outrun = false
    if (!(await waitForTurn(asking, tools))) return undefined
    const cookie = asking.cookies.headerFor(url, tools.clock.now())
    tools.journal.tell({ kind: 'request', site: asking.site, url })
    const request: FetchRequest = {
      url,
      address: asking.address,
      headers: cookie === undefined ? tools.headers : [...tools.headers, ['Cookie', cookie]],
      may: () => {
        if (signal.aborted || asking.lease.left() < tools.exchangeMs) return false
        outrun = courtesy.wait > 0 || (book !== undefined && !book.takeTurn(ip, asking))
        if (outrun) return false
        book?.begin(ip)
        courtesy.begin()
        return true
      },
      wants,
    }
    try {
      // An exchange that has begun is let finish when the worker is told to stop: its own deadline bounds it.
      exchange = await asking.session.fetch(request, NEVER)
    } catch (error) {
      courtesy.abandon()
      throw error
    }
    if (exchange.connectMs !== undefined) courtesy.connected(exchange.connectMs)
    // While we connected, a neighbour at the address began its request: the connection is there for the next turn.
  } while (outrun)
  if (exchange.answer.kind === 'withheld') return undefined
  book?.touch(ip)
  const head = 'head' in exchange.answer ? exchange.answer.head : undefined
  const now = tools.clock.now()
  if (head !== undefined) asking.cookies.take(url, head.headers, now)
  courtesy.answered(exchange.answeredAt, exchange.tookMs, head && asksToWait(head, now, tools.patience))
  return exchange
}

/** How long an answer sends us away (Retry-After), page or robots.txt: the whole site rests. A 429 or 503 that does not say gets the table's wait. */
function asksToWait({ status, headers }: Head, now: Instant, patience: number): Millis | undefined {
  const asked = status < 300 ? undefined : retryAfter(headerOf(headers, 'retry-after'), now)
  return asked ?? (status === 429 || status === 503 ? waitAfter(`status-${status}`, 1, patience) : undefined)
}

/** The site's pause and the address's are over, and it is our turn there. False: the visit should end. */
async function waitForTurn(asking: Asking, tools: SiteTools): Promise<boolean> {
  const { courtesy, signal, lease } = asking
  const { ip } = asking.address
  const book = courtesy.own ? undefined : tools.addresses
  for (;;) {
    const wait = Math.max(courtesy.wait, book?.wait(ip) ?? 0)
    if (asking.isAway || signal.aborted || wait > LONGEST_WAIT_IN_VISIT || lease.left() < wait + tools.exchangeMs)
      return false
    if (wait <= 0) break
    await tools.clock.sleep(wait, signal)
  }
  book?.takeTurn(ip, asking)
  return true
}

const NEVER = new AbortController().signal
