/** Charts over time as inline SVG, coloured by the style sheet so that they are light or dark with the page. */
import type { Instant, Millis } from '../base/clock.ts'
import { type Html, html } from './html.ts'

export interface TimeSeries {
  name: string
  points: readonly { at: Instant; value: number }[]
}

export interface TimeChart {
  title: string
  /** The value at the end, in words, beside the title. */
  now?: string
  series: readonly TimeSeries[]
  /** A value with its unit: `3.2/s`. */
  format(value: number): string
}

const WIDTH = 400
const HEIGHT = 110
/** Room for half a line at the edges. */
const FRAME = { left: 1, right: WIDTH - 1, top: 2, bottom: HEIGHT - 2 }

/**
 * The first series is filled; each has a class of its own (`s0`, `s1`, `s2`). The drawing is stretched to its place, so
 * its labels stand beside it, where they have the same size on every screen.
 */
export function timeChart({ title, now: latest, series, format }: TimeChart): Html {
  const points = series.flatMap((one) => one.points)
  if (series.every((one) => one.points.length < 2))
    return html`<figure class="chart"><figcaption>${title}</figcaption><p class="soft">Nothing to draw yet.</p></figure>`
  const first = Math.min(...points.map(({ at }) => at))
  const last = Math.max(...points.map(({ at }) => at))
  const top = niceTop(Math.max(...points.map(({ value }) => value)))
  const x = (at: Instant) => round(FRAME.left + ((FRAME.right - FRAME.left) * (at - first)) / (last - first || 1))
  const y = (value: number) => round(FRAME.bottom - ((FRAME.bottom - FRAME.top) * value) / top)
  // `14:05:09` says nothing about the day.
  const label = dayOf(first) === dayOf(last) ? clockTime : dayAndTime
  const path = ({ points }: TimeSeries) =>
    points.map(({ at, value }, i) => `${i === 0 ? 'M' : 'L'}${x(at)} ${y(value)}`).join('')
  const now = series.map(({ name, points }) => `${name} ${format(points.at(-1)?.value ?? 0)}`).join(', ')
  return html`<figure class="chart"><figcaption>${title}${latest !== undefined && html` <b>${latest}</b>`}${series.length > 1 && html` <span class="legend">${series.map(({ name }, i) => html`<span class="s${i}">${name}</span>`)}</span>`}</figcaption>
<div aria-hidden="true">${format(top)}</div>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title} from ${label(first)} to ${label(last)}; at the end: ${now}">
${[0, 0.5, 1].map((share) => html`<line class="rule" x1="${FRAME.left}" x2="${FRAME.right}" y1="${y(top * share)}" y2="${y(top * share)}"/>`)}
${series.map(
  (one, i) =>
    one.points.length > 1 &&
    html`${i === 0 && html`<path class="area" d="${path(one)}L${x(one.points.at(-1)!.at)} ${FRAME.bottom}L${x(one.points[0].at)} ${FRAME.bottom}Z"/>`}<path class="line s${i}" d="${path(one)}"/>`,
)}
</svg>
<div aria-hidden="true"><span>${label(first)}</span><span>${label(last)}</span></div></figure>`
}

/** A bar of parts that make a whole, with a legend that says the same in words. */
export function shareBar(parts: readonly { name: string; value: number; words: string }[]): Html {
  const whole = parts.reduce((sum, { value }) => sum + value, 0)
  let from = 0
  const bars = parts.map(({ value }, i) => {
    const width = whole === 0 ? 0 : (WIDTH * value) / whole
    const bar = width > 0 && html`<rect class="p${i}" x="${round(from)}" y="0" width="${round(width)}" height="12"/>`
    from += width
    return bar
  })
  return html`<svg class="parts" viewBox="0 0 ${WIDTH} 12" preserveAspectRatio="none" aria-hidden="true"><rect class="rest" x="0" y="0" width="${WIDTH}" height="12"/>${bars}</svg>
<ul class="legend">${parts.map(({ name, words }, i) => html`<li class="p${i}">${name} <b>${words}</b></li>`)}</ul>`
}

/** What was counted, as a rate per second in at most `steps` stretches of equal time. */
export function ratesOf<Sample extends { at: Instant }>(
  samples: readonly Sample[],
  count: (sample: Sample) => number,
  steps = 60,
): { at: Instant; value: number }[] {
  const first = samples.at(0)
  const last = samples.at(-1)
  if (first === undefined || last === undefined || last.at <= first.at) return []
  const stretch: Millis = (last.at - first.at) / steps
  const rates: { at: Instant; value: number }[] = []
  let from = first
  for (const sample of samples.slice(1)) {
    if (sample !== last && sample.at - from.at < stretch) continue
    const seconds = (sample.at - from.at) / 1000
    if (seconds > 0) rates.push({ at: sample.at, value: Math.max(0, count(sample) - count(from)) / seconds })
    from = sample
  }
  return rates
}

function niceTop(highest: number): number {
  if (highest <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(highest))
  return ([1, 1.5, 2, 3, 5, 8, 10].find((times) => times * power >= highest) ?? 10) * power
}

const round = (n: number) => Math.round(n * 10) / 10

/** `14:05:09` */
export const clockTime = (at: Instant): string => new Date(at).toISOString().slice(11, 19)

const dayOf = (at: Instant): string => new Date(at).toISOString().slice(0, 10)
/** `2026-03-05 14:05` */
const dayAndTime = (at: Instant): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
