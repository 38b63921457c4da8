/** The synthetic web as `Fetch` and `Resolve`, in whatever time the clock keeps: the same exchanges that a real fetch of the served web would bring. */
import type { Clock, Millis } from '../../src/base/clock.ts'
import type {
  Addresses,
  Answer,
  Exchange,
  FetchRequest,
  FetchSession,
  OpenSession,
  Resolve,
  Want,
} from '../../src/contracts/exchange.ts'
import type { Failure, FailureKind } from '../../src/contracts/outcome.ts'
import { virtualAddress } from './addresses.ts'
import type { RequestEntry, RequestLedger } from './ledger-of-requests.ts'
import { splitUrl } from './spelling.ts'
import type { TestWeb } from './web.ts'
import { chunkedLength, chunkedPayload, headerOf, join, type WebAnswer, type WireAnswer } from './wire.ts'

/** How long a fetcher waits, as its room's defaults have it. */
export interface FetchPatience {
  connectMs: Millis
  firstByteMs: Millis
  /** After so long an answer that drips is given up. */
  tooSlowMs: Millis
  headBytes: number
}

export const DEFAULT_PATIENCE: FetchPatience = {
  connectMs: 10_000,
  firstByteMs: 30_000,
  tooSlowMs: 20_000,
  headBytes: 256 * 1024,
}

const HANDSHAKE_MS = 1

export function testResolve(web: TestWeb, clock: Clock): Resolve {
  return async (host, signal) => {
    const site = web.siteOfHost(host.toLowerCase(), clock.now())
    const failure = site === undefined ? 'no-such-name' : site.failing
    if (failure === 'dns') await clock.sleep(5000, signal)
    if (site === undefined || failure === 'no-such-name') return failed('no-such-name', `${host} does not exist`)
    if (failure === 'dns') return failed('dns', 'the name server failed')
    return { kind: 'addresses', list: [{ ip: virtualAddress(site) }] } satisfies Addresses
  }
}

function failed(kind: FailureKind, detail: string): { kind: 'failed'; failure: Failure } {
  return { kind: 'failed', failure: { kind, detail } }
}

export function testFetch(web: TestWeb, clock: Clock, ledger: RequestLedger, patience = DEFAULT_PATIENCE): OpenSession {
  let connections = 0
  return (): FetchSession => {
    // Per origin the number of the connection that is still open.
    const open = new Map<string, number>()
    return {
      close: () => open.clear(),
      fetch: async (request) => {
        const origin = request.url.slice(0, request.url.indexOf('/', 8))
        const began = { at: clock.now(), elapsed: clock.elapsed() }
        let connected: Pick<Exchange, 'connectMs'> = {}
        const done = (answer: Answer, sent: Uint8Array): Exchange => ({
          url: request.url,
          address: request.address,
          sentAt: began.at,
          answeredAt: clock.now(),
          tookMs: clock.elapsed() - began.elapsed,
          request: sent,
          ...(request.url.startsWith('https:') ? { tls: 'tls/1.3' } : {}),
          ...connected,
          answer,
        })
        const nothing = new Uint8Array(0)
        if (!open.has(origin)) {
          const trouble = web.unreachable(request.url)
          await clock.sleep(trouble === 'connect-timeout' ? patience.connectMs : HANDSHAKE_MS)
          if (trouble !== undefined) return done(failed(trouble, `synthetic: ${trouble}`), nothing)
          open.set(origin, ++connections)
          connected = { connectMs: clock.elapsed() - began.elapsed }
        }
        if (!request.may()) return done({ kind: 'withheld' }, nothing)
        began.at = clock.now()
        began.elapsed = clock.elapsed()
        const sent = requestBytes(request)
        const entry = ledger.begin(
          request.url,
          request.address.ip,
          headerOf(request.headers, 'user-agent') ?? '',
          open.get(origin) ?? 0,
        )
        const attempt = ledger.attempts(entry.url)
        const said = web.answer({ url: request.url, at: began.at, attempt, headers: request.headers })
        const { answer, keep } = await receive(said, request, { clock, ledger, patience, entry })
        if (!keep) open.delete(origin)
        return done(answer, sent)
      },
    }
  }
}

interface Receiving {
  clock: Clock
  ledger: RequestLedger
  patience: FetchPatience
  entry: RequestEntry
}

async function receive(
  said: WebAnswer,
  request: FetchRequest,
  { clock, ledger, patience, entry }: Receiving,
): Promise<{ answer: Answer; keep: boolean }> {
  const end = (answer: Answer, status: number, bodyBytes: number, whole: boolean, keep = false) => {
    ledger.end(entry, status, bodyBytes, whole)
    return { answer, keep }
  }
  const latency = said.kind === 'silent' ? Number.POSITIVE_INFINITY : said.latencyMs
  await clock.sleep(Math.min(latency, patience.firstByteMs))
  if (latency > patience.firstByteMs) return end(failed('first-byte-timeout', 'no answer'), 0, 0, false)
  if (said.kind === 'silent' || said.kind === 'reset')
    return end(failed('reset', 'closed before the answer'), 0, 0, false)
  if (said.kind === 'garbage') return end(failed('protocol', 'not HTTP'), 0, 0, false)
  const { head, wireHead } = said
  if (wireHead.length > patience.headBytes)
    return end(failed('head-too-large', `${wireHead.length} bytes`), head.status, 0, false)
  const want = request.wants(head.status, head.headers)
  if (!want.download) return end({ kind: 'declined', head, wireHead, want }, head.status, 0, false)
  const answer =
    said.drip === undefined ? bodyWithin(said, want) : await dripping(said, said.drip, want, clock, patience)
  return end(
    answer,
    head.status,
    bytesSent(said, answer),
    answer.kind === 'full',
    answer.kind === 'full' && said.keepAlive,
  )
}

function bodyWithin(said: WireAnswer, want: Want & { download: true }): Answer {
  const { head, wireHead, wireBody, payload } = said
  if (payload.length > want.limitBytes) {
    return { kind: 'cut', why: 'length', head, wireHead, payload: payload.slice(0, want.limitBytes) }
  }
  if (said.whole) return { kind: 'full', head, wireHead, payload }
  const received = said.chunkBytes === 0 ? wireBody : payload.slice(0, chunkedPayload(wireBody.length, payload.length))
  if (wireBody.length === 0) return failed('reset', 'closed before the body')
  return { kind: 'cut', why: 'disconnect', head, wireHead, payload: received }
}

/** Bytes of the body that went over the wire, chunk framing included. */
function bytesSent(said: WireAnswer, answer: Answer): number {
  if (answer.kind !== 'full' && answer.kind !== 'cut') return 0
  if (answer.kind === 'full' || answer.why === 'disconnect') return said.wireBody.length
  const chunked = said.chunkBytes > 0 && said.drip === undefined
  return chunked ? chunkedLength(answer.payload.length, said.payload.length) : answer.payload.length
}

/** Bodies without end: one that flows is cut by its length, one that drips by the least rate, after a time. */
async function dripping(
  said: WireAnswer,
  drip: NonNullable<WireAnswer['drip']>,
  want: Want & { download: true },
  clock: Clock,
  patience: FetchPatience,
): Promise<Answer> {
  const { head, wireHead, payload } = said
  const pieces = [payload]
  const flows = drip.everyMs === 0
  if (!flows) await clock.sleep(patience.tooSlowMs)
  const max = flows ? want.limitBytes : payload.length + Math.floor(patience.tooSlowMs / drip.everyMs)
  for (let length = payload.length; length < max; length += drip.bytes.length) pieces.push(drip.bytes)
  const cut = join(pieces).slice(0, max)
  return { kind: 'cut', why: flows ? 'length' : 'time', head, wireHead, payload: cut }
}

function requestBytes(request: FetchRequest): Uint8Array {
  const { host } = splitUrl(request.url)
  const path = request.url.slice(request.url.indexOf('/', 8)) || '/'
  let text = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n`
  for (const [name, value] of request.headers) text += `${name}: ${value}\r\n`
  return Buffer.from(`${text}Connection: keep-alive\r\n\r\n`, 'latin1')
}
