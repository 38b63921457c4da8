/** The rules that hold for a URL: from this visit, from the site's memory, or asked for now and made durable at once. */
import { packLinks } from '../visit/adjacency.ts'
import type { Exchange } from '../visit/exchange.ts'
import type { PageReport, VisitEnd } from '../visit/report.ts'
import { statusOfFailure } from '../visit/status-codes.ts'
import type { AgendaItem } from '../visit/visit.ts'
import type { Robots } from '../web/robots/robots.ts'
import { parseUrl } from '../web/url/web-url.ts'
import type { Asking } from './ask.ts'
import { failureOfStatus } from './failures.ts'
import { blankPage, factsOf } from './page-facts.ts'
import type { Reporter } from './reporter.ts'
import { askForRobots, isFresh, robotsOf, schemeOf } from './robots.ts'
import { robotsFail } from './silence.ts'
import { tellErrand } from './tell.ts'
import type { SiteTools } from './tools.ts'
import { keep } from './visit-page.ts'

export async function rulesFor(
  item: AgendaItem,
  rules: Map<string, Robots>,
  reporter: Reporter,
  asking: Asking,
  tools: SiteTools,
): Promise<Robots | VisitEnd> {
  const scheme = schemeOf(item.url)
  const held = rules.get(scheme)
  if (held !== undefined) return held
  const before = reporter.memory.robots[scheme]
  if (isFresh(before, tools.clock.now())) {
    const robots = robotsOf(before, tools.token)
    rules.set(scheme, robots)
    return robots
  }
  const origin = new URL(item.url).origin
  const answer = await askForRobots(origin, before, asking, tools, (exchange) => heard(exchange, reporter, tools))
  if (answer.kind === 'not-asked') return asking.signal.aborted ? 'stopped' : 'slice'
  const memory = { ...reporter.memory, robots: { ...reporter.memory.robots, [scheme]: answer.memory } }
  if (answer.kind === 'unreachable') {
    reporter.remember(memory)
    return robotsFail(answer.memory.tries ?? 1, item, reporter, asking.courtesy, tools)
  }
  asking.courtesy.learnCrawlDelay(answer.robots.crawlDelay)
  reporter.remember({ ...memory, silent: 0, crawlDelay: answer.robots.crawlDelay })
  rules.set(scheme, answer.robots)
  // The first part (robots, pause, address) is durable before the second request to a site.
  await tools.durable(reporter)
  return answer.robots
}

/** robots.txt is archived and logged like a page, but it is never a document and never in the queue. */
async function heard(exchange: Exchange, reporter: Reporter, tools: SiteTools): Promise<void> {
  const { answer } = exchange
  const key = parseUrl(exchange.url)?.key ?? 0n
  const item: AgendaItem = { url: exchange.url, key, depth: 0, dueAt: exchange.sentAt, tries: 0, path: 'P' }
  const facts: Partial<PageReport> = { ...factsOf(exchange, item), errand: true, links: packLinks([]) }
  if (answer.kind === 'failed') facts.status = statusOfFailure(answer.failure.kind)
  const failure = answer.kind === 'failed' ? answer.failure.kind : failureOfStatus(facts.status ?? 0)
  if (answer.kind === 'full' || answer.kind === 'cut') facts.capture = await keep(exchange, answer, tools)
  const outcome =
    failure === undefined ? ({ kind: 'kept', how: 'first' } as const) : ({ kind: 'gone', why: failure } as const)
  tellErrand({ ...blankPage(item, exchange.sentAt, outcome), ...facts }, reporter)
}
