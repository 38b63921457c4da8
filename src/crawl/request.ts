/**
 * A visit's only way to a server: waits for the site's pause and the address's, checks the lease at the last moment, sends
 * one request, notes when the answer ended. robots.txt and pages both go through here, so the pause counts for both.
 */
import type { Instant, Millis } from '../base/clock.ts'
import type { Address, Exchange, FetchRequest, FetchSession, Head, Headers, Want } from '../contracts/exchange.ts'
import type { SiteName, VisitId } from '../contracts/visit.ts'
import type { CookieJar } from '../web/http/cookies.ts'
import { headerOf } from '../web/http/headers.ts'
import { retryAfter } from '../web/http/http-date.ts'
import type { SiteCourtesy } from './courtesy.ts'
import { waitAfter } from './failures.ts'
import type { Lease, RequestTools } from './tools.ts'
import type { VisitTimes } from './visit-times.ts'

export interface SiteConnection {
  site: SiteName
  visit: VisitId
  session: FetchSession
  address: Address
  /** Further addresses of the name, tried when this one cannot be connected to at all. */
  others: Address[]
  /** Something was sent to the address. */
  isReached: boolean
  courtesy: SiteCourtesy
  times: VisitTimes
  cookies: CookieJar
  lease: Lease
  signal: AbortSignal
  /** The visit's address went to another worker while it fetched a robots.txt elsewhere: it requests nothing more. */
  isAway: boolean
  /** The operator stopped or blacklisted the target. No lease shows that, because it is not on the visit's own site. */
  isRefused?: () => boolean
}

export type Wants = (status: number, headers: Headers) => Want

/** A site whose address belongs to another worker goes to that one after this. */
export const ELSEWHERE_WAIT: Millis = 5_000

/** The longest wait that a visit sits out; for a longer one it makes way for another site. */
export const LONGEST_WAIT_IN_VISIT: Millis = 60_000

/** Undefined: the visit should end (stopped, lease too short, or the wait too long for it). */
export async function request(
  url: string,
  wants: Wants,
  connection: SiteConnection,
  tools: RequestTools,
  conditions: Headers = [],
): Promise<Exchange | undefined> {
  for (;;) {
    const exchange = await requestHere(url, wants, connection, tools, conditions)
    if (exchange === undefined) return undefined
    connection.isReached ||= exchange.request.length > 0
    if (connection.isReached || !isUnconnected(exchange) || !(await moveToNextAddress(connection, tools)))
      return exchange
  }
}

function isUnconnected({ answer }: Exchange): boolean {
  return answer.kind === 'failed' && (answer.failure.kind === 'connect' || answer.failure.kind === 'connect-timeout')
}

/**
 * Goes on at the next address of the name as if the visit had begun there: the address has a slot free and no other worker
 * holds it. The site's pause counts from the attempt that failed, and the address's pause holds as usual.
 */
async function moveToNextAddress(connection: SiteConnection, tools: RequestTools): Promise<boolean> {
  const { site, visit, courtesy, others } = connection
  for (let next = others.shift(); next !== undefined; next = others.shift()) {
    if ((await enterAddress(site, visit, next.ip, tools)) !== 'here') continue
    leaveAddress(connection, tools)
    connection.address = next
    courtesy.at(next.ip)
    return true
  }
  return false
}

/** Takes a slot at the address and enters it, so that no other worker is there. The operator's own servers need neither. */
export async function enterAddress(
  site: SiteName,
  visit: VisitId,
  ip: string,
  { addresses, enter, pauses, worker }: RequestTools,
): Promise<'here' | 'full' | 'elsewhere'> {
  if (pauses.configured(site, ip).own) return 'here'
  if (!addresses.join(ip)) return 'full'
  const where = await enter(worker, visit, ip)
  if (where === 'elsewhere') addresses.leave(ip)
  return where
}

export function leaveAddress({ address, courtesy }: SiteConnection, tools: RequestTools): void {
  if (!courtesy.own) tools.addresses.leave(address.ip)
}

async function requestHere(
  url: string,
  wants: Wants,
  connection: SiteConnection,
  tools: RequestTools,
  conditions: Headers,
): Promise<Exchange | undefined> {
  const { courtesy, signal, times } = connection
  const { ip } = connection.address
  const addresses = courtesy.own ? undefined : tools.addresses
  let exchange: Exchange
  let outrun: boolean
  do {
    outrun = false
    if (!(await times.during('courtesy', () => waitForTurn(connection, tools)))) return undefined
    const cookie = connection.cookies.headerFor(url, tools.clock.now())
    tools.journal.record({ kind: 'request', site: connection.site, url })
    const fetched: FetchRequest = {
      url,
      address: connection.address,
      headers: [...tools.headers, ...conditions, ...(cookie === undefined ? [] : [['Cookie', cookie] as const])],
      may: () => {
        if (signal.aborted || connection.isRefused?.() || connection.lease.left() < tools.exchangeMs) return false
        outrun = courtesy.wait > 0 || (addresses !== undefined && !addresses.takeTurn(ip, connection))
        if (outrun) return false
        addresses?.begin(ip)
        courtesy.begin()
        return true
      },
      wants,
    }
    try {
      // When the worker stops, an exchange under way may finish: its own deadline bounds it.
      exchange = await times.during('download', () => connection.session.fetch(fetched))
    } catch (error) {
      courtesy.abandon()
      throw error
    }
    if (exchange.connectMs !== undefined) courtesy.connected(exchange.connectMs)
    // A neighbour at the address began its request while we connected: the connection waits for the next turn.
  } while (outrun)
  const { answer, tookMs } = exchange
  if (answer.kind === 'withheld') return undefined
  addresses?.touch(ip)
  const head = 'head' in answer ? answer.head : undefined
  const status = answer.kind === 'failed' ? answer.failure.kind : answer.head.status
  tools.journal.record({ kind: 'answer', site: connection.site, url, status, tookMs })
  const now = tools.clock.now()
  if (head !== undefined) connection.cookies.take(url, head.headers, now)
  courtesy.answered(exchange.answeredAt, tookMs, head && requestedWait(head, now, tools.patience))
  return exchange
}

/** The wait that an answer demands of the whole site (Retry-After). A 429 or 503 without one gets the table's wait. */
function requestedWait({ status, headers }: Head, now: Instant, patience: number): Millis | undefined {
  const wait = status < 300 ? undefined : retryAfter(headerOf(headers, 'retry-after'), now)
  return wait ?? (status === 429 || status === 503 ? waitAfter(`status-${status}`, 1, patience) : undefined)
}

/** Until the site's pause and the address's are over, and it is our turn there. False: the visit should end. */
async function waitForTurn(connection: SiteConnection, tools: RequestTools): Promise<boolean> {
  const { courtesy, signal, lease } = connection
  const { ip } = connection.address
  const addresses = courtesy.own ? undefined : tools.addresses
  for (;;) {
    const wait = Math.max(courtesy.wait, addresses?.wait(ip) ?? 0)
    if (connection.isRefused?.()) return false
    if (connection.isAway || signal.aborted || wait > LONGEST_WAIT_IN_VISIT || lease.left() < wait + tools.exchangeMs)
      return false
    if (wait <= 0) break
    await tools.clock.sleep(wait, signal)
  }
  addresses?.takeTurn(ip, connection)
  return true
}
