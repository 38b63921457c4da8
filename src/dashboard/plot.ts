/**
 * Figures of reports as inline SVG: lines, points or stacked bars, coloured by the style sheet. Lines differ by dash and mark as well, and the
 * values are below as a table, for those who don't see the picture.
 */
import { type Html, html } from './html.ts'

export interface Plot {
  title: string
  kind: 'lines' | 'points' | 'bars'
  x: Axis
  y: Axis
  /** At most six can be told apart. */
  series: readonly { name: string; points: readonly { x: number; y: number }[] }[]
}

export interface Axis {
  label: string
  /** In milliseconds: the CSV has it as ISO 8601. */
  isTime?: boolean
  text(value: number): string
}

const WIDTH = 560
const HEIGHT = 290
const FRAME = { left: 78, right: 530, top: 12, bottom: 240 }
const DASHES = ['', '8 4', '2 3', '10 3 2 3', '5 5', '1 4']
/** Labels below the x axis. */
const MAX_LABELS = 5
/** Rows of the table; the CSV has all. */
const MAX_ROWS = 60
/** More points are a line, not marks. */
const MAX_MARKS = 40

export function plot(figure: Plot): Html {
  const { title, kind, series } = figure
  const points = series.flatMap((one) => one.points)
  if (points.length === 0) return html`<p class="soft">Nothing was measured yet.</p>`
  const xs = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b)
  const summary = series
    .filter((one) => one.points.length > 0)
    .map(({ name, points: own }) => `${name} ${figure.y.text(own.at(-1)!.y)}`)
    .join(', ')
  const label = `${title}: ${figure.y.label} by ${figure.x.label}, ${figure.x.text(xs[0])} to ${figure.x.text(xs.at(-1)!)}; at the end ${summary}`
  return html`<div class="plot"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${
    kind === 'bars' ? bars(figure, xs) : lines(figure, xs)
  }<path class="axis" d="M${FRAME.left} ${FRAME.top}V${FRAME.bottom}H${FRAME.right}"/><text x="${(FRAME.left + FRAME.right) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${figure.x.label}</text></svg>
${series.length > 1 && html`<ul class="legend">${series.map(({ name }, nth) => html`<li class="q${nth}">${name}</li>`)}</ul>`}
<details><summary>The values</summary>${valuesTable(figure, xs)}</details></div>`
}

function lines(figure: Plot, xs: readonly number[]): Html {
  const { kind, series } = figure
  const first = kind === 'points' ? 0 : xs[0]
  const last = Math.max(xs.at(-1)!, first)
  const x = (value: number) =>
    first === last
      ? (FRAME.left + FRAME.right) / 2
      : FRAME.left + ((FRAME.right - FRAME.left) * (value - first)) / (last - first)
  const { y, rules } = scale(figure, Math.max(...series.flatMap((one) => one.points.map((point) => point.y))))
  const drawn = series.map(({ points }, nth) => {
    const sorted = points.toSorted((a, b) => a.x - b.x)
    const path = sorted.map((point, i) => `${i === 0 ? 'M' : 'L'}${round(x(point.x))} ${round(y(point.y))}`).join('')
    const hasMarks = kind === 'points' || sorted.length <= MAX_MARKS
    return html`<g class="q${nth}">${kind === 'lines' && sorted.length > 1 && html`<path class="line" stroke-dasharray="${DASHES[nth % DASHES.length]}" d="${path}"/>`}${hasMarks && sorted.map((point) => mark(x(point.x), y(point.y), nth))}</g>`
  })
  const labelled = kind === 'points' ? ticks(last) : some(xs)
  return html`${rules}${drawn}${labelled.map((value) => html`<text x="${round(x(value))}" y="${FRAME.bottom + 18}" text-anchor="middle">${figure.x.text(value)}</text>`)}`
}

function bars(figure: Plot, xs: readonly number[]): Html {
  const { series } = figure
  const heights = xs.map((at) => series.map(({ points }) => points.find(({ x }) => x === at)?.y ?? 0))
  const { y, rules } = scale(figure, Math.max(...heights.map((parts) => parts.reduce((sum, part) => sum + part, 0))))
  const step = (FRAME.right - FRAME.left) / xs.length
  const width = Math.min(60, step * 0.7)
  const middle = (nth: number) => FRAME.left + step * (nth + 0.5)
  const drawn = heights.map((parts, at) => {
    let below = 0
    return parts.map((part, nth) => {
      const top = y(below + part)
      const bar = html`<rect class="bar q${nth}" x="${round(middle(at) - width / 2)}" y="${round(top)}" width="${round(width)}" height="${round(y(below) - top)}"/>`
      below += part
      return part > 0 && bar
    })
  })
  const shown = new Set(some(xs))
  return html`${rules}${drawn}${xs.map((value, at) => shown.has(value) && html`<text x="${round(middle(at))}" y="${FRAME.bottom + 18}" text-anchor="middle">${figure.x.text(value)}</text>`)}`
}

/** From 0 to a round number at or above the highest. */
function scale(figure: Plot, highest: number): { y(value: number): number; rules: Html[] } {
  const all = ticks(highest)
  const top = all.at(-1)!
  const y = (value: number) => FRAME.bottom - ((FRAME.bottom - FRAME.top) * value) / top
  const rules = all.map(
    (value) =>
      html`<line class="rule" x1="${FRAME.left}" x2="${FRAME.right}" y1="${round(y(value))}" y2="${round(y(value))}"/><text x="${FRAME.left - 6}" y="${round(y(value) + 4)}" text-anchor="end">${figure.y.text(value)}</text>`,
  )
  return { y, rules }
}

function ticks(highest: number): number[] {
  const rough = (highest > 0 ? highest : 1) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 2.5, 5, 10].find((times) => times * power >= rough * (1 - 1e-9)) ?? 10)
  return Array.from({ length: Math.ceil((highest > 0 ? highest : 1) / step - 1e-9) + 1 }, (_, i) => i * step)
}

/** Evenly spread, with the first. */
function some(xs: readonly number[]): number[] {
  const every = Math.ceil(xs.length / MAX_LABELS)
  return xs.filter((_, i) => i % every === 0)
}

function mark(x: number, y: number, nth: number): Html {
  const [cx, cy, r] = [round(x), round(y), 4]
  if (nth % 3 === 1) return html`<path class="mark" d="M${cx - r} ${cy - r}h${2 * r}v${2 * r}h${-2 * r}z"/>`
  if (nth % 3 === 2) return html`<path class="mark" d="M${cx} ${cy - r - 1}l${r + 1} ${2 * r}h${-2 * r - 2}z"/>`
  return html`<circle class="mark" cx="${cx}" cy="${cy}" r="${r}"/>`
}

function valuesTable(figure: Plot, xs: readonly number[]): Html {
  const rows = plotRows(figure, xs).slice(-MAX_ROWS)
  const cell = (value: number | undefined) =>
    html`<td class="n">${value === undefined ? '' : figure.y.text(value)}</td>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${figure.title}: the values"><table><thead><tr><th scope="col">${figure.x.label}</th>${figure.series.map(({ name }) => html`<th scope="col" class="n">${name}</th>`)}</tr></thead><tbody>${rows.map(([x, ...values]) => html`<tr><th scope="row">${figure.x.text(x!)}</th>${values.map(cell)}</tr>`)}</tbody></table></div>`
}

function plotRows({ series }: Plot, xs: readonly number[]): (number | undefined)[][] {
  const columns = series.map(({ points }) => new Map(points.map(({ x, y }) => [x, y])))
  return xs.map((x) => [x, ...columns.map((column) => column.get(x))])
}

/** Exact values. */
export function plotCsv(figure: Plot): string {
  const xs = [...new Set(figure.series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b)
  const rows = plotRows(figure, xs).map(([x, ...values]) => [
    figure.x.isTime ? new Date(x!).toISOString() : String(x),
    ...values.map((value) => (value === undefined ? '' : String(value))),
  ])
  return csv([[figure.x.label, ...figure.series.map(({ name }) => name)], ...rows])
}

/** Spreadsheets run cells that begin like a formula; what comes from the web must not. */
const FORMULA = /^[=+\-@\t\r]/

export function csv(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => {
    const safe = FORMULA.test(text) && !/^-?[\d.,]+( ?[%\w]+)?$/.test(text) && text !== '-' ? `'${text}` : text
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

const round = (n: number) => Math.round(n * 10) / 10
