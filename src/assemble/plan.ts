/** What a crawl was told to do, as plain data that can be handed to another thread. */
import type { Settings } from '../config/keys.ts'

export interface CrawlPlan {
  settings: Settings
  /** All seeds that the collection has, this run's among them. */
  seeds: readonly string[]
  version: string
}

export function pauseFor(
  settings: Settings,
  site: string,
  address: string | undefined,
): { pause: number; own: boolean } {
  const host = hostOf(site)
  for (const { host: pattern, pauseMs } of settings.pauseFor) {
    const isOwn = pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : pattern === host || pattern === address
    if (isOwn) return { pause: pauseMs, own: true }
  }
  return { pause: settings.pause, own: false }
}

/** A site's host: its name without the port. */
function hostOf(site: string): string {
  const bracketed = /^\[([^\]]+)\]/.exec(site)
  return bracketed === null ? site.replace(/:\d+$/, '') : bracketed[1]
}
