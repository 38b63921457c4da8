/**
 * A page that was fetched before is requested with its validators, so that an unchanged one costs no body (W9). Some
 * servers' validators are untrue: now and then a page is requested without them, to compare. A server that would have
 * said "not modified" of a changed page twice is not believed until its validators have told many changes; tags that
 * are of no use are not sent, but the date instead.
 */
import type { Instant } from '../base/clock.ts'
import { hash64 } from '../base/digest.ts'
import type { Headers } from '../contracts/exchange.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem, KnownPage, PageMemory, UrlKey } from '../contracts/visit.ts'
import { conditionsOf, isSameByValidators, type Validators, validatorsOf } from '../web/http/validators.ts'
import { type Answered, declaredType, directivesOf, type ReadAnswer } from './answers.ts'
import { decideOutcome } from './page-outcome.ts'
import { type PageResult, reportOf, resultOf } from './page-result.ts'
import { isSitemap } from './sitemaps.ts'
import type { PolicyTools, StorageTools, VisitState } from './tools.ts'

/** One look in so many is a whole one: at first, and for a site whose validators were true in so many looks. */
const WHOLE_EVERY = 20n
const TRUSTED_AFTER = 40
const WHOLE_EVERY_TRUSTED = 300n
/** From this count on, a server's validators are not believed, or its tags count as useless. */
const LIES = 2
/**
 * The maximum that is counted. A change that the validators reported makes up for this much of one, since servers get
 * repaired.
 */
const MOST_LIES = 4
const TOLD = 1 / 16
const RENEWED = 3

type Belief = NonNullable<SiteMemory['validators']>
const NO_BELIEF: Belief = { asked: 0, lies: 0, renewed: 0 }

/** The headers of a conditional request; none for a first look, a whole one, or a server that is not believed. */
export function conditionsFor({ key, before }: AgendaItem, memory: SiteMemory, now: Instant): Headers {
  // Without a capture to refer to, there is nothing that a 304 could be recorded as. Sitemaps need no record.
  if (before === undefined || (before.captured === undefined && before.was !== 'read')) return []
  const { asked, lies, renewed } = memory.validators ?? NO_BELIEF
  if (lies >= LIES || isWholeLook(key, asked, lies)) return []
  return conditionsOf(validatorToSend(before, renewed), now)
}

/**
 * A server must ignore the date beside a tag (RFC 9110, §13.1.3), and of a 304 that costs 500 bytes it would be a tenth. Without a
 * date, even a tag that seems to be of no use is sent: it costs less than a page that it saves.
 */
function validatorToSend({ etag, lastModified }: PageMemory, renewed: number): Validators {
  const isUseless = renewed >= RENEWED && lastModified !== undefined
  return etag === undefined || isUseless ? { lastModified } : { etag }
}

/** Drawn at random: with a count, the pages of a small site take turns and it would always be the same page. */
export function isWholeLook(key: UrlKey, asked: number, lies: number): boolean {
  const every = lies === 0 && asked >= TRUSTED_AFTER ? WHOLE_EVERY_TRUSTED : WHOLE_EVERY
  return hash64(`${key} ${asked}`) % every === 0n
}

interface LookTools {
  site: StorageTools & PolicyTools
  state: VisitState
}

/** The 304 of a conditional request: the page is as it was; the record refers to the one that has its payload. */
export function unmodified(item: AgendaItem, before: KnownPage, answered: Answered, tools: LookTools): PageResult {
  const { reporter } = tools.state
  reporter.remember(withLook(reporter.memory, {}))
  // A tag that differs from ours belongs to other bytes (RFC 9111, §4.3.4): storing it would hide a change for good.
  const after = { ...validatorsOf(answered.answer.head.headers, answered.exchange.sentAt), ...before }
  return asBefore(item, after, answered, isForbidden(answered, tools), tools)
}

/**
 * The bytes are those of the last look: they are not read again, and no link is reported again (Y12). Undefined: it has
 * changed, or what it is can't be said without reading it.
 */
export function unchanged(item: AgendaItem, answered: ReadAnswer, tools: LookTools): PageResult | undefined {
  const { before } = item
  const { exchange, answer, digest, isAsked } = answered
  if (before === undefined || before.digest !== digest || answer.payload.length === 0) return undefined
  const noindex = isForbidden(answered, tools)
  const hasCapture = before.captured !== undefined
  // Without a declared type only the bytes say what it is, and whether that is still wanted.
  const isKnown =
    before.was === 'read'
      ? hasCapture || noindex
      : hasCapture && !noindex && !isSitemap(item) && declaredType(exchange) !== undefined
  if (!isKnown) return undefined
  const { reporter } = tools.state
  const { etag: _etag, lastModified: _lastModified, ...known } = before
  const after = { ...known, ...validatorsOf(answer.head.headers, exchange.sentAt) }
  reporter.remember(judgeValidators(reporter.memory, before, after, isAsked))
  return asBefore(item, after, answered, noindex, tools)
}

/** The result of a look that found the page as it was. What must not be kept (`noindex`) is not. */
function asBefore(
  item: AgendaItem,
  { captured, was, looks: _looks, lookedAt: _lookedAt, sketch: _sketch, ...memory }: KnownPage,
  { exchange }: Answered,
  noindex: boolean,
  { site: { archive } }: LookTools,
): PageResult {
  if (noindex && was === 'kept') {
    const outcome = decideOutcome({ kind: 'refused', by: 'directive', rule: 'noindex' })
    return resultOf(item, reportOf(item, exchange, outcome, {}))
  }
  const capture = captured && !noindex ? archive.keep(exchange, memory.digest, captured) : undefined
  const outcome = decideOutcome({ kind: 'as-before', was })
  return resultOf(item, reportOf(item, exchange, outcome, { capture, memory }))
}

/** By the headers; the page itself says what it said before. */
function isForbidden({ answer }: Answered, { site }: LookTools): boolean {
  return directivesOf(answer.head.headers, undefined, site.token).noindex
}

/** What a whole answer shows of the server's validators. `isAsked`: it could have answered 304. */
export function judgeValidators(
  memory: SiteMemory,
  before: PageMemory,
  after: PageMemory,
  isAsked: boolean,
): SiteMemory {
  const sent = validatorToSend(before, memory.validators?.renewed ?? 0)
  const isSame = before.digest === after.digest
  // It sent the same bytes again under the same date: its tags change though the page does not, or it does not look at ours.
  // Where the date has changed, too (a file was touched), it would not have done better than the tag.
  const isSameDate = before.lastModified !== undefined && before.lastModified === after.lastModified
  if (isAsked) return withLook(memory, { renewed: isSame && isSameDate && sent.etag !== undefined })
  // A weak tag promises the same meaning, not the same bytes.
  const isWeak = sent.etag?.startsWith('W/') === true
  const isChanged = isWeak ? before.textDigest !== after.textDigest : !isSame
  const compared = sent.etag === undefined ? [sent.lastModified, after.lastModified] : [sent.etag, after.etag]
  if (!isChanged || compared.includes(undefined)) return withLook(memory, {})
  return withLook(memory, { lies: isSameByValidators(sent, after) ? 1 : -TOLD })
}

function withLook(memory: SiteMemory, found: { lies?: number; renewed?: boolean }): SiteMemory {
  const { asked, lies, renewed } = memory.validators ?? NO_BELIEF
  return {
    ...memory,
    validators: {
      asked: asked + 1,
      lies: Math.min(MOST_LIES, Math.max(0, lies + (found.lies ?? 0))),
      renewed: found.renewed ? renewed + 1 : renewed,
    },
  }
}
