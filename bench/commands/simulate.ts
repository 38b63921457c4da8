/** `bench simulate`: the whole house in virtual time, judged; how long that takes. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { grouped } from '../../src/report/text-table.ts'
import { type SimulationReport, simulateCrawl } from '../../testkit/simulate/crawl-run.ts'
import { benchmark, type Outcome } from '../command.ts'
import { median } from '../measure/statistics.ts'

const FLAGS = {
  sites: { default: 2000, what: 'sites of the synthetic web' },
  pages: { default: 50, what: 'pages of each' },
  runs: { default: 1, what: 'runs; medians are printed' },
} as const

interface Simulated extends SimulationReport {
  cpuSeconds: number
  peakBytes: number
}

export const simulate = benchmark({
  name: 'simulate',
  what: 'seconds for a crawl in virtual time',
  flags: FLAGS,
  async run({ sites, pages, runs }, tools): Promise<Outcome> {
    const done: Simulated[] = []
    for (let run = 1; run <= runs; run++) {
      const one = await inOwnProcess(sites, pages)
      if (one.missing.length + one.surplus.length + one.violations > 0)
        throw new Error(`missing ${one.missing.length}, surplus ${one.surplus.length}, violations ${one.violations}`)
      tools.say(`${run}/${runs}: ${(one.realMs / 1000).toFixed(1)} s`)
      done.push(one)
    }
    const of = (pick: (one: Simulated) => number) => median(done.map(pick))
    const figures = {
      documents: of((one) => one.documents),
      requests: of((one) => one.requests),
      virtualHours: of((one) => one.virtualMs / 3_600_000),
      seconds: of((one) => one.realMs / 1000),
      requestsPerSecond: of((one) => one.requests / (one.realMs / 1000)),
      cpuSeconds: of((one) => one.cpuSeconds),
      peakBytes: of((one) => one.peakBytes),
    }
    const rows = [
      [
        grouped(figures.documents),
        grouped(figures.requests),
        figures.virtualHours.toFixed(2),
        figures.seconds.toFixed(1),
        grouped(Math.round(figures.requestsPerSecond)),
        figures.cpuSeconds.toFixed(1),
        `${Math.round(figures.peakBytes / 1e6)} MB`,
      ],
    ]
    const header = ['documents', 'requests', 'virtual hours', 'seconds', 'requests/s', 'CPU s', 'peak memory']
    const title = `A crawl in virtual time: ${grouped(sites)} sites × ${grouped(pages)} pages, medians of ${runs}`
    return { tables: [{ title, header, rows }], notes: [], figures }
  },
})

/** So that each run begins cold, and its memory is its own. */
async function inOwnProcess(sites: number, pages: number): Promise<Simulated> {
  const child = fork(import.meta.filename, [`${sites}`, `${pages}`])
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('the simulation ended too early')
    }),
  ])) as [Simulated]
  return message
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const [sites, pages] = process.argv.slice(2).map(Number)
  const report = await simulateCrawl({ sites, pages, seed: 1 })
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const message: Simulated = { ...report, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakBytes: maxRSS * 1024 }
  process.send(message, () => process.exit(0))
}
