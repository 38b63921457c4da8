/** A crawl of slow sites: for a time, or until all is collected. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asStarted, plainEnvironment } from '../crawlers/orbweaver.ts'
import { type Measured, type MeasureOptions, runMeasured } from '../measure/run-measured.ts'

const EXIT_TIME_LIMIT = 15

export interface ScaleRun {
  folder: string
  port: number
  seeds: readonly string[]
  workers: number
  visits: number
  /** For this long, or until all these pages of each site are collected. */
  until: { seconds: number } | { pagesPerSite: number }
  nodeFlags?: readonly string[]
  env?: NodeJS.ProcessEnv
  onSample?: MeasureOptions['onSample']
}

export async function crawlForScale(run: ScaleRun): Promise<Measured & { documents: number }> {
  mkdirSync(run.folder, { recursive: true })
  const seedFile = join(run.folder, 'seeds.txt')
  writeFileSync(seedFile, run.seeds.join('\n') + '\n')
  const flags = ['-c', join(run.folder, 'collection'), '--seeds', seedFile, '--contact', 'https://crawler.example/']
  const size = ['--workers', `${run.workers}`, '--visits', `${run.visits}`]
  const way = ['--resolve', `*.test=127.0.0.1:${run.port}`, '--pause-for', '*.test=0s', '--quiet', '--json']
  const { until } = run
  const time = 'seconds' in until ? ['--max-time', `${Math.ceil(until.seconds)}s`] : []
  const end = await runMeasured(
    process.execPath,
    [...(run.nodeFlags ?? []), ...asStarted(), 'crawl', ...flags, ...size, ...way, ...time],
    { env: { ...plainEnvironment(), ...run.env }, onSample: run.onSample },
  )
  if (end.code !== 0 && !(end.code === EXIT_TIME_LIMIT && 'seconds' in until))
    throw new Error(`orbweaver ended with code ${end.code}:\n${end.stderr}`)
  const { documents } = JSON.parse(end.stdout) as { documents: number }
  if ('pagesPerSite' in until && documents !== run.seeds.length * until.pagesPerSite)
    throw new Error(`${documents} documents were kept, ${run.seeds.length * until.pagesPerSite} are right`)
  return { ...end, documents }
}
