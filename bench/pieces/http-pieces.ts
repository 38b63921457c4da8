/** One exchange over loopback, all of a request's way through `fetch/`, with few and with thousands of visits open. */
import { realClock } from '../../src/base/clock.ts'
import type { FetchRequest, FetchSession, Headers, Want } from '../../src/contracts/exchange.ts'
import { openSessions } from '../../src/fetch/session.ts'
import { median } from '../measure/statistics.ts'
import { benchWeb } from '../web/bench-web.ts'
import { serveBenchWeb } from '../web/served-web.ts'
import type { Material } from './material.ts'
import { timeOnce } from './stopwatch.ts'
import type { Piece } from './worker-pieces.ts'

const FEW = 100
const MANY = 5_000
/** As many visits have a request under way at once; the others wait out their pause. */
const AT_ONCE = 50
const REQUESTS = 10_000
const ROUNDS = 5
const MINUTE = 60_000
const HEADERS: Headers = [
  ['User-Agent', 'bench/1.0 (+https://example.test/about)'],
  ['Accept', 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'],
  ['Accept-Encoding', 'gzip, deflate, br, zstd'],
]

/** `sites` and `pagesPerSite` as the material was gathered with. */
export async function httpPieces({ pages }: Material, sites: number, pagesPerSite: number): Promise<Piece[]> {
  await using web = await serveBenchWeb({ web: benchWeb(sites, pagesPerSite), prepare: true, manyAddresses: false })
  const address = { ip: '127.0.0.1', port: web.port }
  const wants = (): Want => ({ download: true, limitBytes: 10_000_000 })
  const requestFor = (n: number): FetchRequest => ({
    url: pages[n % pages.length].url,
    address,
    headers: HEADERS,
    may: () => true,
    wants,
  })
  const few = await timeOpen(FEW, requestFor)
  const many = await timeOpen(MANY, requestFor)
  const note = `a page on a kept connection, ${AT_ONCE} at once`
  return [
    { name: `http exchange, ${FEW} visits open`, microseconds: few, note },
    {
      name: `http exchange, ${MANY} visits open`,
      microseconds: many,
      note: 'the same',
    },
  ]
}

async function timeOpen(count: number, requestFor: (n: number) => FetchRequest): Promise<number> {
  const open = openSessions({
    clock: realClock,
    deadlines: { connect: MINUTE, firstByte: MINUTE, idle: MINUTE, exchange: MINUTE },
    minRate: { bytesPerSecond: 100, graceMs: 10_000 },
    tls: 'open',
    guard: () => true,
    maxIdleMs: MINUTE,
  })
  const sessions = Array.from({ length: count }, open)
  try {
    // Each session asks one site only, as a visit does.
    await askInTurn(sessions, count, requestFor)
    const rounds: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push((await timeOnce(() => askInTurn(sessions, REQUESTS, requestFor))) / REQUESTS)
    }
    return median(rounds)
  } finally {
    for (const session of sessions) session.close()
  }
}

/** Every session has its turn, `AT_ONCE` of them at a time. */
async function askInTurn(
  sessions: readonly FetchSession[],
  requests: number,
  requestFor: (n: number) => FetchRequest,
): Promise<void> {
  const askEvery = async (first: number) => {
    for (let n = first; n < requests; n += AT_ONCE) {
      const at = n % sessions.length
      const { answer } = await sessions[at].fetch(requestFor(at))
      if (answer.kind !== 'full' || answer.head.status !== 200) throw new Error(`no page: ${JSON.stringify(answer)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, first) => askEvery(first)))
}
