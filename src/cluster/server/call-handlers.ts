/** Every API call with its handler, over one coordinator. Independent of HTTP. */
import type { Clock, Millis, Wakeup } from '../../base/clock.ts'
import { remembered } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import type { Journal } from '../../base/journal.ts'
import { freshBytes, freshId } from '../../base/random.ts'
import { ChangeReader, firstPosition, lastPosition, positionOf } from '../../collection/captures/read-changes.ts'
import { lookCounts } from '../../collection/counters/counters.ts'
import type { ServerCalls } from '../../contracts/calls.ts'
import type { Control } from '../../contracts/control.ts'
import type { Event } from '../../contracts/events.ts'
import type { Database } from '../../database/database.ts'
import type { Totals } from '../../frontier/contract.ts'
import type { Decisions } from '../../frontier/decisions.ts'
import { isoInstant } from '../../web/warc/instant-text.ts'
import { type Freshness, publicFreshness } from '../maintenance/measure-freshness.ts'
import { GONE_AFTER } from '../maintenance/problems.ts'
import { type AnswerOf, MAX_CHANGES, type Statistics, type WorkerNews } from '../wire/calls.ts'
import { ApiError, PROTOCOL } from '../wire/protocol.ts'
import { acceptParts } from './accept-parts.ts'
import { controlHandlers } from './control-calls.ts'
import type { Handlers } from './handlers.ts'
import { checkJoin, Holdings, ticketsBy } from './handlers.ts'
import { uploadHandlers, volumeHandlers, volumeLocations } from './uploads.ts'
import { workerHandlers } from './worker-calls.ts'
import { sumWorkers, type WorkerTable } from './worker-table.ts'

/** The coordinator's own figures. */
export interface CoordinatorFigures {
  totals: Totals
  /** Sums of the visits' counters (`collection/counters`). */
  counters: ReadonlyMap<string, number>
  /** Durable parts not applied yet. */
  inbox: number
  /** Of a collection that is refreshed. */
  freshness?: Freshness
}

export interface HandlerParts {
  /** Stable across restarts: it identifies volumes sent here. */
  id: string
  calls: ServerCalls
  database: Database
  disk: Disk
  /** Where workers' volumes are stored. */
  archiveFolder: string
  clock: Clock
  journal: Journal<Event>
  figures(): Promise<CoordinatorFigures>
  /** Rung when a site may have become free (parts applied, sites seeded, another server's notice). */
  nudge: Wakeup
  /** What operators do, and what they decided. */
  control: Control
  decisions: Decisions
  program: string
  /** Secret for new workers; undefined: only workers on the same machine may join. */
  joinSecret: string | undefined
}

export interface HandlerTools {
  workerRows: WorkerTable
  isEnding(): boolean
  /** Maximum leases per worker. */
  maxLeases: number
  /** A worker reported its state. */
  onNews(worker: string, news: WorkerNews): void
}

/** Servers unseen for longer are not listed; workers unseen for longer count as silent. */
export const SEEN_WITHIN: Millis = 60_000
const STATISTICS_FRESH: Millis = 1000

export async function callHandlers(parts: HandlerParts, tools: HandlerTools): Promise<Handlers> {
  const { clock, journal, database, calls, nudge, program } = parts
  const { workerRows, isEnding, maxLeases } = tools
  const tickets = ticketsBy(await workerRows.ticketKey(freshBytes(32)))
  const holdings = new Holdings(clock)
  const servers = async () => {
    const rows = await workerRows.servers(clock.now() - SEEN_WITHIN)
    return rows.map((row) => row.url)
  }
  const statistics = async (): Promise<Statistics> => {
    const [{ totals, counters, inbox, freshness }, workers, { length }] = await Promise.all([
      parts.figures(),
      database.read((tx) => sumWorkers(tx, clock.now() - SEEN_WITHIN, clock.now() - GONE_AFTER)),
      servers(),
    ])
    const { sites, urls } = totals
    // Without counters that have a label: their number is not bounded.
    const plain = [...counters].filter(([name]) => !name.includes(':'))
    return {
      at: clock.now(),
      sites,
      urls,
      looks: lookCounts(counters),
      freshness: freshness === undefined ? null : publicFreshness(freshness),
      counters: Object.fromEntries(plain),
      inbox,
      servers: length,
      workers,
    }
  }
  return {
    ...workerHandlers({ calls, tickets, holdings, clock, journal, nudge, isEnding, maxLeases }),
    ...uploadHandlers({
      disk: parts.disk,
      folder: parts.archiveFolder,
      locations: volumeLocations(database, parts.id),
    }),
    ...volumeHandlers({ database, disk: parts.disk, folder: parts.archiveFolder }),
    ...controlHandlers({ control: parts.control, decisions: parts.decisions, database, clock, isEnding }),
    checkIn: acceptParts({ calls, tickets, holdings, journal }),
    version: async () => ({ program, protocol: PROTOCOL }),
    statistics: remembered(clock, STATISTICS_FRESH, statistics),
    changes: (asked) => changesAfter(database, asked.since ?? 'first'),
    async register(asked, { name, region, version, join }) {
      checkJoin(parts.joinSecret, join, asked)
      const id = freshId()
      const secret = freshBytes(32)
      await workerRows.register({ id, secret, name, region, version }, clock.now())
      return { worker: id, secret: Buffer.from(secret).toString('base64url') }
    },
    servers: async () => ({ servers: await servers() }),
    async alive({ worker }, news) {
      tools.onNews(worker, news)
      return { servers: await servers() }
    },
  }
}

/** For one answer: most captures may be of pages that did not change. */
const MAX_CAPTURES_READ = 20_000

async function changesAfter(database: Database, since: string): Promise<AnswerOf<'changes'>> {
  const position =
    since === 'first'
      ? firstPosition(database)
      : since === 'now'
        ? await lastPosition(database)
        : await positionOf(database, since)
  if (position === undefined)
    throw new ApiError('bad-request', 'the cursor is not one of this collection', 'begin with since=first or since=now')
  const reader = new ChangeReader(database, position)
  const changes: AnswerOf<'changes'>['changes'] = []
  for await (const { change } of reader.read(MAX_CAPTURES_READ)) {
    const { at, id: _, ...rest } = change
    changes.push({ at: isoInstant(at), ...rest })
    if (changes.length === MAX_CHANGES) break
  }
  return { changes, cursor: reader.cursor(), more: !reader.isAtEnd }
}
