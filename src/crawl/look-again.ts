/**
 * A page that was fetched before is asked for with its validators, so that an unchanged one costs no body (W9). Some
 * servers' validators are untrue: now and then a page is asked for without them, to compare. A server that would have said
 * "not modified" of a changed page twice is not believed any more; tags that change though the page did not are not sent.
 */
import type { Instant } from '../base/clock.ts'
import type { Body, Exchange, Headers } from '../contracts/exchange.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem, KnownPage, PageMemory } from '../contracts/visit.ts'
import { conditionsOf, isSameByValidators, validatorsOf } from '../web/http/validators.ts'
import { decideOutcome } from './page-outcome.ts'
import { type PageResult, reportOf, resultOf } from './page-result.ts'
import type { Reporter } from './reporter.ts'
import type { StorageTools } from './tools.ts'

/** One look in so many is a whole one. */
const WHOLE_EVERY = 20
/** From so many on, a server's validators are not believed, or its tags are of no use. */
const LIES = 2
const RENEWED = 3

type Belief = NonNullable<SiteMemory['validators']>
const NO_BELIEF: Belief = { asked: 0, lies: 0, renewed: 0 }

/** The headers of a conditional request; none for a first look, a whole one, or a server that is not believed. */
export function conditionsFor({ before }: AgendaItem, memory: SiteMemory, now: Instant): Headers {
  if (before === undefined) return []
  const { asked, lies, renewed } = memory.validators ?? NO_BELIEF
  if (lies >= LIES || (asked + 1) % WHOLE_EVERY === 0) return []
  const { etag, lastModified } = before
  return conditionsOf(renewed >= RENEWED ? { lastModified } : { etag, lastModified }, now)
}

/** A 304 that was asked for: the page is as it was; the record refers to the one that has its payload. */
export function unmodified(
  item: AgendaItem,
  before: KnownPage,
  exchange: Exchange,
  answer: Body,
  reporter: Reporter,
  { archive }: Pick<StorageTools, 'archive'>,
): PageResult {
  const capture = archive.keep(exchange, before.digest, before.captured)
  const { captured: _, ...known } = before
  const memory = { ...known, ...validatorsOf(answer.head.headers, exchange.sentAt) }
  reporter.remember(withLook(reporter.memory, {}))
  const page = reportOf(item, exchange, decideOutcome({ kind: 'unmodified' }), { capture, memory })
  return resultOf(item, page)
}

/** What a whole answer shows of the server's validators. `isAsked`: it could have answered 304. */
export function judgeValidators(
  memory: SiteMemory,
  before: PageMemory,
  after: PageMemory,
  isAsked: boolean,
): SiteMemory {
  const isSame = before.digest === after.digest
  if (isAsked) return withLook(memory, { renewed: isSame && before.etag !== undefined && before.etag !== after.etag })
  // A weak tag promises the same meaning, not the same bytes.
  const isWeak = before.etag?.startsWith('W/') === true
  const isChanged = isWeak ? before.textDigest !== after.textDigest : !isSame
  return withLook(memory, { lies: isChanged && isSameByValidators(before, after) })
}

function withLook(memory: SiteMemory, found: { lies?: boolean; renewed?: boolean }): SiteMemory {
  const { asked, lies, renewed } = memory.validators ?? NO_BELIEF
  return {
    ...memory,
    validators: {
      asked: asked + 1,
      lies: lies + (found.lies ? 1 : 0),
      renewed: found.renewed ? renewed + 1 : renewed,
    },
  }
}
