/** Documents downloaded that were there already: in a first crawl, and in a second with the list of mirrors that the first one gives. */

import { searchMirrors } from '../../src/collection/mirrors/find-mirrors.ts'
import { DEFAULT_HEURISTIC, HEURISTICS } from '../../src/collection/mirrors/heuristics.ts'
import { renewMirrorFile } from '../../src/collection/mirrors/mirror-file.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'
import type { TextTable } from '../../src/report/text-table.ts'
import { usualUrls } from '../../src/web/url/web-url.ts'
import { memoryDisk } from '../../testkit/memory-disk.ts'
import type { Stage } from '../../testkit/simulate/crawl-run.ts'
import { FOLDER } from '../../testkit/simulate/virtual-coordinator.ts'
import type { TestWeb } from '../../testkit/web/web.ts'
import { duplicatesWeb } from './hazard-web.ts'
import { type Ran, run } from './run.ts'

export interface DuplicateFigures {
  crawl: 'no rules, no list' | 'first' | 'second, with its list'
  documents: number
  duplicates: number
  /** In per cent of the documents. */
  share: number
}

export interface HeuristicFigures {
  heuristic: string
  pairs: number
  right: number
  /** Per cent of the pairs that are mirrors. */
  precision: number
  /** Per cent of the mirrors (that hold documents) that were found. */
  coverage: number
}

export interface MirrorFigures {
  crawls: DuplicateFigures[]
  heuristics: HeuristicFigures[]
  list: number
}

interface Size {
  seed: number
  sites: number
  pages: number
}

export async function mirrorFigures({ seed, sites, pages }: Size, say: (line: string) => void): Promise<MirrorFigures> {
  const web = duplicatesWeb(seed, sites, pages)
  const crawls: DuplicateFigures[] = []
  const note = async (crawl: DuplicateFigures['crawl'], ran: Ran) => {
    const figures = await duplicatesOf(ran.stage)
    crawls.push({ crawl, ...figures })
    say(`duplicates, ${crawl}: ${figures.duplicates} of ${figures.documents}`)
  }
  const bare = await run({ web, detectors: false, max: 1e6, settings: { urlRules: ['none'] } })
  await note('no rules, no list', bare)
  await bare.stage.database.close()
  const first = await run({ web, detectors: true, max: 1e6 })
  await note('first', first)
  const search = await searchMirrors(first.stage.database, usualUrls)
  const heuristics: HeuristicFigures[] = []
  for (const heuristic of HEURISTICS) {
    const { pairs } = await search.list(heuristic)
    heuristics.push(judged(first.stage.web, heuristic, pairs))
  }
  const { pairs } = await search.list(DEFAULT_HEURISTIC)
  await search.close()
  const disk = memoryDisk()
  const renewal = { heuristic: DEFAULT_HEURISTIC, pairs, at: first.stage.clock.now(), gone: new Set<string>() }
  await renewMirrorFile(disk, `${FOLDER}/mirrors.txt`, renewal)
  await first.stage.database.close()
  const second = await run({ web, detectors: true, max: 1e6, disk })
  await note('second, with its list', second)
  await second.stage.database.close()
  return { crawls, heuristics, list: pairs.length }
}

/** By the bytes of the payload; the first of equal ones is no duplicate. */
async function duplicatesOf({ database }: Stage): Promise<Omit<DuplicateFigures, 'crawl'>> {
  const sql = "SELECT count(*) AS documents, count(DISTINCT digest) AS contents FROM page WHERE outcome = 'kept'"
  const { documents, contents } = await database.read(
    (tx) => sqliteTx(tx).get<{ documents: number; contents: number }>(sql) ?? { documents: 0, contents: 0 },
  )
  return { documents, duplicates: documents - contents, share: (100 * (documents - contents)) / documents }
}

function judged(
  web: TestWeb,
  heuristic: string,
  pairs: readonly { replica: string; original: string }[],
): HeuristicFigures {
  const both = (a: string, b: string) => [a, b].sort().join(' ')
  const mirrors = web.mirrors().filter(({ mirror, kind }) => mirror && kind !== 'www-redirect')
  const truth = new Set(mirrors.map(({ replica, original }) => both(replica, original)))
  const right = pairs.filter(({ replica, original }) => truth.has(both(replica, original))).length
  return {
    heuristic,
    pairs: pairs.length,
    right,
    precision: pairs.length === 0 ? Number.NaN : (100 * right) / pairs.length,
    coverage: (100 * right) / truth.size,
  }
}

export function mirrorTables({ crawls, heuristics, list }: MirrorFigures): TextTable[] {
  return [
    {
      title: `Duplicates downloaded (the list has ${list} pairs)`,
      header: ['crawl', 'documents', 'duplicates', 'share'],
      rows: crawls.map((one) => [one.crawl, `${one.documents}`, `${one.duplicates}`, `${one.share.toFixed(1)} %`]),
    },
    {
      title: 'Mirrors found in the first crawl',
      header: ['heuristic', 'pairs', 'right', 'precision', 'coverage'],
      rows: heuristics.map((one) => [
        one.heuristic,
        `${one.pairs}`,
        `${one.right}`,
        `${one.precision.toFixed(1)} %`,
        `${one.coverage.toFixed(1)} %`,
      ]),
    },
  ]
}
