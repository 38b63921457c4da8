/** `bench start`: from the start of the program to its first request, seen by the server, and what a crawl of one page costs. */

import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../../tools/build.ts'
import { benchmark, type Outcome } from '../command.ts'
import { median } from '../measure/statistics.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { onePageSite, type Start, startOnce } from '../start/first-request.ts'

const CHECKOUT = join(import.meta.dirname, '..', '..', 'bin', 'orbweaver.js')
/** Milliseconds to the first request. */
const TARGETS = { built: 400, checkout: 1200 } as const

export const start = benchmark({
  name: 'start',
  what: 'time from the start of the program to its first request, and the CPU of a crawl of one page',
  flags: {
    runs: { default: 7, what: 'runs of each kind, after one that warms the compile cache; medians are printed' },
    also: { default: '', what: 'another bin/orbweaver.js to measure beside them, such as that of an older checkout' },
  },
  async run({ runs, also }, tools): Promise<Outcome> {
    using folder = temporaryFolder()
    tools.say('building the package …')
    const kinds = [
      { name: 'built package', program: builtPackage(folder.path), target: TARGETS.built },
      { name: 'checkout', program: CHECKOUT, target: TARGETS.checkout },
      ...(also === '' ? [] : [{ name: also, program: also, target: undefined }]),
    ]
    const done = new Map<string, Start[]>(kinds.map(({ name }) => [name, []]))
    await using site = await onePageSite()
    // They take turns, so that a busy machine is unfair to none.
    for (let round = 0; round <= runs; round++) {
      for (const { name, program } of kinds) {
        const one = await startOnce(program, site)
        tools.say(
          `${round}/${runs} ${name}: ${Math.round(one.firstRequestMs)} ms to the first request, ${one.cpuMs} CPU ms`,
        )
        if (round > 0) done.get(name)?.push(one)
      }
    }
    const figures = kinds.map(({ name, target }) => {
      const starts = done.get(name) ?? []
      const of = (pick: (one: Start) => number) => Math.round(median(starts.map(pick)))
      return {
        name,
        target,
        firstRequestMs: of((one) => one.firstRequestMs),
        minFirstRequestMs: Math.round(Math.min(...starts.map((one) => one.firstRequestMs))),
        endMs: of((one) => one.endMs),
        cpuMs: of((one) => one.cpuMs),
        minCpuMs: Math.round(Math.min(...starts.map((one) => one.cpuMs))),
      }
    })
    const rows = figures.map((one) => [
      one.name,
      `${one.firstRequestMs} ms`,
      `${one.minFirstRequestMs} ms`,
      one.target === undefined ? '-' : `≤ ${one.target} ms`,
      `${one.endMs} ms`,
      `${one.cpuMs} ms`,
      `${one.minCpuMs} ms`,
    ])
    const header = ['', 'first request', 'least', 'target', 'end of a crawl of one page', 'its CPU', 'least']
    return {
      tables: [{ title: `Start: medians of ${runs}`, header, rows }],
      notes: ['Wall times are those of this machine as busy as it was; the compile cache is warm.'],
      figures: { kinds: figures },
    }
  },
})

/** The package as npm would install it: built, without the sources, its dependencies beside it. */

const ROOT = join(import.meta.dirname, '..', '..')

/** Makes it in that folder; returns the program to start. */
function builtPackage(folder: string): string {
  // `npm run check` looks at the types, which takes three times as long as the rest.
  build(folder, '--noCheck')
  for (const part of ['bin', 'package.json']) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'bin', 'orbweaver.js')
}
