/** A synthetic web with planted mirrors and look-alikes, crawled in virtual time: the heuristics on a real catalogue. */
import { type MirrorList, searchMirrors } from '../../src/collection/mirrors/find-mirrors.ts'
import { HEURISTICS, type Heuristic } from '../../src/collection/mirrors/heuristics.ts'
import { usualUrls } from '../../src/web/url/web-url.ts'
import { crawlOn, setStage } from '../../testkit/simulate/crawl-run.ts'
import type { Mirror } from '../../testkit/web/mirror-plan.ts'
import { type Score, scoresOf } from './scores.ts'

export interface CrawledWeb {
  sites: number
  contents: number
  planted: number
  scores: Score[]
}

/** One in ten sites has a copy; as many look like copies. */
const COPIES = 0.1
/** Look-alikes come in groups of three. */
const GROUPS = 0.05

export async function crawlAndFind(sites: number, pages: number, seed: number): Promise<CrawledWeb> {
  const web = { mirrorShare: COPIES, falseMirrors: Math.ceil(sites * GROUPS) }
  const bare = setStage({ sites, pages, seed, web })
  const stage = { ...bare, seeds: [...bare.web.homes(), ...bare.web.mirrorHomes()] }
  await crawlOn(stage)
  const truth = stage.web.mirrors()
  const search = await searchMirrors(stage.database, usualUrls)
  try {
    const lists = new Map<Heuristic, MirrorList>()
    for (const heuristic of HEURISTICS) lists.set(heuristic, await search.list(heuristic))
    const families = familiesOf(truth)
    const scores = scoresOf(lists, search.sites, (site) => families.get(site), families.size / 2)
    return { sites: search.sites, contents: search.contents, planted: truth.length, scores }
  } finally {
    await search.close()
    await stage.database.close()
  }
}

/** One that only moves its readers on serves nothing twice: no content can tell, and none is downloaded again. */
function familiesOf(truth: readonly Mirror[]): Map<string, string> {
  const served = truth.filter(({ mirror, kind }) => mirror && kind !== 'www-redirect')
  return new Map(served.flatMap(({ replica, original }) => [replica, original].map((site) => [site, original])))
}
