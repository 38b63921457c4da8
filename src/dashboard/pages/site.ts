/** One site: its state, why its pause is that long, what it said and brought, its hazards; and what operators can do about it. */
import { formatDuration, formatSize } from '../../base/units.ts'
import type { ListedAlias } from '../../collection/browse/findings.ts'
import type { PagesOfSite, SiteSums } from '../../collection/browse/sites.ts'
import type { PastVisit } from '../../collection/counters/last-visits.ts'
import type { StoredFinding } from '../../collection/pages/read-pages.ts'
import type { Choice } from '../../contracts/control.ts'
import type { RobotsMemory } from '../../contracts/site-memory.ts'
import type { QueuedUrl } from '../../frontier/browse.ts'
import type { SiteView } from '../../frontier/contract.ts'
import { failureText, statusText } from '../../report/status-text.ts'
import { grouped } from '../../report/text-table.ts'
import { type Html, href, html, visible } from '../html.ts'
import { actionButton, framed } from '../layout.ts'
import type { PageRequest, Render } from '../page.ts'
import { asked, distribution, story, time, urlLink } from '../pieces.ts'
import { findingItem } from './hazards.ts'

export interface SiteStory {
  site: string
  view: SiteView | undefined
  findings: StoredFinding[]
  choice?: Choice
  /** As `explain` tells it. */
  lines: string[]
  /** Undefined with `view`. */
  more:
    | {
        sums: SiteSums | undefined
        pages: PagesOfSite
        queue: QueuedUrl[]
        /** The last, newest first. `workerName`: of one that joined a server. */
        visits: (PastVisit & { workerName?: string | undefined })[]
        /** Sites at its address, itself included. */
        sharing: number
        pauses: { what: string; pauseMs: number; counts: boolean }[]
        aliases: ListedAlias[]
      }
    | undefined
}

type SiteFigures = Pick<SiteStory, 'site' | 'view' | 'lines'> & {
  sums: NonNullable<SiteStory['more']>['sums']
}

export interface SiteData {
  siteStory(name: string): Promise<SiteStory>
  /** What an open page renews. */
  siteFigures(name: string): Promise<SiteFigures>
}

export const site: Render<SiteData> = async (request, data) => {
  const name = asked(request, 'name', 300).toLowerCase()
  if (request.isRenewal) {
    const renewed = await data.siteFigures(name)
    return framed(request, { title: titleOf(renewed.site), under: '/sites', body: figures(renewed) })
  }
  const found = await data.siteStory(name)
  const { view, more } = found
  const status = view === undefined ? 404 : 200
  const body =
    view === undefined || more === undefined
      ? html`${actions(request, found)}<section>${story(found.lines)}</section>`
      : html`${actions(request, found)}${figures({ ...found, sums: more.sums })}
<section><h2>What is known</h2>${story(found.lines.slice(1).filter((line) => !/^( |Hazard|Suspected)/.test(line)))}</section>
<div class="grid">${pauses(more.pauses)}${address(found)}</div>
${hazardsOf(request, found)}
${robots(view)}
${pagesOf(more.pages)}
${lastVisits(request, more.visits)}
<div class="grid">${lastRequests(request, more.pages)}${queue(request, found)}</div>`
  return framed(request, { title: titleOf(found.site), under: '/sites', status, body })
}

const titleOf = (site: string) => (site === '' ? 'Site' : site.length > 100 ? `${site.slice(0, 100)}…` : site)

function figures({ view, lines, sums }: SiteFigures): Html {
  if (view === undefined) return html``
  const figure = (label: string, value: Html | string) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`
  const [initial = '', ...rest] = lines[0].slice(view.name.length + 2)
  return html`<div id="figures" data-live><p><strong>${visible(initial.toUpperCase() + rest.join(''), 300)}</strong></p><dl class="figures">${figure('waiting', grouped(view.waiting))}${figure('known', grouped(view.known))}${figure('documents', grouped(sums?.documents ?? 0))}${figure('size', formatSize(sums?.bytes ?? 0))}${figure('requests', grouped(sums?.requests ?? 0))}${figure('errors', grouped(sums?.errors ?? 0))}${figure('visits', grouped(view.visits))}</dl>${sums && html`<p class="soft">First result ${time(sums.firstAt)}, last ${time(sums.lastAt)}.</p>`}</div>`
}

function actions(request: PageRequest, { site, view, choice }: SiteStory): Html {
  if (request.role !== 'operator' || site === '') return html``
  const reason = html`<label>Reason <input name="reason" maxlength="1000"></label>`
  const isStopped = choice?.paused !== undefined || choice?.barred !== undefined
  return html`<div class="actions">${
    isStopped
      ? actionButton(request, { action: 'resume-site', site }, 'Resume', { kind: 'main' })
      : actionButton(request, { action: 'pause-site', site }, 'Pause', {
          confirm: 'No visit begins until it is resumed; what waits there keeps waiting.',
          fields: reason,
        })
  }${
    choice?.barred === undefined &&
    actionButton(request, { action: 'bar-site', site }, 'Bar', {
      confirm:
        'Nothing more is asked of this site, and the crawl ends without it. The reason is kept, for example a webmaster’s request.',
      kind: 'danger',
      fields: reason,
    })
  }${
    view !== undefined &&
    html`${actionButton(request, { action: 'ask-again', site }, 'Ask again', {
      confirm:
        'Forgets its robots.txt, addresses and failures: all of it is asked for anew as soon as its pause allows.',
    })}${actionButton(request, { action: 'set-pause', site, pauseMs: null }, 'Other pause', {
      confirm:
        'At least 1 s, for example 10s or 1m. Empty: the configured pause again. What the site itself asks for always counts.',
      fields: html`<label>Pause <input name="pause" size="6" maxlength="20" value="${choice?.pauseMs === undefined ? '' : formatDuration(choice.pauseMs)}"></label>`,
    })}`
  }${
    (choice?.trust ?? []).length > 0
      ? actionButton(request, { action: 'distrust', site }, 'Distrust')
      : actionButton(request, { action: 'trust', site }, 'Trust', {
          confirm: 'No hazard rule counts at this site any more: only for sites that you know.',
        })
  }</div>`
}

function pauses(reasons: NonNullable<SiteStory['more']>['pauses']): Html {
  const rows = reasons.map(
    ({ what, pauseMs, counts }) =>
      html`<tr><th scope="row">${counts ? html`<strong>${what}</strong>` : what}</th><td class="n">${formatDuration(pauseMs)}</td><td>${counts && html`<span class="state plain">counts</span>`}</td></tr>`,
  )
  return html`<section><h2>Pause between requests</h2><p class="soft">The longest counts, from the end of each answer.</p><table><tbody>${rows}</tbody></table></section>`
}

function address({ view, more }: SiteStory): Html {
  const found = view?.address
  if (found === undefined || more === undefined)
    return html`<section><h2>Address</h2><p>Its address is not known yet.</p></section>`
  const others = more.sharing - 1
  const sharing =
    others < 1
      ? 'No other site was found there.'
      : `${grouped(others)} other ${others === 1 ? 'site was' : 'sites were'} found there.`
  return html`<section><h2>Address</h2><p><code>${found}</code></p><p>${sharing}</p>${more.aliases.map(
    ({ name, original }) => html`<p>${visible(name, 100)} is another name of ${visible(original, 100)}.</p>`,
  )}</section>`
}

function hazardsOf(request: PageRequest, { site, view, findings, choice }: SiteStory): Html {
  const suspects = (view?.memory.traps?.suspects ?? []).filter(({ stopped }) => !stopped)
  if (findings.length + suspects.length === 0) return html`<section><h2>Hazards</h2><p>None was found.</p></section>`
  return html`<section><h2>Hazards</h2><ul class="plain">${findings.map((finding) => findingItem(request, { ...finding, site }, choice))}${suspects.map(
    ({ rule, pattern, evidence, confirmed, contradicted }) =>
      html`<li class="finding"><p><strong>${visible(rule, 60)}</strong> suspected in <code>${visible(pattern)}</code>: ${visible(evidence, 1000)}</p><p class="soft">Samples so far: ${confirmed} for, ${contradicted} against. Nothing is held back yet.</p></li>`,
  )}</ul></section>`
}

const MAX_ROBOTS = 65_536

function robots({ memory }: SiteView): Html {
  const shown = (['https', 'http'] as const).flatMap((scheme) => {
    const one = memory.robots[scheme]
    return one === undefined ? [] : [robotsOf(scheme, one)]
  })
  return html`<section><h2>robots.txt, as read</h2>${shown.length === 0 ? html`<p>It was not asked for yet.</p>` : shown}</section>`
}

function robotsOf(scheme: string, { state, at, status, text, from }: RobotsMemory): Html {
  const answer = status === 0 ? 'no answer' : `status ${statusText(String(status))}`
  const kept = text.slice(0, MAX_ROBOTS)
  const cut =
    text.length > MAX_ROBOTS &&
    html`<p class="soft">The first ${grouped(MAX_ROBOTS)} of ${grouped(text.length)} characters are shown.</p>`
  return html`<h3>${scheme}</h3><p>${time(at)}: ${answer}; ${ROBOTS[state]}${from !== undefined && html` It is that of ${visible(from, 100)}.`}</p>${kept !== '' && html`<pre tabindex="0" aria-label="robots.txt over ${scheme}">${kept}</pre><p class="soft">Only lines that concern this crawler are kept.</p>`}${cut}`
}

const ROBOTS: Readonly<Record<RobotsMemory['state'], string>> = {
  rules: 'it has rules.',
  none: 'there is none, so everything is allowed.',
  unreachable: 'nothing is fetched until it can be read.',
  uninterpretable: 'it is not a robots.txt, so everything is allowed.',
}

function pagesOf({ read, isAll, statuses, failures, outcomes, depths, sizes }: PagesOfSite): Html {
  if (read === 0) return html`<section><h2>Pages</h2><p>No page has been asked for yet.</p></section>`
  const failed = failures.map(({ what, count }) => ({
    what: failureText(what) ?? statusText(what.replace('status-', '')),
    count,
  }))
  const parts: [string, readonly { what: string; count: number }[]][] = [
    ['Status', statuses.map(({ what, count }) => ({ what: statusText(what), count }))],
    ['Outcome', outcomes],
    ['Failures', failed],
    ['Depth', depths],
    ['Size of documents', sizes],
  ]
  return html`<section><h2>Pages</h2>${!isAll && html`<p class="soft">Counted in a random sample of ${grouped(read)} of its pages.</p>`}<div class="grid">${parts.flatMap(([caption, counts]) => (counts.length === 0 ? [] : [distribution(caption, counts.slice(0, 15))]))}</div></section>`
}

const VISIT_ENDS: Readonly<Record<PastVisit['why'], string>> = {
  done: 'nothing was left to ask',
  slice: 'its share was used up; it goes on later',
  stopped: 'it was told to end',
  elsewhere: 'another worker had its address',
  silent: 'the site did not answer',
  'given-up': 'given up: the site does not answer at all',
  lost: 'lost: its worker did not come back',
}

function lastVisits({ base }: PageRequest, visits: NonNullable<SiteStory['more']>['visits']): Html {
  const by = ({ worker, workerName }: (typeof visits)[number]) => {
    if (worker === undefined) return '–'
    const [id, thread] = worker.split('.')
    if (!/^[0-9a-f]{16}$/.test(id)) return visible(worker, 60)
    return html`<a href="${href(base, '/cluster', { worker: id })}">${visible(workerName ?? id.slice(0, 8), 60)}</a>${thread && ` ${thread}`}`
  }
  const rows = visits.map(
    (visit) =>
      html`<tr><th scope="row">${visit.why === 'lost' ? '–' : time(visit.at - visit.tookMs)}</th><td class="n">${formatDuration(visit.tookMs < 1000 ? visit.tookMs : Math.round(visit.tookMs / 1000) * 1000)}</td><td class="n">${grouped(visit.requests)}</td><td class="n">${grouped(visit.documents)}</td><td class="n">${formatSize(visit.bytes)}</td><td>${VISIT_ENDS[visit.why]}${visit.why === 'lost' && html`, noticed ${time(visit.at)}`}</td><td>${by(visit)}</td></tr>`,
  )
  return html`<section><h2>Last visits</h2>${rows.length === 0 ? html`<p>None has ended yet.</p>` : html`<div class="scroll" tabindex="0" role="region" aria-label="Last visits"><table><thead><tr><th scope="col">Began</th><th scope="col" class="n">Took</th><th scope="col" class="n">Requests</th><th scope="col" class="n">Documents</th><th scope="col" class="n">Size</th><th scope="col">Why it ended</th><th scope="col">Worker</th></tr></thead><tbody>${rows}</tbody></table></div>`}</section>`
}

function lastRequests(request: PageRequest, { last, isAll }: PagesOfSite): Html {
  const rows = last.map(
    ({ url, status, at }) =>
      html`<tr><td>${time(at)}</td><td class="n">${status > 0 ? status : '–'}</td><td class="url">${urlLink(request, url)}</td></tr>`,
  )
  const note = !isAll && html`<p class="soft">The newest of a sample, and of the last requests to all sites.</p>`
  return html`<section><h2>Last requests</h2>${note}${rows.length === 0 ? html`<p>None.</p>` : html`<div class="scroll" tabindex="0" role="region" aria-label="Last requests"><table><thead><tr><th scope="col">Time</th><th scope="col" class="n">Status</th><th scope="col">URL</th></tr></thead><tbody>${rows}</tbody></table></div>`}</section>`
}

function queue(request: PageRequest, { site, more }: SiteStory): Html {
  const urls = more?.queue ?? []
  const all = html`<p><a href="${href(request.base, '/urls', { site })}">All its URLs</a></p>`
  if (urls.length === 0) return html`<section><h2>Next</h2><p>Nothing is waiting.</p>${all}</section>`
  const rows = urls.map(
    ({ url, depth, dueAt }) =>
      html`<tr><td class="url">${urlLink(request, url)}</td><td class="n">${depth}</td><td>${dueAt === 0 ? 'new' : html`from ${time(dueAt)}`}</td></tr>`,
  )
  return html`<section><h2>Next</h2><div class="scroll" tabindex="0" role="region" aria-label="Next URLs"><table><thead><tr><th scope="col">URL</th><th scope="col" class="n">Depth</th><th scope="col">Due</th></tr></thead><tbody>${rows}</tbody></table></div>${all}</section>`
}
