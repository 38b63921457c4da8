/** What a collection shows of the web that it was collected from (V26). */
import type { Summary } from './distribution.ts'
import type { Threshold } from './thresholds.ts'

export interface SizeOfType extends Summary {
  type: string
}

export interface LinkShares {
  all: number
  /** Into the page's own site. */
  internal: number
  external: number
  /** Of the external ones: to a home page, to another page, to a site whose name is not known any more. */
  home: number
  deep: number
  unknown: number
  /** internal / all, and deep / (home + deep). */
  internalShare: number
  deepShare: number
}

export interface WebFigures {
  /** Sites of which anything was asked for; URLs asked for; of them, documents kept. */
  sites: number
  urls: number
  documents: number
  urlsPerSite: Summary
  documentsPerSite: Summary
  /** Links from where the site was entered, of every URL; and of the deepest URL of every site. */
  depth: Summary
  deepest: Summary
  /** Characters. */
  urlLength: Summary
  /** Bytes of documents, by media type, the most frequent first; the others together as `other`. */
  size: SizeOfType[]
  /** As documents declare them; '' when they do not. */
  languages: Record<string, number>
  /** What the bytes turned out to be, where that is not what was declared: `text/plain → text/html`. */
  mistaken: Record<string, number>
  statuses: Record<string, number>
  /** Pages that link to a URL, of URLs that any page links to; pages whose links are not counted yet. */
  inLinks: Summary
  behind: number
  /** Different links of a page that was read, whether it was kept or not (`noindex`). */
  outLinks: Summary
  links: LinkShares
  duplicates: { documents: number; share: number; perSite: Summary }
  sessionIds: { urls: number; share: number; sites: number }
  /** Milliseconds of an exchange. */
  took: Summary
  thresholds: Threshold[]
}
