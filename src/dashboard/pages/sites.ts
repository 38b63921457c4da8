/** The list of sites: by name, or by what they have most of. */
import { formatDuration, formatSize } from '../../base/units.ts'
import { RANKED_BY, type RankAsk, type RankedBy, type SiteSums } from '../../collection/browse/sites.ts'
import type { Choice } from '../../contracts/control.ts'
import { SITE_STATES } from '../../database/schema/frontier.ts'
import type { ListedSite, SiteAsk } from '../../frontier/browse.ts'
import type { SiteState } from '../../frontier/rules/site.ts'
import { grouped } from '../../report/text-table.ts'
import { type Html, href, html } from '../html.ts'
import { framed } from '../layout.ts'
import type { PageRequest, Render, Slow, SlowData } from '../page.ts'
import { asked, siteLink, time, WITHOUT_SCRIPTS } from '../pieces.ts'

/** A site with what it brought, and what the operator decided about it. */
export type SiteLine = ListedSite & { sums: SiteSums | undefined; choice: Choice | undefined }

export interface SitesData {
  /** In the order of names. `searched` of `known` sites were looked at. */
  findSites(ask: SiteAsk): Promise<{
    sites: SiteLine[]
    next: string | undefined
    searched: number | undefined
    known: number
  }>
  sitesNamed(names: readonly string[]): Promise<SiteLine[]>
  rankSites(ask: RankAsk): Promise<string[]>
}

const LINES = 50
/** Sites shown in an order: to find the ten-thousandth one, people search by name. */
const RANKED = 1000

/** Computed in the background, and shown with its time. */
export const siteComputations = {
  'ranked-sites': (argument: string, data: SitesData) =>
    data.rankSites({ ...(JSON.parse(argument) as Omit<RankAsk, 'atMost'>), atMost: RANKED }),
}

export const STATE_TEXTS: Readonly<Record<SiteState, string>> = {
  waiting: 'waiting',
  free: 'ready',
  leased: 'being visited',
  returning: 'being stored',
  crawled: 'done',
  barred: 'given up',
  held: 'held back',
}

/** The operator's decision comes first. */
export function stateOf({ state, choice }: { state: SiteState; choice: Choice | undefined }): Html {
  if (choice?.barred !== undefined) return html`<span class="state bad">barred</span>`
  if (choice?.paused !== undefined) return html`<span class="state warn">paused</span>`
  if (state === 'barred') return html`<span class="state bad">${STATE_TEXTS[state]}</span>`
  return html`<span class="state plain">${STATE_TEXTS[state]}</span>`
}

type Asked = Pick<RankAsk, 'prefix' | 'text'> & { state: SiteState | undefined; sort: RankedBy | undefined }

function askedOf(request: PageRequest): Asked {
  const state = asked(request, 'state')
  const sort = asked(request, 'sort')
  return {
    prefix: asked(request, 'prefix', 300).toLowerCase(),
    text: asked(request, 'text', 300).toLowerCase(),
    state: SITE_STATES.find((one) => one === state),
    sort: RANKED_BY.find((one) => one === sort),
  }
}

const COLUMNS: Partial<Record<RankedBy, string>> = {
  waiting: 'Waiting',
  known: 'Known',
  documents: 'Documents',
  bytes: 'Size',
  errors: 'Errors',
  pause: 'Own pause',
}

export const sites: Render<SitesData & SlowData> = async (request, data) => {
  const ask = askedOf(request)
  const list = ask.sort === undefined ? await byName(request, data, ask) : await byRank(request, data, ask, ask.sort)
  const body = html`${searchForm(request, ask)}<section>${list}</section>`
  return framed(request, { title: 'Sites', under: '/sites', isStill: true, body })
}

function searchForm({ base }: PageRequest, { prefix, text, state, sort }: Asked): Html {
  const option = (value: string, label: string, chosen: boolean) =>
    html`<option value="${value}"${chosen && html` selected`}>${label}</option>`
  return html`<form method="get" action="${href(base, '/sites')}" class="search card" role="search">
<div><label for="prefix">Name begins with</label><br><input id="prefix" name="prefix" value="${prefix}" maxlength="300" spellcheck="false" autocapitalize="off"></div>
<div><label for="text">and contains</label><br><input id="text" name="text" value="${text}" maxlength="300" spellcheck="false" autocapitalize="off"></div>
<div><label for="by-state">State</label><br><select id="by-state" name="state">${option('', 'any', state === undefined)}${SITE_STATES.map((one) => option(one, STATE_TEXTS[one], one === state))}</select></div>
<div><label for="sort">Order</label><br><select id="sort" name="sort">${option('', 'name', sort === undefined)}${RANKED_BY.map((one) => option(one, `most ${COLUMNS[one]?.toLowerCase() ?? one}`, one === sort))}</select></div>
<button class="main">Show</button>
</form>`
}

const queryOf = ({ prefix, text, state, sort }: Asked) => ({
  prefix: prefix || undefined,
  text: text || undefined,
  state,
  sort,
})

async function byName(request: PageRequest, data: SitesData, ask: Asked): Promise<Html> {
  const { prefix, text, state } = ask
  const { sites, next, searched, known } = await data.findSites({
    ...{ prefix, text, state, atMost: LINES },
    after: asked(request, 'after'),
  })
  const isFiltered = searched !== undefined && (text !== '' || state !== undefined)
  const more = next !== undefined && { ...queryOf(ask), after: next }
  const note =
    isFiltered &&
    html`<p class="soft">${grouped(searched)} of ${grouped(known)} sites looked at${more ? '; the rest was not searched yet' : ''}.</p>`
  return html`${siteTable(request, sites, ask)}${note}<p class="pages">${asked(request, 'after') !== '' && html`<a href="${href(request.base, '/sites', queryOf(ask))}">First page</a>`}${more && html`<a href="${href(request.base, '/sites', more)}" rel="next">${isFiltered && sites.length < LINES ? 'Go on searching' : 'Next page'}</a>`}</p>`
}

async function byRank(request: PageRequest, data: SitesData & SlowData, ask: Asked, by: RankedBy): Promise<Html> {
  const { prefix, text, state = '' } = ask
  const ranked = await data.slow<string[]>('ranked-sites', JSON.stringify({ by, state, prefix, text }))
  if (ranked.state !== 'known') return html`<div id="ranked" data-live>${notYet(ranked)}</div>`
  const page = Math.min(Math.max(1, Math.trunc(Number(asked(request, 'page'))) || 1), RANKED / LINES)
  const names = ranked.value.slice((page - 1) * LINES, page * LINES)
  const sites = await data.sitesNamed(names)
  const link = (to: number, label: string, rel: string) =>
    html`<a href="${href(request.base, '/sites', { ...queryOf(ask), page: to })}" rel="${rel}">${label}</a>`
  const isMore = ranked.value.length > page * LINES
  return html`<div id="ranked">${siteTable(request, sites, ask)}<p class="soft">The order is as of ${time(ranked.at)}; the figures are of now. ${ranked.value.length === RANKED && `Only the first ${grouped(RANKED)} are ranked.`}</p><p class="pages">${page > 1 && link(page - 1, 'Previous page', 'prev')}${isMore && link(page + 1, 'Next page', 'next')}</p></div>`
}

function notYet(slow: Exclude<Slow<unknown>, { state: 'known' }>): Html {
  if (slow.state === 'failed') return html`<p>The order could not be computed: ${slow.why}</p>`
  return html`<p>The order is being computed; this page shows it in some seconds.${WITHOUT_SCRIPTS} Sites by name are there at once.</p>`
}

function siteTable(request: PageRequest, sites: readonly SiteLine[], ask: Asked): Html {
  if (sites.length === 0) return html`<p>No such site${asked(request, 'after') !== '' && ' in this part'}.</p>`
  const head = Object.entries(COLUMNS).map(([by, label]) => {
    const to = href(request.base, '/sites', { ...queryOf(ask), sort: by })
    return html`<th scope="col" class="n"${by === ask.sort && html` aria-sort="descending"`}><a href="${to}">${label}</a></th>`
  })
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Sites"><table><thead><tr><th scope="col"${ask.sort === undefined && html` aria-sort="ascending"`}><a href="${href(request.base, '/sites', { ...queryOf(ask), sort: undefined })}">Site</a></th><th scope="col">State</th>${head}<th scope="col">Last result</th></tr></thead><tbody>${sites.map((site) => siteRow(request, site))}</tbody></table></div>`
}

function siteRow(request: PageRequest, site: SiteLine): Html {
  const { sums } = site
  const number = (value: number | undefined) => html`<td class="n">${value === undefined ? '–' : grouped(value)}</td>`
  // Set by an operator, or learnt from slow answers: the longer one holds.
  const pause = Math.max(site.choice?.pauseMs ?? 0, site.pause)
  return html`<tr><th scope="row" class="url">${siteLink(request, site.name)}</th><td>${stateOf(site)}</td>${number(site.waiting)}${number(site.known)}${number(sums?.documents)}<td class="n">${sums === undefined ? '–' : formatSize(sums.bytes)}</td>${number(sums?.errors)}<td class="n">${pause === 0 ? '–' : formatDuration(pause)}</td><td>${sums === undefined ? '–' : time(sums.lastAt)}</td></tr>`
}
