/** What one check-out may still give: sites, pages of the budget, and keys that it takes time to read. */
import { cautiousPages } from '../caution.ts'
import { KEYS_AN_ITEM, MAX_KEYS_AT_ONCE, shareOf } from '../check-out-bounds.ts'
import { MAX_KNOWN } from '../most-known.ts'
import type { SiteRow } from '../site-row.ts'

export class Allowance {
  readonly #slicePages: number
  #sites: number
  #pages: number
  #keys = MAX_KEYS_AT_ONCE

  /** `pages`: of the budget; infinite when nothing bounds them. */
  constructor(slicePages: number, sites: number, pages: number) {
    this.#slicePages = slicePages
    this.#sites = sites
    this.#pages = pages
  }

  get isSpent(): boolean {
    return this.#sites <= 0 || this.#pages <= 0 || this.#keys <= 0
  }

  /** The budget allows more. */
  get hasPages(): boolean {
    return this.#pages > 0
  }

  /** Pages of a visit to the site, where so many share what is left. */
  spend(site: Pick<SiteRow, 'losses' | 'known' | 'waiting'>, sharers: number): number {
    const pages = cautiousPages(site.losses, shareOf(this.#slicePages, this.#pages, sharers))
    this.#sites--
    this.#pages -= pages
    this.#keys -= KEYS_AN_ITEM * Math.min(pages, site.waiting) + (site.known > MAX_KNOWN ? 0 : site.known)
    return pages
  }

  copy(): Allowance {
    const copy = new Allowance(this.#slicePages, this.#sites, this.#pages)
    copy.#keys = this.#keys
    return copy
  }
}
