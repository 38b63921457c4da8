/**
 * Moves what waits at an alias to the original: marked here and entered there, some at a time. Never during a visit, which may
 * be fetching it.
 */
import type { SiteName } from '../../contracts/visit.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { type AliasAnswer, MAX_MOVED, type NewAlias, renamed } from '../aliases.ts'
import { admit, renamingOf } from './admit.ts'
import { linkOfRow, REPLACED } from './mark.ts'
import type { Rows } from './rows.ts'
import { isGivenUp, restAfter, type SiteRow, wake } from './site.ts'
import { namesOf, revive, waitingIn, writePending } from './statements.ts'

/** Aliases per `reap`. */
const MAX_PENDING_NAMES = 20
/** Aliases that are dropped with an original that was given up. */
const MAX_NAMES_DROPPED = 1000
/** Home pages stay at an alias, and are few. */
const MAX_STAYING = 10

/** The alias's site is locked. Returns how many were moved. */
async function moveWaiting(rows: Rows, name: SiteName, atMost: number): Promise<number> {
  const key = siteKeyOf(name)
  const site = rows.sites.get(key)
  // URLs on a visit's agenda belong to the visit until it ends.
  if (site?.state === 'leased' || site?.state === 'returning') return 0
  const isToBeHad = await isOriginalToBeHad(rows, name)
  // The waiting URLs are read from the database, with this transaction's changes.
  await rows.flush()
  if (!isToBeHad) {
    await writePending(rows, key, true)
    return 0
  }
  if (!(await rows.aliasesAmong([key])).has(key)) return 0
  const waiting = site === undefined ? [] : await waitingIn(rows, site, atMost + MAX_STAYING)
  const moving = waiting.flatMap(({ row, via }) => {
    const { links } = renamed(renamingOf(rows), [linkOfRow(name, row, via)])
    return links[0].site === name ? [] : [{ row, links }]
  })
  const moved = moving.slice(0, atMost)
  const more = moved.length > 0 && (moving.length > atMost || waiting.length === atMost + MAX_STAYING)
  // Other servers enter links at a new alias until they see it: it is checked once more. SQLite does the same, so that both end alike.
  await writePending(rows, key, more || rows.names.isNew(name))
  if (site === undefined || moved.length === 0) return 0
  for (const { row } of moved) {
    row.mark = REPLACED
    rows.urls.change(row)
    rows.spellings.forget(row)
  }
  site.waiting -= moved.length
  restAfter(rows, site, 'moved')
  rows.sites.change(site)
  await admit(
    rows,
    moved.flatMap((each) => each.links),
  )
  return moved.length
}

/** The original may come out of the order of locks: when another transaction has it, the alias stays pending. */
async function isOriginalToBeHad(rows: Rows, name: SiteName): Promise<boolean> {
  const original = rows.names.originalOf(name)?.site
  if (original === undefined) return true
  const key = siteKeyOf(original)
  if (rows.sites.isLocked(key) || (await rows.lockIdle([key])).length > 0) return true
  return (await rows.peekSites([key]))(key) === undefined
}

/** After visits have ended, whose sites are locked. `reap` clears what is pending where nothing waits. */
export async function moveRested(rows: Rows, resting: readonly SiteRow[]): Promise<void> {
  for (const { name, waiting } of resting)
    if (waiting > 0 && rows.names.originalOf(name) !== undefined) await moveWaiting(rows, name, MAX_MOVED)
}

/**
 * Moves the rest of what was too much at once, and what waits in sites that are never visited. Sites that others have
 * locked are left to the next call.
 */
export async function movePending(rows: Rows): Promise<void> {
  let left = MAX_MOVED
  for (const name of await rows.pendingAliases(MAX_PENDING_NAMES)) {
    const key = siteKeyOf(name)
    const isThere = (await rows.peekSites([key]))(key) !== undefined
    if (isThere && (await rows.lockIdle([key])).length === 0) continue
    if (!isThere) await rows.lockSites([key])
    left -= await moveWaiting(rows, name, left)
    if (left <= 0) return
  }
}

export async function addAlias(rows: Rows, given: NewAlias): Promise<AliasAnswer> {
  await rows.readNames()
  const original = siteKeyOf(given.original)
  const [siteOf] = await Promise.all([rows.peekSites([original]), rows.lockSites([siteKeyOf(given.name)])])
  const there = siteOf(original)
  const answer = rows.names.add(given, rows.now, there !== undefined && isGivenUp(there))
  if (answer === 'taken') await moveWaiting(rows, given.name, MAX_MOVED)
  await rows.flush()
  return answer
}

/** False: it was not an alias. */
export async function dropAlias(rows: Rows, name: SiteName): Promise<boolean> {
  await rows.readNames()
  const isDropped = await drop(rows, name)
  await rows.flush()
  return isDropped
}

/** URLs that were moved from the alias and never fetched wait there again. */
async function drop(rows: Rows, name: SiteName): Promise<boolean> {
  if (!rows.names.drop(name)) return false
  const key = siteKeyOf(name)
  await rows.lockSites([key])
  const site = rows.sites.open(key, name)
  if (site === undefined) return true
  await rows.flush()
  const revived = await revive(rows, key, [REPLACED])
  if (revived === 0) return true
  site.waiting += revived
  rows.sites.change(site)
  wake(rows, site)
  return true
}

/** Nothing can be entered at an original that was given up. */
export async function dropAliasesOf(rows: Rows, original: SiteName): Promise<void> {
  if (rows.names.isEmpty) return
  await rows.flush()
  const names = await namesOf(rows, original, MAX_NAMES_DROPPED)
  await rows.lockSites(names.map(siteKeyOf))
  for (const name of names) await drop(rows, name)
}
