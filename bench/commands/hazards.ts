/** `bench hazards`: what traps cost with and without the defences, and what the defences lose; session ids; mirrors. All in virtual time. */
import { grouped, type TextTable } from '../../src/report/text-table.ts'
import { TRAP_SHAPES, type TrapShapeName } from '../../testkit/web/shapes/all.ts'
import { makeWeb } from '../../testkit/web/web.ts'
import { benchmark, type Outcome } from '../command.ts'
import { costFigures, costTable } from '../hazards/cost.ts'
import { type MirrorFigures, mirrorFigures, mirrorTables } from '../hazards/duplicates.ts'
import { hazardWeb, realPages } from '../hazards/hazard-web.ts'
import { byRule, chosen, realFigures, realTables, webOf } from '../hazards/real.ts'
import { run, type TrapFigures, trapFigures } from '../hazards/run.ts'
import { type SessionFigures, sessionFigures, sessionTables } from '../hazards/sessions.ts'
import { softwareFigures, softwareTable } from '../hazards/software/figures.ts'

const FLAGS = {
  sites: {
    default: 160,
    what: 'sites of the synthetic web, one in five with a hazard, one in five an honest look-alike',
  },
  pages: { default: 60, what: 'ordinary pages of each' },
  seed: { default: 1, what: 'seed of the web' },
  cap: {
    default: 500,
    what: 'URLs of a site before no more of its links are followed, with and without the defences',
  },
  max: { default: 40_000, what: 'requests after which a crawl is broken off' },
  only: {
    default: '',
    what: 'of all,rules,none,sessions,mirrors these only, with commas; or real, or software, or cost, alone',
  },
  shapes: { default: '', what: 'these hazards only, with commas; of software: parts of its name' },
  set: { default: 'tuning', what: 'real sites and software: tuning, held or all' },
  runs: { default: 4, what: 'cost: crawls of each build; an odd number favours one of them' },
  packages: { default: '', what: 'real sites: these only, with commas' },
  again: { default: false, what: 'real sites: crawl anew with all detectors overruled, for the reference' },
  walk: { default: false, what: 'real sites: compare the reference with what a walker in Python reaches' },
} as const

/** Requests to a site of 240 honest pages: a trap that is not ended by then is not seen. */
const MAX_OF_SOFTWARE = 8_000

/** What is switched on in each crawl of the same web. */
const DEFENCES = [
  { name: 'all', detectors: true, rules: true },
  { name: 'rules', detectors: false, rules: true },
  { name: 'none', detectors: false, rules: false },
] as const

type Defence = (typeof DEFENCES)[number]['name']

export const hazards = benchmark({
  name: 'hazards',
  what: 'requests lost in traps and real pages lost to the defences, with all defences, with the rules of URLs only, with none',
  flags: FLAGS,
  async run({ sites, pages, seed, cap, max, only, shapes, runs, ...realOptions }, tools): Promise<Outcome> {
    // Packages come over the network: only when asked for.
    if (only === 'real') {
      const real = await realFigures(realOptions, tools.say)
      return { tables: realTables(real), notes: [], figures: { ...real, rules: byRule(real.sites) } }
    }
    if (only === 'software') {
      const software = await softwareFigures(
        { set: realOptions.set, names: shapes, max: Math.min(max, MAX_OF_SOFTWARE) },
        tools.say,
      )
      return { tables: [softwareTable(software)], notes: ['*: no rule was tuned on it'], figures: { software } }
    }
    if (only === 'cost') {
      const sites = chosen(realOptions)
      const webs = await Promise.all(sites.map(async (site) => ({ ...(await webOf(site)), start: site.start })))
      const cost = await costFigures(webs, runs, tools.say)
      return { tables: [costTable(cost)], notes: [], figures: { cost } }
    }
    const wanted = (part: string) => only === '' || only.split(',').includes(part)
    const options = hazardWeb(seed, sites, pages, readShapes(shapes))
    const traps: Partial<Record<Defence, TrapFigures>> = {}
    for (const { name, detectors, rules } of DEFENCES) {
      if (!wanted(name)) continue
      const settings = { maxUrlsPerSite: cap, ...(rules ? {} : { urlRules: ['none'] }) }
      const ran = await run({ web: options, settings, detectors, max })
      const figures = (traps[name] = await trapFigures(ran, realPages(ran.stage.web)))
      await ran.stage.database.close()
      tools.say(`${name}: ${figures.requests} requests, ${figures.seconds.toFixed(0)} s`)
    }
    const size = { seed, sites: Math.min(sites, 60), pages, cap }
    const sessions = wanted('sessions') ? await sessionFigures(size, tools.say) : []
    const mirrors = wanted('mirrors')
      ? await mirrorFigures({ seed, sites: Math.min(sites, 200), pages }, tools.say)
      : undefined
    return report(
      traps,
      sessions,
      mirrors,
      `${grouped(sites)} sites, ${makeWeb(options).hazardSites.length} of them with hazards`,
    )
  },
})

function readShapes(text: string): TrapShapeName[] {
  return text.split(',').flatMap((name) => {
    const known = TRAP_SHAPES.find((one) => one === name)
    if (known === undefined && name !== '') throw new Error(`there is no hazard '${name}': ${TRAP_SHAPES.join(', ')}`)
    return known ?? []
  })
}

function report(
  traps: Partial<Record<Defence, TrapFigures>>,
  sessions: SessionFigures[],
  mirrors: MirrorFigures | undefined,
  size: string,
): Outcome {
  const ran = DEFENCES.flatMap(({ name }) => {
    const figures = traps[name]
    return figures === undefined ? [] : [{ name, ...figures }]
  })
  const tables: TextTable[] = []
  if (ran.length > 0) {
    tables.push({
      title: `Traps: ${size}`,
      header: [
        'defences',
        'real pages',
        'collected',
        'requests',
        'in traps',
        'share',
        'findings',
        'wrong ones',
        'hours',
      ],
      rows: ran.map((one) => [
        one.name,
        grouped(one.real),
        percent(one.collected, one.real),
        grouped(one.requests) + (one.brokenOff ? ' (broken off)' : ''),
        grouped(one.inTraps),
        percent(one.inTraps, one.requests),
        `${Object.values(one.findings).reduce((sum, count) => sum + count, 0)}`,
        `${one.wrong.length}`,
        one.virtualHours.toFixed(1),
      ]),
    })
    tables.push(
      byName(
        'Requests in traps, by shape',
        ran.map((one) => ({ name: one.name, counts: one.byShape })),
      ),
    )
    tables.push(
      byName(
        'Real pages lost, by shape of their site',
        ran.map((one) => ({ name: one.name, counts: one.lost })),
      ),
    )
    tables.push(
      byName(
        'Verdicts, by rule',
        ran.map((one) => ({ name: one.name, counts: one.findings })),
      ),
    )
  }
  const wrong = traps.all?.wrong ?? []
  if (wrong.length > 0) {
    tables.push({
      title: 'Verdicts on what is honest (all defences)',
      header: ['site', 'shape', 'rule', 'pattern', 'example'],
      rows: wrong.slice(0, 40).map((one) => [one.site, one.shape, one.rule, one.pattern ?? '', one.example ?? '']),
    })
  }
  if (sessions.length > 0) tables.push(...sessionTables(sessions))
  if (mirrors !== undefined) tables.push(...mirrorTables(mirrors))
  return { tables, notes: [], figures: { traps, sessions, mirrors } }
}

function byName(title: string, columns: readonly { name: string; counts: Record<string, number> }[]): TextTable {
  const names = [...new Set(columns.flatMap(({ counts }) => Object.keys(counts)))].sort()
  return {
    title,
    header: ['', ...columns.map(({ name }) => name)],
    rows: names.map((name) => [name, ...columns.map(({ counts }) => grouped(counts[name] ?? 0))]),
  }
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(2)} %`
