/**
 * `bench changes`: what each detector of change calls a change, on real pages of several releases and on known changes of real
 * pages. Precision and recall, the paper's detectors beside ours.
 */
import { seededRandom } from '../../src/base/random.ts'
import { grouped, type TextTable } from '../../src/report/text-table.ts'
import { type Judged, judgeAll, mutatedCases, picturesOfAll, ratesOf, realCases } from '../changes/cases.ts'
import { DETECTORS, type Detector } from '../changes/detectors.ts'
import { FOUND } from '../changes/found-volatile.ts'
import { MORE } from '../changes/more-volatile.ts'
import { VOLATILE } from '../changes/mutate.ts'
import { OTHER } from '../changes/other-volatile.ts'
import {
  FIFTH_PACKAGES,
  FOURTH_PACKAGES,
  HELD_PACKAGES,
  type ImageCensus,
  LABELS,
  realSeries,
  THIRD_PACKAGES,
  TUNING_PACKAGES,
} from '../changes/real-series.ts'
import { benchmark } from '../command.ts'

const FLAGS = {
  pages: { default: 40, what: 'pages of each package' },
  mutated: { default: 10, what: 'pages of each package that are changed on purpose' },
  packages: { default: '', what: 'only these packages, with commas between' },
  held: { default: false, what: 'the packages that were held back' },
  third: { default: false, what: 'the third set: other packages, and volatile parts as real sites have them' },
  fourth: { default: false, what: 'the fourth set: again other packages and other volatile parts' },
  fifth: { default: false, what: 'the fifth set: again others' },
  sketch: { default: false, what: 'only the detector that a crawl has, and no pictures: a tenth of the time' },
  seed: { default: 19, what: 'of the changes' },
} as const

export const changes = benchmark({
  name: 'changes',
  what: "detectors of change compared: documentation in several Debian releases, and known changes of it; the paper's beside ours",
  flags: FLAGS,
  async run({ pages, mutated, packages, held, third, fourth, fifth, sketch, seed }, { say }) {
    const [set, parts] = fifth
      ? [FIFTH_PACKAGES, MORE]
      : fourth
        ? [FOURTH_PACKAGES, OTHER]
        : third
          ? [THIRD_PACKAGES, FOUND]
          : [held ? HELD_PACKAGES : TUNING_PACKAGES, VOLATILE]
    const names = packages === '' ? set : packages.split(',')
    const { series, versions, images } = await realSeries(names, pages, say)
    if (series.length === 0)
      throw new Error(`no page of ${names.join(', ')} is in two versions: is there a Debian mirror?`)
    const detectors = sketch ? DETECTORS.slice(-1) : DETECTORS
    const [judgedReal, known]: [Judged[], Judged[]] = [[], []]
    const random = seededRandom(seed)
    const pool = sketch ? [] : picturesOfAll(series)
    // One site after the other, so that memory holds the pages of one.
    for (const [site, these] of Map.groupBy(series, (each) => each.site)) {
      judgedReal.push(...(await judgeAll(realCases(these), detectors)))
      known.push(...(await judgeAll(mutatedCases(these.slice(0, mutated), parts, pool, random), detectors)))
      say(`${site}: judged`)
    }
    const volatile = known.filter(({ kind }) => kind === 'volatile' || kind === 'edited amid it')
    return {
      tables: [
        byLabel(
          `Real pages: ${grouped(series.length)} in up to 7 versions; called changed, % by what changed`,
          LABELS,
          judgedReal,
          detectors,
        ),
        ratesTable('Real pages: content against same, markup and stamps', judgedReal, detectors),
        ...classTables(judgedReal, detectors),
        byLabel(
          'Known changes: called changed, %',
          namesOf(known, 'edit', 'cosmetic', 'link', 'image'),
          known,
          detectors,
        ),
        byLabel(
          'At the fourth look, only volatile parts differ: called changed, %',
          namesOf(volatile, 'volatile'),
          volatile,
          detectors,
          'volatile',
        ),
        byLabel(
          'At the fifth look, a paragraph changed too: called changed, %',
          namesOf(volatile, 'edited amid it'),
          volatile,
          detectors,
          'edited amid it',
        ),
        ratesTable('Known changes: edits against cosmetic and volatile ones', known, detectors),
      ],
      notes: [imagesNote(images), `packages: ${versions.join(', ')}`],
      figures: { versions, images, real: ratesOf(judgedReal), known: ratesOf(known) },
    }
  },
})

function imagesNote({ pictures, notDecoded, zeroIvals, ivals, perceptual }: ImageCensus): string {
  return `${grouped(pictures)} different pictures of the packages, ${grouped(notDecoded)} not decoded: ival is 0 for ${grouped(zeroIvals)}; ${grouped(ivals)} different ivals, ${grouped(perceptual)} perceptual hashes`
}

/** What the detectors that know classes called each kind of change. */
function classTables(all: readonly Judged[], detectors: readonly Detector[]): TextTable[] {
  return detectors.flatMap(({ name }, i) => {
    const classes = [...new Set(all.flatMap((each) => each.classes[i] ?? []))].sort()
    if (classes.length === 0) return []
    const rows = LABELS.map((label) => {
      const these = all.filter((each) => each.name === label)
      return [label, ...classes.map((each) => grouped(these.filter(({ classes }) => classes[i] === each).length))]
    })
    return [{ title: `Real pages: classes by ${name}, pairs`, header: ['', ...classes], rows }]
  })
}

/** Names in their order of appearance. */
function namesOf(all: readonly Judged[], ...kinds: Judged['kind'][]): string[] {
  return kinds.flatMap((kind) => [...new Set(all.filter((each) => each.kind === kind).map(({ name }) => name))])
}

const percent = (part: number, whole: number) => (whole === 0 ? '' : ((100 * part) / whole).toFixed(1))

/** A row per kind of change, a column per detector. */
function byLabel(
  title: string,
  names: readonly string[],
  all: readonly Judged[],
  detectors: readonly Detector[],
  kind?: Judged['kind'],
): TextTable {
  const rows = names.flatMap((name) => {
    const these = all.filter((each) => each.name === name && (kind === undefined || each.kind === kind))
    if (these.length === 0) return []
    return [
      [
        name,
        grouped(these.length),
        ...detectors.map((_, i) => percent(these.filter(({ changed }) => changed[i]).length, these.length)),
      ],
    ]
  })
  return { title, header: ['', 'pairs', ...detectors.map(({ name }) => name)], rows }
}

function ratesTable(title: string, all: readonly Judged[], detectors: readonly Detector[]): TextTable {
  const rates = ratesOf(all)
  return {
    title,
    header: ['detector', 'precision %', 'recall %', 'false alarms %', 'changes', 'others'],
    rows: detectors.map(({ name }, i) => {
      const { found, missed, falseAlarms, quiet } = rates[i]
      return [
        name,
        percent(found, found + falseAlarms),
        percent(found, found + missed),
        percent(falseAlarms, falseAlarms + quiet),
        grouped(found + missed),
        grouped(falseAlarms + quiet),
      ]
    }),
  }
}
