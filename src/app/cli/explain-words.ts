/** Why a URL or a site is, or is not, in the collection: facts turned into sentences. Pure. */
import { formatDuration, formatSize } from '../../base/units.ts'
import { failureWords, markWords } from '../../report/status-words.ts'
import { grouped } from '../../report/text-table.ts'
import { aliasLines, aliasSentence, leftLine } from './alias-words.ts'
import type { LeftMirror, PageView, SiteFacts, SiteView, UrlFacts, UrlView, WhyNot } from './collection-reader.ts'
import { plain } from './progress.ts'
import { robotsSentence, ruleSentence, sitemapLines, sitemapOrigin } from './robots-words.ts'
import { some, timeText } from './words.ts'

export function explainUrl(facts: UrlFacts, site: SiteFacts, now: number, whyNot?: WhyNot): string[] {
  return [
    ...finding(facts, site, now, whyNot),
    ...ruleSentence(facts),
    ...origin(facts),
    ...lastLook(facts),
    ...inlinks(facts),
  ]
}

function finding(facts: UrlFacts, site: SiteFacts, now: number, whyNot: WhyNot | undefined): string[] {
  const { view, page } = facts
  const elsewhere = aliasSentence(facts, site.view)
  if (elsewhere !== undefined) return [elsewhere]
  if (view === undefined && page === undefined) return unknownUrl(facts, site, whyNot)
  const waits = view?.mark === 'waiting' ? [whenAsked(facts, site.view, now)] : []
  if (page === undefined) return ['Known, and not asked for yet.', ...waits]
  const held = view?.mark === 'held' ? ['It is held back by this finding, and asked for if that is withdrawn.'] : []
  return [outcomeSentence(page, facts.captures), ...held, ...waits]
}

function unknownUrl(facts: UrlFacts, site: SiteFacts, whyNot: WhyNot | undefined): string[] {
  const linked = facts.inlinks.count > 0
  const lines = [
    linked
      ? `Not queued, though pages ${REFERS[whyNot?.by ?? ''] ?? 'link to'} it.`
      : 'Not known: no page of the collection is known to link to it.',
  ]
  if (whyNot !== undefined) {
    const evidence = whyNot.evidence === undefined ? '' : ` (${plain(whyNot.evidence)})`
    lines.push(`${WHY_NOT[whyNot.by]}: ${plain(whyNot.rule)}${evidence}.`)
  } else if (linked) {
    lines.push('No rule of today is against it: the rules were others when it was found.')
  } else lines.push('If a page linked to it, it would be queued.')
  if (!linked && whyNot === undefined && Object.keys(site.view?.memory.sitemaps?.left ?? {}).length > 0)
    lines.push('Not all that the sitemaps of its site list was taken, as is said below: it may be among that.')
  if (site.view === undefined) lines.push('Its site is not known either.')
  return lines
}

const REFERS: Readonly<Record<string, string>> = {
  embedded: 'embed',
  form: 'have forms that lead to',
  unrecorded: 'link to, or embed,',
}

const WHY_NOT: Readonly<Record<WhyNot['by'], string>> = {
  scope: 'Out of scope',
  unwanted: 'Not wanted',
  links: 'Not entered by the link policy',
  hazard: 'Not followed because of a hazard',
  embedded: 'Not followed',
  form: 'Not followed',
  nofollow: 'No rule is against the URL itself',
  unrecorded: 'No rule is against the URL itself',
}

function outcomeSentence(page: PageView, captures: number): string {
  const detail = page.detail === null || page.detail === '' ? '' : ` (${plain(page.detail)})`
  const why = page.why === null ? '' : (failureWords(page.why) ?? page.why)
  switch (page.outcome) {
    case 'kept':
      return `Collected: ${some(captures, 'capture')}.`
    case 'moved':
      return `Redirected with status ${page.status} to ${plain(page.detail ?? '?')}; that URL counts as a link, and is collected if it is wanted.`
    case 'read':
      return `Read as a ${plain(why)} for the URLs it lists${detail}; it is no document.`
    case 'refused':
      return `Not collected: refused by ${plain(why)}${detail}.`
    case 'gone':
      return `Not collected: ${plain(why)}${detail}; it is not asked for again.`
    case 'later':
      return `Not collected yet: the last try ended with ${plain(why)}${detail}.`
  }
}

function whenAsked({ view }: UrlFacts, site: SiteView | undefined, now: number): string {
  if (view === undefined) return ''
  if (site?.state === 'barred') return `It waits, but its site was given up: ${givenUp(site, 'no answer')}.`
  if (site?.state === 'held') return 'It waits, but its site is held: see below.'
  if (site?.state === 'leased') return 'It waits; its site is being visited now.'
  const tries =
    view.tries === 0 ? '' : ` It was tried ${view.tries === 1 ? 'once' : `${grouped(view.tries)} times`} in vain.`
  const ahead =
    view.ahead === undefined || view.ahead === 0
      ? ''
      : ` ${some(view.ahead, 'URL')} of its site ${view.ahead === 1 ? 'comes' : 'come'} first.`
  const at = Math.max(view.dueAt, site?.notBefore ?? 0)
  const when =
    at > now
      ? `It may be asked for in ${formatDuration(at - now)}.`
      : 'It may be asked for as soon as its site has its turn.'
  return when + tries + ahead
}

function origin(facts: UrlFacts): string[] {
  const { view } = facts
  if (view === undefined) return []
  const asPage =
    view.via === undefined
      ? `It is ${levels(view.depth)}.`
      : `It was found on ${plain(view.via)}, ${levels(view.depth)}.`
  const from = view.seed
    ? (SEED_OF[view.path ?? ''] ?? 'It is a seed.')
    : (sitemapOrigin(facts) ?? triedName(view) ?? asPage)
  return [`${from} Queued ${timeText(view.enqueuedAt)} UTC.`]
}

const SEED_OF: Readonly<Record<string, string>> = {
  M: 'It is a seed, to be read as a sitemap.',
  N: 'It is a seed: the first guess for a name to try.',
}

/** Nobody links to it: it comes after a guess that gave no usable answer. */
function triedName({ path }: UrlView): string | undefined {
  return path !== undefined && /^N{2,}$/.test(path) ? `It is guess ${path.length} for a name to try.` : undefined
}

function levels(depth: number): string {
  return depth === 1 ? 'one level deep' : `${grouped(depth)} levels deep`
}

function lastLook({ page }: UrlFacts): string[] {
  if (page === undefined) return []
  const title = page.title === '' ? '' : `, "${plain(page.title)}"`
  const notes = page.annotations === '' ? '' : ` [${plain(page.annotations)}]`
  const type = page.mediaType === '' ? '' : `, ${plain(page.mediaType)}, ${formatSize(page.bytes)}`
  const marks = page.annotations.split(',').flatMap((note) => markWords(note) ?? [])
  if (page.status === 206) marks.push('the server sent a part of the page that nobody had asked for')
  return [
    `Last: ${timeText(page.at)} UTC, status ${page.status}${type}${title}${notes}.`,
    ...marks.map((words) => `Marked: ${words}.`),
  ]
}

function inlinks({ inlinks: links }: UrlFacts): string[] {
  const behind = links.behind === 0 ? '' : ` (the links of ${some(links.behind, 'page')} are not indexed yet)`
  if (links.count === 0) return behind === '' ? [] : [`No page is known to link here${behind}.`]
  const head = `${grouped(links.count)} ${links.count === 1 ? 'page links' : 'pages link'} here${behind}:`
  return [head, ...links.from.map((url) => `  ${plain(url)}`)]
}

/** What is known of a site beside the collection: a list of mirrors that it left, a black list that names it. */
export interface SiteLists {
  left?: LeftMirror | undefined
  blacklist?: string | undefined
}

export function explainSite(facts: SiteFacts, now: number, { left, blacklist }: SiteLists = {}): string[] {
  const { site, view, documents, findings } = facts
  const listed =
    blacklist === undefined ? [] : [`It is on a black list (${plain(blacklist)}): nothing of it is asked for.`]
  if (view === undefined)
    return [`${plain(site)}: not known; no page of the collection led to it, or it is out of scope.`, ...listed]
  const { memory } = view
  const lines = [
    `${plain(site)}: ${stateSentence(view, now)}`,
    ...listed,
    `${some(view.known, 'URL')} known, ${grouped(view.waiting)} waiting; ${some(documents, 'document')} in ${some(view.visits, 'visit')}.`,
  ]
  lines.push(...aliasLines(view), ...(left === undefined ? [] : [leftLine(left)]), ...domainLines(view))
  if (memory.stopped !== undefined)
    lines.push(`Links in it are followed no more: ${plain(memory.stopped)}. What was collected is kept.`)
  for (const scheme of ['http', 'https'] as const) {
    const robots = memory.robots[scheme]
    if (robots !== undefined) lines.push(robotsSentence(scheme, robots, now))
  }
  lines.push(...sitemapLines(memory))
  if (memory.crawlDelay !== undefined && memory.crawlDelay > 0)
    lines.push(`robots.txt asks for a Crawl-delay of ${formatDuration(memory.crawlDelay)}.`)
  if (view.pause > 0)
    lines.push(`It is asked at most every ${formatDuration(view.pause)}, longer than the configured pause.`)
  if (view.address !== undefined) lines.push(`Address: ${view.address}.`)
  if (memory.silent > 0)
    lines.push(`The last ${memory.silent === 1 ? 'request' : `${grouped(memory.silent)} requests`} brought no answer.`)
  if (view.deferral > 0)
    lines.push('Others come first: it is one of very many of its domain or address, or seems a copy of another site.')
  if (view.losses > 0) lines.push(lossLine(view.losses))
  return [...lines, ...hazardLines({ view, findings })]
}

/** As `frontier/caution.ts` has it. */
function lossLine(losses: number): string {
  const visits = losses === 1 ? 'Its last visit was lost' : `Its last ${grouped(losses)} visits were lost`
  if (losses >= 5)
    return `${visits}, and nothing was brought: it rests longer after each, and is visited in small slices.`
  if (losses >= 3) return `${visits}: it may be what ends the workers, so others come first and its slices are small.`
  return `${visits}: others come first.`
}

/** Only where it matters: a domain in which any name resolves. */
function domainLines({ state, domain, unendorsedSite }: SiteView): string[] {
  if (domain?.wildcard !== true) return []
  const { name, sites, endorsed, held, allowed } = domain
  const where = domain.addresses.length === 0 ? '' : ` (to ${domain.addresses.map(plain).join(', ')})`
  const counts = `${some(sites, 'site')} ${sites === 1 ? 'is' : 'are'} known there, ${grouped(endorsed)} vouched for, ${grouped(held)} held`
  const lines = [`Any name under ${plain(name)} resolves${where}, so anybody can make up sites there: ${counts}.`]
  if (unendorsedSite === undefined) return lines
  const referrer =
    unendorsedSite.referrer === undefined
      ? 'Nobody that counts speaks for it'
      : `Only ${plain(unendorsedSite.referrer)} speaks for it`
  lines.push(`${referrer}. Of sites that nobody vouches for ${grouped(allowed)} are visited there.`)
  if (state !== 'held') return lines
  const more =
    unendorsedSite.referrer === undefined
      ? 'two vouched sites of its domain do'
      : 'one more vouched site of its domain does'
  lines.push(
    `It is released when it is given as a seed, when a site of another domain links to it, when ${more}, or when more of them are vouched for.`,
    `To hold none of them: --trust '*.${plain(name)}=dns-wildcard'.`,
  )
  return lines
}

/** `given-up: no-such-name` in words. */
function givenUp({ reason }: SiteView, otherwise: string): string {
  const why = reason?.replace(/^given-up(: )?/, '') ?? ''
  return why === '' ? otherwise : plain(failureWords(why) ?? why)
}

function stateSentence(view: SiteView, now: number): string {
  switch (view.state) {
    case 'waiting':
    case 'free': {
      const courtesy = view.politeAt - now
      if (courtesy > 0)
        return `waits ${view.memory.silent > 0 ? 'for its next try' : 'for courtesy'}; it may be asked in ${formatDuration(courtesy)}.`
      const due = view.notBefore - now
      return due > 0 ? `waits; its next URL is due in ${formatDuration(due)}.` : 'waits for its turn.'
    }
    case 'leased':
      return 'is being visited now.'
    case 'returning':
      return 'was visited a moment ago; what was learnt is being applied.'
    case 'crawled':
      return 'done; nothing of it waits.'
    case 'held':
      return 'held: it is one of too many in its domain that nobody vouches for.'
    case 'barred':
      return `given up: ${givenUp(view, 'it did not answer in bounded tries')}.`
  }
}

/** A site's hazards in sentences: the rule, the URLs it concerns, the evidence, what it held back, and three examples. */

export function hazardLines({ view, findings }: Pick<SiteFacts, 'view' | 'findings'>): string[] {
  const suspects = view?.memory.traps?.suspects ?? []
  const lines: string[] = []
  for (const { rule, pattern, evidence, examples, at, withdrawn_at } of findings) {
    const where = pattern === null ? '' : ` in ${plain(pattern)}`
    lines.push(`Hazard (${timeText(at)} UTC): ${plain(rule)}${where}: ${plain(evidence)}.`)
    if (withdrawn_at !== null) {
      lines.push(`  Withdrawn (${timeText(withdrawn_at)} UTC): what it had held back waits to be asked for again.`)
    } else {
      const stopped = suspects.find((one) => one.pattern === pattern && one.rule === rule && one.stopped)
      if (stopped !== undefined) lines.push(`  ${stoppedWords(stopped)}`)
    }
    for (const example of examples) lines.push(`  e.g. ${plain(example)}`)
  }
  for (const { rule, pattern, evidence, confirmed, contradicted } of suspects.filter(({ stopped }) => !stopped)) {
    lines.push(`On trial: ${plain(rule)} in ${plain(pattern)}: ${plain(evidence)}.`)
    lines.push(`  Samples so far: ${confirmed} confirm it, ${contradicted} contradict it. Nothing is held back yet.`)
  }
  return lines
}

type Suspect = NonNullable<NonNullable<SiteFacts['view']>['memory']['traps']>['suspects'][number]

function stoppedWords({ proof, refused, confirmed, contradicted }: Suspect): string {
  const asked =
    proof === 'alias' || proof === 'missing'
      ? 'Of this pattern only a sample is asked for now and then;'
      : 'Of this pattern only what other pages list is asked for, and a sample now and then;'
  const held = refused === 0 ? 'none was met since' : `${grouped(refused)} were held back since`
  return `${asked} ${held} ` + `(samples: ${confirmed} confirm it, ${contradicted} contradict it).`
}
