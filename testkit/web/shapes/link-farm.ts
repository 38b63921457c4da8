/**
 * A domain under which every name exists (a wildcard in its DNS) and every host has the same few pages with other words in
 * them, all linking to hosts that nobody has seen yet. The site that has this hazard links into it; `farmPage` is what stands there.
 */
import { Draws, draw, drawText } from '../chance.ts'
import type { Shape, ShapePage } from './shape.ts'
import { madeUpWord, sheet } from './sheet.ts'

/** The registrable domain of the farm that belongs to the site. */
export function farmDomain(seed: number, domain: string): string {
  return `${madeUpWord(new Draws(draw(seed, 0xfa9)))}-${(seed % 46_656).toString(36)}.${domain}`
}

export const linkFarm: Shape = {
  entries: (seed, domain) => [`http://best.${farmDomain(seed, domain)}/`, `http://www.${farmDomain(seed, domain)}/`],
  page: () => undefined,
}

const PAGES = 4

/** `host`: whatever stands before the farm's domain. */
export function farmPage(path: string, bound: number, seed: number, host: string, farm: string): ShapePage | undefined {
  const number = path === '/' ? 0 : Number(/^\/offer-([1-9])\.html$/.exec(path)?.[1] ?? PAGES)
  if (number >= PAGES) return undefined
  const draws = new Draws(drawText(seed, `${host} ${path}`))
  const hosts = Math.max(1, Math.min(bound, 2 ** 32))
  return sheet(seed, path, `${host} – best offers`, (pen) => {
    for (let part = 0; part < 3; part++)
      pen.put(`<p>${pen.line(`${number} ${part}`, 24)} ${host} ${pen.line(`${part}`, 9)}</p>`)
    for (let own = 1; own < PAGES; own++) pen.link(`/offer-${own}.html`)
    for (let i = 0; i < 8; i++) pen.link(`http://${farmHost(seed, draws.bits() % hosts)}.${farm}/`)
  })
}

function farmHost(seed: number, number: number): string {
  const draws = new Draws(draw(seed, number, 0xfa4))
  return `${madeUpWord(draws)}-${madeUpWord(draws)}${draws.yes(0.3) ? number % 1000 : ''}`
}
