/** The options of a refresh from the settings: which policy, and what a fresh copy of each page is worth. */
import type { Instant } from '../../base/clock.ts'
import { InlinkCounts } from '../../collection/links/inlink-counts.ts'
import type { Database } from '../../database/database.ts'
import type { RefreshOptions } from '../../frontier/contract.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import type { Settings } from '../config/keys.ts'
import { readWeights, weightsOf } from '../config/weights.ts'

export interface Refreshing {
  options: RefreshOptions
  /** Reads again what weights depend on. */
  renewWeights(): Promise<void>
}

/** `once`: when a pass over all pages began. */
export async function refreshing(
  { refreshPolicy, refreshNewShare, refreshMinGain, refreshMinAge, refreshCountsAsChange, refreshWeights }: Settings,
  database: Database,
  urls: UrlReader,
  once: Instant | undefined,
): Promise<Refreshing> {
  const limits = { minGain: refreshMinGain, minAge: refreshMinAge, countsAsChange: refreshCountsAsChange }
  const base = { policy: refreshPolicy, newShare: refreshNewShare, ...limits, ...(once && { once }) }
  const renewWeights = async () => {}
  switch (refreshWeights) {
    case 'uniform':
      return { options: base, renewWeights }
    case 'depth':
      return { options: { ...base, weightOf: ({ depth }) => 1 / (1 + depth) }, renewWeights }
    case 'inlinks': {
      const counts = new InlinkCounts()
      await counts.fill(database)
      const weightOf = ({ url }: { url: string }) => {
        const key = urls.parse(url)?.key
        return 1 + Math.log2(1 + (key === undefined ? 0 : counts.of(key)))
      }
      return { options: { ...base, weightOf }, renewWeights: () => counts.fill(database) }
    }
    default: {
      const weight = weightsOf(readWeights(refreshWeights))
      return { options: { ...base, weightOf: ({ url }) => weight(url) }, renewWeights }
    }
  }
}
