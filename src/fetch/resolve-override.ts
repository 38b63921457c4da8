/** `--resolve HOST=IP:PORT`: names that the operator sends elsewhere, as `curl --resolve` does. */
import { isIP } from 'node:net'
import type { Address } from '../visit/exchange.ts'

export interface ResolveOverride {
  /** A host in lower case, or `*.test` for every name below `test`, or `*`. */
  host: string
  address: Address
}

const NAME = /^(?:\*|(?:\*\.)?[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?)$/

/** An error is a sentence. */
export function parseResolveFlag(text: string): ResolveOverride | string {
  const equals = text.indexOf('=')
  if (equals < 0) return `"${text}" is not HOST=IP or HOST=IP:PORT`
  const host = text.slice(0, equals).trim().toLowerCase()
  const target = text.slice(equals + 1).trim()
  const isLiteral = isIP(host) !== 0 || isIP(host.replace(/^\[|\]$/g, '')) === 6
  if (host.length > 253 || !(NAME.test(host) || isLiteral)) return `"${host}" is no host name or *.pattern`
  const address = parseTarget(target)
  if (address === undefined) return `"${target}" is not IP or IP:PORT (IPv6 in brackets when a port follows)`
  return { host: withoutDot(host.replace(/^\[|\]$/g, '')), address }
}

/** The exact name first, then the longest pattern. */
export function overrideOf(host: string, overrides: readonly ResolveOverride[]): Address | undefined {
  let best: ResolveOverride | undefined
  for (const override of overrides) {
    if (override.host === host) return override.address
    const matches = override.host === '*' || (override.host.startsWith('*.') && host.endsWith(override.host.slice(1)))
    if (matches && override.host.length > (best?.host.length ?? 0)) best = override
  }
  return best?.address
}

function parseTarget(target: string): Address | undefined {
  if (isIP(target) !== 0 && !target.includes('%')) return { ip: target }
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+))(?::(\d{1,5}))?$/.exec(target)
  if (found === null) return undefined
  const ip = found[1] ?? found[2]
  if (isIP(ip) !== (found[1] === undefined ? 4 : 6)) return undefined
  if (found[3] === undefined) return { ip }
  const port = Number(found[3])
  return port >= 1 && port <= 65_535 ? { ip, port } : undefined
}

function withoutDot(host: string): string {
  return host.length > 1 && host.endsWith('.') ? host.slice(0, -1) : host
}
