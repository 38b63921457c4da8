/** What the list of mirrors spares: a synthetic web crawled twice, the second time with the list of the first. */

import { figures } from '../../src/collection/figures.ts'
import { DEFAULT_HEURISTIC } from '../../src/collection/mirrors/heuristics.ts'
import { renewMirrorFile } from '../../src/collection/mirrors/mirror-file.ts'
import { mirrorsOf } from '../../src/collection/mirrors/mirror-findings.ts'
import { frontierQueries } from '../../src/frontier/queries.ts'
import { crawlOn, type Stage, setStage } from '../../testkit/simulate/crawl-run.ts'
import { documentsOf } from '../../testkit/simulate/judge.ts'
import { FOLDER } from '../../testkit/simulate/virtual-coordinator.ts'

export interface Crawled {
  documents: number
  /** Of them, those whose content another document has. */
  duplicates: number
}

export interface TwoCrawls {
  pairs: number
  first: Crawled
  second: Crawled
  /** Documents of the first crawl that lie on no replica and that the second did not collect. */
  lost: number
}

const COPIES = 0.4

export async function crawlTwice(sites: number, pages: number, seed: number): Promise<TwoCrawls> {
  const stageOf = (): Stage => {
    const web = { mirrorShare: COPIES, falseMirrors: Math.ceil(sites / 20), indexFileShare: 0.3 }
    const stage = setStage({ sites, pages, seed, web })
    return { ...stage, seeds: [...stage.web.homes(), ...stage.web.mirrorHomes()] }
  }
  const one = stageOf()
  await crawlOn(one)
  const ask = { heuristic: DEFAULT_HEURISTIC, examples: 0 }
  const { pairs } = await mirrorsOf(one.database, frontierQueries, ask)
  const other = stageOf()
  other.disk.makeFolder(FOLDER)
  const renewal = { heuristic: DEFAULT_HEURISTIC, pairs, at: other.clock.now(), gone: new Set<string>() }
  await renewMirrorFile(other.disk, `${FOLDER}/mirrors.txt`, renewal)
  await crawlOn(other)
  const replicas = new Set(pairs.map(({ replica }) => replica))
  const again = await documentsOf(other.database)
  const own = [...(await documentsOf(one.database))].filter((url) => !replicas.has(new URL(url).host))
  const result = {
    pairs: pairs.length,
    first: await crawled(one),
    second: await crawled(other),
    lost: own.filter((url) => !again.has(url)).length,
  }
  await one.database.close()
  await other.database.close()
  return result
}

async function crawled({ database }: Stage): Promise<Crawled> {
  const { documents, duplicates } = await database.read((tx) => figures(tx, { seen: 0, waiting: 0 }))
  return { documents, duplicates }
}
