/** `bench volumes`: what a worker costs by where its volumes go. */
import { grouped } from '../../src/report/text-table.ts'
import { measurePlace, type PlaceName, type PlacePoint } from '../cluster/by-region.ts'
import { benchmark, type Outcome } from '../command.ts'
import { median } from '../measure/statistics.ts'

const FLAGS = {
  sites: { default: 100, what: 'sites of the web' },
  pages: { default: 50, what: 'pages of a site' },
  bytes: { default: 15_000, what: 'bytes of a page' },
  rounds: { default: 5, what: 'times that each place is measured, in turn; medians are told' },
  store: { default: '', what: 'the program of an S3 server (versitygw); without it, s3 is left out' },
} as const

const FIGURES = ['crawlSeconds', 'wholeSeconds', 'workerCpu', 'serverCpu', 'storeCpu'] as const
type Medians = { place: PlaceName } & Record<(typeof FIGURES)[number], number>

const WORDS: Readonly<Record<PlaceName, string>> = {
  keep: 'kept by the worker',
  folder: 'another folder',
  upload: 'sent to the server',
  s3: 'an S3 store',
}

export const volumes = benchmark({
  name: 'volumes',
  what: 'seconds and CPU of a crawl whose volumes are kept, moved to a folder, sent to the server, or put into an S3 store',
  flags: FLAGS,
  async run({ sites, pages, bytes, rounds, store }, tools): Promise<Outcome> {
    const places: PlaceName[] = ['keep', 'folder', 'upload', ...(store === '' ? [] : (['s3'] as const))]
    const points = new Map<PlaceName, PlacePoint[]>(places.map((place) => [place, []]))
    for (let round = 1; round <= rounds; round++)
      for (const place of places) {
        const point = await measurePlace(place, { sites, pagesPerSite: pages, pageBytes: bytes, store })
        points.get(place)!.push(point)
        tools.say(
          `${round}. ${place}: ${point.wholeSeconds.toFixed(1)} s, CPU ${allCpu(point).toFixed(2)} s per 1,000 pages`,
        )
      }
    const medians = places.map((place) => {
      const all = points.get(place)!
      return { place, ...Object.fromEntries(FIGURES.map((name) => [name, median(all.map((point) => point[name]))])) }
    }) as Medians[]
    return outcomeOf(medians, points, { bytes, rounds })
  },
})

function outcomeOf(
  medians: readonly Medians[],
  points: ReadonlyMap<PlaceName, readonly PlacePoint[]>,
  { bytes, rounds }: { bytes: number; rounds: number },
): Outcome {
  const [local] = medians
  const requests = points.get('keep')!.at(-1)!.requests
  return {
    tables: [
      {
        title: `A crawl by the place of its volumes: one worker thread, one server over SQLite, ${grouped(requests)} requests, ${grouped(bytes)} bytes a page, medians of ${rounds}`,
        header: [
          'volumes',
          'requests/s',
          'whole, s',
          'beside kept',
          'worker',
          'server',
          'store',
          'all CPU, beside kept',
        ],
        rows: medians.map((one) => [
          WORDS[one.place],
          grouped(Math.round(requests / one.crawlSeconds)),
          one.wholeSeconds.toFixed(1),
          percent(one.wholeSeconds / local.wholeSeconds - 1),
          ...(['workerCpu', 'serverCpu', 'storeCpu'] as const).map((name) => one[name].toFixed(2)),
          percent(allCpu(one) / allCpu(local) - 1),
        ]),
      },
    ],
    notes: [
      'Requests a second from the first to the last; whole: until every volume is at its place. CPU in seconds for 1,000 requests.',
      'VN: volumes on another machine, over 100 Mbit/s, made its crawl 52 % slower. Here the other end takes its CPU from the same cores.',
    ],
    figures: { medians, points: Object.fromEntries(points) },
  }
}

const allCpu = (one: Pick<PlacePoint, 'workerCpu' | 'serverCpu' | 'storeCpu'>) =>
  one.workerCpu + one.serverCpu + one.storeCpu

const percent = (share: number) => `${share > 0 ? '+' : ''}${(share * 100).toFixed(0)} %`
