/**
 * What waits in a site that turned out to be another name: it goes to the original, marked here and entered there, some at
 * a time. Never while a visit is out, which may be asking for it.
 */
import { signed64, unsigned64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { siteKey } from '../../web/url/web-url.ts'
import {
  type AliasAnswer,
  MAX_MOVED,
  MAX_NAMES_DROPPED,
  MAX_PENDING_NAMES,
  type NewAlias,
  renamed,
} from '../aliases.ts'
import { REPLACED } from '../rules/mark.ts'
import { stateAfter } from '../rules/site.ts'
import { admit } from './admit.ts'
import { beginToWait, growSite, readSite, wake, writeSite } from './site-rows.ts'
import { forgetSpellings, hasSpellings } from './spellings.ts'
import type { FrontierTools } from './tools.ts'
import { readUrlText } from './visit-payload.ts'

/** Home pages stay, and are few. */
const MAX_STAYING = 10

export const READ_WAITING = `
  SELECT key, url, depth, via_site, via_key, path, lastmod FROM url
  WHERE site = ? AND mark = 0 ORDER BY due_at, seq LIMIT ?`
export const MARK_REPLACED = `UPDATE url SET mark = ${REPLACED} WHERE site = ? AND key = ?`
export const REVIVE_REPLACED = `UPDATE url SET mark = 0, due_at = 0, tries = 0 WHERE site = ? AND mark = ${REPLACED}`
export const READ_PENDING = `SELECT name FROM site_alias WHERE pending = 1 ORDER BY site LIMIT ?`
export const WRITE_PENDING = `UPDATE site_alias SET pending = ? WHERE site = ?`
export const READ_NAMES_OF = `SELECT name FROM site_alias WHERE original = ? LIMIT ?`

interface WaitingRow {
  key: bigint
  url: string
  depth: bigint
  via_site: bigint | null
  via_key: bigint | null
  path: string
  lastmod: bigint | null
}

/** Says how many went. */
export function moveWaiting(tx: SqliteTx, tools: FrontierTools, name: SiteName, atMost = MAX_MOVED): number {
  const key = signed64(siteKey(name))
  const site = readSite(tx, key)
  // What a visit has on its agenda is its own until it ends.
  if (site?.state === 'leased' || site?.state === 'returning') return 0
  const rows = site === undefined ? [] : tx.allExact<WaitingRow>(READ_WAITING, key, atMost + MAX_STAYING)
  const going = rows.flatMap((row) => {
    const { links } = renamed(tools, [linkOf(tx, name, row)])
    return links[0].site === name ? [] : [{ row, links }]
  })
  const moved = going.slice(0, atMost)
  const more = moved.length > 0 && (going.length > atMost || rows.length === atMost + MAX_STAYING)
  tx.run(WRITE_PENDING, more ? 1 : 0, key)
  if (site === undefined || moved.length === 0) return 0
  const spelt = hasSpellings(tx, site)
  for (const { row } of moved) {
    tx.run(MARK_REPLACED, key, row.key)
    if (spelt) forgetSpellings(tx, site, row.key)
  }
  site.waiting -= moved.length
  site.state = stateAfter(site.state, { kind: 'moved', left: site.waiting })
  if (site.state === 'waiting') beginToWait(tx, tools, site)
  writeSite(tx, site)
  const links = moved.flatMap((each) => each.links)
  admit(tx, tools, links)
  return moved.length
}

/** What was too much at once, and what waits in sites that nobody visits. */
export function movePending(tx: SqliteTx, tools: FrontierTools): void {
  let left = MAX_MOVED
  for (const { name } of tx.all<{ name: SiteName }>(READ_PENDING, MAX_PENDING_NAMES)) {
    left -= moveWaiting(tx, tools, name, left)
    if (left <= 0) return
  }
}

export function addAlias(tx: SqliteTx, tools: FrontierTools, given: NewAlias): AliasAnswer {
  tools.aliases.refresh(tx)
  const answer = tools.aliases.add(tx, given, tools.time.now())
  if (answer === 'taken') moveWaiting(tx, tools, given.name)
  return answer
}

/** A name that is one no more: what was moved without ever being asked for there waits there again. */
export function dropAlias(tx: SqliteTx, tools: FrontierTools, name: SiteName): boolean {
  if (!tools.aliases.drop(tx, name)) return false
  const site = readSite(tx, signed64(siteKey(name)))
  if (site === undefined || site.name !== name || site.state === 'barred') return true
  const revived = tx.run(REVIVE_REPLACED, site.key)
  if (revived === 0) return true
  site.waiting += revived
  if (wake(tx, tools, site)) writeSite(tx, site)
  else growSite(tx, site)
  return true
}

/** An original that was given up is no place to enter anything at. */
export function dropNamesOf(tx: SqliteTx, tools: FrontierTools, original: SiteName): void {
  if (tools.aliases.isEmpty) return
  for (const { name } of tx.all<{ name: SiteName }>(READ_NAMES_OF, original, MAX_NAMES_DROPPED))
    dropAlias(tx, tools, name)
}

function linkOf(tx: SqliteTx, site: SiteName, row: WaitingRow): Link {
  const via = row.via_site === null || row.via_key === null ? undefined : readUrlText(tx, row.via_site, row.via_key)
  const link: Link = {
    url: row.url,
    key: unsigned64(row.key),
    site,
    depth: Number(row.depth),
    via: via ?? '',
    path: row.path,
  }
  return row.lastmod === null ? link : { ...link, lastmod: Number(row.lastmod) }
}
