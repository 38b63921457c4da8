/** IP addresses and networks as numbers, so that a black list can name either (V15). */

export interface AddressRange {
  readonly bits: 32 | 128
  readonly base: bigint
  /** How many leading bits must be equal. */
  readonly prefix: number
}

interface IpNumber {
  bits: 32 | 128
  value: bigint
}

/** `192.0.2.7`, `192.0.2.0/24`, `2001:db8::/32`, with or without brackets; undefined when it is no such thing. */
export function parseRange(text: string): AddressRange | undefined {
  const [ip, length, ...more] = text.split('/')
  const number = parseIp(ip)
  if (number === undefined || more.length > 0) return undefined
  if (length === undefined) return { bits: number.bits, base: number.value, prefix: number.bits }
  if (!/^\d{1,3}$/.test(length) || Number(length) > number.bits) return undefined
  return { bits: number.bits, base: number.value, prefix: Number(length) }
}

export function inRange(range: AddressRange, ip: string): boolean {
  const number = parseIp(ip)
  if (number === undefined || number.bits !== range.bits) return false
  const rest = BigInt(range.bits - range.prefix)
  return number.value >> rest === range.base >> rest
}

/** An IPv4 address inside IPv6 (`::ffff:192.0.2.7`) is the IPv4 address. */
function parseIp(text: string): IpNumber | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) {
    const parts = text.split('.').map(Number)
    if (parts.some((part) => part > 255)) return undefined
    return { bits: 32, value: BigInt(((parts[0] * 256 + parts[1]) * 256 + parts[2]) * 256 + parts[3]) }
  }
  const bare = text.replace(/^\[|\]$/g, '')
  if (!/^[0-9a-f:.]{2,45}$/i.test(bare) || !bare.includes(':')) return undefined
  const host = URL.parse(`http://[${bare}]/`)?.hostname
  return host === undefined ? undefined : fromCanonical(host.slice(1, -1))
}

/** The URL parser writes eight groups of hex digits with at most one `::`. */
function fromCanonical(text: string): IpNumber {
  const [head, tail] = text.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = tail === undefined ? [] : new Array(8 - head.length - tail.length).fill('0')
  let value = 0n
  for (const group of [...head, ...zeros, ...(tail ?? [])]) value = (value << 16n) | BigInt(`0x${group}`)
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffffffffn } : { bits: 128, value }
}
