/** Freshness for people and for scripts: in `status`, in the progress of a refresh, in its result. */
import { formatDuration } from '../../base/units.ts'
import { type Freshness, publicFreshness } from '../../cluster/maintenance/measure-freshness.ts'
import type { LookCounts } from '../../collection/counters/counters.ts'
import { grouped } from '../../report/text-table.ts'
import { isoTime, some } from './text.ts'

/** `freshness 93.1% of at most 95.0%`; undefined when it is not measured yet. */
export function freshnessText(freshness: Freshness | undefined): string | undefined {
  if (freshness === undefined) return undefined
  const [now, most] = [percent(freshness.freshness), percent(freshness.bound)]
  // Just after a look at every page.
  if (freshness.freshness > freshness.bound) return `freshness ${now} (at most ${most} in the long run)`
  return `freshness ${now} of at most ${most}`
}

/** The nearer to all or nothing, the more digits. */
export function percent(share: number): string {
  const digits = share > 0.999 || share < 0.001 ? 3 : share > 0.99 || share < 0.01 ? 2 : 1
  return `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : digits)}%`
}

/** The lines of `status`; none is longer than 80 characters. */
export function freshnessLines(freshness: Freshness): string[] {
  const { pages, measured, sites, stalenessRatio, ageSeconds, capacity, gain } = freshness
  const oneMore = capacity === null ? '' : `+${percent(gain.oneMoreLook)} from one look/s more, `
  const lines = [
    `  fresh       ${percent(freshness.freshness)} expected, of ${some(pages, 'known page')}`,
    `              out of date for ${ageSeconds < 1 ? 'less than 1s' : formatDuration(Math.round(ageSeconds) * 1000)} on average`,
    `  at most     ${percent(freshness.bound)}, with ${howOften(freshness.boundLooks)}`,
    `  gain        ${oneMore}+${percent(gain.shorterPause)} from 10% shorter pauses`,
  ]
  if (stalenessRatio !== null)
    lines.splice(
      3,
      0,
      stalenessRatio < 1
        ? '              fresher than it can stay: many pages were looked at just now'
        : `              staleness is ${stalenessRatio.toFixed(2)} times the least possible`,
    )
  if (measured < pages)
    lines.splice(1, 0, `              (measured: ${grouped(measured)} of them, on ${some(sites, 'site')})`)
  return lines
}

function howOften(perSecond: number): string {
  if (perSecond < 0.1) return `${(3600 * perSecond).toFixed(1)} looks/h`
  return `${perSecond < 10 ? perSecond.toFixed(2) : grouped(Math.round(perSecond))} looks/s`
}

export function lookLines({ performed, changed, unchanged, moved, refused, failed, hints }: LookCounts): string[] {
  const lines = [`  looks       ${grouped(performed)} : ${grouped(changed)} changed, ${grouped(unchanged)} unchanged`]
  if (failed + moved + refused > 0)
    lines.push(
      `              ${grouped(failed)} failed, ${grouped(moved)} moved, ${grouped(refused)} no longer permitted or wanted`,
    )
  if (hints.performed + hints.discarded + hints.new > 0)
    lines.push(
      `  hints       ${grouped(hints.performed)} followed, ${grouped(hints.discarded)} discarded, ${grouped(hints.new)} of new URLs`,
    )
  return lines
}

/** Only documented keys. */
export function freshnessJson(freshness: Freshness | undefined): object | null {
  if (freshness === undefined) return null
  return { ...publicFreshness(freshness), at: isoTime(freshness.at) }
}
