/**
 * Whether a part is what its envelope says, and holds nothing that a table could not: a worker is trusted with what it
 * brings, but no part of its may stop the coordinator or touch a site that it was not given. What the numbers mean is not judged.
 */
import { hash64 } from '../../base/digest.ts'
import { decodeReport } from '../../contracts/decode-report.ts'
import type { Link, PageReport, VisitReport } from '../../contracts/report.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import { readVisitId } from '../../frontier/rules/visit.ts'
import { VOLUME_NAME } from '../wire/calls.ts'

/** The last instant that a date can be. */
const LAST_INSTANT = 8.64e15
/** Three years: longer than any pause, and than any answer takes. */
const LONGEST = 1e11
/** Depths and tries are small numbers, and statuses too. */
const MAX_SMALL = 1e9
const MAX_BYTES = 2 ** 50
/** A part counts what took place in a second or so: sums of these fit in 53 bits for as long as a crawl may last. */
const MAX_COUNTED = 2 ** 40
/** `Tally` has 200 labels and the names without one. */
const MAX_COUNTERS = 500
const LONGEST_COUNTER = 200

const isInstant = (value: number) => value >= 0 && value <= LAST_INSTANT
const isDuration = (value: number) => value >= 0 && value <= LONGEST
const isSmall = (value: number) => Math.abs(value) <= MAX_SMALL
const volumeName = new RegExp(VOLUME_NAME)

/** Reads the whole of it: about 45 µs a page, a tenth of what collecting one costs. */
export function isSound(part: SealedPart): boolean {
  let report: VisitReport
  try {
    report = decodeReport(part.body)
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
  return isOf(part, report) && hasOnlyPossible(report)
}

/** What counts later is what the body says, so it must say what the envelope and its ticket were checked for. */
function isOf(part: SealedPart, report: VisitReport): boolean {
  const visit = readVisitId(part.visit)
  return (
    report.visit === part.visit &&
    report.fence === part.fence &&
    report.part === part.part &&
    report.site === part.site &&
    (report.ended !== undefined) === part.last &&
    report.part > 0 &&
    visit !== undefined &&
    visit.fence === part.fence &&
    visit.site === hash64(part.site)
  )
}

function hasOnlyPossible({ pages, found, crossSite, findings, counts, courtesy }: VisitReport): boolean {
  const { pause, lastAnswerAt = 0, notBefore, connectMs = 0 } = courtesy
  return (
    isDuration(pause) &&
    isDuration(connectMs) &&
    isInstant(lastAnswerAt) &&
    isInstant(notBefore) &&
    pages.every(isPossiblePage) &&
    found.every(isPossibleLink) &&
    crossSite.every(isPossibleLink) &&
    findings.every(({ at }) => isInstant(at)) &&
    counts.size <= MAX_COUNTERS &&
    [...counts].every(([name, value]) => name.length <= LONGEST_COUNTER && value <= MAX_COUNTED)
  )
}

function isPossiblePage({ at, depth, status, bytes, tookMs, tries, outcome, capture }: PageReport): boolean {
  return (
    isInstant(at) &&
    isDuration(tookMs) &&
    [depth, status, tries].every(isSmall) &&
    bytes <= MAX_BYTES &&
    (outcome.kind !== 'later' || isInstant(outcome.notBefore)) &&
    (capture === undefined ||
      (volumeName.test(capture.volume) && capture.offset <= MAX_BYTES && capture.length <= MAX_BYTES))
  )
}

function isPossibleLink({ depth, lastmod = 0 }: Link): boolean {
  return isSmall(depth) && isInstant(lastmod)
}
