/** Where the sites of the synthetic web stand: an address each, but for groups that share one. */
import type { SiteDefinition } from './site-plan.ts'

/** In virtual time: 10.x.y.z. */
export function virtualAddress(site: SiteDefinition): string {
  return quad(10, site.addressGroup)
}

/** On Linux all of 127/8 is this machine: as many servers as there are sites. The second number is never 0. */
export function loopbackAddress(site: SiteDefinition): string {
  return quad(127, site.addressGroup)
}

function quad(first: number, group: number): string {
  // Numbers 1 … 250 only: nothing that could be taken for a network or a broadcast address.
  const digit = (step: number) => (Math.floor(group / 250 ** step) % 250) + 1
  return `${first}.${digit(2)}.${digit(1)}.${digit(0)}`
}
