/** URLs that the operator names or a planner schedules. */
import { signed64 } from '../../base/digest.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { writeAll } from '../../database/tables.ts'
import { rowWriter } from '../../database/write-rows.ts'
import type { WebUrl } from '../../web/url/web-url.ts'
import type { Admitted, ScheduledUrl, SeedSource, SeedUrl } from '../contract.ts'
import { linksOfSeeds, scheduledBySite } from '../tools.ts'
import { admit } from './admit.ts'
import { balanceDomain, endorse, NO_REFERRER, register, release } from './domains.ts'
import { GONE, NOT_FOUND, WAITING } from './mark.ts'
import type { Rows } from './rows.ts'
import { isGivenUp, leftIn, type SiteRow, sitesOf, stateAfter, wake } from './site.ts'
import { revive, writePending } from './statements.ts'
import { newUrl } from './url-rows.ts'

/** A seed given again is enqueued no more than any URL is: once. */
export async function addSeeds(rows: Rows, seeds: readonly SeedUrl[]): Promise<Admitted> {
  // First, because it locks the sites that the rows of seeds belong to.
  const admitted = await admit(rows, linksOfSeeds(seeds), true)
  const added_at = rows.now
  await writeAll(
    rows.tx,
    { write: ADD_SEEDS },
    seeds.map(({ url, key, site, source = 'given' }) => ({
      site: siteKeyOf(site),
      key: signed64(key),
      url,
      added_at,
      source,
    })),
  )
  return admitted
}

interface SeedRow {
  site: bigint
  key: bigint
  url: string
  added_at: number
  source: SeedSource
}

/** A URL may be given twice: the first counts. */
export const ADD_SEEDS = rowWriter<SeedRow>('seed', ['site', 'key', 'url', 'added_at', 'source'], 'site, key')

/**
 * URLs marked when the site was given up can't be distinguished from those gone before: all of them are fetched once
 * more. Returns how many sites that had been given up wait again.
 */
export async function tryAgain(rows: Rows, seeds: readonly SeedUrl[]): Promise<number> {
  const groups = sitesOf(seeds)
  await rows.lockSites(groups.map(({ key }) => key))
  const barred = groups.flatMap(({ key, name }) => {
    const site = rows.sites.get(key)
    return site !== undefined && isGivenUp(site) && site.name === name ? [site] : []
  })
  const revived = await Promise.all(barred.map(({ key }) => revive(rows, key, [GONE, NOT_FOUND])))
  for (const [nth, site] of barred.entries()) {
    site.state = stateAfter(site.state, { kind: 'tried-again' })
    site.reason = null
    site.waiting += revived[nth]
    // It counts the tries that were used up.
    rows.memory.forget(site.key)
    if (leftIn(rows, site) > 0) wake(rows, site)
    rows.sites.change(site)
  }
  await rows.flush()
  return barred.length
}

export async function schedule(rows: Rows, scheduled: readonly ScheduledUrl[]): Promise<void> {
  const groups = scheduledBySite(rows.tools, scheduled)
  await rows.readNames()
  await rows.makeSites(groups)
  // Scheduling a URL endorses its site.
  const targets = groups.map(({ key, name }) => ({ key, name, members: NO_REFERRER }))
  await Promise.all([
    rows.readUrls(() =>
      groups.flatMap(({ key: site, members }) => members.map(({ url }) => ({ site, key: signed64(url.key) }))),
    ),
    rows.readToWeigh(targets, true),
  ])
  for (const { key, name, members } of groups) {
    const site = rows.sites.for(key, name)
    if (site === undefined || isGivenUp(site)) continue
    const isNew = rows.sites.isMade(key)
    const endorsed = endorse(rows, site, NO_REFERRER, true)
    const domain = isNew ? register(rows, site, NO_REFERRER, false) : endorsed?.domain
    for (const { url, dueAt } of members) scheduleOne(rows, site, url, dueAt)
    if (endorsed?.wasHeld) release(rows, site)
    wake(rows, site)
    rows.sites.change(site)
    // URLs that wait at an alias move to the original later: a visit may be out now.
    if (rows.names.originalOf(name) !== undefined) await writePending(rows, key, true)
    if (domain?.wildcard === 1) await balanceDomain(rows, domain)
  }
  await rows.flush()
}

/** A URL that waits already keeps the earlier time; one that was never visited is due at once. */
function scheduleOne(rows: Rows, site: SiteRow, url: WebUrl, dueAt: number): void {
  const at = { site: site.key, key: signed64(url.key) }
  const known = rows.urls.get(at.site, at.key)
  const page = rows.tools.refresh && rows.known.get(at)
  if (page !== undefined) {
    page.refresh_at = dueAt
    page.class = null
    rows.known.put(page)
    return
  }
  if (known?.mark === WAITING) {
    if (known.due_at <= dueAt) return
    known.due_at = dueAt
    rows.urls.change(known)
    return
  }
  const seq = ++site.seq
  site.waiting++
  if (known !== undefined) {
    Object.assign(known, { mark: WAITING, due_at: dueAt, seq, tries: 0 })
    rows.urls.change(known)
    return
  }
  const text = { url: url.href, depth: 0, via_site: null, via_key: null, path: '' }
  rows.urls.add(newUrl(at, text, { seq, enqueued_at: rows.now, due_at: dueAt, mark: WAITING }))
  site.known++
}
