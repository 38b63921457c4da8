/** Which names and addresses we connect to: public ones, and those the operator named. */

import { isIP } from 'node:net'
import { IpRanges } from '../base/ip-ranges.ts'

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

/**
 * 6to4 and NAT64 (64:ff9b::/96) carry the IPv4 address that a gateway will connect to; 64:ff9b:1::/48 is somebody's own.
 */
const REFUSED = new IpRanges([
  ...REFUSED_V4.flatMap(([base, bits]) => [
    `${base}/${bits}`,
    `2002:${hexOf(base)}::/${16 + bits}`,
    `64:ff9b::${base}/${96 + bits}`,
  ]),
  '2001::/23', // Teredo, ORCHID, benchmarks and other protocols' own
  '2001:db8::/32',
  '3fff::/20',
])
/** Everything else is local, multicast, unspecified, IPv4-compatible or unassigned. */
const ASSIGNED = new IpRanges(['0.0.0.0/0', '2000::/3', '64:ff9b::/96'])

function hexOf(dotted: string): string {
  const [a, b, c, d] = dotted.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

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

/** True: we may connect there. A text that is no address is refused. */
export function addressGuard({ allowPrivate, allow }: GuardOptions): (ip: string) => boolean {
  const named = new IpRanges([...allow].filter((ip) => isIP(ip) !== 0))
  const isPublic = (ip: string) => ASSIGNED.has(ip) && !REFUSED.has(ip)
  return (ip) => (allowPrivate ? EVERY.has(ip) : isPublic(ip) || named.has(ip))
}

const EVERY = new IpRanges(['0.0.0.0/0', '::/0'])
