/** The synthetic web of `demo`, served on loopback. */
import { demoWeb } from '../../../testkit/web/demo-web.ts'
import { serveWeb } from '../../../testkit/web/serve.ts'
import { makeWeb } from '../../../testkit/web/web.ts'
import { realClock } from '../../base/clock.ts'

/** Undefined: the demo's own number. */
export interface DemoOptions {
  sites: number | undefined
  /** Average per site. */
  pages: number | undefined
  seed: number | undefined
}

export type ServedWeb = Awaited<ReturnType<typeof serveDemoWeb>>

/** Bodies that the server keeps in memory: enough for the whole demonstration. */
const KEEP_BYTES = 64e6

export async function serveDemoWeb(options: DemoOptions) {
  const usual = demoWeb()
  const sites = options.sites ?? usual.sites
  // Half the sites have half the pages, unless the user gives their number.
  const pages = Math.round(sites * (options.pages ?? (usual.pages ?? 0) / usual.sites))
  const web = makeWeb({ ...usual, seed: options.seed ?? usual.seed, sites, pages }, KEEP_BYTES)
  const served = await serveWeb(web, { clock: realClock, addresses: 'one' })
  const all = web.allSites()
  const shops = all.filter(({ hazard }) => hazard === 'session-ids')
  return {
    seeds: [...web.homes(), ...web.mirrorHomes()],
    /** For `--resolve`: `*.test=127.0.0.1:43210`. */
    resolve: served.resolveRules,
    sites: all.length,
    pages: all.reduce((sum, { pages }) => sum + pages, 0),
    /** Among the sites: failing servers, copies of other sites, traps. */
    failing: web.failingSites.length,
    mirrors: web.mirrors().length,
    traps: web.hazardSites.length,
    /** A site with a trap, to show with `explain`. */
    trap: shops[0]?.host ?? web.hazardSites[0],
    close: () => served.close(),
  }
}
