/** The names of sites asked of the real resolver, as a crawl with these settings would ask. */
import { readFileSync } from 'node:fs'
import { realClock } from '../base/clock.ts'
import type { Settings } from '../config/keys.ts'
import { addressGuard } from '../fetch/guard.ts'
import { cAresResolver, RESOLVER_BOUNDS } from '../fetch/resolve.ts'
import { type CheckNames, nameChecker } from './check-names.ts'

export function realNameChecker(settings: Settings): CheckNames {
  return nameChecker(
    cAresResolver({
      ...RESOLVER_BOUNDS,
      clock: realClock,
      servers: settings.dnsServers.length > 0 ? settings.dnsServers : undefined,
      overrides: settings.resolve,
      guard: addressGuard({ allowPrivate: settings.allowPrivate, allow: new Set() }),
      hosts: hostsFile(),
    }),
  )
}

function hostsFile(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8')
  } catch {
    return ''
  }
}
