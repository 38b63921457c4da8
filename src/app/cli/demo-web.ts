/** The synthetic web of the demonstration, served on loopback. */

import { demoWeb } from '../../../testkit/web/demo-web.ts'
import { serveWeb } from '../../../testkit/web/serve.ts'
import { makeWeb } from '../../../testkit/web/web.ts'
import { realClock } from '../../base/clock.ts'
import type { DemoOptions, ServedWeb } from './services.ts'

/** Bodies that the server keeps: the whole demonstration fits. */
const KEEP_BYTES = 64e6

export async function serveDemoWeb(options: DemoOptions): Promise<ServedWeb> {
  const usual = demoWeb()
  const plan = {
    ...usual,
    seed: options.seed ?? usual.seed,
    sites: options.sites ?? usual.sites,
    // Half the web's pages for half its sites, unless the operator says how many.
    pages: Math.round((options.sites ?? usual.sites) * (options.pages ?? (usual.pages ?? 0) / usual.sites)),
  }
  const web = makeWeb(plan, KEEP_BYTES)
  const served = await serveWeb(web, { clock: realClock, addresses: 'one' })
  const all = web.allSites()
  const shops = all.filter(({ hazard }) => hazard === 'session-ids')
  return {
    seeds: [...web.homes(), ...web.mirrorHomes()],
    resolve: served.resolveRules,
    sites: all.length,
    pages: all.reduce((sum, { pages }) => sum + pages, 0),
    failing: web.failingSites.length,
    mirrors: web.mirrors().length,
    traps: web.hazardSites.length,
    trap: shops[0]?.host ?? web.hazardSites[0],
    close: () => served.close(),
  }
}
