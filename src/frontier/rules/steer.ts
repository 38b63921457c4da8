/**
 * An operator's decision about a site while the crawl runs, as changes of its row. `site.ts` keeps a stopped site from
 * being free.
 */

import type { RobotsMemory, SiteMemory } from '../../contracts/site-memory.ts'
import { type SiteName, siteKeyOf } from '../../contracts/visit.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { balanceDomain, endorse, NO_REFERRER, register, release } from './domains.ts'
import type { Rows } from './rows.ts'
import { tryAgain } from './seeds.ts'
import { isGivenUp, leftIn, restAfter, type SiteRow, stateAfter } from './site.ts'
import { writePending } from './statements.ts'
import { cautiousRest } from './visit.ts'

/** Why a site is barred that the operator barred: it may be resumed, unlike one that was given up. */
export const BY_OPERATOR = 'operator'

export async function stopSite(rows: Rows, name: SiteName, how: SiteRow['stopped'], why = ''): Promise<void> {
  const target = { key: siteKeyOf(name), name, members: NO_REFERRER }
  await rows.readNames()
  await rows.makeSites([target])
  await rows.readToWeigh([target], true)
  const site = rows.sites.for(target.key, name)
  if (site === undefined) return
  const isNew = rows.sites.isMade(site.key)
  // Named by the operator: it is not one of many made-up ones.
  const endorsed = endorse(rows, site, NO_REFERRER, true)
  const domain = isNew ? register(rows, site, NO_REFERRER, true) : endorsed?.domain
  if (endorsed?.wasHeld) release(rows, site)
  site.stopped = how
  if (how === 'barred' && !isGivenUpBefore(site)) site.reason = why === '' ? BY_OPERATOR : `${BY_OPERATOR}: ${why}`
  else if (!isGivenUpBefore(site)) site.reason = null
  settle(rows, site)
  rows.sites.change(site)
  if (rows.names.originalOf(name) !== undefined) await writePending(rows, site.key, true)
  if (domain?.wildcard === 1) await balanceDomain(rows, domain)
  await rows.flush()
}

const isGivenUpBefore = ({ reason }: SiteRow): boolean => reason !== null && !reason.startsWith(BY_OPERATOR)

/** A site that is out, or held because of its domain, gets its state when that ends. */
function settle(rows: Rows, site: SiteRow): void {
  if (site.state === 'leased' || site.state === 'returning' || site.state === 'held') return
  site.holder = ''
  // Without an answer it stays given up, until it is asked again or gets a URL.
  if (site.state === 'barred' && isGivenUpBefore(site) && leftIn(rows, site) === 0) return
  if (site.stopped !== 'barred') site.reason = null
  if (site.state === 'free') site.state = stateAfter(site.state, { kind: 'postponed' })
  restAfter(rows, site, 'resumed')
}

/** The part of its memory that a silent site loses. The rest is kept: traps do not go away. */
type Failures = Partial<Pick<SiteMemory, 'silent' | 'rests'>>

const READ_FAILURES = `
  SELECT m.memory, r.robots FROM site_memory m LEFT JOIN site_robots r ON r.bucket = m.bucket AND r.site = m.site
  WHERE m.bucket = ? AND m.site = ?`

/**
 * Whether the site waits because of us and not because it asked to be left alone, with Retry-After. It gave no answer, or
 * visits to it were lost: a longer wait than those explain is the site's.
 */
function isOurWait(
  { now, tools }: Rows,
  site: SiteRow,
  { silent = 0, rests }: Failures,
  robots: RobotsMemory[],
): boolean {
  const failed = robots.filter(({ state }) => state === 'unreachable')
  if (failed.some(({ status }) => status > 0)) return false
  if (silent > 0 || rests !== undefined) return true
  // Without a robots.txt nothing else was requested since.
  if (robots.length > 0 && failed.length === robots.length) return true
  return site.losses > 0 && site.polite_at <= Math.min(now, site.since) + cautiousRest(site.losses, tools.leaseMs)
}

export async function askAgain(tx: Tx, rows: Rows, name: SiteName): Promise<boolean> {
  const key = siteKeyOf(name)
  await rows.lockSites([key])
  const site = rows.sites.get(key)
  if (site === undefined || site.name !== name) return false
  if (isGivenUp(site)) {
    await tryAgain(rows, [{ site: name, url: '', key: 0n }])
    return true
  }
  const sql = queries(tx)
  const bucket = bucketOf(tx.dialect, key)
  const stored = await sql.get<{ memory: string; robots: string | null }>(READ_FAILURES, bucket, key)
  const { silent, rests, ...memory }: Failures = stored === undefined ? {} : JSON.parse(stored.memory)
  const robots: SiteMemory['robots'] = JSON.parse(stored?.robots ?? '{}')
  const isOurs = isOurWait(rows, site, { silent, rests }, Object.values(robots))
  if (stored !== undefined)
    await sql.run(
      'UPDATE site_memory SET memory = ? WHERE bucket = ? AND site = ?',
      JSON.stringify({ ...memory, silent: 0 }),
      bucket,
      key,
    )
  await sql.run('DELETE FROM site_robots WHERE bucket = ? AND site = ?', bucket, key)
  await sql.run(
    'UPDATE url SET due_at = ? WHERE bucket = ? AND site = ? AND mark = 0 AND due_at > ?',
    ...[rows.now, bucket, key, rows.now],
  )
  site.losses = 0
  if (isOurs) site.polite_at = Math.min(site.polite_at, rows.now + rows.tools.pauseOf(site))
  if (site.state === 'waiting' || site.state === 'free') {
    site.state = stateAfter(site.state, { kind: 'postponed' })
    rows.beginToWait(site)
  }
  rows.sites.change(site)
  await rows.flush()
  return true
}
