import { EXIT, Problem } from '../../base/errors.ts'
import { freshSeed } from '../../base/random.ts'
import { formatDuration } from '../../base/units.ts'
import { grouped, printTable } from '../../report/text-table.ts'
import type { Command } from '../command.ts'

const SITES = 200
const PAGES = 50

export const simulate: Command = {
  name: 'simulate',
  usage: 'crawl',
  what: 'run the whole crawler over a synthetic web in virtual time',
  more: 'Runs the same frontier, visits, intake and catalogue as a real crawl, over a synthetic web and a clock that jumps from one event to the next: courteous waiting takes no time, requests take 2 to 5 ms of CPU each. The usual web (some 9,000 requests) takes about 20 s for its 7 minutes of virtual time, one site of 2,000 pages about 10 s for 70 minutes. Then it compares what was collected with what the synthetic web says is reachable and permitted. Nothing is fetched and nothing is kept.',
  examples: [
    { line: 'orbweaver simulate crawl', does: '200 sites of some 50 pages.' },
    {
      line: 'orbweaver simulate crawl --sites 2000 --pages 50 --random-seed 1',
      does: 'A larger web, the same every time.',
    },
  ],
  words: { least: 1, most: 1 },
  async run(call) {
    const { settings, screen, doors } = call
    if (call.words[0] !== 'crawl')
      throw new Problem('bad-flag', `'${call.words[0]}' cannot be simulated; there is 'orbweaver simulate crawl'`)
    const seed = settings.randomSeed ?? freshSeed()
    const result = await doors.simulateCrawl({ sites: settings.sites ?? SITES, pages: settings.pages ?? PAGES, seed })
    const right = result.missing.length === 0 && result.surplus.length === 0 && result.violations === 0
    if (settings.json) screen.print(JSON.stringify({ seed, ok: right, ...result }, undefined, 2))
    else {
      const rows = [
        ['Sites', grouped(result.sites)],
        ['Documents collected', grouped(result.documents)],
        ['Documents reachable and permitted', grouped(result.expected)],
        ['Of them missed', grouped(result.missing.length)],
        ['Collected and not permitted', grouped(result.surplus.length)],
        ['Requests', grouped(result.requests)],
        ['Requests too early or forbidden', grouped(result.violations)],
        ['Virtual time', formatDuration(result.virtualMs)],
        ['Real time', formatDuration(result.realMs)],
      ]
      screen.print(printTable({ title: `A crawl in virtual time (--random-seed ${seed})`, header: [], rows }))
    }
    return right ? EXIT.done : EXIT.failed
  },
}
