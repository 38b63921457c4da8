/** `bench check`: whether it has become slower than the committed figures say; ends with 1 when it has, and says what. */

import { compareRatios, FIGURES, readFigures, rounded, writeFigures } from '../check/compare.ts'
import { shortRatios } from '../check/short-ratios.ts'
import { worksOn } from '../check/works.ts'
import { benchmark, type Outcome, type Tools } from '../command.ts'
import { ceiling } from '../crawlers/ceiling.ts'
import { type Coding, cpuPer1000, runInTurn } from '../crawlers/crawler.ts'
import { orbweaver } from '../crawlers/orbweaver.ts'
import { conditions, conditionsLine } from '../measure/conditions.ts'
import { median } from '../measure/statistics.ts'

/** Of whole crawls, medians of several runs by turns. */
const MAX_LOSS = 0.15
/** Of the short form, which runs beside whatever else a machine of CI does: it is for what nobody can miss. */
const MAX_SHORT_LOSS = 0.35
const SHORT = { sites: 12, pages: 25, rounds: 9 } as const
const CODINGS: readonly Coding[] = ['identity', 'gzip']

export const check = benchmark({
  name: 'check',
  what: 'compares with the committed figures (bench/check/figures.json), as ratios; ends with 1 on a loss',
  flags: {
    short: { default: false, what: 'pieces and a crawl in virtual time, in this process: for CI' },
    update: { default: false, what: 'write what is measured as the figures to compare with' },
    sites: { default: 200, what: 'sites of the served web (not with --short)' },
    pages: { default: 50, what: 'pages of each' },
    runs: { default: 5, what: 'runs of each kind' },
    figures: { default: '', what: 'another file of figures' },
  },
  async run({ short, update, sites, pages, runs, figures: file }, tools): Promise<Outcome> {
    const ratios = short
      ? await shortRatios(await worksOn(SHORT.sites, SHORT.pages), SHORT.rounds)
      : await wholeRatios({ sites, pages, runs }, tools)
    const kind = short ? 'short' : 'whole'
    const path = file === '' ? FIGURES : file
    const figures = readFigures(path)
    if (update) {
      const from = { ...figures.from, [kind]: conditionsLine(conditions()) }
      writeFigures(path, { ...figures, [kind]: rounded(ratios), from })
    }
    const committed = update ? rounded(ratios) : figures[kind]
    const maxLoss = short ? MAX_SHORT_LOSS : MAX_LOSS
    const compared = compareRatios(ratios, committed, maxLoss)
    const rows = compared.map((one) => [
      one.name,
      one.measured.toFixed(3),
      one.committed?.toFixed(3) ?? '-',
      one.loss === undefined ? '-' : `${(one.loss * 100).toFixed(1)} %`,
      one.isLost ? 'LOST' : 'held',
    ])
    const lost = compared.filter(({ isLost }) => isLost).map(({ name }) => name)
    const measure = short ? 'a yardstick of Node’s own functions' : 'the ceiling program'
    return {
      tables: [{ title: `CPU as ratios to ${measure}`, header: ['', 'measured', 'committed', 'loss', ''], rows }],
      notes: [
        lost.length === 0
          ? `No loss over ${maxLoss * 100} %.`
          : `Slower than committed by over ${maxLoss * 100} %, or never committed: ${lost.join(', ')}.`,
      ],
      figures: { kind, compared, lost },
      failed: lost.length > 0,
    }
  },
})

async function wholeRatios(size: { sites: number; pages: number; runs: number }, tools: Tools) {
  const crawlers = CODINGS.flatMap((coding) => [ceiling(coding), orbweaver(coding, 'written')])
  const done = await runInTurn(crawlers, { ...size, workers: 1, profile: '' }, tools)
  const cpuOf = (name: string) => median((done.get(name) ?? []).map(cpuPer1000))
  return new Map(CODINGS.map((coding) => [coding, cpuOf(`${coding}-written`) / cpuOf(`ceiling-${coding}`)]))
}
