/**
 * A crawl that kills itself (SIGKILL, the whole process) at a moment that its journal names.
 *
 *   node crawl-and-die.ts '{"at":"inbox-stored","nth":3}' CRAWL-FLAGS…
 *
 * The same house, settings and threads as `orbweaver crawl`; only the reader of the journal is ours. A worker's 'synced'
 * reaches this thread before the check-in that follows it, so it is a death between the two.
 */

import { eventLine } from '../../src/app/cli/text.ts'
import { startCrawl } from '../../src/app/composition/crawl.ts'
import { loadSettings } from '../../src/app/config/load.ts'
import { readSeeds } from '../../src/app/config/seeds.ts'
import type { Event } from '../../src/contracts/events.ts'

export interface Death {
  at: Event['kind']
  /** The how-many-eth such event is the last. */
  nth: number
  /** Counted only from the request for this URL on. */
  afterRequestOf?: string
}

const death = JSON.parse(process.argv[2]) as Death
const { settings } = loadSettings(process.argv.slice(3), 'crawl')

let counting = death.afterRequestOf === undefined
let left = death.nth
const journal = (event: Event) => {
  if (settings.verbose) process.stderr.write(`${eventLine(event, Date.now())}\n`)
  if (event.kind === 'request' && event.url === death.afterRequestOf) counting = true
  if (counting && event.kind === death.at && --left === 0) process.kill(process.pid, 'SIGKILL')
}
const handle = await startCrawl(settings, {
  seeds: await readSeeds({ args: [], file: settings.seeds }),
  version: '0.0.0',
  journal,
  // Parts that are applied as they come never lie in the inbox.
  ...(death.at === 'inbox-stored' ? { atOnceBytes: 0 } : {}),
})
const end = await handle.done
process.exit(end.exit)
