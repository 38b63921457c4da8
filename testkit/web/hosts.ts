/** Which hosts there are: numbered sites, those that tests planted, copies of others, and whatever a wildcard makes up. */
import { type Mirror, planMirrors } from './mirror-plan.ts'
import type { PlantedPage, WebPlan } from './options.ts'
import { definePlantedSite, defineSite, type Host, indexOfHost, type SiteDefinition, siteSizes } from './site-plan.ts'
import { splitUrl } from './spelling.ts'
import { planWildcards } from './wildcards.ts'

export interface Hosts {
  site(index: number): SiteDefinition
  /** By host with its port; `anyPort`: by the name alone, as a resolver is asked. */
  of(host: string, anyPort: boolean): Host | undefined
  numbered(): SiteDefinition[]
  /** The planted ones, the copies, and good sites under wildcards. */
  others(): SiteDefinition[]
  /** Home pages of hosts under wildcards that are worth a visit, and of copies and what looks like copies. */
  wildcardHomes(): string[]
  mirrorHomes(): string[]
  wildcardEntries(site: SiteDefinition): readonly string[]
  wildcardDomains(): { domain: string; anywhere: SiteDefinition }[]
  mirrors(): readonly Mirror[]
  twin(site: SiteDefinition): SiteDefinition | undefined
  plantedPage(url: string): PlantedPage | undefined
  plantedFromHome(site: SiteDefinition): readonly string[]
}

export function planHosts(plan: WebPlan): Hosts {
  const sizes = siteSizes(plan)
  const sites: SiteDefinition[] = new Array(plan.sites)
  const drawn = (index: number) => (sites[index] ??= defineSite(plan, index, sizes[index]))
  const mirrors = planMirrors(plan, drawn)
  for (const [index, original] of mirrors.originals) sites[index] = original
  const numbered = () => Array.from({ length: plan.sites }, (_, index) => drawn(index))
  const farmers = plan.hazardShare > 0 && plan.hazardShapes.includes('link-farm') ? numbered() : []
  const wildcards = planWildcards(
    plan,
    farmers.filter(({ hazard }) => hazard === 'link-farm'),
  )
  const { plantedSites, plantedPages, fromHome } = plant(plan)
  const twins = new Map(
    mirrors.mirrors.flatMap(({ original, replica, mirror }) => {
      const site = mirrors.sites.get(replica)?.site
      return mirror && site !== undefined ? [[original, site] as const] : []
    }),
  )

  const plantedHost = (host: string, anyPort: boolean): SiteDefinition | undefined => {
    if (!anyPort) return plantedSites.get(host)
    for (const planted of plantedSites.values()) if (planted.host.split(':', 1)[0] === host) return planted
    return undefined
  }
  const known = new Map<string, Host>()
  return {
    site: drawn,
    of(host, anyPort) {
      const before = anyPort ? undefined : known.get(host)
      if (before !== undefined) return before
      const index = indexOfHost(plan, host.split(':', 1)[0])
      if (index !== undefined && (anyPort || drawn(index).host === host)) {
        const found = { site: drawn(index) }
        if (!anyPort) known.set(host, found)
        return found
      }
      const planted = plantedHost(host, anyPort)
      if (planted !== undefined) return { site: planted }
      return mirrors.sites.get(host) ?? wildcards.hostOf(host)
    },
    numbered,
    others: () => [
      ...plantedSites.values(),
      ...[...mirrors.sites.values()].map(({ site }) => site),
      ...wildcards.good(),
    ],
    wildcardHomes: wildcards.homes,
    wildcardEntries: wildcards.entries,
    wildcardDomains: wildcards.domains,
    mirrorHomes: () => [...mirrors.sites.values()].map(({ site }) => `${site.origin}/`),
    mirrors: () => mirrors.mirrors,
    twin: (site) => twins.get(site.host),
    plantedPage: (url) => plantedPages.get(url),
    plantedFromHome: (site) => fromHome.get(site.host) ?? [],
  }
}

function plant(plan: WebPlan) {
  const plantedSites = new Map<string, SiteDefinition>()
  const plantedPages = new Map<string, PlantedPage>()
  const fromHome = new Map<string, string[]>()
  for (const page of plan.planted) {
    const { scheme, host, path } = splitUrl(page.url)
    plantedPages.set(`${scheme}://${host}${path}`, page)
    const numbered = indexOfHost(plan, host.split(':', 1)[0]) !== undefined
    if (!numbered && !plantedSites.has(host)) {
      plantedSites.set(host, definePlantedSite(plan, plan.sites + plantedSites.size, `${scheme}://${host}`))
    }
    if (page.fromHome) fromHome.set(host, [...(fromHome.get(host) ?? []), page.url])
  }
  return { plantedSites, plantedPages, fromHome }
}
