/** `bench ceiling`: the least program alone, and whether this is the kind of machine that the targets are for. */
import { grouped } from '../../src/report/text-table.ts'
import { benchmark } from '../command.ts'
import { BAND, ceiling } from '../crawlers/ceiling.ts'
import { figuresOf, runInTurn } from '../crawlers/crawler.ts'
import { bandNote } from './crawl.ts'

export const ceilingAlone = benchmark({
  name: 'ceiling',
  what: 'the least program with the same pieces that stores WARC: what Node can do here',
  flags: {
    sites: { default: 200, what: 'sites of the served web' },
    pages: { default: 50, what: 'pages of each' },
    runs: { default: 3, what: 'runs; medians are printed' },
    profile: { default: '', what: 'a folder for CPU profiles of the last run of each kind' },
  },
  async run({ sites, pages, runs, profile }, tools) {
    const crawlers = [ceiling('identity'), ceiling('gzip')]
    const done = await runInTurn(crawlers, { sites, pages, runs, profile, workers: 1 }, tools)
    const figures = crawlers.map(({ name }) => figuresOf(name, done.get(name) ?? []))
    const rows = figures.map((one, at) => [
      crawlers[at].coding,
      one.cpuSecondsPer1000.toFixed(3),
      grouped(Math.round(one.pagesPerSecond)),
      one.serverCpuSecondsPer1000.toFixed(3),
    ])
    const header = ['answers', 'CPU s per 1,000 pages', 'pages/s', 'server’s CPU s']
    return {
      tables: [{ title: `The least program: ${grouped(sites)} sites × ${grouped(pages)} pages`, header, rows }],
      notes: [bandNote(figures[0].cpuSecondsPer1000)],
      figures: { crawlers: figures, band: BAND },
    }
  },
})
