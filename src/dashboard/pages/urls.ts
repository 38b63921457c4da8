/** The search for URLs: by how they begin, or by any text in them. */
import type { FoundUrls, UrlAsk } from '../../frontier/browse.ts'
import type { SeedPosition } from '../../frontier/contract.ts'
import type { MarkName } from '../../frontier/rules/mark.ts'
import { grouped } from '../../report/text-table.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { type Html, href, html, visible } from '../html.ts'
import { framed } from '../layout.ts'
import type { PageRequest, Render } from '../page.ts'
import { asked, siteLink, urlLink } from '../pieces.ts'
import type { SiteLine } from './sites.ts'

export interface UrlsData {
  /** `searched` of `known` URLs were looked at. `exact`: what is asked is a known URL. */
  findUrls(
    ask: UrlAsk,
  ): Promise<FoundUrls & { known: number; exact: { url: string; mark: MarkName; depth: number } | undefined }>
  sitesNamed(names: readonly string[]): Promise<SiteLine[]>
}

const LINES = 50

export const MARK_TEXTS: Readonly<Record<MarkName, string>> = {
  waiting: 'waiting',
  kept: 'collected',
  moved: 'moved',
  refused: 'refused',
  gone: 'gone',
  read: 'read',
  held: 'held back',
}

/** What is looked for, and where. */
interface Search extends Pick<UrlAsk, 'site' | 'prefix' | 'text'> {
  /** In words. */
  what: Html
}

export const urls: Render<UrlsData> = async (request, data) => {
  const text = asked(request, 'q', 8192)
  const site = asked(request, 'site', 300).toLowerCase()
  const search = await searchOf(data, text, site)
  const results = await found(request, data, search)
  const body = html`<form method="get" action="${href(request.base, '/urls')}" class="search card" role="search">
<div class="wide"><label for="q">A URL, how it begins, or any text in it</label><br><input id="q" name="q" value="${text}" maxlength="8192" spellcheck="false" autocapitalize="off"></div>
<div><label for="in-site">Only of the site</label><br><input id="in-site" name="site" value="${site}" maxlength="300" spellcheck="false" autocapitalize="off"></div>
<button class="main">Search</button>
</form>${results}`
  return framed(request, { title: 'URLs', under: '/urls', isStill: true, body })
}

/** With a known host it is a search in that site; otherwise in everything. */
async function searchOf(data: UrlsData, text: string, named: string): Promise<Search> {
  const isKnown = async (site: string) => (await data.sitesNamed([site])).length > 0
  const at = named === '' ? undefined : named
  const url = /^https?:\/\//i.test(text)
    ? parseUrl(text)
    : /^[^\s/]+\.[^\s/]+\//.test(text)
      ? parseUrl(`http://${text}`)
      : undefined
  if (url !== undefined && (at === undefined || at === url.site) && (await isKnown(url.site))) {
    const hasScheme = /^https?:\/\//i.test(text)
    const what = html`URLs of ${visible(url.site, 100)} that ${hasScheme ? 'begin with' : 'contain'} <code>${visible(text)}</code>`
    return { site: url.site, prefix: hasScheme ? text : '', text: hasScheme ? '' : text, what }
  }
  const containing = text !== '' && html` that contain <code>${visible(text)}</code>`
  const of = at === undefined ? text === '' && ' of all sites' : html` of ${visible(at, 100)}`
  return { site: at, prefix: '', text, what: html`URLs${of}${containing}` }
}

async function found(request: PageRequest, data: UrlsData, { what, ...search }: Search): Promise<Html> {
  const after = positionOf(asked(request, 'after', 60))
  const before = Math.max(0, Math.trunc(Number(asked(request, 'searched', 20))) || 0)
  const { urls, next, searched, known, exact } = await data.findUrls({ ...search, after, atMost: LINES })
  const soFar = Math.min(known, before + searched)
  const query = { q: asked(request, 'q', 8192) || undefined, site: asked(request, 'site', 300) || undefined }
  const more = next && href(request.base, '/urls', { ...query, after: `${next.site}.${next.key}`, searched: soFar })
  const others = urls.filter(({ url }) => url !== exact?.url)
  const rows = [...(exact === undefined ? [] : [exact]), ...others]
    .toSorted((a, b) => (a.url < b.url ? -1 : 1))
    .map(
      ({ url, mark, depth }) =>
        html`<tr><td class="url">${urlLink(request, url)}</td><td>${MARK_TEXTS[mark]}</td><td class="n">${depth}</td></tr>`,
    )
  const table =
    rows.length === 0
      ? html`<p>${next === undefined ? 'None is known.' : 'None so far.'} ${query.q !== undefined && /^https?:\/\//i.test(query.q) && html`<a href="${href(request.base, '/url', { url: query.q })}">Why is it not there?</a>`}</p>`
      : html`<div class="scroll" tabindex="0" role="region" aria-label="URLs"><table><thead><tr><th scope="col">URL</th><th scope="col">State</th><th scope="col" class="n">Depth</th></tr></thead><tbody>${rows}</tbody></table></div>`
  const isAll = search.prefix === '' && search.text === ''
  const note = isAll
    ? `In no particular order; ${grouped(soFar)} of ${grouped(known)} URLs were listed up to here.`
    : `${grouped(soFar)} of ${grouped(known)} URLs looked at${next === undefined ? '' : '; the rest was not searched yet'}.`
  return html`<section><h2>${what}</h2>${table}<p class="soft">${note}${search.site !== undefined && html` The site: ${siteLink(request, search.site)}`}</p><p class="pages">${after !== undefined && html`<a href="${href(request.base, '/urls', query)}">First page</a>`}${more !== undefined && html`<a href="${more}" rel="next">${urls.length < LINES ? 'Go on searching' : 'Next page'}</a>`}</p></section>`
}

function positionOf(text: string): SeedPosition | undefined {
  const parts = /^(-?\d{1,19})\.(-?\d{1,19})$/.exec(text)
  if (parts === null) return undefined
  // Within 64 bits, whatever somebody typed.
  return { site: BigInt.asIntN(64, BigInt(parts[1])), key: BigInt.asIntN(64, BigInt(parts[2])) }
}
