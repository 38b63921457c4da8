/** Every page under its path, and the computations that are too slow for a page. */
import { notice } from './layout.ts'
import type { PageAnswer, PageRequest, Render, SlowData } from './page.ts'
import { type AuditData, audit } from './pages/audit.ts'
import { type BlacklistData, blacklist } from './pages/blacklist.ts'
import { type ClusterData, cluster } from './pages/cluster.ts'
import { type HazardsData, hazards, mirrorComputations, mirrors } from './pages/hazards.ts'
import { type OverviewData, overview } from './pages/overview.ts'
import { type ReportsData, reportComputations, reports } from './pages/reports.ts'
import { type SiteData, site } from './pages/site.ts'
import { type SitesData, siteComputations, sites } from './pages/sites.ts'
import { capture, diff, type UrlData, url, urlComputations } from './pages/url.ts'
import { type UrlsData, urls } from './pages/urls.ts'

/** What the pages ask of the opened collection: `app/reader/open.ts` has these methods. */
export interface DashboardReader
  extends OverviewData,
    SitesData,
    SiteData,
    UrlsData,
    UrlData,
    ClusterData,
    HazardsData,
    BlacklistData,
    AuditData,
    ReportsData {}

export type DashboardData = DashboardReader & SlowData

const ROUTES: Readonly<Record<string, Render<DashboardData>>> = {
  '/': overview,
  '/sites': sites,
  '/site': site,
  '/urls': urls,
  '/url': url,
  '/capture': capture,
  '/diff': diff,
  '/cluster': cluster,
  '/hazards': hazards,
  '/mirrors': mirrors,
  '/blacklist': blacklist,
  '/actions': audit,
  '/reports': reports,
}

/** Run by the patient reader, one at a time. The values are plain data. */
export type Computations = Readonly<Record<string, (argument: string, data: DashboardReader) => Promise<unknown>>>

export const COMPUTATIONS: Computations = {
  ...siteComputations,
  ...urlComputations,
  ...mirrorComputations,
  ...reportComputations,
}

export async function answer(request: PageRequest, data: DashboardData): Promise<PageAnswer> {
  const render = Object.hasOwn(ROUTES, request.path) ? ROUTES[request.path] : undefined
  if (render !== undefined) return render(request, data)
  if (/^\/reports\/[^/]*$/.test(request.path)) return reports(request, data)
  return notice(request, 404, 'Not found', 'There is no such page.')
}
