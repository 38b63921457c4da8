/**
 * `bench hazards --only cost`: what judging pages and refusing URLs costs. The program crawls real sites on loopback in
 * turns with a build that does neither. All tuned sites have 128,000 documents: in a short crawl (`--packages`) the compiler
 * and the first pages of each site are most of the cost.
 */
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { grouped, type TextTable } from '../../src/report/text-table.ts'
import { type OrbweaverEnd, runOrbweaver } from '../crawlers/orbweaver.ts'
import { median } from '../measure/statistics.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { answerOf, type StaticWeb } from './static-web.ts'

export interface CostFigures {
  sites: string[]
  documents: number
  runs: Record<Build, number[]>
  /** Medians of CPU seconds by the name of a thread: V8's own compile and collect garbage. */
  threads: Record<Build, Record<string, number>>
  /** Medians of CPU seconds per 1,000 documents. */
  cpu: Record<Build, number>
  /** The median of what the pairs of neighbouring runs say. */
  share: number
}

/** A page in a thousand may be lost to a finding: the work is still the same. */
const MAX_DIFFERENCE = 0.001

type Build = 'judging' | 'skipping'

export async function costFigures(
  webs: readonly { web: StaticWeb; start: string }[],
  runs: number,
  say: (line: string) => void,
): Promise<CostFigures> {
  using folder = temporaryFolder()
  const server = await serve(webs.map(({ web }) => web))
  const { port } = server.address() as AddressInfo
  const seedFile = join(folder.path, 'seeds.txt')
  writeFileSync(seedFile, webs.map(({ web, start }) => `http://${web.host}/${start}\n`).join(''))
  const all: CostFigures['runs'] = { judging: [], skipping: [] }
  const threads: Record<Build, OrbweaverEnd['threads'][]> = { judging: [], skipping: [] }
  let documents = 0
  try {
    for (let run = 0; run < runs; run++) {
      const both: Build[] = ['judging', 'skipping']
      for (const build of run % 2 === 0 ? both : both.reverse()) {
        const without = ['--import', join(import.meta.dirname, 'no-detectors.ts')]
        const collection = join(folder.path, `${build}-${run}`)
        const end = await runOrbweaver({
          folder: collection,
          seedFile,
          port,
          volumes: 'written',
          // One thread in both: another starts when the machine is busy, compiles everything again and belongs to no build.
          flags: ['--resolve', `*.test=127.0.0.1:${port}`, '--pause-for', '*.test=0s', '--workers', '1'],
          nodeFlags: build === 'skipping' ? without : [],
        })
        // Half a gigabyte each.
        rmSync(collection, { recursive: true })
        documents ||= end.documents
        if (Math.abs(end.documents - documents) > MAX_DIFFERENCE * documents)
          throw new Error(`${build}: ${end.documents} documents, ${documents} before: not the same work`)
        all[build].push((1000 * end.cpuSeconds) / end.documents)
        threads[build].push(end.threads)
        say(`${build}: ${end.documents} documents, ${end.cpuSeconds.toFixed(1)} CPU s`)
      }
    }
  } finally {
    server.close()
  }
  return {
    sites: webs.map(({ web }) => web.host),
    documents,
    runs: all,
    threads: { judging: byThread(threads.judging), skipping: byThread(threads.skipping) },
    cpu: { judging: median(all.judging), skipping: median(all.skipping) },
    share: median(all.judging.map((cpu, run) => cpu / all.skipping[run] - 1)),
  }
}

const THREADS = { worker: 'WorkerThread', V8: 'V8Worker', main: 'MainThread' }

function byThread(runs: readonly OrbweaverEnd['threads'][]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(THREADS).map(([name, thread]) => [name, median(runs.map((one) => one.get(thread) ?? 0))]),
  )
}

async function serve(webs: readonly StaticWeb[]): Promise<Server> {
  const server = createServer((request, response) => {
    const [host] = (request.headers.host ?? '').split(':')
    const web = webs.find((one) => one.host === host)
    if (web === undefined) {
      response.writeHead(421).end()
      return
    }
    const { status, headers, bytes, read } = answerOf(web, `http://${host}${request.url}`)
    response.writeHead(status, headers.flat()).end(read(bytes))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

export function costTable({ sites, documents, runs, threads, cpu, share }: CostFigures): TextTable {
  const shares = runs.judging.map((one, run) => 100 * (one / runs.skipping[run] - 1))
  const row = (build: Build) => [
    build,
    cpu[build].toFixed(3),
    `${Math.min(...runs[build]).toFixed(3)}–${Math.max(...runs[build]).toFixed(3)}`,
    ...Object.keys(THREADS).map((name) => threads[build][name].toFixed(1)),
  ]
  return {
    title: `Cost of detection: ${sites.length} real sites, ${grouped(documents)} documents, medians of ${runs.judging.length}`,
    header: ['build', 'CPU s/1,000', 'from–to', ...Object.keys(THREADS).map((name) => `${name}, s`)],
    rows: [
      row('judging'),
      row('skipping'),
      [
        'dearer by',
        `${(100 * share).toFixed(1)} %`,
        `${Math.min(...shares).toFixed(1)} to ${Math.max(...shares).toFixed(1)} %`,
        ...Object.keys(THREADS).map(() => ''),
      ],
    ],
  }
}
