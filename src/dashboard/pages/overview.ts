/** How far the crawl is, how fast it goes, what is wrong, what happened last. */
import type { Instant, Millis } from '../../base/clock.ts'
import { formatDuration, formatSize } from '../../base/units.ts'
import type { Freshness } from '../../cluster/maintenance/measure-freshness.ts'
import type { Totals } from '../../frontier/contract.ts'
import { grouped } from '../../report/text-table.ts'
import { clockTime, ratesOf, shareBar, timeChart } from '../chart.ts'
import { eventText } from '../event-text.ts'
import { type Html, href, html, visible } from '../html.ts'
import { actionButton, framed } from '../layout.ts'
import type { LiveFacts, PageRequest, Render, Sample } from '../page.ts'
import { time } from '../pieces.ts'

export interface OverviewData {
  overview(): Promise<{
    totals: Totals
    documents: number
    bytes: number
    isRefresh: boolean
    freshness: Freshness | undefined
    /** One per minute of the last day in which it ran, oldest first. */
    progress: readonly { at: Instant; known: number; collected: number; waiting: number }[]
    /** The longest first. */
    problems: readonly { name: string; what: string; since: Instant }[]
    /** The latest first, of all servers. */
    findings: readonly { at: Instant; site: string | undefined; rule: string; evidence: string }[]
    actions: readonly { at: Instant; who: string; action: string; subject: string }[]
  }>
}

type Figures = Awaited<ReturnType<OverviewData['overview']>>

const MAX_EVENTS = 30
const MAX_PROBLEMS = 20

export const overview: Render<OverviewData> = async (request, data) => {
  const figures = await data.overview()
  const { live, base } = request
  const body = html`${steering(request)}
${problems(figures, live)}
${totals(figures, live)}
<div class="grid" id="charts" data-live>${charts(live, figures.isRefresh)}</div>
<div class="grid" id="standing" data-live>${progressChart(figures)}<div class="stack">${sites(figures)}${freshness(figures)}</div></div>
<section><h2>Recent events</h2><div id="events" data-live>${events(figures, live, base)}</div>${request.role === 'operator' && html`<p><a href="${href(base, '/actions')}">All actions of operators</a></p>`}</section>`
  return framed(request, { title: 'Overview', under: '/', body })
}

/** What operators do with the whole crawl. */
function steering(request: PageRequest): Html {
  if (request.role !== 'operator') return html``
  const { choice, isEnding } = request.live
  const { paused } = choice
  const since =
    paused &&
    html`<p class="message warn">Paused by ${visible(paused.who, 80)} at ${time(paused.at)}${paused.reason !== undefined && html`: ${visible(paused.reason)}`}. It stays paused after a restart, until it is resumed.</p>`
  const seeds = actionButton(request, { action: 'add-seeds', urls: [] }, 'Add seeds', {
    confirm: 'URLs to begin at, one per line.',
    fields: html`<textarea name="urls" rows="4" aria-label="URLs" placeholder="https://www.example.org/" required></textarea>`,
  })
  const stop = actionButton(request, { action: 'stop' }, 'Stop', {
    kind: 'danger',
    confirm: 'Requests under way are finished, then the program ends. The same command resumes the crawl.',
  })
  const reason = html`<input name="reason" aria-label="Reason for the pause" placeholder="Reason (optional)" maxlength="200">`
  const pause =
    paused === undefined
      ? actionButton(request, { action: 'pause' }, 'Pause', {
          confirm: 'No site is asked until the crawl is resumed.',
          fields: reason,
        })
      : actionButton(request, { action: 'resume' }, 'Resume', { kind: 'main' })
  return html`<div id="steering" data-live>${since}${!isEnding && html`<div class="actions">${pause}${stop}${seeds}</div>`}</div>`
}

function problems({ problems: found }: Figures, { now }: LiveFacts): Html {
  if (found.length === 0) return html`<div id="problems" data-live><p class="well">Nothing is wrong.</p></div>`
  const more = found.length - MAX_PROBLEMS
  return html`<div id="problems" data-live><section class="problems"><h2>What is wrong now</h2><ul>${found
    .slice(0, MAX_PROBLEMS)
    .map(
      ({ what, since }) => html`<li>${visible(what, 600)} <small>for ${duration(now - since)}</small></li>`,
    )}${more > 0 && html`<li>… and ${more} more</li>`}</ul></section></div>`
}

function totals(figures: Figures, live: LiveFacts): Html {
  const { totals, documents, bytes, isRefresh } = figures
  const recent = lately(live.recent)
  const trend = (count: (sample: Sample) => number) => {
    const hourly = recent === undefined ? undefined : perHour(recent, count)
    return html`<small>${hourly === undefined ? ' ' : `${hourly > 0 ? '+' : ''}${grouped(Math.round(hourly))} an hour`}</small>`
  }
  return html`<dl class="figures" id="figures" data-live>
<div><dt>URLs known</dt><dd>${grouped(totals.urls.known)}${trend(({ known }) => known)}</dd></div>
<div><dt>Documents collected</dt><dd>${grouped(documents)}${trend((sample) => sample.documents)}</dd></div>
<div><dt>URLs waiting</dt><dd>${grouped(totals.urls.waiting)}${trend(({ waiting }) => waiting)}</dd></div>
<div><dt>Size of documents</dt><dd>${formatSize(bytes)}${documents > 0 && html`<small>${formatSize(Math.round(bytes / documents))} each</small>`}</dd></div>
<div><dt>Time left</dt><dd class="words">${isRefresh ? html`No end<small>a refresh goes on until it is stopped, unless <code>--once</code> or <code>--for</code> was given</small>` : timeLeft(live, totals.urls.waiting)}</dd></div>
</dl>`
}

/** The trend and the time left are those of this stretch, or of the second half of what has run: the first links of new sites tell little. */
const LATELY: Millis = 15 * 60_000
const LEAST_SPAN: Millis = 60_000

interface Stretch {
  first: Sample
  last: Sample
}

/** Undefined while it is too short to say anything. */
function lately(recent: readonly Sample[]): Stretch | undefined {
  const [begin, last] = [recent.at(0), recent.at(-1)]
  if (begin === undefined || last === undefined) return undefined
  const since = Math.max(last.at - LATELY, (begin.at + last.at) / 2)
  const first = recent.find(({ at }) => at >= since) ?? last
  return last.at - first.at < LEAST_SPAN ? undefined : { first, last }
}

const perHour = ({ first, last }: Stretch, count: (sample: Sample) => number): number =>
  ((count(last) - count(first)) * 3_600_000) / (last.at - first.at)

/** Only a queue that shrinks has an end; how fast links bring new URLs is part of its pace. */
export function timeLeft({ recent: samples, choice }: Pick<LiveFacts, 'recent' | 'choice'>, waiting: number): Html {
  if (waiting === 0) return html`None<small>the queue is empty</small>`
  if (choice.paused !== undefined) return html`Paused<small>no site is asked</small>`
  const recent = lately(samples)
  if (recent === undefined) return html`Too early to say<small>after some minutes</small>`
  const shrinks = -perHour(recent, (sample) => sample.waiting)
  if (shrinks === 0)
    return html`Not known<small>the queue neither grows nor shrinks: what is left waits for its time</small>`
  if (shrinks < 0) return html`Still growing<small>links bring more URLs than are done, so no end is in sight</small>`
  return html`About ${roughly((waiting / shrinks) * 3_600_000)}<small>at the pace of the last ${roughly(recent.last.at - recent.first.at)}; large sites may take longer</small>`
}

/** What is shown as the rate of now. */
const NOW: Millis = 60_000

/** The steps of the chart grow to hours. */
function rateNow(recent: readonly Sample[], count: (sample: Sample) => number): number | undefined {
  const last = recent.at(-1)
  const first = recent.find(({ at }) => last !== undefined && at >= last.at - NOW)
  if (first === undefined || last === undefined || last.at === first.at) return undefined
  return (Math.max(0, count(last) - count(first)) * 1000) / (last.at - first.at)
}

function charts({ pace, recent }: LiveFacts, isRefresh: boolean): Html {
  const perSecond = (value: number) => `${value < 10 ? value.toFixed(1) : grouped(Math.round(value))}/s`
  const chart = (title: string, count: (sample: Sample) => number, format = perSecond) => {
    const points = ratesOf(pace, count)
    return html`<section>${timeChart({ title, now: format(rateNow(recent, count) ?? points.at(-1)?.value ?? 0), series: [{ name: title, points }], format })}</section>`
  }
  // Most looks of a refresh bring no document.
  const work = isRefresh ? chart('Requests', ({ requests }) => requests) : chart('Pages', ({ documents }) => documents)
  return html`${work}
${chart(
  isRefresh ? 'Bytes of documents' : 'Bytes',
  ({ bytes }) => bytes,
  (value) => `${formatSize(Math.round(value))}/s`,
)}
${chart('Errors', ({ failures }) => failures)}`
}

function progressChart({ progress }: Figures): Html {
  const series = (['known', 'collected', 'waiting'] as const).map((key) => ({
    // Documents are fewer: some URLs moved, are missing or refused.
    name: key === 'collected' ? 'dealt with' : key,
    points: progress.map((one) => ({ at: one.at, value: one[key] })),
  }))
  return html`<section class="double">${timeChart({ title: 'URLs', series, format: (value) => grouped(Math.round(value)) })}</section>`
}

function freshness({ freshness: measured }: Figures): Html {
  if (measured === undefined) return html``
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`
  const { freshness: now, bound, pages, ageSeconds } = measured
  return html`<section><h2>Freshness</h2>
<p class="fresh"><b>${percent(now)}</b> of ${grouped(pages)} pages are expected to be as on the web; <b>${percent(bound)}</b> is the most that any program could reach at these pauses.</p>
<svg class="parts" viewBox="0 0 400 12" preserveAspectRatio="none" aria-hidden="true"><rect class="rest" x="0" y="0" width="400" height="12"/><rect class="p1" x="0" y="0" width="${Math.round(4000 * now) / 10}" height="12"/><rect class="mark" x="${Math.min(397, Math.round(400 * bound))}" y="0" width="3" height="12"/></svg>
<p class="soft">Pages are out of date for ${duration(1000 * ageSeconds)} on average. Measured at ${clockTime(measured.at)}.</p></section>`
}

function sites({ totals: { sites: counted } }: Figures): Html {
  const part = (name: string, value: number) => ({ name, value, words: grouped(value) })
  return html`<section><h2>Sites</h2>${shareBar([
    part('being visited', counted.leased + counted.returning),
    part('done', counted.crawled),
    part('free', counted.free),
    part('waiting', counted.waiting),
    part('held back', counted.held),
    part('given up', counted.barred),
  ])}</section>`
}

/** Events of this process; findings and actions of all processes. */
function events({ findings, actions }: Figures, { events: past }: LiveFacts, base: string): Html {
  const told = past.flatMap(({ at, event }) => {
    // Findings are in the database, of all workers.
    const text = event.kind === 'hazard' ? undefined : eventText(event, base)
    return text === undefined ? [] : [{ at, ...text }]
  })
  const found = findings.map(({ at, site, rule, evidence }) => ({
    ...{ at, level: 'warn' },
    what: html`${site === undefined ? 'An unknown site' : html`<a href="${href(base, '/site', { name: site })}">${visible(site, 80)}</a>`}: ${visible(rule, 60)}: ${visible(evidence, 200)}`,
  }))
  const done = actions.map(({ at, who, action, subject }) => ({
    ...{ at, level: 'plain' },
    what: html`${visible(who, 80)}: ${visible(action, 40)}${subject !== '' && html` ${visible(subject, 100)}`}`,
  }))
  const rows = [...told, ...found, ...done].sort((a, b) => b.at - a.at).slice(0, MAX_EVENTS)
  if (rows.length === 0) return html`<p class="soft">Nothing yet.</p>`
  return html`<ul class="events">${rows.map(({ at, level, what }) => html`<li class="${level}">${time(at)} <span>${what}</span></li>`)}</ul>`
}

const duration = (ms: Millis) => formatDuration(Math.max(1, Math.round(ms / 1000)) * 1000)

/** Whole minutes from five minutes on, whole hours from five hours on, whole days from five days on. */
function roughly(ms: Millis): string {
  const unit = [86_400_000, 3_600_000, 60_000].find((one) => ms >= 5 * one) ?? 1000
  return duration(Math.round(ms / unit) * unit)
}
