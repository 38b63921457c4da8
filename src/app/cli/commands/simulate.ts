import { EXIT, Problem } from '../../../base/errors.ts'
import { freshSeed } from '../../../base/random.ts'
import { formatDuration } from '../../../base/units.ts'
import { grouped, printTable } from '../../../report/text-table.ts'
import type { Answer, Command, Invocation } from '../command.ts'
import type { Services } from '../services.ts'

const SITES = 200
const PAGES = 50
const MAX_PAGES = 100_000

export const simulate: Command = {
  name: 'simulate',
  usage: 'crawl|policy|figures',
  what: 'run the crawler, or revisit policies, in virtual time',
  more: [
    'crawl runs the frontier, visits, intake and catalogue of a real crawl on a synthetic web, with a clock that jumps from one event to the next: pauses take no time, a request takes 1 to 3 ms of CPU. The default web (about 9,000 requests) takes about 15 s for 7 minutes of virtual time; one site of 2,000 pages takes about 10 s for 70 minutes. It then compares what was collected with what is reachable and permitted on the synthetic web, and reports the pace. Nothing is fetched from the network, nothing is stored. See docs/tasks/simulate-a-crawl.md.',
    'policy tries policies that decide when to fetch pages again (PSP, its rivals and the index policy) on a scenario. It comes from flags, from --instance, or from the pages in --collection. It prints how stale the collection is under each, beside bounds that no policy can beat. The default scenario, of a million pages, takes about a minute. See docs/tasks/simulate-policies.md.',
    "figures repeats the experiments of the PSP paper at full size, writes tables, CSV files and charts, and checks the paper's claims.",
  ].join('\n'),
  examples: {
    'orbweaver simulate crawl': '200 sites of about 50 pages.',
    'orbweaver simulate crawl --sites 2000 --pages 50 --random-seed 1': 'A larger web, the same in every run.',
    'orbweaver simulate crawl --workers 1 --visits 20 --slice-pages 1 --lwf':
      '20 collectors, each waiting for the server of the oldest URL.',
    'orbweaver simulate crawl --sites-per-address 50 --address-pause 1s':
      'What the address pause costs on shared hosting.',
    'orbweaver simulate policy --pages 1e5 --servers 200 --crawlers 1': 'A tenth of the scenario in the PSP paper.',
    'orbweaver simulate policy -c news --crawlers 1 --crawler-speed 1/s':
      'What these policies would do for the pages of a collection.',
    'orbweaver simulate policy -c news --crawlers 1 --stationary 30 --learn':
      'The same over a month, day by day, with change rates that policies must learn.',
    'orbweaver simulate figures --out figures': 'The experiments of the PSP paper; takes some minutes.',
  },
  async run(call) {
    switch (call.args[0]) {
      case 'crawl':
        return simulateCrawl(call)
      case 'policy':
        return (await import('../simulate-policy.ts')).simulatePolicy(call)
      case 'figures':
        return (await import('../simulate-figures.ts')).simulateFigures(call)
      default:
        throw new Problem('bad-flag', `cannot simulate '${call.args[0]}'; choose crawl, policy or figures`)
    }
  },
}

/** A synthetic web is crawled page by page, so it has a lower limit than `simulate policy`. */
export function pagesPerSite(pages: number | undefined): number | undefined {
  if (pages !== undefined && pages > MAX_PAGES)
    throw new Problem('bad-flag', `--pages ${pages} is too large for a synthetic web, the maximum is ${MAX_PAGES}`)
  return pages
}

async function simulateCrawl({ settings, given, services }: Invocation): Promise<Answer> {
  const pages = pagesPerSite(settings.pages) ?? PAGES
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
  const rows = [
    ['Sites', grouped(result.sites)],
    ['Documents collected', grouped(result.documents)],
    ['Documents reachable and permitted', grouped(result.expected)],
    ['of them missed', grouped(result.missing.length)],
    ['Collected but not permitted', grouped(result.surplus.length)],
    ['Requests', grouped(result.requests)],
    ['Requests too early or forbidden', grouped(result.violations)],
    ['Virtual time', formatDuration(result.virtualMs)],
    ...paceRows(result),
    ['Real time', formatDuration(result.realMs)],
  ]
  return {
    json: { seed, ok: right, ...result },
    text: printTable({ title: `A crawl in virtual time (--random-seed ${seed})`, header: [], rows }),
    exit: right ? EXIT.done : EXIT.failed,
  }
}

function paceRows({ pace }: Awaited<ReturnType<Services['simulateCrawl']>>): string[][] {
  const both = (...times: number[]) => times.map(formatDuration).join(' / ')
  return [
    [
      'Collectors / share of their time in requests',
      `${grouped(pace.collectors)} / ${Math.round(pace.busyShare * 100)} %`,
    ],
    ['Requests per second, first half', pace.requestsPerSecond.toFixed(1)],
    ['50 % / 90 % of the documents after', both(pace.halfMs, pace.ninetyMs)],
    ['90 % of the sites reached after', both(pace.sitesMs)],
    ['Wait of a URL, average / maximum', both(pace.meanWaitMs, pace.longestWaitMs)],
  ]
}
