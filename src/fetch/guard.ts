/** Which names and addresses we connect to: public ones, and those the operator named. */

import { isIPv4, isIPv6 } from 'node:net'
import { assert } from '../base/assert.ts'

export interface GuardOptions {
  /** `--allow-private`: the operator crawls inside. */
  allowPrivate: boolean
  /** Addresses named one by one (`--resolve`). */
  allow: ReadonlySet<string>
}

/** IANA's special-purpose registry: none of these is a server of the public web. */
const REFUSED_V4: readonly [base: string, bits: number][] = [
  ['0.0.0.0', 8], // "this network"; 0.0.0.0 reaches the machine itself
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carriers' NAT; a cloud's metadata at 100.100.100.200
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // the host of a virtual machine at one cloud; looks public, and is not
  ['169.254.0.0', 16], // link-local; metadata at 169.254.169.254
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]

const RANGES = REFUSED_V4.map(([base, bits]) => {
  const ip = parseIp(base)
  assert(ip?.v === 4, `range ${base}`)
  const mask = (0xffffffff << (32 - bits)) >>> 0
  return { mask, base: ip.bits }
})

/**
 * Names that cannot be registered, so a server that answers for one is on a private network: RFC 6761 (`test`, `example`,
 * `invalid`, `localhost`), RFC 6762 (`local`, and those of its appendix G), RFC 8375, and `internal`, which ICANN reserved.
 */
const PRIVATE_NAMES =
  /(?:^|\.)(?:test|example|invalid|localhost|local|intranet|internal|private|corp|home|lan|home\.arpa)$/

/** Of a host in lower case, without a last dot. */
export function isPrivateName(host: string): boolean {
  return PRIVATE_NAMES.test(host)
}

/** True: we may connect there. What cannot be read as an address is refused. */
export function addressGuard(options: GuardOptions): (ip: string) => boolean {
  const named = new Set<string>()
  for (const text of options.allow) {
    const ip = parseIp(text)
    if (ip !== undefined) named.add(ipKey(ip))
  }
  return (text) => {
    const ip = parseIp(text)
    if (ip === undefined) return false
    return options.allowPrivate || isPublic(ip) || (named.size > 0 && named.has(ipKey(ip)))
  }
}

function isPublic(ip: Ip): boolean {
  if (ip.v === 4) return isPublicV4(ip.bits)
  const mapped = mappedOf(ip)
  if (mapped !== undefined) return isPublicV4(mapped.bits)
  const g = ip.groups
  // NAT64 (64:ff9b::/96) carries the address that a gateway will connect to; 64:ff9b:1::/48 is somebody's own.
  if (g[0] === 0x64 && g[1] === 0xff9b && g[2] === 0 && g[3] === 0 && g[4] === 0 && g[5] === 0) {
    return isPublicV4(joined(g[6], g[7]))
  }
  // Everything outside 2000::/3 is local, multicast, unspecified, IPv4-compatible or unassigned.
  if (g[0] >>> 13 !== 1) return false
  // 2001::/23: Teredo, ORCHID, benchmarks and other protocols' own.
  if (g[0] === 0x2001 && g[1] < 0x200) return false
  if (g[0] === 0x2001 && g[1] === 0xdb8) return false
  if (g[0] === 0x3fff && g[1] < 0x1000) return false
  if (g[0] === 0x2002) return isPublicV4(joined(g[1], g[2]))
  return true
}

function isPublicV4(bits: number): boolean {
  for (const { mask, base } of RANGES) if ((bits & mask) >>> 0 === base) return false
  return true
}

/** 32 bits, or eight groups of 16. */
type Ip = { v: 4; bits: number } | { v: 6; groups: readonly number[] }

/** Reads only the forms that sockets and resolvers give: no zones (`fe80::1%eth0`), brackets, octal, hexadecimal or `127.1`. */
function parseIp(text: string): Ip | undefined {
  if (isIPv4(text)) return { v: 4, bits: bitsOf(text) }
  if (!isIPv6(text) || text.includes('%')) return undefined
  return { v: 6, groups: groupsOf(text) }
}

/** One text per address: an IPv4-mapped one becomes the IPv4 address it reaches. */
function ipKey(ip: Ip): string {
  const plain = mappedOf(ip) ?? ip
  return plain.v === 4 ? String(plain.bits) : plain.groups.join(':')
}

/** `::ffff:a.b.c.d` is a.b.c.d on the wire. */
function mappedOf(ip: Ip): (Ip & { v: 4 }) | undefined {
  if (ip.v === 4) return undefined
  const g = ip.groups
  for (let i = 0; i < 5; i++) if (g[i] !== 0) return undefined
  return g[5] === 0xffff ? { v: 4, bits: joined(g[6], g[7]) } : undefined
}

function joined(high: number, low: number): number {
  return ((high << 16) | low) >>> 0
}

function bitsOf(dotted: string): number {
  let bits = 0
  for (const part of dotted.split('.')) bits = ((bits << 8) | Number(part)) >>> 0
  return bits
}

function groupsOf(text: string): number[] {
  const [left, right] = text.split('::')
  const front = groupList(left)
  if (right === undefined) return front
  const back = groupList(right)
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
}

function groupList(text: string): number[] {
  if (text === '') return []
  const groups: number[] = []
  for (const part of text.split(':')) {
    if (part.includes('.')) {
      const bits = bitsOf(part)
      groups.push(bits >>> 16, bits & 0xffff)
    } else {
      groups.push(Number.parseInt(part, 16))
    }
  }
  return groups
}
