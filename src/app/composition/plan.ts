/** What a crawl was told to do, as plain data that can be handed to another thread. */

import { rulesBySwitches } from '../../web/url/rules.ts'
import { type UrlReader, urlReader } from '../../web/url/web-url.ts'
import { pauseForHost } from '../config/hosts.ts'
import type { Settings } from '../config/keys.ts'

export interface CrawlPlan {
  settings: Settings
  /** All seeds that the collection has, this run's among them. */
  seeds: readonly string[]
  /** Where names to try may turn out to live. */
  alternates?: readonly string[]
  version: string
}

/** By the rules that the operator wants. */
export function urlsOf(settings: Settings): UrlReader {
  return urlReader(rulesBySwitches(settings.urlRules))
}

/** `own`: the operator named it as a server of their own. */
export function pauseOf(
  settings: Settings,
  site: string,
  address: string | undefined,
): { pause: number; own: boolean } {
  const own = pauseForHost(settings.pauseFor, hostOf(site), address)
  return own === undefined ? { pause: settings.pause, own: false } : { pause: own, own: true }
}

/** A site's host: its name without the port. */
function hostOf(site: string): string {
  const bracketed = /^\[([^\]]+)\]/.exec(site)
  return bracketed === null ? site.replace(/:\d+$/, '') : bracketed[1]
}
