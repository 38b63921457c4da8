/** Every API call with its handler, over one coordinator. Independent of HTTP. */
import { type Millis, remembered } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { freshBytes, freshId } from '../../base/random.ts'
import { changeReader, firstPosition, lastPosition, positionOf } from '../../collection/captures/read-changes.ts'
import { lookCounts } from '../../collection/counters/counters.ts'
import type { Database } from '../../database/database.ts'
import { decidedSites, readAudit, readChoice, WHOLE_CRAWL } from '../../frontier/decisions.ts'
import { isoInstant } from '../../web/warc/instant-text.ts'
import { publicFreshness } from '../maintenance/measure-freshness.ts'
import { GONE_AFTER, SILENT_AFTER } from '../maintenance/problems.ts'
import { type AnswerOf, MAX_CHANGES, type Statistics } from '../wire/calls.ts'
import { MAX_ENTRIES } from '../wire/control-json.ts'
import { ApiError, PROTOCOL } from '../wire/protocol.ts'
import { type CallTools, checkJoin, type Handlers, Holdings, ticketsBy } from './handlers.ts'
import { uploadHandlers, volumeHandlers, volumeLocations } from './uploads.ts'
import { workerHandlers } from './worker-calls.ts'
import { sumWorkers } from './worker-table.ts'

const STATISTICS_FRESH: Millis = 1000

export async function callHandlers(parts: Omit<CallTools, 'tickets' | 'holdings'>): Promise<Handlers> {
  const { clock, database, program, workerRows } = parts
  const tickets = ticketsBy(await workerRows.ticketKey(freshBytes(32)))
  const tools: CallTools = { ...parts, tickets, holdings: new Holdings(clock) }
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
      parts.onNews(worker, news)
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

/** Whether the caller has hung up is looked at this often. */
const LOOK_EVERY: Millis = 1000

function controlHandlers({
  control,
  decisions,
  database,
  clock,
  isEnding,
}: CallTools): Pick<Handlers, 'actions' | 'control' | 'audit' | 'orders'> {
  return {
    async actions(asked, action) {
      try {
        return await control.perform(`operator at ${asked.address}`, action)
      } catch (error) {
        throw refusalOf(error)
      }
    },
    async control(asked) {
      return database.read(async (tx) => ({
        crawl: await readChoice(tx, WHOLE_CRAWL),
        sites: await decidedSites(tx, asked.query.after ?? '', MAX_ENTRIES),
      }))
    },
    async audit({ query }) {
      const before = query.before === undefined ? undefined : Number(query.before)
      return { entries: await database.read((tx) => readAudit(tx, before, MAX_ENTRIES)) }
    },
    async orders({ gone, note }, { since, waitMs }) {
      const until = clock.elapsed() + waitMs
      for (;;) {
        const changed = decisions.changed.signal()
        const left = until - clock.elapsed()
        if (decisions.version > since || left <= 0 || isEnding() || gone()) break
        await clock.sleep(Math.min(left, LOOK_EVERY), changed)
      }
      const orders = decisions.ordersSince(since)
      note.items = orders.sites.length
      return orders
    },
  }
}

/** The operator's mistakes; everything else is a failure of the server. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof Problem)) return error
  if (error.code === 'not-found') return new ApiError('not-found', error.message, 'nothing was changed')
  const isMistake = error.code === 'bad-flag' || error.code === 'bad-seed' || error.code === 'bad-config'
  return isMistake ? new ApiError('bad-request', error.message, 'nothing was changed') : error
}
