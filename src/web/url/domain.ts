/** Names above a host's own: who registered it, and under what. By the public suffix list, its part for registries. */
import { getDomain, getPublicSuffix } from 'tldts'

const PLAIN = { extractHostname: false, allowPrivateDomains: false } as const

/** `example.co.uk` of `www.example.co.uk`; undefined for addresses and for public suffixes themselves. */
export function registrableDomain(host: string): string | undefined {
  return getDomain(host, PLAIN) ?? undefined
}

/** `co.uk` of `www.example.co.uk`; undefined for addresses. */
export function publicSuffix(host: string): string | undefined {
  return getPublicSuffix(host, PLAIN) ?? undefined
}
