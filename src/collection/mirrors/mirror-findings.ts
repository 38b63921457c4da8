/** The mirrors of a collection: counts by every heuristic, pairs by one. */
import { type Instant, turn } from '../../base/clock.ts'
import type { DecidedMirrors } from '../../contracts/control.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { proposedMirrors, searchMirrors } from './find-mirrors.ts'
import { HEURISTICS, type Heuristic, type MirrorPair } from './heuristics.ts'
import { whyNoMirror } from './homes.ts'
import { among, type NamedPair, withDecided } from './list.ts'
import type { CheckNames } from './mirror-file.ts'
import { FROM_LIST } from './mirror-maintenance.ts'

/** What the frontier knows of the names of sites. */
export interface MirrorViews {
  reader(tx: Tx): Promise<UrlReader>
  /** The decisions of operators. */
  decidedMirrors(tx: Tx): Promise<DecidedMirrors>
  aliases(tx: Tx): Promise<readonly { name: SiteName; original: SiteName; how: string; since: Instant }[]>
}

export interface MirrorAsk {
  heuristic: Heuristic
  /** Examples of each heuristic, and proposals. */
  examples: number
  /** Undefined: names are not looked up. */
  check?: CheckNames
}

export type MirrorFindings = Awaited<ReturnType<typeof mirrorsOf>>
export type HeuristicFigures = MirrorFindings['heuristics'][number]

export async function mirrorsOf(database: Database, views: MirrorViews, { heuristic, examples, check }: MirrorAsk) {
  const urls = await database.read((tx) => views.reader(tx))
  const search = await searchMirrors(database, urls)
  try {
    const figures: { heuristic: Heuristic; groups: number; replicas: number; examples: MirrorPair[] }[] = []
    let pairs: MirrorPair[] = []
    for (const name of HEURISTICS) {
      const list = await search.list(name)
      if (name === heuristic) pairs = list.pairs
      const { length: replicas } = list.pairs
      figures.push({ heuristic: name, groups: list.groups, replicas, examples: list.pairs.slice(0, examples) })
    }
    const base = figures.find((one) => one.heuristic === 'Dups100')?.replicas ?? 0
    const decided = await database.read((tx) => views.decidedMirrors(tx))
    const { overruled } = decided
    let used = withDecided(await usedPairs(database, views, urls), decided)
    let names: { checked: number; gone: string[]; unanswered: number; pairsLost: number } | null = null
    if (check !== undefined) {
      const all = [...pairs, ...used]
      const asked = [...new Set(all.flatMap(({ replica, original }) => [replica, original]))]
      const { gone, unanswered } = await check(asked)
      const isLost = ({ replica, original }: NamedPair) => gone.has(replica) || gone.has(original)
      const pairsLost = new Set(all.filter(isLost).map(({ replica, original }) => `${replica} ${original}`)).size
      used = used.filter((pair) => !isLost(pair))
      // The groups elect their originals again without them.
      if (gone.size > 0) pairs = (await search.list(heuristic, gone)).pairs
      names = { checked: asked.length, gone: [...gone].sort(), unanswered, pairsLost }
    }
    const isOverruled = among(overruled)
    return {
      /** Sites with contents; different contents; contents that too many sites have to be evidence. */
      sites: search.sites,
      contents: search.contents,
      tooCommon: search.tooCommon,
      /** `relativeCoverage`: replicas per replica that Dups100 finds; null when it finds none. */
      heuristics: figures.map((one) => ({ ...one, relativeCoverage: base === 0 ? null : one.replicas / base })),
      chosen: heuristic,
      /** By the chosen heuristic, without names that do not resolve. */
      pairs: pairs.filter((pair) => !isOverruled(pair)),
      /** Pairs of the crawl's list that still hold, without names that do not resolve. */
      used,
      /** Operators decided that these are not mirrors, so they are not among the pairs. */
      overruled,
      /** Null: not looked up. */
      names,
      /** Sites that the crawl itself took for mirrors. */
      proposed: await database.read((tx) => proposedMirrors(tx, examples)),
    }
  } finally {
    await search.close()
  }
}

const PAIRS_AT_ONCE = 1000

/** A crawl that used a list has only the home pages of its replicas, so only they can be compared. */
async function usedPairs(database: Database, views: MirrorViews, urls: UrlReader): Promise<NamedPair[]> {
  const listed = (await database.read((tx) => views.aliases(tx))).filter(({ how }) => how === FROM_LIST)
  const used: NamedPair[] = []
  for (let from = 0; from < listed.length; from += PAIRS_AT_ONCE) {
    const holding = await database.read(async (tx) => {
      const pairs: NamedPair[] = []
      for (const { name, original, since } of listed.slice(from, from + PAIRS_AT_ONCE)) {
        const pair = { replica: name, original }
        if ((await whyNoMirror(tx, urls, pair, since)) === undefined) pairs.push(pair)
      }
      return pairs
    })
    used.push(...holding)
    await turn()
  }
  return used
}
