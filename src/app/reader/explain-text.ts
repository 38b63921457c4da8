/** Why a URL or a site is, or is not, in the collection: facts turned into sentences. Pure functions. */
import { formatDuration, formatSize } from '../../base/units.ts'
import type { LeftPair } from '../../collection/mirrors/list.ts'
import { EVERY_RULE, type FindingName } from '../../contracts/control.ts'
import { ruleLabel } from '../../contracts/counts.ts'
import type { SiteView } from '../../frontier/contract.ts'
import { failureText, markText, refusalText, statusText } from '../../report/status-text.ts'
import { grouped } from '../../report/text-table.ts'
import { decidedText, plain, some, timeText } from '../cli/text.ts'
import type { SiteFacts, UrlFacts, WhyNot } from './explain.ts'

type LeftMirror = Pick<LeftPair, 'original' | 'on' | 'why'>
type UrlView = NonNullable<UrlFacts['view']>
type PageView = NonNullable<UrlFacts['page']>

export function explainUrl(facts: UrlFacts, site: SiteFacts, now: number, whyNot?: WhyNot): string[] {
  return [
    ...statusLines(facts, site, now, whyNot),
    ...ruleSentence(facts),
    ...originLines(facts),
    ...lastFetchLines(facts),
    ...inlinkLines(facts),
  ]
}

function statusLines(facts: UrlFacts, site: SiteFacts, now: number, whyNot: WhyNot | undefined): string[] {
  const { view, page } = facts
  const elsewhere = aliasSentence(facts, site.view)
  if (elsewhere !== undefined) return [elsewhere]
  if (view === undefined && page === undefined) return unknownUrl(facts, site, whyNot)
  const waits = view?.mark === 'waiting' ? [whenFetched(view, site.view, now)] : []
  if (page === undefined) return ['Known, but not fetched yet.', ...waits]
  const held = view?.mark === 'held' ? ['It is fetched if this hazard is withdrawn.'] : []
  const wasThere = page.hasContent === 1 && (page.outcome !== 'kept' || facts.failedLook !== undefined)
  const status = wasThere ? knownPageLines(page, facts) : [outcomeSentence(page, facts.captures)]
  return [...status, ...held, ...waits]
}

function unknownUrl({ inlinks }: UrlFacts, site: SiteFacts, whyNot: WhyNot | undefined): string[] {
  const isLinked = inlinks.count > 0
  const lines = [
    isLinked
      ? `Not queued, although pages ${REFERS[whyNot?.by ?? ''] ?? 'link to'} it.`
      : 'Unknown: no page in the collection is known to link to it.',
  ]
  if (whyNot !== undefined) {
    const evidence = whyNot.evidence === undefined ? '' : ` (${plain(whyNot.evidence)})`
    lines.push(`${WHY_NOT[whyNot.by]}: ${plain(whyNot.rule)}${evidence}.`)
  } else if (isLinked) lines.push('No current rule excludes it; the rules were different when it was found.')
  else {
    lines.push('If a page linked to it, it would be queued.')
    if (Object.keys(site.view?.memory.sitemaps?.left ?? {}).length > 0)
      lines.push('It may be among the sitemap entries of its site that were left out; see below.')
  }
  if (site.view === undefined) lines.push('Its site is unknown too.')
  return lines
}

const REFERS: Readonly<Record<string, string>> = {
  embedded: 'embed',
  form: 'have forms that lead to',
}

const WHY_NOT: Readonly<Record<WhyNot['by'], string>> = {
  scope: 'Out of scope',
  unwanted: 'Unwanted type',
  links: 'Excluded by the link policy',
  hazard: 'Not followed because of a hazard',
  embedded: 'Not followed',
  form: 'Not followed',
  nofollow: 'No rule excludes the URL itself',
}

function outcomeSentence(page: PageView, captures: number): string {
  const detail = page.detail === null || page.detail === '' ? '' : ` (${plain(page.detail)})`
  const why = page.why === null ? '' : plain(failureText(page.why) ?? answerText(page.status) ?? page.why)
  switch (page.outcome) {
    case 'kept':
      return `Collected: ${some(captures, 'capture')}.${lookSentence(page)}`
    case 'moved':
      return `Redirected with status ${page.status} to ${plain(page.detail ?? '?')}, which is treated like a link.`
    case 'read':
      return `Read as a ${why} for the URLs in it${detail}; it is not a document.`
    case 'refused':
      return `Not collected: ${plain(refusalText(page.why ?? '', page.detail ?? ''))}.`
    case 'gone':
      return `Not collected: ${why}${detail}; it will not be tried again.`
    case 'later':
      return `Not collected yet: the last try ended with ${why}${detail}.`
  }
}

/** The result of the last look at a page that was collected before. */
function lookSentence({ looks, why, status }: PageView): string {
  if (looks < 2) return ''
  if (why === 'changed') return ' It had changed at the last look.'
  if (why !== 'same') return ''
  return status === 304 ? ' Unmodified: the server said so at the last look.' : ' It was unchanged at the last look.'
}

/** A page that was collected, or read as a sitemap, and is not there now: never given up at one failure. */
function knownPageLines(page: PageView, { view, captures, lastGoodAt, failedLook }: UrlFacts): string[] {
  if (page.outcome === 'read') return [outcomeSentence(page, captures)]
  const last = failedLook ?? page
  const when = lastGoodAt === undefined ? '' : `; the page was last there ${timeText(lastGoodAt)} UTC`
  return [
    stateSentenceOf(last, view?.mark),
    `It was collected before, and stays so: ${some(captures, 'capture')}${when}.`,
  ]
}

function stateSentenceOf(
  { outcome, why, detail, status }: Pick<PageView, 'why' | 'detail' | 'status'> & { outcome: string },
  mark: UrlView['mark'] | undefined,
): string {
  if (outcome === 'moved')
    return `Moved: it redirects with status ${status} to ${plain(detail ?? '?')} now, which is treated like a link.`
  if (outcome === 'refused') {
    const now = why === 'robots' ? 'Forbidden now' : why === 'scope' ? 'Out of scope now' : 'Refused now'
    const rule = why === 'robots' || why === 'scope' ? (detail ?? '') : refusalText(why ?? '', detail ?? '')
    const effect = status > 0 ? 'It is not kept' : 'It is not requested'
    return `${now}: ${why === 'robots' ? 'robots.txt says ' : ''}${plain(rule)}. ${effect}.`
  }
  const answer = answerText(status) ?? plain(failureText(why ?? '') ?? why ?? '')
  if (status === 410 || (status === 404 && mark === 'gone')) return `Gone: ${answer}; it is not looked at again.`
  if (status === 404) return `Missing: ${answer} at the last look; it is gone if that stays so for some days.`
  if (status >= 400 && status < 500 && status !== 408 && status !== 429)
    return `Forbidden now: the server answered with ${answer} at the last look.`
  return `Unreachable: the last look ended with ${answer}.`
}

function whenFetched(view: UrlView, site: SiteView | undefined, now: number): string {
  if (site?.stopped !== undefined) return `Waiting, but an operator ${site.stopped} its site; see below.`
  if (site?.state === 'barred') return `Waiting, but its site was given up: ${givenUp(site, 'no answer')}.`
  if (site?.state === 'held') return 'Waiting, but its site is held back; see below.'
  if (site?.state === 'leased') return 'Waiting; its site is being visited now.'
  const tries = view.tries === 0 ? '' : ` It failed ${view.tries === 1 ? 'once' : `${grouped(view.tries)} times`}.`
  const ahead =
    view.ahead === undefined || view.ahead === 0
      ? ''
      : ` ${some(view.ahead, 'URL')} of its site ${view.ahead === 1 ? 'comes' : 'come'} first.`
  const at = Math.max(view.dueAt, site?.notBefore ?? 0)
  const when =
    at > now ? `It can be fetched in ${formatDuration(at - now)}.` : 'It can be fetched when its site is next.'
  return when + tries + ahead
}

function originLines(facts: UrlFacts): string[] {
  const { view } = facts
  if (view === undefined) return []
  const asPage =
    view.via === undefined
      ? `It is ${levels(view.depth)}.`
      : `It was found on ${plain(view.via)}, ${levels(view.depth)}.`
  const from = view.seed ? (SEEDS[view.path ?? ''] ?? 'It is a seed.') : (sitemapOrigin(facts) ?? guess(view) ?? asPage)
  return [`${from} Queued ${timeText(view.enqueuedAt)} UTC.`]
}

const SEEDS: Readonly<Record<string, string>> = {
  M: 'It is a seed, to be read as a sitemap.',
  N: 'It is a seed: the first guess for a domain name.',
}

/** Tried after an earlier guess for the name gave no usable answer. */
function guess({ path }: UrlView): string | undefined {
  return path !== undefined && /^N{2,}$/.test(path) ? `It is guess ${path.length} for a domain name.` : undefined
}

function levels(depth: number): string {
  return depth === 1 ? 'one level deep' : `${grouped(depth)} levels deep`
}

function lastFetchLines({ page, failedLook }: UrlFacts): string[] {
  if (page === undefined) return []
  const last = failedLook ?? page
  const isOld = page.hasContent === 1 && (last !== page || !['kept', 'read'].includes(page.outcome))
  // What was collected, and what the last look showed.
  if (isOld) return [`Last look ${timeText(last.at)} UTC${lookResult(last)}.`, `It was ${whatItWas(page)}.`]
  if (page.status <= 0)
    return [`${page.outcome === 'refused' ? 'Refused' : 'Last tried'} ${timeText(page.at)} UTC${lookResult(page)}.`]
  const title = page.title === '' ? '' : `, "${plain(page.title)}"`
  const notes = page.annotations === '' ? '' : ` [${plain(page.annotations)}]`
  const type = page.mediaType === '' ? '' : `, ${plain(page.mediaType)}, ${formatSize(page.bytes)}`
  const marks = page.annotations.split(',').flatMap((note) => markText(note) ?? [])
  if (page.status === 206) marks.push('the server sent only a part of the page, without being asked to')
  return [
    `Last fetched ${timeText(page.at)} UTC: status ${page.status}${type}${title}${notes}.`,
    ...marks.map((mark) => `Note: ${mark}.`),
  ]
}

/** Without an answer there is no HTTP status: Heritrix's codes are for crawl.log. */
function lookResult({ status, outcome, why }: { status: number; outcome: string; why: string | null }): string {
  if (status > 0) return `: status ${status}`
  return outcome === 'refused'
    ? ', without a request'
    : `: ${plain(failureText(why ?? '') ?? statusText(String(status)))}`
}

function answerText(status: number): string | undefined {
  return status > 0 ? `status ${statusText(String(status))}` : undefined
}

function whatItWas({ mediaType, bytes, title }: PageView): string {
  return `${mediaType === '' ? 'of no type' : plain(mediaType)}, ${formatSize(bytes)}${title === '' ? '' : `, "${plain(title)}"`}`
}

function inlinkLines({ inlinks: links }: UrlFacts): string[] {
  const behind = links.behind === 0 ? '' : ` (the links of ${some(links.behind, 'page')} are not indexed yet)`
  if (links.count === 0) return behind === '' ? [] : [`No page is known to link here${behind}.`]
  const head = `${grouped(links.count)} ${links.count === 1 ? 'page links' : 'pages link'} here${behind}:`
  return [head, ...links.from.map((url) => `  ${plain(url)}`)]
}

/** Facts about a site from outside the collection. */
export interface SiteLists {
  /** It was removed from the list of mirrors. */
  left?: LeftMirror | undefined
  /** The blacklist entry that covers it. */
  blacklist?: string | undefined
}

export function explainSite(facts: SiteFacts, now: number, { left, blacklist }: SiteLists = {}): string[] {
  const { site, view, documents, findings, choice } = facts
  const listed = [
    ...decisionLines(facts, now),
    ...(blacklist === undefined ? [] : [`It is on a blacklist (${plain(blacklist)}), so nothing is fetched from it.`]),
  ]
  if (view === undefined)
    return [`${plain(site)}: unknown; no page in the collection led to it, or it is out of scope.`, ...listed]
  const { memory } = view
  const lines = [
    `${plain(site)}: ${stateSentence(view, now)}`,
    ...listed,
    `${some(view.known, 'URL')} known, ${grouped(view.waiting)} waiting; ${some(documents, 'document')} in ${some(view.visits, 'visit')}.`,
  ]
  lines.push(...aliasLines(view), ...(left === undefined ? [] : [leftLine(left)]), ...domainLines(view))
  if (memory.stopped !== undefined)
    lines.push(`No further links within it are followed: ${plain(memory.stopped)}. Collected pages are kept.`)
  for (const scheme of ['http', 'https'] as const) {
    const robots = memory.robots[scheme]
    if (robots !== undefined) lines.push(robotsSentence(scheme, robots, now))
  }
  lines.push(...sitemapLines(memory))
  if (memory.crawlDelay !== undefined && memory.crawlDelay > 0)
    lines.push(`robots.txt sets a Crawl-delay of ${formatDuration(memory.crawlDelay)}.`)
  if (view.pause > 0) lines.push(`Its pause is ${formatDuration(view.pause)}, longer than the configured one.`)
  if (view.address !== undefined) lines.push(`Address: ${view.address}.`)
  if (memory.silent > 0)
    lines.push(
      memory.silent === 1
        ? 'The last request got no answer.'
        : `The last ${grouped(memory.silent)} requests got no answer.`,
    )
  if (view.deferral > 0)
    lines.push('Other sites come first: its domain or address has very many sites, or it seems to be a copy.')
  if (view.losses > 0) lines.push(lossLine(view.losses))
  return [...lines, ...hazardLines({ view, findings, choice })]
}

/** The decisions of operators about the site. */
function decisionLines({ choice = {}, crawl = {} }: SiteFacts, now: number): string[] {
  const lines: string[] = []
  if (crawl.paused !== undefined) lines.push(`The whole crawl is paused ${decidedText(crawl.paused, now)}.`)
  if (choice.barred !== undefined)
    lines.push(`Barred ${decidedText(choice.barred, now)}. It is not visited until 'orbweaver resume SITE'.`)
  if (choice.paused !== undefined)
    lines.push(`Paused ${decidedText(choice.paused, now)}. It is not visited until 'orbweaver resume SITE'.`)
  if (choice.pauseMs !== undefined) lines.push(`An operator set its pause to ${formatDuration(choice.pauseMs)}.`)
  if (choice.copyOf !== undefined) lines.push(`An operator confirmed that it is a copy of ${plain(choice.copyOf)}.`)
  if (choice.notCopyOf !== undefined)
    lines.push(`An operator decided that it is no copy of ${choice.notCopyOf.map(plain).join(', ')}.`)
  if (choice.trust !== undefined)
    lines.push(
      choice.trust.includes(EVERY_RULE)
        ? 'An operator trusts it: no hazard rule counts.'
        : `An operator trusts it: these hazard rules do not count: ${choice.trust.map(plain).join(', ')}.`,
    )
  return lines
}

function stateSentence(view: SiteView, now: number): string {
  if (view.stopped !== undefined && view.state !== 'leased' && view.state !== 'returning')
    return view.stopped === 'barred' ? 'barred by an operator.' : 'paused by an operator.'
  switch (view.state) {
    case 'waiting':
    case 'free': {
      const pause = view.politeAt - now
      if (pause > 0)
        return `${view.memory.silent > 0 ? 'waiting to retry' : 'pausing'}; next request in ${formatDuration(pause)}.`
      const due = view.notBefore - now
      return due > 0 ? `waiting; its next URL is due in ${formatDuration(due)}.` : 'waiting for its turn.'
    }
    case 'leased':
      return 'being visited now.'
    case 'returning':
      return 'just visited; the results are being stored.'
    case 'crawled':
      return 'done, nothing is waiting.'
    case 'held':
      return 'held back, because too many sites of its domain have no trusted link.'
    case 'barred':
      return `given up: ${givenUp(view, 'no answer after the last retry')}.`
  }
}

/** The text for a reason such as `given-up: no-such-name`. */
function givenUp({ reason }: SiteView, otherwise: string): string {
  const why = reason?.replace(/^(given-up(: )?)+/, '') ?? ''
  return why === '' ? otherwise : plain(failureText(why) ?? why)
}

/** The limits are those of `frontier/rules/visit.ts`. */
function lossLine(losses: number): string {
  const visits = losses === 1 ? 'Its last visit was lost' : `Its last ${grouped(losses)} visits were lost`
  if (losses >= 5) return `${visits} without a result: it waits longer after each and gets short visits.`
  if (losses >= 3)
    return `${visits}: it may be crashing the workers, so other sites come first and its visits are short.`
  return `${visits}: other sites come first.`
}

/** For a domain with wildcard DNS only. */
function domainLines({ state, domain, unendorsedSite }: SiteView): string[] {
  if (domain?.wildcard !== true) return []
  const { name, sites, endorsed, held, allowed } = domain
  const where = domain.addresses.length === 0 ? '' : ` (to ${domain.addresses.map(plain).join(', ')})`
  const lines = [
    `Any name under ${plain(name)} resolves${where}, so sites there can be made up: ${some(sites, 'site')} known, ${grouped(endorsed)} with a trusted link, ${grouped(held)} held back.`,
  ]
  if (unendorsedSite === undefined) return lines
  const { referrer } = unendorsedSite
  const links = referrer === undefined ? 'No trusted site links to it.' : `Only ${plain(referrer)} links to it.`
  lines.push(`${links} Up to ${some(allowed, 'such site')} of the domain ${allowed === 1 ? 'is' : 'are'} visited.`)
  if (state !== 'held') return lines
  const more =
    referrer === undefined ? 'two trusted sites of its domain link' : 'one more trusted site of its domain links'
  lines.push(
    `It is released if you add it as a seed, if a site of another domain links to it, if ${more} to it, or if more sites of the domain become trusted.`,
    `To hold back none of them: --trust '*.${plain(name)}=dns-wildcard'.`,
  )
  return lines
}

type Suspect = NonNullable<SiteView['memory']['traps']>['suspects'][number]

/** The site's hazards: rule, pattern, evidence, effect and examples. */
export function hazardLines({ view, findings, choice }: Pick<SiteFacts, 'view' | 'findings' | 'choice'>): string[] {
  const suspects = view?.memory.traps?.suspects ?? []
  const lines: string[] = []
  for (const { rule, pattern, evidence, examples, at, withdrawn_at } of findings) {
    const where = pattern === null ? '' : ` in ${plain(pattern)}`
    lines.push(`Hazard (${timeText(at)} UTC): ${plain(rule)}${where}: ${plain(evidence)}.`)
    if (withdrawn_at !== null) {
      lines.push(`  Withdrawn (${timeText(withdrawn_at)} UTC): the URLs it held back are queued again.`)
    } else {
      const stopped = suspects.find((one) => one.pattern === pattern && one.rule === rule && one.stopped)
      if (stopped !== undefined) lines.push(`  ${stoppedSentence(stopped)}`)
      const confirmed = choice?.confirmed?.find((one) => isAbout(one, { rule, pattern }))
      if (confirmed !== undefined)
        lines.push(
          `  Confirmed (${timeText(confirmed.at)} UTC) by ${plain(confirmed.who)}: it stays in force, without samples, until it is overruled.`,
        )
    }
    for (const example of examples) lines.push(`  e.g. ${plain(example)}`)
  }
  for (const { rule, pattern, evidence, confirmed, contradicted } of suspects.filter(({ stopped }) => !stopped)) {
    lines.push(`Suspected: ${plain(rule)} in ${plain(pattern)}: ${plain(evidence)}.`)
    lines.push(`  Samples so far: ${confirmed} for, ${contradicted} against. Nothing is held back yet.`)
  }
  return lines
}

const isAbout = (name: FindingName, { rule, pattern }: { rule: string; pattern: string | null }): boolean =>
  name.rule === ruleLabel(rule) && (name.pattern ?? null) === pattern

function stoppedSentence({ proof, refused, confirmed, contradicted, isConfirmed }: Suspect): string {
  const listed = proof === 'alias' || proof === 'missing' ? [] : ['URLs that other pages list']
  const samples = isConfirmed ? [] : ['occasional samples']
  const only = [...listed, ...samples].join(' and ')
  const fetched = only === '' ? 'nothing is fetched' : `only ${only} are fetched`
  return `Of this pattern, ${fetched}; ${some(refused, 'URL')} held back so far (samples: ${confirmed} for, ${contradicted} against).`
}

export function aliasLines({ alias }: SiteView): string[] {
  if (alias === undefined) return []
  const { original, how, evidence, since } = alias
  const proof = evidence === '' ? '' : ` (${plain(evidence)})`
  const source = how === 'list' ? 'from the list of mirrors' : 'because its home page redirects there'
  const here = how === 'list' ? 'its own home page is' : 'its own home page and pages missing there are'
  return [
    `Another name of ${plain(original)}, ${source}${proof}, since ${timeText(since)} UTC: links to it are followed there, only ${here} fetched here.`,
  ]
}

export function leftLine({ original, on, why }: LeftMirror): string {
  return `It was removed from the list of mirrors on ${plain(on)}, as it is no longer a copy of ${plain(original)}: ${plain(why)}. Links to it are followed again since.`
}

/** Why a page of an alias is not queued there; undefined when the site is no alias, or the page was queued or fetched anyway. */
export function aliasSentence({ url, view, page }: UrlFacts, site: SiteView | undefined): string | undefined {
  if (site?.alias === undefined || page !== undefined || view?.mark === 'waiting') return undefined
  const { pathname, search } = new URL(url)
  const { original } = site.alias
  return `Not fetched here: its site is another name of ${plain(original)}, and links to it are followed there; see ${plain(original + pathname + search)}.`
}

/** The robots.txt rule that decides about a URL. */
export function ruleSentence({ robots }: UrlFacts): string[] {
  if (robots === undefined) return []
  const { allowed, group, line, rule } = robots
  const inGroup = group === '' ? '' : ` in the group for "${plain(group)}"`
  if (rule === '') {
    if (!allowed) return ['robots.txt cannot be reached, so nothing is fetched.']
    return [group === '' ? 'robots.txt has no rules for this crawler.' : `robots.txt has no rule for it${inGroup}.`]
  }
  const where = line === 0 ? '' : `line ${grouped(line)}, `
  return [`robots.txt ${allowed ? 'allows' : 'forbids'} it: ${where}"${plain(rule)}"${inGroup}.`]
}

/** The result of the request for robots.txt, and its age. */
export function robotsSentence(
  scheme: string,
  robots: NonNullable<SiteView['memory']['robots']['http']>,
  now: number,
): string {
  const { state, at, status, since, tries, tooBig } = robots
  const age = `${formatDuration(Math.max(0, now - at))} ago`
  const answer = status === 0 ? 'no answer' : `status ${status}`
  const file = `robots.txt over ${scheme}`
  const cut = tooBig ? '; too long, so only the complete lines in its first 512 KiB count' : ''
  switch (state) {
    case 'rules':
      return `${file}: read ${age} (${answer})${cut}.`
    case 'none':
      return `${file}: none ${age} (${answer}), so everything is allowed.`
    case 'unreachable': {
      const times = tries === undefined || tries === 1 ? 'tried once' : `tried ${grouped(tries)} times`
      const begun =
        since === undefined ? '' : ` since ${timeText(since)} UTC (${formatDuration(Math.max(0, now - since))})`
      return `${file}: unreachable${begun}, ${times}, last ${age} (${answer}); nothing is fetched until it can be read.`
    }
    case 'uninterpretable':
      return `${file}: not a robots.txt (a web page or a binary file), read ${age} (${answer})${cut}; everything is allowed.`
  }
}

/** What the site's sitemaps contributed, and how reliable they are. */
export function sitemapLines({ sitemaps, hints }: SiteView['memory']): string[] {
  const lines: string[] = []
  if (sitemaps !== undefined && sitemaps.asked > 0) {
    const feeds = sitemaps.feeds === undefined ? '' : ` (${some(sitemaps.feeds, 'feed')} among them)`
    lines.push(`Sitemaps: ${grouped(sitemaps.asked)} known${feeds}, with ${some(sitemaps.urls, 'URL')}.`)
  }
  const left = Object.entries(sitemaps?.left ?? {}).map(
    ([why, count]) => `${LEFT_OUT[why as LeftOut]}: ${grouped(count)}`,
  )
  if (left.length > 0) lines.push(`Left out: ${left.join('; ')}.`)
  if (hints !== undefined && hints.checked > 0)
    lines.push(`The times of change in them were right in ${grouped(hints.held)} of ${some(hints.checked, 'case')}.`)
  return lines
}

type LeftOut = keyof NonNullable<NonNullable<SiteView['memory']['sitemaps']>['left']>

const LEFT_OUT: Readonly<Record<LeftOut, string>> = {
  foreign: 'URLs of other hosts, which the protocol does not permit',
  'foreign-sitemaps': 'sitemaps of other hosts',
  'nested-too-deep': 'sitemaps nested too deeply',
  'most-sitemaps': 'sitemaps over the limit per site',
  'most-urls': 'URLs over the limit per site',
  'most-sitemap-lines': 'Sitemap lines of robots.txt after the first hundred',
}

/** Where a sitemap or feed was found; undefined for a page. */
export function sitemapOrigin({ view }: UrlFacts): string | undefined {
  if (view?.path?.endsWith('M') !== true) return undefined
  const via = view.via === undefined ? '' : plain(view.via)
  if (!/^P?[RM]*M$/.test(view.path)) return `It is a feed${via === '' ? '' : `, found on ${via}`}.`
  if (/M[RM]*M$/.test(view.path)) return `It is a sitemap${via === '' ? '' : `, listed in ${via}`}.`
  return via === '' ? 'It is a sitemap listed in robots.txt.' : `It is a sitemap listed in the robots.txt of ${via}.`
}
