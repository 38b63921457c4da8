/** Orbweaver as its user starts it: everything on, the pause switched off for these hosts by the ordinary flag. */
import { join } from 'node:path'
import { type Measured, type MeasureOptions, runMeasured } from '../measure/run-measured.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** `written`: as always. `dropped`: compressed, and the bytes thrown away. `none`: not even made. */
export type Volumes = 'written' | 'dropped' | 'none'

export interface OrbweaverRun {
  folder: string
  seedFile: string
  port: number
  volumes: Volumes
  /** More flags of `orbweaver crawl`. */
  flags: readonly string[]
  /** More flags of node: `--cpu-prof`. */
  nodeFlags?: readonly string[]
}

export interface OrbweaverEnd extends Measured {
  documents: number
}

export async function runOrbweaver(run: OrbweaverRun, options: MeasureOptions = {}): Promise<OrbweaverEnd> {
  const without = run.volumes === 'written' ? [] : ['--import', join(ROOT, 'bench', 'volumes', `${run.volumes}.ts`)]
  const flags = [
    '-c',
    run.folder,
    '--seeds',
    run.seedFile,
    '--contact',
    'https://crawler.example/',
    '--quiet',
    '--json',
  ]
  const args = [
    ...(run.nodeFlags ?? []),
    ...without,
    join(ROOT, 'bin', 'orbweaver.js'),
    'crawl',
    ...flags,
    ...run.flags,
  ]
  const measured = await runMeasured(process.execPath, args, { ...options, env: plainEnvironment() })
  if (measured.code !== 0) throw new Error(`orbweaver ended with code ${measured.code}:\n${measured.stderr}`)
  const { documents } = JSON.parse(measured.stdout) as { documents: number }
  return { ...measured, documents }
}

/** Variables of the machine are no settings of the benchmark. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(ORBWEAVER_|NODE_(TEST|OPTIONS|V8))/.test(name)),
  )
}
