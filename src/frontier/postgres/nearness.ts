/**
 * Which region connects to a site fastest, as far as was tried (C13). A site that one region reaches clearly faster than
 * others leans to it. Before that is known, one or two other regions are tried; afterwards, now and then.
 */
import type { Millis } from '../../base/clock.ts'
import { hash64, unsigned64 } from '../../base/digest.ts'

/** Columns of the site's row. */
export interface Nearness {
  /** The region that connects fastest; '': none has connected yet. */
  near_region: string
  near_ms: Millis | null
  /** The fastest of all others; null: no other has connected. */
  far_ms: Millis | null
  /** Regions that have connected: one of 30 bits for each, by its name. */
  near_tried: number
}

export const UNKNOWN: Nearness = { near_region: '', near_ms: null, far_ms: null, near_tried: 0 }

/** Below this no other region is tried. */
const NEAR_ENOUGH: Millis = 10
/** A difference counts when it is more than a quarter and this. */
const CLEAR_FACTOR = 1.25
const CLEAR_MS: Millis = 5
/** Regions that are tried at the start. */
const MAX_EARLY = 3
/** One in so many of the later visits goes elsewhere. */
const EXPLORE_ONE_IN = 50n
/** The weight of the latest visit. */
const WEIGHT = 0.3

/** A visit from a region took this long to connect. */
export function learnNearness(site: Nearness, region: string, ms: Millis): void {
  site.near_tried |= bitOf(region)
  if (site.near_ms === null) {
    site.near_region = region
    site.near_ms = ms
  } else if (region === site.near_region) {
    site.near_ms = smooth(site.near_ms, ms)
    // The near region has become slow: other regions are tried anew.
    if (site.far_ms !== null && isClearly(site.far_ms, site.near_ms)) {
      site.far_ms = null
      site.near_tried = bitOf(region)
    }
  } else if (isClearly(ms, site.near_ms)) {
    site.far_ms = site.near_ms
    site.near_region = region
    site.near_ms = ms
  } else site.far_ms = site.far_ms === null || ms < site.far_ms ? ms : smooth(site.far_ms, ms)
}

/** The region for the next visit, of those where workers are; '': any. `fence`: of the last visit. */
export function regionFor(
  { near_region, near_ms, far_ms, near_tried }: Nearness,
  key: bigint,
  fence: number,
  regions: readonly string[],
): string {
  if (near_ms === null || regions.length < 2) return ''
  const chance = hash64(`${unsigned64(key)} ${fence}`)
  if (near_ms > NEAR_ENOUGH) {
    const untried = bitsIn(near_tried) < MAX_EARLY ? regions.filter((region) => !(near_tried & bitOf(region))) : []
    if (untried.length > 0) return pick(untried, chance)
    if (chance % EXPLORE_ONE_IN === 0n)
      return pick(
        regions.filter((region) => region !== near_region),
        chance / EXPLORE_ONE_IN,
      )
  }
  return far_ms !== null && isClearly(near_ms, far_ms) && regions.includes(near_region) ? near_region : ''
}

function pick(regions: readonly string[], chance: bigint): string {
  return regions[Number(chance % BigInt(regions.length))]
}

function isClearly(near: Millis, far: Millis): boolean {
  return far > near * CLEAR_FACTOR + CLEAR_MS
}

function smooth(before: Millis, now: Millis): Millis {
  return before + WEIGHT * (now - before)
}

function bitOf(region: string): number {
  return 1 << Number(hash64(region) % 30n)
}

function bitsIn(set: number): number {
  let bits = 0
  for (let rest = set; rest !== 0; rest &= rest - 1) bits++
  return bits
}
