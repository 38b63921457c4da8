import { EXIT, Problem } from '../../../base/errors.ts'
import { freshSeed } from '../../../base/random.ts'
import { formatDuration } from '../../../base/units.ts'
import { grouped, printTable } from '../../../report/text-table.ts'
import type { Command, Invocation } from '../command.ts'
import type { SimulationReport } from '../services.ts'

const SITES = 200
const PAGES = 50
const MAX_PAGES = 100_000

export const simulate: Command = {
  name: 'simulate',
  usage: 'crawl|policy|figures',
  what: 'the whole crawler, or policies of looking again, in virtual time',
  more: [
    'crawl runs the same frontier, visits, intake and catalogue as a real crawl, over a synthetic web and a clock that jumps from one event to the next: courteous waiting takes no time, requests take 1 to 3 ms of CPU each. The usual web (some 9,000 requests) takes about 15 s for its 7 minutes of virtual time, one site of 2,000 pages about 10 s for 70 minutes. Then it compares what was collected with what the synthetic web says is reachable and permitted, and tells its pace. Nothing is fetched and nothing is kept. docs/tasks/simulate-a-crawl.md has recipes.',
    'policy tries policies of looking again at pages (PSP and its rivals, the index policy) on a scenario: by flags, by --instance, or by what --collection holds. It prints how stale the collection is under each, beside bounds that no policy can beat. docs/tasks/simulate-policies.md explains it.',
    'figures repeats the experiments of the PSP paper at full size: tables, CSV files and charts, and the claims of the paper checked.',
  ].join('\n'),
  examples: [
    { line: 'orbweaver simulate crawl', does: '200 sites of some 50 pages.' },
    {
      line: 'orbweaver simulate crawl --sites 2000 --pages 50 --random-seed 1',
      does: 'A larger web, the same every time.',
    },
    {
      line: 'orbweaver simulate crawl --workers 1 --visits 20 --slice-pages 1 --lwf',
      does: '20 collectors that wait for the server of the oldest URL.',
    },
    {
      line: 'orbweaver simulate crawl --sites-per-address 50 --address-pause 1s',
      does: 'What the address pause costs on shared hosting.',
    },
    {
      line: 'orbweaver simulate policy --pages 1e5 --servers 200 --crawlers 1',
      does: 'A tenth of the scenario of the PSP paper.',
    },
    {
      line: 'orbweaver simulate policy -c news --crawlers 1 --crawler-speed 1/s',
      does: 'What these policies would do for the pages of a collection.',
    },
    {
      line: 'orbweaver simulate policy -c news --crawlers 1 --stationary 30 --learn',
      does: 'A month of it, day by day, with rates that policies must learn.',
    },
    { line: 'orbweaver simulate figures --out figures', does: 'The experiments of the PSP paper; some minutes.' },
  ],
  words: { min: 1, max: 1 },
  async run(call) {
    switch (call.words[0]) {
      case 'crawl':
        return simulateCrawl(call)
      case 'policy':
        return (await import('../simulate-policy.ts')).simulatePolicy(call)
      case 'figures':
        return (await import('../simulate-figures.ts')).simulateFigures(call)
      default:
        throw new Problem('bad-flag', `'${call.words[0]}' cannot be simulated; choose crawl, policy or figures`)
    }
  },
}

/** Of the synthetic web, which is crawled page by page; `simulate policy` takes more. */
export function pagesOfASite(pages: number | undefined): number | undefined {
  if (pages !== undefined && pages > MAX_PAGES)
    throw new Problem('bad-flag', `--pages ${pages} is too much for a synthetic web, the most is ${MAX_PAGES}`)
  return pages
}

async function simulateCrawl({ settings, given, screen, services }: Invocation): Promise<number> {
  const pages = pagesOfASite(settings.pages) ?? PAGES
  const seed = settings.seed ?? settings.randomSeed ?? freshSeed()
  const { lwf, latency, sitesPerAddress, pause, addressPause, order, visits, slicePages } = settings
  const result = await services.simulateCrawl({
    sites: settings.sites ?? SITES,
    pages,
    seed,
    lwf,
    ...(given.has('workers') && { workers: settings.workers }),
    settings: { pause, addressPause, order, visits, slicePages },
    web: {
      ...(latency !== undefined && { latencyMs: latency }),
      ...(sitesPerAddress !== undefined && { sitesPerAddress, sharedAddressShare: sitesPerAddress > 1 ? 1 : 0 }),
    },
  })
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
      ...paceRows(result.pace),
      ['Real time', formatDuration(result.realMs)],
    ]
    screen.print(printTable({ title: `A crawl in virtual time (--random-seed ${seed})`, header: [], rows }))
  }
  return right ? EXIT.done : EXIT.failed
}

function paceRows(pace: SimulationReport['pace']): string[][] {
  const both = (...times: number[]) => times.map(formatDuration).join(' / ')
  return [
    [
      `Collectors, and of their time in requests`,
      `${grouped(pace.collectors)} / ${Math.round(pace.busyShare * 100)} %`,
    ],
    ['Requests a second, in the first half', pace.requestsPerSecond.toFixed(1)],
    ['Half / nine tenths of the documents after', both(pace.halfMs, pace.ninetyMs)],
    ['Nine tenths of the sites seen after', both(pace.sitesMs)],
    ['A URL waited on average / at most', both(pace.meanWaitMs, pace.longestWaitMs)],
  ]
}
