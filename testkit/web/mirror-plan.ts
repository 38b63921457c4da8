/**
 * Hosts with copies of other hosts' documents, hosts that only look so, and which is which: the labels by which a detector of
 * mirrors is judged.
 */
import { draw, drawText, unit } from './chance.ts'
import type { MirrorKind, WebPlan } from './options.ts'
import type { ShapePage } from './shapes/shape.ts'
import { sheet, slug } from './shapes/sheet.ts'
import { definePlantedSite, type Host, type SiteDefinition } from './site-plan.ts'

/** Same home page or same documents, and yet another site. */
export type FalseMirrorKind =
  | 'construction' // the home page is that of a site builder, the rest is not
  | 'defaults' // the files that every installation of a system brings along
  | 'parked' // one seller of names, each page naming its own

export interface Mirror {
  replica: string
  original: string
  kind: MirrorKind | FalseMirrorKind
  /** False: to take one for the other would lose documents. */
  mirror: boolean
}

export interface MirrorPlan {
  mirrors: readonly Mirror[]
  /** Hosts that are there only because of this plan. */
  sites: ReadonlyMap<string, Host>
  /** Originals, as they are then: their links name no host. */
  originals: ReadonlyMap<number, SiteDefinition>
}

const GROUP = 3
const FALSE_KINDS: readonly FalseMirrorKind[] = ['construction', 'defaults', 'parked']

export function planMirrors(plan: WebPlan, siteOf: (index: number) => SiteDefinition): MirrorPlan {
  const mirrors: Mirror[] = []
  const sites = new Map<string, Host>()
  const originals = new Map<number, SiteDefinition>()
  for (let index = 0; plan.mirrorShare > 0 && index < plan.sites; index++) {
    const drawn = siteOf(index)
    if (!hasCopy(plan, drawn)) continue
    const kind = plan.mirrorKinds[originals.size % plan.mirrorKinds.length]
    const original: SiteDefinition = { ...drawn, hostless: true }
    originals.set(index, original)
    const host = kind === 'www' || kind === 'www-redirect' ? `www.${drawn.host}` : copyHost(plan, index)
    const gone = unit(draw(drawn.seed, 0x60e)) < plan.mirrorsGoneShare
    const replica: SiteDefinition = {
      ...original,
      index: plan.sites + sites.size,
      host,
      origin: `${drawn.scheme}://${host}`,
      domain: host.split('.').slice(-2).join('.'),
      addressGroup: ADDRESSES + index,
      ...(kind === 'partial' ? { stale: draw(drawn.seed, 0x57a) } : {}),
      ...(gone ? { goneAt: plan.epoch + plan.mirrorsGoneAfterMs } : {}),
    }
    sites.set(host, { site: replica, ...(kind === 'www-redirect' ? { movesTo: original } : {}) })
    mirrors.push({ replica: host, original: drawn.host, kind, mirror: true })
  }
  for (let group = 0; group < plan.falseMirrors; group++) addLookalikes(plan, group, mirrors, sites)
  return { mirrors, sites, originals }
}

/** Numbers of the addresses of copies begin here. */
const ADDRESSES = 3_000_000

function hasCopy(plan: WebPlan, site: SiteDefinition): boolean {
  const ordinary = site.failing === undefined && site.hazard === undefined && site.lookalike === undefined
  const open = site.robots.state !== 'closed' && site.robots.kind !== 'everything'
  return ordinary && open && !/^www\.|^f\d|:/.test(site.host) && unit(draw(site.seed, 0x313)) < plan.mirrorShare
}

function copyHost(plan: WebPlan, index: number): string {
  const bits = draw(plan.seed, index, 0xc09)
  const name = slug(plan.seed, index, 1)
  return bits % 3 === 0 ? `mirror.${name}${index}.${plan.domain}` : `${name}${index}.${plan.domain}`
}

function addLookalikes(plan: WebPlan, group: number, mirrors: Mirror[], sites: Map<string, Host>): void {
  const kind = FALSE_KINDS[group % FALSE_KINDS.length]
  const hosts = Array.from(
    { length: GROUP },
    (_, i) => `${slug(plan.seed, group * GROUP + i, 1)}-${kind.slice(0, 4)}${group}${'abc'[i]}.${plan.domain}`,
  )
  const common = draw(plan.seed, group, 0xfa15e)
  for (const host of hosts) {
    const site = definePlantedSite(plan, plan.sites + sites.size, `http://${host}`)
    const page = (path: string) => lookalikePage(kind, path, common, host)
    sites.set(host, { site: { ...site, addressGroup: ADDRESSES + plan.sites + sites.size }, page })
  }
  for (const host of hosts.slice(1)) mirrors.push({ replica: host, original: hosts[0], kind, mirror: false })
}

const OWN_PAGES = 8
const DEFAULTS = ['/readme.html', '/license.html', '/hello-world.html']

/** `common`: the draw that the group shares; the host's own is drawn from its name. */
function lookalikePage(kind: FalseMirrorKind, path: string, common: number, host: string): ShapePage | undefined {
  const own = drawText(common, host)
  const number = Number(/^\/page-([1-8])\.html$/.exec(path)?.[1] ?? 0)
  const shared = kind === 'defaults' ? DEFAULTS.includes(path) : path === '/'
  if (path !== '/' && number === 0 && !shared) return undefined
  const page = sheet(shared ? common : own, path, shared ? kind : `${host} ${number}`, (pen) => {
    pen.prose(path, 2)
    if (!shared) pen.put(`<p>${host}</p>`)
    if (path === '/') for (let other = 1; other <= OWN_PAGES; other++) pen.link(`/page-${other}.html`)
    if (path === '/' && kind === 'defaults') for (const other of DEFAULTS) pen.link(other)
  })
  return { ...page, sort: 'real' }
}
