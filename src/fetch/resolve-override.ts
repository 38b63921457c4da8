/** `--resolve HOST=IP:PORT`: names that the operator sends elsewhere, as `curl --resolve` does. */
import type { Address } from '../contracts/exchange.ts'

export interface ResolveOverride extends Address {
  /** A host in lower case, or `*.test` for every name below `test`, or `*`. */
  host: string
}

/** The exact name first, then the longest pattern. */
export function overrideOf(host: string, overrides: readonly ResolveOverride[]): Address | undefined {
  let best: ResolveOverride | undefined
  for (const override of overrides) {
    if (override.host === host) return addressOf(override)
    const matches = override.host === '*' || (override.host.startsWith('*.') && host.endsWith(override.host.slice(1)))
    if (matches && override.host.length > (best?.host.length ?? 0)) best = override
  }
  return best === undefined ? undefined : addressOf(best)
}

function addressOf({ ip, port }: ResolveOverride): Address {
  return port === undefined ? { ip, named: true } : { ip, port, named: true }
}
