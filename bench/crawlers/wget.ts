/**
 * GNU Wget with `--warc-file`: the nearest in kind of all that a Linux machine has. It stores WARC (gzip, level 9) and files,
 * which it deletes again; its queue is in memory and does not survive; no index of links, no catalogue.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Measured, runMeasured } from '../measure/run-measured.ts'
import type { Coding, Crawler } from './crawler.ts'

export const wget = (coding: Coding): Crawler => ({
  name: 'wget',
  cells: ['wget --warc-file', coding, 'WARC'],
  coding,
  run: ({ web, folder, seeds, workers, end }) =>
    runWget({ folder, seeds, coding, port: web.port, processes: workers || availableParallelism(), end }),
})

interface WgetRun {
  folder: string
  seeds: readonly string[]
  coding: Coding
  port: number
  /** Wget does one thing at a time: as many processes as the machine has cores. */
  processes: number
  end: AbortSignal
}

/** Its first line of `--version`; undefined when there is no wget here. */
export function wgetVersion(): string | undefined {
  try {
    return execFileSync('wget', ['--version'], { encoding: 'utf8' }).split('\n', 1)[0]
  } catch {
    return undefined
  }
}

async function runWget(run: WgetRun): Promise<Measured> {
  const shares = Array.from({ length: run.processes }, (_, share) =>
    run.seeds.filter((_, index) => index % run.processes === share),
  )
  const ends = await Promise.all(shares.map((seeds, share) => one({ ...run, seeds }, share)))
  const sum = (pick: (end: Measured) => number) => ends.reduce((total, end) => total + pick(end), 0)
  return {
    ...ends[0],
    wallSeconds: Math.max(...ends.map((end) => end.wallSeconds)),
    cpuSeconds: sum((end) => end.cpuSeconds),
    peakBytes: sum((end) => end.peakBytes ?? 0),
  }
}

async function one(run: WgetRun, share: number): Promise<Measured> {
  const list = join(run.folder, `seeds-${share}.txt`)
  writeFileSync(list, run.seeds.join('\n') + '\n')
  const place = join(run.folder, `files-${share}`)
  // No pause, no files kept, no log in the WARC, no second look at times: the least that still stores every answer.
  const flags = [
    '--recursive',
    '--level=inf',
    '--no-parent',
    '--delete-after',
    '--no-verbose',
    '--no-hsts',
    '--no-cookies',
  ]
  const coded = run.coding === 'gzip' ? ['--compression=auto'] : []
  const warc = [`--warc-file=${join(run.folder, `volume-${share}`)}`, '--no-warc-keep-log', '--warc-cdx']
  const way = [`--directory-prefix=${place}`, '-e', `http_proxy=http://127.0.0.1:${run.port}/`, `--input-file=${list}`]
  // Code 8: some answer was an error, and every site without robots.txt has one.
  const end = await runMeasured('wget', [...flags, ...coded, ...warc, ...way], { end: run.end })
  if (!run.end.aborted && end.code !== 0 && end.code !== 8)
    throw new Error(`wget ended with code ${end.code}:\n${end.stderr.slice(-2000)}`)
  return end
}
