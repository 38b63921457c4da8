/** The least program (`bench/ceiling.ts`) as a crawler among the others. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { runMeasured } from '../measure/run-measured.ts'
import type { Coding, Crawler } from './crawler.ts'
import { plainEnvironment } from './orbweaver.ts'

const PROGRAM = join(import.meta.dirname, '..', 'ceiling.ts')

/** CPU seconds for 1,000 pages of 15 KB with gzip 1, on the kind of machine that the targets were set for. */
export const BAND = { min: 0.35, max: 0.48 } as const

export const ceiling = (coding: Coding): Crawler => ({
  name: `ceiling-${coding}`,
  cells: ['ceiling', coding, 'WARC'],
  coding,
  async run({ web, folder, seedFile, documents, profile, end: timeUp }) {
    const nodeFlags = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
    const args = [...nodeFlags, PROGRAM, `${web.port}`, seedFile, join(folder, 'volume.warc.gz')]
    // The product's start has a compile cache: without one 140 ms more of CPU would make this no ceiling.
    const env = { ...plainEnvironment(), NODE_COMPILE_CACHE: enableCompileCache().directory }
    const end = await runMeasured(process.execPath, args, { env, end: timeUp })
    if (end.code !== 0) throw new Error(`the ceiling program ended with code ${end.code}:\n${end.stderr}`)
    const stored = (JSON.parse(end.stdout) as { documents: number }).documents
    if (stored !== documents) throw new Error(`the ceiling program stored ${stored} documents, ${documents} are right`)
    return end
  },
})
