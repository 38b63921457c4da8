/**
 * Reads lists of domain names: one name per line, `rank,name` (Tranco, Alexa, Umbrella), tables whose first column that is
 * not a number is the name (Majestic), and zone files. A name becomes the first URL to try for it.
 */
import { isIP } from 'node:net'
import { parseUrl, type WebUrl } from '../../web/url/web-url.ts'
import { type Chunks, type Found, foundIn, type Line, refused } from './input.ts'

export const namesOf = (chunks: Chunks) => foundIn(chunks, namesReader())

/** Types of records whose owner may be a web server. Most records of a signed zone have other types. */
const OF_HOSTS = new Set(['NS', 'A', 'AAAA', 'CNAME', 'HTTPS', 'MX'])
const OF_OTHERS = new Set(
  'SOA TXT SRV PTR DS DNSKEY CDS CDNSKEY RRSIG NSEC NSEC3 NSEC3PARAM CAA TLSA SPF SSHFP NAPTR DNAME LOC HINFO RP SVCB ZONEMD'.split(
    ' ',
  ),
)
/** A bracket that is never closed hides at most this many lines. */
const MAX_LINES_IN_BRACKETS = 200

/** Reads line by line and remembers the `$ORIGIN` of a zone file. */
export function namesReader(): (line: Line) => Found[] {
  let isZone = false
  let origin = ''
  let inBrackets = 0
  return ({ number, text }) => {
    if (inBrackets > 0) {
      inBrackets = text.includes(')') ? 0 : inBrackets - 1
      return []
    }
    const line = text.replace(/^[;#].*|\s[;#].*/, '')
    if (line.trim() === '') return []
    const directive = /^\$(ORIGIN|TTL|INCLUDE|GENERATE)\b\s*(\S*)/i.exec(line)
    if (directive !== null) {
      isZone = true
      if (directive[1].toUpperCase() === 'ORIGIN') origin = directive[2].replace(/\.$/, '')
      return []
    }
    const words = line.trim().split(/\s+/)
    const type = recordType(words)
    if (type !== undefined) isZone = true
    if (isZone && line.includes('(') && !line.includes(')')) inBrackets = MAX_LINES_IN_BRACKETS
    // The record has the owner of the previous line.
    if (isZone && /^\s/.test(line)) return []
    if (type !== undefined) return OF_HOSTS.has(type) ? nameOf(absolute(words[0], origin), number) : []
    const field = firstName(line)
    // The header of a table.
    if (number === 1 && !field.includes('.')) return []
    return nameOf(field, number)
  }
}

/** The NS of `example.org. 86400 IN NS ns1.example.net.`; undefined if the line is not a record. */
function recordType(words: readonly string[]): string | undefined {
  for (const word of words.slice(1, 4)) {
    const type = word.toUpperCase()
    if (OF_HOSTS.has(type) || OF_OTHERS.has(type)) return type
    if (!/^(\d+[smhdw]?|IN|CH|HS)$/i.test(word)) return undefined
  }
  return undefined
}

function absolute(owner: string, origin: string): string {
  if (owner === '@') return origin
  return owner.endsWith('.') || origin === '' ? owner : `${owner}.${origin}`
}

/** The first field that is not a number. */
function firstName(line: string): string {
  const fields = line.trim().split(/[,;\t ]+/, 8)
  const bare = fields.map((field) => field.replace(/^["']|["']$/g, ''))
  return bare.find((field) => field !== '' && !/^\d+$/.test(field)) ?? bare[0]
}

function nameOf(text: string, at: number): Found[] {
  const url = firstGuess(text)
  return [typeof url === 'string' ? refused(text, at, url) : { kind: 'seed', url, at, path: 'N' }]
}

/** The first URL to try for a name, or the reason why there is none. */
export function firstGuess(text: string): WebUrl | string {
  if (text.length > 300) return 'it is too long for a domain name'
  const name = text
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
    .replace(/\.$/, '')
  if (name.includes('*')) return 'it is a pattern, not a name'
  if (name.includes('@')) return 'it looks like an e-mail address'
  if (/[/?#]/.test(name)) return 'it is a page; give it with --seeds'
  if (isIP(name) !== 0 || name.startsWith('[')) return 'it is an address, not a name'
  if (name.includes(':')) return 'a name must not have a port; give it with --seeds'
  const url = parseUrl(`https://${name}/`)
  if (url === undefined) return 'it is not a host name'
  if (isIP(url.host) !== 0) return `it reads as the address ${url.host}`
  if (!url.host.includes('.')) return 'it is not a full name'
  if (/(^|\.)_/.test(url.host)) return 'a name with _ is not a host name'
  return url.href === `https://${url.host}/` ? url : 'it is not a host name'
}
