import { isIP } from 'node:net'

const MOST_NAMES = 100_000

/** The names of an `/etc/hosts`; IPv4 before IPv6, as everywhere in this room. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [ip, ...hosts] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(ip) === 0 || ip.includes('%')) continue
    for (const host of hosts) {
      const name = host.toLowerCase()
      const list = names.get(name)
      if (list !== undefined) list.push(ip)
      else if (names.size < MOST_NAMES) names.set(name, [ip])
    }
  }
  for (const list of names.values()) list.sort((a, b) => isIP(a) - isIP(b))
  return names
}
