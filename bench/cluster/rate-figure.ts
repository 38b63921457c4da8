/** Rate against sites at once as a picture: what was measured, and the line that all of them would give. */

export interface RatePoint {
  workers: number
  sites: number
  perSecond: number
}

const WIDTH = 560
const HEIGHT = 340
const FRAME = { left: 70, right: 540, top: 40, bottom: 280 }
const STEPS = 4

/** `latencySeconds`: how long a site takes to answer; asked again at once, it answers 1 / latency times per second. */
export function rateFigure(points: readonly RatePoint[], latencySeconds: number): string {
  const maxSites = roundUp(Math.max(...points.map(({ sites }) => sites)))
  const maxRate = roundUp(Math.max(maxSites / latencySeconds, ...points.map(({ perSecond }) => perSecond)))
  const x = (sites: number) => FRAME.left + ((FRAME.right - FRAME.left) * sites) / maxSites
  const y = (rate: number) => FRAME.bottom - ((FRAME.bottom - FRAME.top) * rate) / maxRate
  const steps = Array.from({ length: STEPS + 1 }, (_, at) => at / STEPS)
  const grid = steps.flatMap((share) => {
    const [sites, rate] = [share * maxSites, share * maxRate]
    return [
      line(x(sites), FRAME.top, x(sites), FRAME.bottom, 'grid'),
      line(FRAME.left, y(rate), FRAME.right, y(rate), 'grid'),
      text(x(sites), FRAME.bottom + 18, 'middle', label(sites)),
      text(FRAME.left - 8, y(rate) + 4, 'end', label(rate)),
    ]
  })
  const measured = points.flatMap(({ workers, sites, perSecond }) => {
    const words = `${workers} worker${workers === 1 ? '' : 's'}: ${perSecond.toFixed(1)}`
    // On the side of the line where there is room.
    const isLeft = sites < maxSites / 2
    return [
      `<circle class="seen" cx="${round(x(sites))}" cy="${round(y(perSecond))}" r="5"/>`,
      isLeft
        ? text(x(sites) + 10, y(perSecond) + 12, 'start', words)
        : text(x(sites) - 10, y(perSecond) - 8, 'end', words),
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img">`,
    '<title>Requests a second by sites at once</title>',
    '<style>.grid{stroke:#ddd}.line{stroke:#888;stroke-dasharray:5 4}.seen{fill:#b3261e}text{fill:#333}</style>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(FRAME.left, 22, 'start', `Requests a second; every answer takes ${latencySeconds} s; dashed: sites / latency`),
    ...grid,
    line(x(0), y(0), x(maxSites), y(maxSites / latencySeconds), 'line'),
    ...measured,
    text((FRAME.left + FRAME.right) / 2, HEIGHT - 16, 'middle', 'sites at once, over all worker processes'),
    '</svg>',
    '',
  ].join('\n')
}

const round = (number: number) => Math.round(number * 10) / 10
const label = (number: number) => Math.round(number).toLocaleString('en-US')
const line = (x1: number, y1: number, x2: number, y2: number, kind: string) =>
  `<line class="${kind}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`
const text = (x: number, y: number, anchor: 'start' | 'middle' | 'end', words: string) =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${words}</text>`

/** To a number that four steps divide well: 1, 2, 4 or 8 of the power of ten below it. */
function roundUp(number: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, number)))
  return power * ([1, 2, 4, 8, 10].find((times) => times * power >= number) ?? 10)
}
