/**
 * Which captures of a page stay, by a rule such as `all for 30d, daily for 1y, monthly`: from now back to 30 days all of them,
 * back to a year one per day, before that one per month. Of several in a period, the last that brought the page stays; answers
 * that only say "not modified" go before it, failures before those. The last capture and the last good one always stay.
 *
 * The choice within a period depends on nothing that a run removes, so a run that was cut off and repeated keeps the same.
 */
import type { Instant, Millis } from '../../base/clock.ts'
import type { Capture } from '../../contracts/report.ts'
import { hasPage } from '../captures/read-captures.ts'

/** From fine to coarse; `changes`, every version without the looks that found it unchanged, may stand anywhere after `all`. */
const WHATS = ['all', 'changes', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'none'] as const
type What = (typeof WHATS)[number]

interface Step {
  what: What
  /** It holds for captures up to this age; of the last step infinite. */
  upTo: Millis
}

export type RetentionRule = readonly Step[]

const HOUR = 3_600_000
const DAY = 24 * HOUR
const UNITS: Readonly<Record<string, Millis>> = { h: HOUR, d: DAY, w: 7 * DAY, y: 365 * DAY }
const MAX_STEPS = 20
const EXAMPLE = "write for example 'all for 30d, daily for 1y, monthly'"

/** Or what is wrong with it, and what to write instead. */
export function parseRetention(text: string): RetentionRule | { wrong: string } {
  const parts = text.split(',').map((part) => part.trim().toLowerCase().replace(/\s+/g, ' '))
  if (parts.length > MAX_STEPS) return { wrong: `has ${parts.length} steps, and at most ${MAX_STEPS} are allowed` }
  const steps: Step[] = []
  for (const [nth, part] of parts.entries()) {
    const found = /^([a-z]+)(?: for (.*))?$/.exec(part)
    const what = WHATS.find((name) => name === found?.[1])
    if (found === null || what === undefined)
      return {
        wrong: `'${part}' is not a step of a rule: each is one of ${WHATS.join(', ')}, with 'for' and an age; ${EXAMPLE}`,
      }
    const isLast = nth === parts.length - 1
    const age = found[2] === undefined ? Number.POSITIVE_INFINITY : parseAge(found[2])
    if (age === undefined) return { wrong: `'${found[2]}' is not an age: write 12h, 30d, 8w or 1y` }
    if (isLast && age !== Number.POSITIVE_INFINITY)
      return {
        wrong: `says nothing of captures older than ${found[2]}: end it with a step without 'for', such as monthly, or none to remove them`,
      }
    if (!isLast && age === Number.POSITIVE_INFINITY)
      return {
        wrong: `'${part}' leaves nothing to the steps after it: say how far back it reaches, such as '${part} for 30d'`,
      }
    const before = steps.at(-1)
    if (before !== undefined && age <= before.upTo)
      return { wrong: `'${part}' does not reach further back than the step before it: ages are counted from now` }
    const finer = steps.find(
      (step) => what === 'all' || (what !== 'changes' && WHATS.indexOf(step.what) > WHATS.indexOf(what)),
    )
    if (finer !== undefined)
      return {
        wrong: `'${part}' cannot follow ${finer.what}, which has removed those captures already: go from fine to coarse`,
      }
    steps.push({ what, upTo: age })
  }
  return steps
}

function parseAge(text: string): Millis | undefined {
  const found = /^(\d{1,6}) ?(h|d|w|y)(?:ours?|ays?|eeks?|ears?)?$/.exec(text)
  if (found === null || Number(found[1]) === 0) return undefined
  return Number(found[1]) * UNITS[found[2]]
}

/** What a rule needs to know of a capture. */
export interface DatedCapture {
  at: Instant
  status: number
  kind: Capture['kind']
  digest: string
}

/**
 * Decides over the captures of one page, which come newest first, in constant memory. `content`: what the page's row says it holds;
 * a capture of it must stay.
 */
export function pageRetention<C extends DatedCapture>(
  rule: RetentionRule,
  now: Instant,
  content: string | null,
  decide: (capture: C, stays: boolean) => void,
) {
  /** Waits for the one before it, which tells whether it brought another version. */
  let newer: C | undefined
  /** The best of its period so far. */
  let held: { capture: C; worth: number; stays: boolean } | undefined
  let period = ''
  let isFirst = true
  let lacksGood = true
  let lacksContent = true

  const release = (): void => {
    if (held !== undefined) decide(held.capture, true)
    held = undefined
    period = ''
  }
  const mustStay = (capture: C): boolean => {
    const isNeeded = isFirst || (lacksGood && isGood(capture)) || (lacksContent && capture.digest === content)
    isFirst = false
    if (isGood(capture)) lacksGood = false
    if (capture.digest === content) lacksContent = false
    return isNeeded
  }
  const place = (capture: C, isChanged: boolean): void => {
    const age = Math.max(0, now - capture.at)
    const nth = rule.findIndex(({ upTo }) => age <= upTo)
    const { what } = rule[nth]
    const stays = mustStay(capture)
    if (what === 'all' || what === 'none' || what === 'changes') {
      release()
      decide(capture, stays || what === 'all' || (what === 'changes' && isChanged))
      return
    }
    const its = `${nth} ${periodOf(what, capture.at)}`
    if (its !== period) release()
    period = its
    const next = { capture, stays, worth: worthOf(capture) }
    if (held === undefined) held = next
    else if (next.worth > held.worth) {
      decide(held.capture, held.stays)
      held = next
    } else decide(capture, stays)
  }

  return {
    add(capture: C): void {
      if (newer !== undefined) place(newer, isChange(capture, newer))
      newer = capture
    },
    end(): void {
      if (newer !== undefined) place(newer, true)
      newer = undefined
      release()
    },
  }
}

const NOT_MODIFIED = 304

/** 2: it brought the page, 1: it says that the page is as before. */
function worthOf(capture: DatedCapture): 0 | 1 | 2 {
  if (!hasPage(capture)) return 0
  return capture.status === NOT_MODIFIED ? 1 : 2
}

export function isGood(capture: DatedCapture): boolean {
  return worthOf(capture) > 0
}

function isChange(before: DatedCapture, after: DatedCapture): boolean {
  if (before.digest !== after.digest) return true
  return before.status !== after.status && before.status !== NOT_MODIFIED && after.status !== NOT_MODIFIED
}

/** The number of the period of a time, in UTC; weeks begin on Monday. */
function periodOf(what: Exclude<What, 'all' | 'changes' | 'none'>, at: Instant): number {
  const date = new Date(at)
  switch (what) {
    case 'hourly':
      return Math.floor(at / HOUR)
    case 'daily':
      return Math.floor(at / DAY)
    case 'weekly':
      return Math.floor((at / DAY + 3) / 7)
    case 'monthly':
      return date.getUTCFullYear() * 12 + date.getUTCMonth()
    case 'yearly':
      return date.getUTCFullYear()
  }
}
