/** What a source of seeds yields, in batches, so that a list need not fit in memory. */
import type { Instant } from '../../base/clock.ts'
import type { SeedSource } from '../../frontier/contract.ts'
import type { WebUrl } from '../../web/url/web-url.ts'

export type Found =
  | {
      kind: 'seed'
      url: WebUrl
      /** Its line, record or row; 0 if there is none. */
      at: number
      /** N: a domain name to try; M: a sitemap. */
      path?: 'N' | 'M'
      lastmod?: Instant
      /** As the source declares it, if known. */
      mediaType?: string
      /** The original text, if a mistake was corrected. */
      instead?: string
    }
  | { kind: 'refused'; text: string; at: number; why: string }
  /** A remark on the input as a whole. */
  | { kind: 'note'; what: string }

export interface SeedInput {
  source: SeedSource
  /** A file or folder, for messages. */
  name: string
  /** What `at` counts. */
  unit: 'line' | 'record' | 'site' | 'URL'
  found: AsyncIterable<readonly Found[]>
}

export function refused(text: string, at: number, why: string): Found {
  return { kind: 'refused', text: clip(text), at, why }
}

/** For a message: one short line without control characters. */
export function clip(text: string): string {
  const plain = text.slice(0, 120).replace(/[\x00-\x1f\x7f-\x9f]/g, '\ufffd')
  return plain.length <= 80 ? plain : `${plain.slice(0, 79)}…`
}
