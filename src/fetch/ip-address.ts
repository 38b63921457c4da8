/** Addresses as numbers. Only spellings that a socket or a resolver gives are read; all others are no address. */
import { isIPv4, isIPv6 } from 'node:net'

/** 32 bits, or eight groups of 16. */
export type Ip = { v: 4; bits: number } | { v: 6; groups: readonly number[] }

/** Zones (`fe80::1%eth0`), brackets, octal, hexadecimal and short forms (`127.1`) are refused. */
export function parseIp(text: string): Ip | undefined {
  if (isIPv4(text)) return { v: 4, bits: bitsOf(text) }
  if (!isIPv6(text) || text.includes('%')) return undefined
  return { v: 6, groups: groupsOf(text) }
}

/** One text for each address: an IPv4-mapped one is the IPv4 address that it reaches. */
export function ipKey(ip: Ip): string {
  const plain = mappedOf(ip) ?? ip
  return plain.v === 4 ? String(plain.bits) : plain.groups.join(':')
}

/** `::ffff:a.b.c.d` is a.b.c.d on the wire. */
export function mappedOf(ip: Ip): (Ip & { v: 4 }) | undefined {
  if (ip.v === 4) return undefined
  const g = ip.groups
  for (let i = 0; i < 5; i++) if (g[i] !== 0) return undefined
  return g[5] === 0xffff ? { v: 4, bits: joined(g[6], g[7]) } : undefined
}

export function joined(high: number, low: number): number {
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
