/**
 * Checks that a part matches its envelope and contains only values that tables can hold. Workers are trusted with
 * content, but no part may stop the coordinator or touch another site. The meaning of numbers is not judged.
 */
import { hash64 } from '../../base/digest.ts'
import { LONGEST_PLACE } from '../../contracts/change.ts'
import { decodeReport } from '../../contracts/decode-report.ts'
import type { Capture, Link, PageReport, VisitReport } from '../../contracts/report.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import { MAX_SKETCH, type PageMemory } from '../../contracts/visit.ts'
import { readVisitId } from '../../frontier/rules/visit.ts'
import { isValidator } from '../../web/http/validators.ts'
import { VOLUME_NAME } from '../wire/calls.ts'
import { LONGEST_DIGEST } from '../wire/visit-json.ts'

/** The latest possible instant. */
const LAST_INSTANT = 8.64e15
/** Three years: longer than any pause or answer. */
const LONGEST = 1e11
/** Bound for depths, tries and statuses. */
const MAX_SMALL = 1e9
const MAX_BYTES = 2 ** 50
/** A part covers about a second, so sums fit in 53 bits for any crawl. */
const MAX_COUNTED = 2 ** 40
/** `Tally` has 200 labels and the names without one. */
const MAX_COUNTERS = 500
const LONGEST_COUNTER = 200

const isInstant = (value: number) => value >= 0 && value <= LAST_INSTANT
const isDuration = (value: number) => value >= 0 && value <= LONGEST
const isSmall = (value: number) => Math.abs(value) <= MAX_SMALL
const isDigest = (text: string) => text !== '' && text.length <= LONGEST_DIGEST
const volumeName = new RegExp(VOLUME_NAME)

/** Reads the whole part: about 45 µs per page, a tenth of the cost of collecting one. */
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

/** The body is what is applied later, so it must match the envelope and ticket that were checked. */
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

function isPossiblePage(page: PageReport): boolean {
  const { outcome, capture, memory, change } = page
  return (
    isInstant(page.at) &&
    isDuration(page.tookMs) &&
    isSmall(page.depth) &&
    isSmall(page.status) &&
    isSmall(page.tries) &&
    page.bytes <= MAX_BYTES &&
    (outcome.kind !== 'later' || isInstant(outcome.notBefore)) &&
    (capture === undefined || isPossibleCapture(capture)) &&
    (memory === undefined || isPossibleMemory(memory)) &&
    (change?.place ?? '').length <= LONGEST_PLACE
  )
}

const isPossibleCapture = ({ volume, digest, offset, length }: Capture) =>
  volumeName.test(volume) && isDigest(digest) && offset <= MAX_BYTES && length <= MAX_BYTES

/** It is handed out again with the next look, and the validators are sent to the page's server. */
function isPossibleMemory({ digest, etag, lastModified, sketch }: PageMemory): boolean {
  const isShort = sketch === undefined || sketch.length <= MAX_SKETCH
  return isShort && isDigest(digest) && [etag, lastModified].every((text) => text === undefined || isValidator(text))
}

function isPossibleLink({ depth, lastmod = 0 }: Link): boolean {
  return isSmall(depth) && isInstant(lastmod)
}
