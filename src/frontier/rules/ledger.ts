/** The ledger, whatever the database. */
import { assert } from '../../base/assert.ts'
import type { Tx } from '../../database/database.ts'
import type { Ledger } from '../contract.ts'
import { writePrice } from '../records.ts'
import type { RefreshTools } from '../tools.ts'
import { admit } from './admit.ts'
import { addAlias, dropAlias } from './alias-moves.ts'
import { applyParts } from './apply-parts.ts'
import { enrol } from './enrol.ts'
import { awaitParts, giveBack, loseWorker, reap, takeBack } from './leases.ts'
import type { Rows } from './rows.ts'
import { addSeeds, schedule, tryAgain } from './seeds.ts'
import { askAgain, stopSite } from './steer.ts'

/** These calls are for a frontier that was opened to refresh. */
function refreshOf({ tools: { refresh } }: Rows): RefreshTools {
  assert(refresh !== undefined, 'refreshing is off')
  return refresh
}

export function ledgerOf(rowsOf: (tx: Tx) => Rows): Ledger {
  return {
    admit: (tx, links) => admit(rowsOf(tx), links),
    seed: (tx, urls) => addSeeds(rowsOf(tx), urls),
    tryAgain: (tx, urls) => tryAgain(rowsOf(tx), urls),
    stopSite: (tx, site, how, why) => stopSite(rowsOf(tx), site, how, why),
    askAgain: (tx, site) => askAgain(tx, rowsOf(tx), site),
    returning: (tx, parts) => awaitParts(rowsOf(tx), parts),
    applyParts: (tx, parts) => applyParts(rowsOf(tx), parts),
    reap: (tx, now, settled) => {
      const rows = rowsOf(tx)
      return reap(rows, now === undefined ? rows.now : rows.tools.time.of(now), settled)
    },
    lose: (tx, worker) => loseWorker(rowsOf(tx), worker),
    giveBack: (tx, visits) => giveBack(rowsOf(tx), visits),
    takeBack: (tx, worker, has) => takeBack(rowsOf(tx), worker, has),
    schedule: (tx, scheduled) => schedule(rowsOf(tx), scheduled),
    enrol: (tx, urls) => {
      const rows = rowsOf(tx)
      return enrol(rows, refreshOf(rows), urls)
    },
    async setPrice(tx, price) {
      const rows = rowsOf(tx)
      refreshOf(rows).price = price
      await writePrice(tx, price, rows.now)
    },
    alias: (tx, given) => addAlias(rowsOf(tx), given),
    unalias: (tx, name) => dropAlias(rowsOf(tx), name),
  }
}
