/**
 * A page's out-links as one compact value: a row per link would cost more than the page (40 links of 3–6 µs each).
 * A link into the page's own site is its key; into another site, site key and key; a link that no frontier will ever
 * hold (out of scope) carries its text as well, because it is stored nowhere else.
 */
import { ByteReader, ByteWriter } from '../base/bytes.ts'

export interface OutLink {
  key: bigint
  /** hash64 of the site's name; undefined: the page's own site. */
  siteKey?: bigint
  /** Only of unwanted links, whose text is stored nowhere else. */
  url?: string
  /** Undefined: not known. */
  kind?: LinkKind
}

/** `embed`: the page shows it as a part of itself: a style, a script, a picture. `form`: only forms of the page lead to it. */
export type LinkKind = 'embed' | 'link' | 'form'

/** Two bits; 0: not known. */
const KINDS: readonly (LinkKind | undefined)[] = [undefined, 'embed', 'link', 'form']

/** Pages are packed one at a time, without waiting, so most packers share it. */
const shared = new ByteWriter(4096)
const NONE = new Uint8Array(0)

/** Takes a page's links one by one, so that none of them need be an object. The next packer ends the one before, unless that has memory of its own. */
export class LinkPacker {
  readonly #count: number
  readonly #out: ByteWriter

  /** How many will come. `own`: others may be packed meanwhile. */
  constructor(count: number, own = false) {
    this.#count = count
    const out = own ? new ByteWriter(4096) : shared
    this.#out = out
    out.clear()
    out.count(count)
  }

  add(key: bigint, siteKey: bigint | undefined, url: string | undefined, kind?: LinkKind): void {
    const out = this.#out
    out.byte((siteKey === undefined ? 0 : 1) | (url === undefined ? 0 : 2) | (KINDS.indexOf(kind) << 2))
    out.u64(key)
    if (siteKey !== undefined) out.u64(siteKey)
    if (url !== undefined) out.text(url)
  }

  bytes(): Uint8Array {
    return this.#count === 0 ? NONE : this.#out.bytes()
  }
}

export function packLinks(links: readonly OutLink[]): Uint8Array {
  const packer = new LinkPacker(links.length)
  for (const { key, siteKey, url, kind } of links) packer.add(key, siteKey, url, kind)
  return packer.bytes()
}

export function unpackLinks(packed: Uint8Array): OutLink[] {
  if (packed.length === 0) return []
  const from = new ByteReader(packed)
  const links: OutLink[] = []
  for (let left = from.count(); left > 0; left--) {
    const flags = from.byte()
    const link: OutLink = { key: from.u64() }
    if (flags & 1) link.siteKey = from.u64()
    if (flags & 2) link.url = from.text()
    const kind = KINDS[(flags >> 2) & 3]
    if (kind !== undefined) link.kind = kind
    links.push(link)
  }
  return links
}
