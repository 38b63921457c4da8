/** The rules that hold for a URL of which the visit has none yet: from the site's memory, or asked for now and made durable at once. */
import type { Instant, Millis } from '../base/clock.ts'
import type { Exchange } from '../contracts/exchange.ts'
import { statusOfFailure } from '../contracts/outcome.ts'
import type { VisitEnd } from '../contracts/report.ts'
import type { RobotsMemory } from '../contracts/site-memory.ts'
import { type AgendaItem, OWN_REQUEST_PATH } from '../contracts/visit.ts'
import type { Robots } from '../web/robots/robots.ts'
import type { Asking } from './ask.ts'
import { keep } from './ask-for.ts'
import { failureOfStatus, waitAfter } from './failures.ts'
import { isSchemeProbe } from './name-probes.ts'
import { withOwner } from './names.ts'
import { reportOf } from './page-facts.ts'
import { reportOwnRequest } from './record-result.ts'
import type { Reporter } from './reporter.ts'
import { askForRobots, FRESH_FOR, isFresh, recalled, schemeOf } from './robots.ts'
import type { ScreenTools } from './screen.ts'
import { answered, robotsFail } from './site-failures.ts'
import { offerSitemaps } from './sitemaps.ts'
import type { SiteTools } from './tools.ts'

export type Rules =
  | { kind: 'rules'; robots: Robots }
  /** Its scheme has no robots.txt to give, while the site answers under the other one: this URL waits, the visit goes on. */
  | { kind: 'scheme-fails'; memory: RobotsMemory }
  | { kind: 'visit-ends'; why: VisitEnd }

export async function rulesFor(
  item: AgendaItem,
  rules: Map<string, Robots>,
  asking: Asking,
  { site: tools, screen }: { site: SiteTools; screen: ScreenTools },
): Promise<Rules> {
  const { reporter } = screen
  const scheme = schemeOf(item.url)
  const now = tools.clock.now()
  const before = reporter.memory.robots[scheme]
  if (isFresh(before, now)) {
    const robots = await recalled(before, tools)
    rules.set(scheme, robots)
    return { kind: 'rules', robots }
  }
  const other = scheme === 'http' ? 'https' : 'http'
  // A name of which the other scheme is still to be tried is as good: it is this door that is shut.
  const otherAnswers = isFresh(reporter.memory.robots[other], now) || isSchemeProbe(item)
  if (otherAnswers && before !== undefined && isTooSoon(before, now, tools.patience)) {
    return { kind: 'scheme-fails', memory: before }
  }
  const origin = new URL(item.url).origin
  const tell = (exchange: Exchange, notes: readonly string[]) => heard(exchange, reporter, tools, notes)
  const answer = await askForRobots(origin, before, asking, tools, tell)
  if (answer.kind === 'not-asked') return { kind: 'visit-ends', why: asking.signal.aborted ? 'stopped' : 'slice' }
  if (answer.kind === 'known') answer.memory = withOwner(answer.memory, answer.from, asking.site, tools.urls)
  const robots = { ...reporter.memory.robots, [scheme]: answer.memory }
  // `http` most often sends us to `https`: that robots.txt has been asked for then, and is not asked for again.
  if (answer.kind === 'known' && answer.from === origin.replace(scheme, other) + '/robots.txt') {
    robots[other] = answer.memory
  }
  const memory = { ...reporter.memory, robots }
  if (answer.kind === 'unreachable') {
    reporter.remember(memory)
    const why = otherAnswers ? undefined : robotsFail(answer.memory.tries ?? 1, item, reporter, asking.courtesy, tools)
    // A 429 or 503 sends us away, and a crash must not bring us back sooner.
    if (answer.memory.status > 0 && why !== 'given-up') await tools.durable(reporter)
    return why === undefined ? { kind: 'scheme-fails', memory: answer.memory } : { kind: 'visit-ends', why }
  }
  const crawlDelay = await longestDelay(answer.robots, memory.robots[other], tools)
  asking.courtesy.learnCrawlDelay(crawlDelay)
  reporter.remember({ ...answered(memory), crawlDelay })
  rules.set(scheme, answer.robots)
  offerSitemaps(answer.robots, origin, item, { site: tools, screen })
  // The first part (robots, pause, address) is durable before the second request to a site.
  await tools.durable(reporter)
  return { kind: 'rules', robots: answer.robots }
}

/** It was asked for in vain, and its wait is not over, or its tries are used up for today. */
function isTooSoon(memory: RobotsMemory, now: Instant, patience: number): boolean {
  if (memory.state !== 'unreachable' || now < memory.at || now - memory.at >= FRESH_FOR) return false
  const wait = waitAfter('robots-unreachable', memory.tries ?? 1, patience)
  return wait === undefined || now < memory.at + wait
}

/** Both schemes are one site: what one of them asks for holds for both. */
async function longestDelay(
  { crawlDelay }: Robots,
  other: RobotsMemory | undefined,
  tools: SiteTools,
): Promise<Millis | undefined> {
  const others = other === undefined ? undefined : (await recalled(other, tools)).crawlDelay
  return others === undefined ? crawlDelay : Math.max(others, crawlDelay ?? 0)
}

/** robots.txt and probes are archived and logged like pages, but they are never documents and never in the queue. */
export async function heard(
  exchange: Exchange,
  reporter: Reporter,
  tools: SiteTools,
  notes: readonly string[] = [],
): Promise<void> {
  const { answer } = exchange
  const item = ownRequestOf(exchange, tools)
  const page = reportOf(exchange, item)
  page.ownRequest = true
  page.annotations = [...page.annotations, ...notes]
  if (answer.kind === 'failed') page.status = statusOfFailure(answer.failure.kind)
  const failure = answer.kind === 'failed' ? answer.failure.kind : failureOfStatus(page.status)
  if (answer.kind === 'full' || answer.kind === 'cut') page.capture = await keep(exchange, answer, tools)
  page.outcome = failure === undefined ? { kind: 'kept', how: 'first' } : { kind: 'gone', why: failure }
  reportOwnRequest(page, reporter)
}

export function ownRequestOf({ url, sentAt }: Exchange, { urls }: SiteTools): AgendaItem {
  return { url, key: urls.parse(url)?.key ?? 0n, depth: 0, dueAt: sentAt, tries: 0, path: OWN_REQUEST_PATH }
}
