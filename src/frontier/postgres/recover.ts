/**
 * When a process starts. In a crawl of one process all leases are lost; where workers and other servers run on, none are.
 * Some hundred sites at a time: a crawl may have millions.
 */

import { ALL_BUCKETS } from '../../database/bucket.ts'
import type { Database } from '../../database/database.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import { forgetOldChanges } from './aliases.ts'
import { lose } from './leases.ts'
import { readMeta, WRITE_META } from './meta.ts'
import type { FrontierTools } from './tools.ts'
import { WorkingSet } from './working-set.ts'

export const READ_OUT = `
  SELECT key FROM site WHERE bucket = ANY($1::smallint[]) AND lease_until IS NOT NULL LIMIT $2`
const FREE_RESERVED_SITES = `UPDATE site SET holder = '' WHERE bucket = ANY($1::smallint[]) AND holder > ''`
const FORGET = ['address', 'address_reservation'].map((table) => `DELETE FROM ${table}`)
const READ_RESTING = `
  SELECT key FROM site WHERE bucket = $1 AND key > $2 AND state IN ('waiting', 'free') ORDER BY key LIMIT $3`

const MAX_AT_ONCE = 500
const BEFORE_ALL = -(2n ** 63n)

/** The last process has ended, with all its workers, and its inbox is applied: visits that are still out are lost. */
export async function loseAll(db: Database, tools: FrontierTools): Promise<number> {
  let lost = 0
  for (let more = true; more; ) {
    const some = await db.transact((tx) => loseSome(postgresTx(tx), tools))
    lost += some
    more = some === MAX_AT_ONCE
  }
  await db.transact(async (given) => {
    const tx = postgresTx(given)
    await tx.run(FREE_RESERVED_SITES, ALL_BUCKETS)
    await Promise.all(FORGET.map((sql) => tx.run(sql)))
  })
  return lost
}

async function loseSome(tx: PostgresTx, tools: FrontierTools): Promise<number> {
  const working = new WorkingSet(tx, tools)
  const out = await tx.allExact<{ key: bigint }>(READ_OUT, ALL_BUCKETS, MAX_AT_ONCE)
  await working.sites.lock(out.map(({ key }) => key))
  for (const { key } of out) {
    const site = working.sites.get(key)
    if (site !== undefined && site.lease_until !== null) lose(working, site, working.now, true)
  }
  await working.flush()
  return out.length
}

/** True when there was no process before this one. */
export async function begin(db: Database, tools: FrontierTools): Promise<boolean> {
  for (const bucket of await bucketsToRank(db, tools)) await rankAnew(db, tools, bucket)
  await db.transact((tx) => forgetOldChanges(postgresTx(tx)))
  return db.transact(async (given) => {
    const tx = postgresTx(given)
    const first = (await readMeta(tx, 'opened_at')) === undefined
    await tx.run(WRITE_META, 'order', tools.order.name)
    await tx.run(WRITE_META, 'opened_at', String(tools.time.now()))
    return first
  })
}

/**
 * Ranks of another order mean nothing in this one. Once, when the operator changes it. The new order is noted when all sites
 * are ranked: a process that is stopped begins again, and two servers that start at once both rank.
 */
async function bucketsToRank(db: Database, tools: FrontierTools): Promise<readonly number[]> {
  const before = await db.read((tx) => readMeta(postgresTx(tx), 'order'))
  return before === undefined || before === tools.order.name ? [] : ALL_BUCKETS
}

async function rankAnew(db: Database, tools: FrontierTools, bucket: number): Promise<void> {
  for (let last: bigint | undefined = BEFORE_ALL; last !== undefined; ) {
    const from: bigint = last
    last = await db.transact(async (given) => {
      const working = new WorkingSet(postgresTx(given), tools)
      const rows = await working.tx.allExact<{ key: bigint }>(READ_RESTING, bucket, from, MAX_AT_ONCE)
      const keys = rows.map(({ key }) => key)
      await working.sites.lock(keys)
      for (const key of keys) {
        const site = working.sites.get(key)
        if (site?.state !== 'waiting' && site?.state !== 'free') continue
        site.state = 'waiting'
        working.beginToWait(site)
      }
      await working.flush()
      return keys.length < MAX_AT_ONCE ? undefined : keys[keys.length - 1]
    })
  }
}
