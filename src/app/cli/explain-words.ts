/** Why a URL or a site is, or is not, in the collection: facts turned into sentences. Pure. */
import { formatDuration, formatSize } from '../../base/units.ts'
import { failureWords, markWords } from '../../report/status-words.ts'
import { grouped } from '../../report/text-table.ts'
import { aliasLines, aliasSentence, leftLine } from './alias-words.ts'
import { hazardLines } from './hazard-words.ts'
import { plain } from './progress.ts'
import { robotsSentence, ruleSentence, sitemapLines, sitemapOrigin } from './robots-words.ts'
import type { LeftMirror, PageLook, SiteFacts, SiteLook, UrlFacts, UrlLook, WhyNot } from './rooms.ts'
import { some, timeText } from './words.ts'

export function explainUrl(facts: UrlFacts, site: SiteFacts, now: number, whyNot?: WhyNot): string[] {
  return [
    ...verdict(facts, site, now, whyNot),
    ...ruleSentence(facts),
    ...origin(facts),
    ...lastLook(facts),
    ...inlinks(facts),
  ]
}

function verdict(facts: UrlFacts, site: SiteFacts, now: number, whyNot: WhyNot | undefined): string[] {
  const { look, page } = facts
  const elsewhere = aliasSentence(facts, site.look)
  if (elsewhere !== undefined) return [elsewhere]
  if (look === undefined && page === undefined) return unknownUrl(facts, site, whyNot)
  const waits = look?.mark === 'waiting' ? [whenAsked(facts, site.look, now)] : []
  if (page === undefined) return ['Known, and not asked for yet.', ...waits]
  const held = look?.mark === 'held' ? ['It is held back by this finding, and asked for if that is withdrawn.'] : []
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
  if (!linked && whyNot === undefined && Object.keys(site.look?.memory.sitemaps?.left ?? {}).length > 0)
    lines.push('Not all that the sitemaps of its site list was taken, as is said below: it may be among that.')
  if (site.look === undefined) lines.push('Its site is not known either.')
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

function outcomeSentence(page: PageLook, captures: number): string {
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

function whenAsked({ look }: UrlFacts, site: SiteLook | undefined, now: number): string {
  if (look === undefined) return ''
  if (site?.state === 'barred') return `It waits, but its site was given up: ${givenUp(site, 'no answer')}.`
  if (site?.state === 'held') return 'It waits, but its site is held: see below.'
  if (site?.state === 'leased') return 'It waits; its site is being visited now.'
  const tries =
    look.tries === 0 ? '' : ` It was tried ${look.tries === 1 ? 'once' : `${grouped(look.tries)} times`} in vain.`
  const ahead =
    look.ahead === undefined || look.ahead === 0
      ? ''
      : ` ${some(look.ahead, 'URL')} of its site ${look.ahead === 1 ? 'comes' : 'come'} first.`
  const at = Math.max(look.dueAt, site?.notBefore ?? 0)
  const when =
    at > now
      ? `It may be asked for in ${formatDuration(at - now)}.`
      : 'It may be asked for as soon as its site has its turn.'
  return when + tries + ahead
}

function origin(facts: UrlFacts): string[] {
  const { look } = facts
  if (look === undefined) return []
  const asPage =
    look.via === undefined
      ? `It is ${levels(look.depth)}.`
      : `It was found on ${plain(look.via)}, ${levels(look.depth)}.`
  const from = look.seed
    ? (SEED_OF[look.path ?? ''] ?? 'It is a seed.')
    : (sitemapOrigin(facts) ?? triedName(look) ?? asPage)
  return [`${from} Queued ${timeText(look.enqueuedAt)} UTC.`]
}

const SEED_OF: Readonly<Record<string, string>> = {
  M: 'It is a seed, to be read as a sitemap.',
  N: 'It is a seed: the first guess for a name to try.',
}

/** Nobody links to it: it comes after a guess that gave no usable answer. */
function triedName({ path }: UrlLook): string | undefined {
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
  const { site, look, documents, verdicts } = facts
  const listed =
    blacklist === undefined ? [] : [`It is on a black list (${plain(blacklist)}): nothing of it is asked for.`]
  if (look === undefined)
    return [`${plain(site)}: not known; no page of the collection led to it, or it is out of scope.`, ...listed]
  const { memory } = look
  const lines = [
    `${plain(site)}: ${stateSentence(look, now)}`,
    ...listed,
    `${some(look.known, 'URL')} known, ${grouped(look.waiting)} waiting; ${some(documents, 'document')} in ${some(look.visits, 'visit')}.`,
  ]
  lines.push(...aliasLines(look), ...(left === undefined ? [] : [leftLine(left)]), ...domainLines(look))
  if (memory.stopped !== undefined)
    lines.push(`Links in it are followed no more: ${plain(memory.stopped)}. What was collected is kept.`)
  for (const scheme of ['http', 'https'] as const) {
    const robots = memory.robots[scheme]
    if (robots !== undefined) lines.push(robotsSentence(scheme, robots, now))
  }
  lines.push(...sitemapLines(memory))
  if (memory.crawlDelay !== undefined && memory.crawlDelay > 0)
    lines.push(`robots.txt asks for a Crawl-delay of ${formatDuration(memory.crawlDelay)}.`)
  if (look.pause > 0)
    lines.push(`It is asked at most every ${formatDuration(look.pause)}, longer than the configured pause.`)
  if (look.address !== undefined) lines.push(`Address: ${look.address}.`)
  if (memory.silent > 0)
    lines.push(`The last ${memory.silent === 1 ? 'request' : `${grouped(memory.silent)} requests`} brought no answer.`)
  if (look.crowd > 0)
    lines.push('Others come first: it is one of very many of its domain or address, or seems a copy of another site.')
  if (look.losses > 0) lines.push(lossLine(look.losses))
  return [...lines, ...hazardLines({ look, verdicts })]
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
function domainLines({ state, domain, stranger }: SiteLook): string[] {
  if (domain?.wildcard !== true) return []
  const { name, sites, vouched, held, allowed } = domain
  const where = domain.addresses.length === 0 ? '' : ` (to ${domain.addresses.map(plain).join(', ')})`
  const counts = `${some(sites, 'site')} ${sites === 1 ? 'is' : 'are'} known there, ${grouped(vouched)} vouched for, ${grouped(held)} held`
  const lines = [`Any name under ${plain(name)} resolves${where}, so anybody can make up sites there: ${counts}.`]
  if (stranger === undefined) return lines
  const speaker =
    stranger.speaker === undefined
      ? 'Nobody that counts speaks for it'
      : `Only ${plain(stranger.speaker)} speaks for it`
  lines.push(`${speaker}. Of sites that nobody vouches for ${grouped(allowed)} are visited there.`)
  if (state !== 'held') return lines
  const more =
    stranger.speaker === undefined ? 'two vouched sites of its domain do' : 'one more vouched site of its domain does'
  lines.push(
    `It is released when it is given as a seed, when a site of another domain links to it, when ${more}, or when more of them are vouched for.`,
    `To hold none of them: --trust '*.${plain(name)}=dns-wildcard'.`,
  )
  return lines
}

/** `given-up: no-such-name` in words. */
function givenUp({ reason }: SiteLook, otherwise: string): string {
  const why = reason?.replace(/^given-up(: )?/, '') ?? ''
  return why === '' ? otherwise : plain(failureWords(why) ?? why)
}

function stateSentence(look: SiteLook, now: number): string {
  switch (look.state) {
    case 'waiting':
    case 'free': {
      const courtesy = look.politeAt - now
      if (courtesy > 0)
        return `waits ${look.memory.silent > 0 ? 'for its next try' : 'for courtesy'}; it may be asked in ${formatDuration(courtesy)}.`
      const due = look.notBefore - now
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
      return `given up: ${givenUp(look, 'it did not answer in bounded tries')}.`
  }
}
