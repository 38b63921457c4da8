/** Domains under which every name resolves: farms of links, houses that host many good sites, and whole top-level domains that sell what nobody has registered. */
import type { Instant } from '../../src/base/clock.ts'
import { Draws, draw, drawText } from './chance.ts'
import type { WebPlan, WildcardDomain } from './options.ts'
import { farmDomain, farmPage } from './shapes/link-farm.ts'
import type { ShapePage } from './shapes/shape.ts'
import { madeUpWord, sheet } from './shapes/sheet.ts'
import { definePlantedSite, type Host, type SiteDefinition } from './site-plan.ts'

export interface Wildcards {
  /** `host`: with its port, if it has one. */
  hostOf(host: string): Host | undefined
  /** Home pages of the good sites. */
  homes(): string[]
  good(): SiteDefinition[]
  /** What the home page of a good site names besides its own: hosts that the wildcard makes up. */
  entries(site: SiteDefinition): string[]
  /** Each domain, and where any name under it stands. */
  domains(): { domain: string; anywhere: SiteDefinition }[]
}

/** Numbers of their addresses begin here: one for a farm, one for a coordinator, one for a registry's advertising. */
const ADDRESSES = 2_000_000

export function planWildcards(plan: WebPlan, farmers: readonly SiteDefinition[]): Wildcards {
  const farms = new Map(farmers.map((site, number) => [farmDomain(site.seed, plan.domain), { site, number }]))
  const named = new Map<string, SiteDefinition>()
  plan.wildcards.forEach((wildcard, number) => {
    for (let i = 0; i < wildcard.sites; i++) {
      const host = `${goodName(plan, wildcard, i)}.${wildcard.domain}`
      const site = definePlantedSite(plan, plan.sites + 100_000 + named.size, `http://${host}`)
      const addressGroup = wildcard.kind === 'hosting' ? shared(farms.size + number) : shared(1000 + named.size)
      named.set(host, { ...site, pages: wildcard.pages, addressGroup })
    }
  })
  const hostOf = (host: string): Host | undefined => {
    const good = named.get(host)
    if (good !== undefined) return { site: good }
    if (!/^[a-z0-9][a-z0-9.-]{0,250}$/.test(host)) return undefined
    const dots = host.split('.')
    const farm = farms.get(dots.slice(-2).join('.'))
    if (farm !== undefined) {
      const name = dots.slice(0, -2).join('.')
      const domain = dots.slice(-2).join('.')
      return {
        site: anyHost(plan, host, shared(farm.number)),
        page: (path, bound) => farmPage(path, bound, farm.site.seed, name, domain),
        trap: 'link-farm',
      }
    }
    const at = plan.wildcards.findIndex(({ domain }) => host.endsWith(`.${domain}`))
    if (at < 0) return undefined
    const { kind, domain } = plan.wildcards[at]
    const site = anyHost(plan, host, shared(farms.size + at))
    const seed = drawText(plan.seed, domain)
    return kind === 'hosting'
      ? { site, page: (path) => noSuchBlog(path, seed, host), trap: 'no-such-blog' }
      : { site, page: (path, bound) => advertising(path, seed, host, domain, bound), trap: 'advertising' }
  }
  const good = () => [...named.values()]
  const domains = () =>
    [...farms.keys(), ...plan.wildcards.map(({ domain }) => domain)].flatMap((domain) => {
      const anywhere = hostOf(`any.${domain}`)?.site
      return anywhere === undefined ? [] : [{ domain, anywhere }]
    })
  const entries = ({ host, seed }: SiteDefinition) => {
    const of = plan.wildcards.find(({ domain }) => named.has(host) && host.endsWith(`.${domain}`))
    return of === undefined ? [] : [0, 1].map((number) => `http://${madeUpHost(seed, number)}.${of.domain}/`)
  }
  return { hostOf, good, entries, domains, homes: () => good().map((site) => `${site.origin}/`) }
}

const shared = (number: number) => ADDRESSES + number

function anyHost(plan: WebPlan, host: string, addressGroup: number): SiteDefinition {
  return { ...definePlantedSite(plan, plan.sites, `http://${host}`), addressGroup }
}

function goodName(plan: WebPlan, { domain }: WildcardDomain, number: number): string {
  return `${madeUpWord(new Draws(draw(plan.seed, number, drawText(1, domain))))}${number}`
}

function madeUpHost(seed: number, number: number): string {
  const draws = new Draws(draw(seed, number, 0x405e))
  return `${madeUpWord(draws)}${madeUpWord(draws)}`
}

function noSuchBlog(path: string, seed: number, host: string): ShapePage {
  return sheet(seed, path, 'No such blog', (pen) =>
    pen.put(`<p>${pen.line('none', 10)} <b>${host}</b> ${pen.line('yet', 12)}</p>`),
  )
}

/** It names others that are for sale too. */
function advertising(path: string, seed: number, host: string, domain: string, bound: number): ShapePage {
  const draws = new Draws(drawText(seed, host + path))
  const hosts = Math.max(1, Math.min(bound, 2 ** 32))
  return sheet(seed, path, `${host} is for sale`, (pen) => {
    pen.put(`<p>${host}: ${pen.line('sale', 20)}</p>`)
    for (let offer = 0; offer < 4; offer++)
      pen.link(`/?q=${madeUpWord(new Draws(drawText(seed, `${draws.bits() % hosts}`)))}`)
    for (let other = 0; other < 4; other++) pen.link(`http://${madeUpHost(seed, draws.bits() % hosts)}.${domain}/`)
  })
}

/** Does the name resolve at that time? */
export function isGone(site: SiteDefinition, at: Instant): boolean {
  return site.goneAt !== undefined && at >= site.goneAt
}
