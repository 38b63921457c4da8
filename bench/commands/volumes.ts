/** `bench volumes`: what a worker costs by where its volumes go. */
import { grouped } from '../../src/report/text-table.ts'
import { measurePlace, type PlaceName, type PlacePoint } from '../cluster/by-place.ts'
import { benchmark, type Outcome } from '../command.ts'
import { median } from '../measure/statistics.ts'

const FLAGS = {
  sites: { default: 100, what: 'sites of the web' },
  pages: { default: 50, what: 'pages of a site' },
  bytes: { default: 15_000, what: 'bytes of a page' },
  rounds: { default: 3, what: 'times that each place is measured, in turn; medians are told' },
  store: { default: '', what: 'the program of an S3 server (versitygw); without it, s3 is left out' },
} as const

const FIGURES = ['perSecond', 'workerCpu', 'serverCpu', 'storeCpu'] as const

export const volumes = benchmark({
  name: 'volumes',
  what: 'pages a second and CPU of a worker whose volumes are kept, sent to the server, or put into an S3 store',
  flags: FLAGS,
  async run({ sites, pages, bytes, rounds, store }, tools): Promise<Outcome> {
    const places: PlaceName[] = store === '' ? ['keep', 'upload'] : ['keep', 'upload', 's3']
    const points = new Map<PlaceName, PlacePoint[]>(places.map((place) => [place, []]))
    for (let round = 1; round <= rounds; round++)
      for (const place of places) {
        const point = await measurePlace(place, { sites, pagesPerSite: pages, pageBytes: bytes, store })
        points.get(place)!.push(point)
        tools.say(
          `${round}. ${place}: ${point.perSecond.toFixed(0)} pages/s, worker ${point.workerCpu.toFixed(2)} s/1,000`,
        )
      }
    const medians = places.map((place) => {
      const all = points.get(place)!
      return { place, ...Object.fromEntries(FIGURES.map((name) => [name, median(all.map((point) => point[name]))])) }
    }) as ({ place: PlaceName } & Record<(typeof FIGURES)[number], number>)[]
    const [local] = medians
    const requests = points.get('keep')!.at(-1)!.pages
    return {
      tables: [
        {
          title: `One worker thread by the place of its volumes: ${grouped(requests)} requests, ${grouped(bytes)} bytes a page, medians of ${rounds}`,
          header: ['volumes', 'pages/s', 'beside kept', 'worker’s CPU', 'server’s', 'store’s', 'all, beside kept'],
          rows: medians.map((one) => [
            one.place,
            one.perSecond.toFixed(0),
            percent(one.perSecond / local.perSecond - 1),
            ...(['workerCpu', 'serverCpu', 'storeCpu'] as const).map((name) => one[name].toFixed(2)),
            percent(allCpu(one) / allCpu(local) - 1),
          ]),
        },
      ],
      notes: [
        'CPU in seconds for 1,000 pages. VN: volumes on another machine, over 100 Mbit/s, made its crawl 52 % slower.',
      ],
      figures: { medians, points: Object.fromEntries(points) },
    }
  },
})

const allCpu = (one: { workerCpu: number; serverCpu: number; storeCpu: number }) =>
  one.workerCpu + one.serverCpu + one.storeCpu

const percent = (share: number) => `${share > 0 ? '+' : ''}${(share * 100).toFixed(0)} %`
