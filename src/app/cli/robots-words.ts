/** What robots.txt and sitemaps have to do with a URL or a site, in sentences. Pure. */
import { formatDuration } from '../../base/units.ts'
import { grouped } from '../../report/text-table.ts'
import type { RobotsView, SiteView, UrlFacts } from './collection-reader.ts'
import { plain } from './progress.ts'
import { some, timeText } from './words.ts'

/** The group and the line that decide about a URL; nothing when there is no robots.txt with rules. */
export function ruleSentence({ robots }: UrlFacts): string[] {
  if (robots === undefined) return []
  const { allowed, group, line, rule } = robots
  const forWhom = group === '' ? '' : ` in the group for "${plain(group)}"`
  if (rule === '') {
    if (!allowed) return ['robots.txt cannot be reached, so it is not asked for.']
    return [group === '' ? 'robots.txt says nothing to us.' : `robots.txt has no rule for it${forWhom}.`]
  }
  const where = line === 0 ? '' : `line ${grouped(line)}, `
  return [`robots.txt ${allowed ? 'allows' : 'forbids'} it: ${where}"${plain(rule)}"${forWhom}.`]
}

/** The outcome of asking for robots.txt, and how old it is. */
export function robotsSentence(scheme: string, robots: RobotsView, now: number): string {
  const { state, at, status, since, tries, tooBig } = robots
  const age = `${formatDuration(Math.max(0, now - at))} ago`
  const answer = status === 0 ? 'no answer' : `status ${status}`
  const file = `robots.txt over ${scheme}`
  const cut = tooBig ? '; it is too big: cut at 512 KiB, and what is whole before that counts' : ''
  switch (state) {
    case 'rules':
      return `${file}: rules, read ${age} (${answer})${cut}.`
    case 'none':
      return `${file}: none, asked for ${age} (${answer}); nothing is restricted.`
    case 'unreachable': {
      const times = tries === undefined || tries === 1 ? 'once' : `${grouped(tries)} times`
      const begun =
        since === undefined ? '' : ` since ${timeText(since)} UTC, ${formatDuration(Math.max(0, now - since))}`
      return `${file}: unreachable${begun} (${answer}), asked for ${times}, last ${age}; until it can be read nothing is fetched.`
    }
    case 'uninterpretable':
      return `${file}: uninterpretable (a web page or a binary file), read ${age} (${answer})${cut}; it restricts nothing.`
  }
}

/** What its sitemaps brought, and whether they can be believed. */
export function sitemapLines({ sitemaps, hints }: SiteView['memory']): string[] {
  const lines: string[] = []
  if (sitemaps !== undefined && sitemaps.asked > 0) {
    const feeds = sitemaps.feeds === undefined ? '' : `, ${grouped(sitemaps.feeds)} of them feeds`
    lines.push(`Sitemaps: ${grouped(sitemaps.asked)} named${feeds}; ${some(sitemaps.urls, 'URL')} from them.`)
  }
  const left = LEFT_OUT.flatMap(([why, words]) => {
    const count = sitemaps?.left?.[why] ?? 0
    return count === 0 ? [] : [`${grouped(count)} ${count === 1 ? words[0] : words[1]}`]
  })
  if (left.length > 0) lines.push(`Left out of what they and robots.txt name: ${left.join('; ')}.`)
  if (hints !== undefined && hints.checked > 0) {
    lines.push(`What they say of last changes was true ${grouped(hints.held)} of ${some(hints.checked, 'time')}.`)
  }
  return lines
}

const LEFT_OUT: readonly [string, readonly [one: string, more: string]][] = [
  [
    'foreign',
    [
      'URL of another host, which the protocol does not permit',
      'URLs of other hosts, which the protocol does not permit',
    ],
  ],
  ['foreign-sitemaps', ['sitemap of another host in an index', 'sitemaps of other hosts in indexes']],
  ['nested-too-deep', ['sitemap nested too deep', 'sitemaps nested too deep']],
  ['most-sitemaps', ['sitemap over the bound of a site', 'sitemaps over the bound of a site']],
  ['most-urls', ['URL over the bound of a site', 'URLs over the bound of a site']],
  [
    'most-sitemap-lines',
    ['Sitemap line of robots.txt after the first hundred', 'Sitemap lines of robots.txt after the first hundred'],
  ],
]

/** Where a sitemap was found; the robots.txt that names it is no page of the collection. */
export function sitemapOrigin({ view }: UrlFacts): string | undefined {
  if (view?.path?.endsWith('M') !== true) return undefined
  const via = view.via === undefined ? '' : plain(view.via)
  if (!/^P?[RM]*M$/.test(view.path)) return `It is a feed${via === '' ? '' : `, found on ${via}`}.`
  if (/M[RM]*M$/.test(view.path)) return `It is a sitemap${via === '' ? '' : `, named by ${via}`}.`
  return via === ''
    ? 'It is a sitemap that robots.txt names.'
    : `It is a sitemap that the robots.txt beside ${via} names.`
}
