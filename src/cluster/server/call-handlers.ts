/** Every API call with its handler, over one coordinator. Independent of HTTP. */
import { type Millis, remembered } from '../../base/clock.ts'
import { freshBytes, freshId } from '../../base/random.ts'
import { changeReader, firstPosition, lastPosition, positionOf } from '../../collection/captures/read-changes.ts'
import { lookCounts } from '../../collection/counters/counters.ts'
import type { Database } from '../../database/database.ts'
import { isoInstant } from '../../web/warc/instant-text.ts'
import { publicFreshness } from '../maintenance/measure-freshness.ts'
import { GONE_AFTER, SILENT_AFTER } from '../maintenance/problems.ts'
import { type AnswerOf, MAX_CHANGES, type Statistics } from '../wire/calls.ts'
import { ApiError, PROTOCOL } from '../wire/protocol.ts'
import { acceptParts } from './accept-parts.ts'
import { controlHandlers } from './control-calls.ts'
import {
  type CallTools,
  checkJoin,
  type HandlerParts,
  type Handlers,
  type HandlerTools,
  Holdings,
  ticketsBy,
} from './handlers.ts'
import { uploadHandlers, volumeHandlers, volumeLocations } from './uploads.ts'
import { workerHandlers } from './worker-calls.ts'
import { sumWorkers } from './worker-table.ts'

const STATISTICS_FRESH: Millis = 1000

export async function callHandlers(parts: HandlerParts, more: HandlerTools): Promise<Handlers> {
  const { clock, database, program } = parts
  const { workerRows } = more
  const tickets = ticketsBy(await workerRows.ticketKey(freshBytes(32)))
  const tools: CallTools = { ...parts, ...more, tickets, holdings: new Holdings(clock) }
  const servers = async () => {
    const rows = await workerRows.servers(clock.now() - SILENT_AFTER)
    return rows.map((row) => row.url)
  }
  const statistics = async (): Promise<Statistics> => {
    const [{ totals, counters, inbox, freshness }, workers, { length }] = await Promise.all([
      parts.figures(),
      database.read((tx) => sumWorkers(tx, clock.now() - SILENT_AFTER, clock.now() - GONE_AFTER)),
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
    ...workerHandlers(tools),
    ...uploadHandlers(parts.disk, parts.archiveFolder, volumeLocations(database, parts.id)),
    ...volumeHandlers(tools),
    ...controlHandlers(tools),
    checkIn: acceptParts(tools),
    version: async () => ({ program, protocol: PROTOCOL }),
    statistics: remembered(clock, STATISTICS_FRESH, statistics),
    changes: (asked) => changesAfter(database, asked.query.since ?? 'first'),
    async register(asked, { name, region, version, join }) {
      checkJoin(parts.joinSecret, join, asked)
      const id = freshId()
      const secret = freshBytes(32)
      await workerRows.register({ id, name, region, version }, secret, clock.now())
      return { worker: id, secret: Buffer.from(secret).toString('base64url') }
    },
    servers: async () => ({ servers: await servers() }),
    async alive({ worker }, news) {
      more.onNews(worker, news)
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
  const reader = changeReader(database, position)
  const changes: AnswerOf<'changes'>['changes'] = []
  for await (const { change } of reader.read(MAX_CAPTURES_READ)) {
    const { at, id: _, ...rest } = change
    changes.push({ at: isoInstant(at), ...rest })
    if (changes.length === MAX_CHANGES) break
  }
  return { changes, cursor: reader.cursor(), more: !reader.isAtEnd }
}
