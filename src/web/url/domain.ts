/** The registered domain of a host and its public suffix, by the ICANN part of the public suffix list. */
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
