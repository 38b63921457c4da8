/** Why a URL or a site is, or is not, in the collection: facts turned into sentences. Pure. */
import { formatDuration, formatSize } from '../base/units.ts'
import { grouped } from '../report/text-table.ts'
import { plain } from './progress.ts'
import type { SiteFacts, UrlFacts } from './rooms.ts'
import { timeText } from './words.ts'

export function explainUrl(facts: UrlFacts, site: SiteFacts, now: number): string[] {
  return [verdictOfUrl(facts, site, now), ...origin(facts), ...pageLine(facts), ...linkLines(facts)]
}

function verdictOfUrl(facts: UrlFacts, site: SiteFacts, now: number): string {
  const { page } = facts
  switch (facts.state) {
    case 'unknown':
      return site.state === 'unknown'
        ? 'Not known: no page of the collection led to it, or it is out of scope; its site is not known either.'
        : `Not known: no page of the collection led to it, or it was refused by scope or by a limit before it was queued.${site.stopped === undefined ? '' : ` Links in its site are followed no more: ${plain(site.stopped)}.`}`
    case 'waiting':
      return `Known and waiting. ${whenAsked(facts, site, now)}`
    case 'leased':
      return 'Its site is being visited now.'
    case 'done':
      return page === undefined ? 'Done.' : outcomeSentence(page.outcome, page.rule, page.status, facts.captures)
  }
}

function outcomeSentence(outcome: string, rule: string, status: number, captures: number): string {
  const [kind] = outcome.split(/[ (:]/)
  const by = rule === '' ? '' : `: ${plain(rule)}`
  switch (kind) {
    case 'kept':
      return `Collected: it has ${grouped(captures)} ${captures === 1 ? 'capture' : 'captures'}.`
    case 'moved':
      return `Redirected (${status})${by}; the target counts as a link, and is collected if it is in scope.`
    case 'refused':
      return `Not collected, refused${by}.`
    case 'gone':
      return `Not collected, and it will not be asked for again${by}.`
    case 'later':
      return `The last try failed${by}; it will be tried again.`
    default:
      return plain(`${outcome}${by}`)
  }
}

function whenAsked(facts: UrlFacts, site: SiteFacts, now: number): string {
  const tries = facts.tries === 0 ? '' : ` It was tried ${grouped(facts.tries)} times in vain.`
  if (site.state === 'barred') return `But its site was given up: it did not answer.${tries}`
  const at = Math.max(facts.dueAt ?? 0, site.notBefore ?? 0)
  if (at > now) return `It may be asked for in ${formatDuration(at - now)}.${tries}`
  return `It may be asked for now; its site waits its turn.${tries}`
}

function origin(facts: UrlFacts): string[] {
  if (facts.state === 'unknown') return []
  const from =
    facts.via === undefined
      ? 'It is a seed.'
      : `It was found on ${plain(facts.via)}, ${grouped(facts.depth ?? 0)} levels deep.`
  const queued = facts.enqueuedAt === undefined ? '' : ` Queued ${timeText(facts.enqueuedAt)} UTC.`
  return [from + queued]
}

function pageLine({ page }: UrlFacts): string[] {
  if (page === undefined) return []
  const title = page.title === '' ? '' : `, "${plain(page.title)}"`
  return [
    `Last: ${timeText(page.at)} UTC, status ${page.status}, ${plain(page.mediaType)}, ${formatSize(page.bytes)}${title}.`,
  ]
}

function linkLines(facts: UrlFacts): string[] {
  if (facts.linkedFrom === 0) return []
  return [
    `${grouped(facts.linkedFrom)} pages link here${facts.referrers.length === 0 ? '.' : ':'}`,
    ...facts.referrers.map((url) => `  ${plain(url)}`),
  ]
}

export function explainSite(facts: SiteFacts, now: number): string[] {
  const lines = [`${plain(facts.site)}: ${stateSentence(facts, now)}`]
  if (facts.state === 'unknown') return lines
  const { urls } = facts
  lines.push(
    `URLs: ${grouped(urls.known)} known, ${grouped(urls.done)} done, ${grouped(urls.waiting)} waiting; ${grouped(facts.documents)} documents.`,
  )
  if (facts.stopped !== undefined)
    lines.push(`Links in it are followed no more: ${plain(facts.stopped)}. What was collected is kept.`)
  if (facts.robots !== undefined) lines.push(robotsSentence(facts.robots))
  if (facts.pauseMs !== undefined)
    lines.push(
      `Pause after each answer: ${formatDuration(facts.pauseMs)}.${facts.address === undefined ? '' : ` Address: ${facts.address}.`}`,
    )
  if (facts.silent > 0) lines.push(`The last ${grouped(facts.silent)} requests brought no answer.`)
  if (facts.losses > 0) lines.push(`Its lease was lost ${grouped(facts.losses)} times.`)
  return lines
}

function stateSentence(facts: SiteFacts, now: number): string {
  switch (facts.state) {
    case 'unknown':
      return 'not known; no page of the collection links to it, or it is out of scope.'
    case 'waiting':
    case 'free': {
      const wait = (facts.notBefore ?? 0) - now
      return wait > 0 ? `waits; it may be asked in ${formatDuration(wait)}.` : 'waits for its turn.'
    }
    case 'leased':
      return 'is being visited now.'
    case 'returning':
      return 'was visited a moment ago; what was learnt is being applied.'
    case 'crawled':
      return 'done; nothing of it waits.'
    case 'barred':
      return 'given up: it did not answer in bounded tries.'
  }
}

function robotsSentence(robots: NonNullable<SiteFacts['robots']>): string {
  const delay =
    robots.crawlDelayMs === undefined ? '' : ` It asks for a Crawl-delay of ${formatDuration(robots.crawlDelayMs)}.`
  const read = `robots.txt (${timeText(robots.at)} UTC, status ${robots.status})`
  switch (robots.state) {
    case 'rules':
      return `${read} has rules for us.${delay}`
    case 'none':
      return `${read}: there is none, so nothing is forbidden.`
    case 'unreachable':
      return `${read} could not be read, so nothing is fetched for now; it is tried again later.`
    default:
      return `${read} cannot be interpreted, so it forbids nothing.`
  }
}
