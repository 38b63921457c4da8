/**
 * Moves what waits at an alias to the original: marked here and entered there, some at a time. Never during a visit, which may
 * be fetching it.
 */
import type { SiteName } from '../../contracts/visit.ts'
import {
  type AliasAnswer,
  linksToMove,
  MAX_MOVED,
  MAX_NAMES_DROPPED,
  MAX_PENDING_NAMES,
  MAX_STAYING,
  type NewAlias,
} from '../aliases.ts'
import { type AgendaRow, linkOfRow, REPLACED } from '../rules/mark.ts'
import { keyOf, restAfter } from '../rules/site.ts'
import { admit } from './admit.ts'
import { writeGrown } from './replaced.ts'
import { readSite, writeSite } from './site-rows.ts'
import { hasSpellings, Spellings } from './spellings.ts'
import { readVia } from './visit-payload.ts'
import type { Work } from './work.ts'

export const READ_WAITING = `
  SELECT key, url, depth, via_site, via_key, path, lastmod FROM url
  WHERE site = ? AND mark = 0 ORDER BY due_at, seq LIMIT ?`
export const MARK_REPLACED = `UPDATE url SET mark = ${REPLACED} WHERE site = ? AND key = ?`
export const REVIVE_REPLACED = `UPDATE url SET mark = 0, due_at = 0, tries = 0 WHERE site = ? AND mark = ${REPLACED}`
export const READ_PENDING = `SELECT name FROM site_alias WHERE pending = 1 ORDER BY site LIMIT ?`
export const WRITE_PENDING = `UPDATE site_alias SET pending = ? WHERE site = ?`
export const READ_NAMES_OF = `SELECT name FROM site_alias WHERE original = ? LIMIT ?`

interface WaitingRow extends Pick<AgendaRow, 'key' | 'url' | 'depth' | 'path' | 'lastmod'> {
  via_site: bigint | null
  via_key: bigint | null
}

/** Returns how many were moved. */
export function moveWaiting(work: Work, name: SiteName, atMost = MAX_MOVED): number {
  const { tx } = work
  const key = keyOf(name)
  const site = readSite(tx, key)
  // What a visit has on its agenda belongs to it until it ends.
  if (site?.state === 'leased' || site?.state === 'returning') return 0
  const rows = site === undefined ? [] : tx.allExact<WaitingRow>(READ_WAITING, key, atMost + MAX_STAYING)
  const waiting = rows.map((row) => ({ row, link: linkOfRow(name, row, readVia(tx, row)) }))
  const { moved, more } = linksToMove(work.tools, waiting, atMost)
  tx.run(WRITE_PENDING, more ? 1 : 0, key)
  if (site === undefined || moved.length === 0) return 0
  const spellings = hasSpellings(tx, site) ? new Spellings(work, site) : undefined
  for (const { row } of moved) {
    tx.run(MARK_REPLACED, key, row.key)
    spellings?.forget({ site: key, key: row.key })
  }
  site.waiting -= moved.length
  restAfter(work, site, 'moved')
  writeSite(tx, site)
  const links = moved.flatMap((each) => each.links)
  admit(work, links)
  return moved.length
}

/** What was too much at once, and what waits in sites that are never visited. */
export function movePending(work: Work): void {
  let left = MAX_MOVED
  for (const { name } of work.tx.all<{ name: SiteName }>(READ_PENDING, MAX_PENDING_NAMES)) {
    left -= moveWaiting(work, name, left)
    if (left <= 0) return
  }
}

export function addAlias(work: Work, given: NewAlias): AliasAnswer {
  work.tools.aliases.refresh(work.tx)
  const answer = writeAlias(work, given)
  if (answer === 'taken') moveWaiting(work, given.name)
  return answer
}

export function writeAlias({ tx, tools, now }: Work, given: NewAlias): AliasAnswer {
  return tools.aliases.add(tx, given, now, (site) => readSite(tx, keyOf(site))?.state === 'barred')
}

/** What was moved from the alias without ever being fetched there waits there again. */
export function dropAlias(work: Work, name: SiteName): boolean {
  if (!work.tools.aliases.drop(work.tx, name)) return false
  const site = readSite(work.tx, keyOf(name))
  if (site === undefined || site.name !== name || site.state === 'barred') return true
  const revived = work.tx.run(REVIVE_REPLACED, site.key)
  if (revived === 0) return true
  site.waiting += revived
  writeGrown(work, site, true)
  return true
}

/** Nothing can be entered at an original that was given up. */
export function dropAliasesOf(work: Work, original: SiteName): void {
  if (work.tools.aliases.isEmpty) return
  for (const { name } of work.tx.all<{ name: SiteName }>(READ_NAMES_OF, original, MAX_NAMES_DROPPED))
    dropAlias(work, name)
}
