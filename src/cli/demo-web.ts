/** The synthetic web of the demonstration, served on loopback. */
import { realClock } from '../base/clock.ts'
import { demoWeb } from '../testweb/demo-web.ts'
import { serveWeb } from '../testweb/serve.ts'
import { makeWeb } from '../testweb/web.ts'
import type { DemoOptions, ServedWeb } from './doors.ts'

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
  return {
    seeds: web.homes(),
    resolve: served.resolveRules,
    sites: plan.sites,
    pages: plan.pages,
    close: () => served.close(),
  }
}
