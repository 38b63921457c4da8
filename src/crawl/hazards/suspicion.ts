/**
 * What the paper's limits (V12) are good for by default: a site with very many URLs, duplicates or levels is looked at with
 * less patience, and so is one in which a trap was found. Files that are no pages (images, documents) are not counted as
 * duplicates: the same brochure under three names is no trap.
 */
import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { OpenTraps } from './open-traps.ts'

const MANY_URLS = 5_000
const MANY_DUPLICATES = 10
const MANY_LEVELS = 12

export function suspicionOf({ fetched, deepest }: SiteMemory, { copies, suspects }: OpenTraps): number {
  let points = 0
  if (fetched >= MANY_URLS) points++
  if (copies > MANY_DUPLICATES && copies * 5 > fetched) points++
  if (deepest >= MANY_LEVELS) points++
  if (suspects.some(({ stopped }) => stopped)) points++
  return points
}
