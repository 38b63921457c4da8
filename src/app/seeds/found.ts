/** What a source of seeds hands over: batch by batch, so that no list need fit in memory. */
import type { Instant } from '../../base/clock.ts'
import type { SeedSource } from '../../frontier/ledger.ts'
import type { WebUrl } from '../../web/url/web-url.ts'

export type Found =
  | {
      kind: 'seed'
      url: WebUrl
      /** The line, record or row of it; 0 when there is none to name. */
      at: number
      /** N: a name to try; M: a sitemap. */
      path?: 'N' | 'M'
      lastmod?: Instant
      /** As its finder declared it, when that is known. */
      mediaType?: string
      /** What was written, when a slip was put right. */
      instead?: string
    }
  | { kind: 'refused'; text: string; at: number; why: string }
  /** For people, about the input as a whole. */
  | { kind: 'note'; what: string }

export interface SeedInput {
  source: SeedSource
  /** A file, a folder; for messages. */
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
