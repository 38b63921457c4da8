/** The real resolver, with what the settings and the machine say of names: for whoever asks about names as a crawl does. */
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

function hostsFile(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8')
  } catch {
    return ''
  }
}

/** The names of sites asked of the real resolver, as a crawl with these settings would ask. */

export function realNameChecker(settings: Settings): CheckNames {
  return nameChecker(realResolver(settings))
}
