/** Line charts as SVG. Lines differ by dash and mark as well as colour, so that they can be printed in black. */

export interface Series {
  name: string
  /** One for each x; undefined leaves a gap. */
  values: readonly (number | undefined)[]
}

export interface Chart {
  title: string
  x: string
  y: string
  /** The x positions; texts are placed at equal distances and not joined by lines. */
  at: readonly number[] | readonly string[]
  series: readonly Series[]
  /** Start of the y axis; default 0. */
  from?: number
}

const WIDTH = 720
const HEIGHT = 420
const FRAME = { left: 72, right: 530, top: 48, bottom: 350 }
const COLOURS = ['#111111', '#b3261e', '#1f5fa8', '#2e7d32', '#8a5a00', '#6a3d9a', '#555555']
const DASHES = ['', '7 4', '2 3', '10 3 2 3', '', '7 4', '2 3']
const LEGEND_STEP = 26

export function lineChart(chart: Chart): string {
  const { at, series } = chart
  const isText = typeof at[0] === 'string'
  const positions = at.map((position, i) => (typeof position === 'string' ? i : position))
  const [first, last] = isText ? [-0.5, at.length - 0.5] : [Math.min(...positions), Math.max(...positions)]
  const bottom = chart.from ?? 0
  const values = series.flatMap((one) => one.values.filter((v) => v !== undefined))
  const ticks = niceTicks(bottom, Math.max(bottom + 1e-9, ...values))
  const top = ticks.at(-1) ?? 1
  const x = (v: number) => FRAME.left + ((FRAME.right - FRAME.left) * (v - first)) / (last - first || 1)
  const y = (v: number) => FRAME.bottom - ((FRAME.bottom - FRAME.top) * (v - bottom)) / (top - bottom)
  const middle = (FRAME.top + FRAME.bottom) / 2
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13" role="img">`,
    `<title>${escaped(chart.title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(FRAME.left, 26, 'start', chart.title, ' font-size="15" font-weight="bold"'),
    ...ticks.flatMap((v) => [
      line(FRAME.left, y(v), FRAME.right, y(v)),
      text(FRAME.left - 8, y(v) + 4, 'end', tick(v, ticks)),
    ]),
    ...positions.map((position, i) => text(x(position), FRAME.bottom + 20, 'middle', `${at[i]}`)),
    `<path d="M${FRAME.left} ${FRAME.top}V${FRAME.bottom}H${FRAME.right}" fill="none" stroke="#333"/>`,
    text((FRAME.left + FRAME.right) / 2, HEIGHT - 22, 'middle', chart.x),
    text(22, middle, 'middle', chart.y, ` transform="rotate(-90 22 ${middle})"`),
    ...series.flatMap((one, nth) => {
      // Side by side, so that points do not cover each other.
      const shift = isText ? (nth - (series.length - 1) / 2) * 12 : 0
      const points = one.values.flatMap((v, i) => (v === undefined ? [] : [[x(positions[i]) + shift, y(v)] as const]))
      const path = points.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${round(px)} ${round(py)}`).join('')
      return [...(isText ? [] : [stroke(path, nth)]), ...points.map(([px, py]) => mark(px, py, nth))]
    }),
    ...series.flatMap(({ name }, nth) => {
      const ly = FRAME.top + 12 + nth * LEGEND_STEP
      const lx = FRAME.right + 22
      return [
        ...(isText ? [] : [stroke(`M${lx} ${ly}H${lx + 36}`, nth)]),
        mark(lx + 18, ly, nth),
        text(lx + 46, ly + 4, 'start', name),
      ]
    }),
    '</svg>',
    '',
  ].join('\n')
}

/** From `low` to a round number at or above `high`, in at most six round steps. */
function niceTicks(low: number, high: number): number[] {
  const rough = (high - low) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 2.5, 5, 10].find((times) => times * power >= rough) ?? 10)
  const count = Math.ceil((high - low) / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, i) => low + i * step)
}

function tick(value: number, ticks: readonly number[]): string {
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0)
  return value.toFixed(
    Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) + (Number.isInteger(Math.log10(step)) ? 0 : 0.01)))),
  )
}

/** Filled or open, round or angular, to be distinguishable without colour. Open marks are larger and hide nothing. */
function mark(x: number, y: number, nth: number): string {
  const colour = COLOURS[nth % COLOURS.length]
  const isOpen = nth % 2 === 1
  const style = isOpen ? `fill="none" stroke="${colour}" stroke-width="1.6"` : `fill="${colour}"`
  const [cx, cy, r] = [round(x), round(y), isOpen ? 5.5 : 4]
  const kind = Math.floor(nth / 2) % 4
  if (kind === 0) return `<circle cx="${cx}" cy="${cy}" r="${r}" ${style}/>`
  if (kind === 1) return `<path d="M${cx - r} ${cy - r}h${2 * r}v${2 * r}h${-2 * r}z" ${style}/>`
  if (kind === 2) return `<path d="M${cx} ${cy - r - 1}l${r + 1} ${2 * r}h${-2 * r - 2}z" ${style}/>`
  return `<path d="M${cx} ${cy - r - 1}l${r + 1} ${r + 1}l${-r - 1} ${r + 1}l${-r - 1} ${-r - 1}z" ${style}/>`
}

const stroke = (path: string, nth: number) =>
  `<path d="${path}" fill="none" stroke="${COLOURS[nth % COLOURS.length]}" stroke-width="1.6" stroke-dasharray="${DASHES[nth % DASHES.length]}"/>`
const round = (number: number) => Math.round(number * 10) / 10
const escaped = (label: string) => label.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const line = (x1: number, y1: number, x2: number, y2: number) =>
  `<line stroke="#ddd" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`
const text = (x: number, y: number, anchor: 'start' | 'middle' | 'end', label: string, more = '') =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" fill="#222"${more}>${escaped(label)}</text>`
