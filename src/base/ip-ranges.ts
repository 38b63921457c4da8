/** Sets of addresses and networks. An IPv4 address inside IPv6 (`::ffff:192.0.2.7`) is the IPv4 address that it reaches. */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

type Family = 'ipv4' | 'ipv6'

const MAPPED = new BlockList()
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6')

export class IpRanges {
  // Kept apart because for Node `::/64` contains every IPv4 address.
  readonly #v4 = new BlockList()
  readonly #v6 = new BlockList()

  constructor(texts: readonly string[] = []) {
    for (const text of texts) this.add(text)
  }

  /** `192.0.2.7`, `192.0.2.0/24`, `2001:db8::/32`, `::ffff:192.0.2.0/120`. False for anything else. */
  add(text: string): boolean {
    const [ip, length, ...more] = text.split('/')
    const family = familyOf(ip)
    if (family === undefined || more.length > 0) return false
    const list = this.#listFor(ip, family)
    if (length === undefined) list.addAddress(ip, family)
    else {
      const bits = /^\d{1,3}$/.test(length) ? Number(length) : -1
      // A shorter prefix of IPv4 inside IPv6 would contain every IPv4 address and more: /24 was meant for IPv4.
      const [least, most] = family === 'ipv4' ? [0, 32] : [list === this.#v4 ? 96 : 0, 128]
      if (bits < least || bits > most) return false
      list.addSubnet(ip, bits, family)
    }
    return true
  }

  has(ip: string): boolean {
    const family = familyOf(ip)
    return family !== undefined && this.#listFor(ip, family).check(ip, family)
  }

  #listFor(ip: string, family: Family): BlockList {
    return family === 'ipv6' && !MAPPED.check(ip, family) ? this.#v6 : this.#v4
  }
}

/** Of the forms that sockets and resolvers give: no zones (`fe80::1%eth0`), brackets, octal, hexadecimal or `127.1`. */
function familyOf(ip: string): Family | undefined {
  return isIPv4(ip) ? 'ipv4' : isIPv6(ip) && !ip.includes('%') ? 'ipv6' : undefined
}
