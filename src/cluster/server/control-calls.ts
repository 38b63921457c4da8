/** What operators do and see over the API, and how workers on other machines learn of it. */
import type { Millis } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { decidedSites, readAudit, readChoice, WHOLE_CRAWL } from '../../frontier/decisions.ts'
import { MAX_ENTRIES } from '../wire/control-json.ts'
import { ApiError } from '../wire/protocol.ts'
import type { CallTools, Handlers } from './handlers.ts'

/** Whether the caller has hung up is looked at this often. */
const LOOK_EVERY: Millis = 1000

export function controlHandlers({
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
