/** The real resolver, as a crawl with these settings asks. */
import { readFileSync } from 'node:fs'
import { realClock } from '../../base/clock.ts'
import { type CheckNames, nameChecker } from '../../collection/mirrors/mirror-file.ts'
import type { Resolve } from '../../contracts/exchange.ts'
import { addressGuard } from '../../fetch/guard.ts'
import { cAresResolver, RESOLVER_BOUNDS } from '../../fetch/resolve.ts'
import type { Settings } from '../config/keys.ts'

export function realResolver(settings: Settings): Resolve {
  return cAresResolver({
    ...RESOLVER_BOUNDS,
    clock: realClock,
    servers: settings.dnsServers.length > 0 ? settings.dnsServers : undefined,
    overrides: settings.resolve,
    guard: addressGuard({ allowPrivate: settings.allowPrivate, allow: new Set() }),
    allowPrivate: settings.allowPrivate,
    hosts: hostsFile(),
  })
}

export function realNameChecker(settings: Settings): CheckNames {
  return nameChecker(realResolver(settings))
}

function hostsFile(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8')
  } catch {
    return ''
  }
}
