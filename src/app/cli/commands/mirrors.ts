import { EXIT } from '../../../base/errors.ts'
import type { HeuristicFigures, MirrorFindings } from '../../../collection/mirrors/mirror-findings.ts'
import { grouped, printTable, share, type TextTable } from '../../../report/text-table.ts'
import type { Command, Invocation } from '../command.ts'
import { plain } from '../progress.ts'
import { withReader } from '../with-reader.ts'
import { some } from '../words.ts'

export const mirrors: Command = {
  name: 'mirrors',
  usage: '',
  what: 'sites that serve the same contents under other names, and the list of them for the next crawl',
  more:
    'Compares the contents of all sites by five heuristics and prints what each finds; --heuristic chooses the one whose pairs are listed. ' +
    'Of each group one site is the original: who speaks https, then the shorter name, then the more linked. ' +
    'Contents that more than 100 sites have are no evidence.\n' +
    '--into FILE writes the list. It is a text file that you may edit: your lines and comments stay when it is written again, and "! REPLICA ORIGINAL" says that two sites are none. ' +
    'Names that do not exist any more leave it. Pairs that the crawl had on its list stay while their home pages are equal. A crawl reads mirrors.txt of its collection, or what --mirrors names. ' +
    'Works on the disk in TMPDIR, about 100 bytes a page.',
  examples: [
    { line: 'orbweaver mirrors -c news', does: 'What each heuristic finds, with examples.' },
    { line: 'orbweaver mirrors -c news --into next/mirrors.txt', does: 'The list, for the next crawl in ./next.' },
    { line: 'orbweaver mirrors --heuristic Dups100 --json', does: 'Every pair that is wholly equal, as JSON.' },
  ],
  words: { min: 0, max: 0 },
  async run(call) {
    const { settings, screen, services, clock } = call
    const { into, heuristic } = settings
    const check = (settings.checkNames ?? into !== undefined) ? await services.nameChecker(settings) : undefined
    if (!settings.quiet && !settings.json && screen.isTerminal) screen.draw(['comparing the contents of all sites'])
    const found = await withReader(call, (reader) =>
      reader.mirrors({ heuristic, examples: settings.top, ...(check === undefined ? {} : { check }) }),
    )
    screen.draw([])
    const { pairs, used, names } = found
    const renewal = { heuristic, pairs, used, at: clock.now(), gone: new Set(names?.gone) }
    const list = into === undefined ? undefined : await services.renewMirrors(into, renewal, check)
    if (settings.json)
      screen.print(
        JSON.stringify({ ...found, ...(list === undefined ? {} : { list: { file: into, ...list } }) }, undefined, 2),
      )
    else printFindings(call, found)
    if (list !== undefined && !settings.json && !settings.quiet)
      screen.say(`${some(list.pairs, 'pair')} in ${into}${list.left === 0 ? '' : `, ${grouped(list.left)} left it`}`)
    return EXIT.done
  },
}

function printFindings({ screen, settings }: Invocation, found: MirrorFindings): void {
  screen.print(
    `${some(found.sites, 'site')}, ${some(found.contents, 'content')}; ${grouped(found.tooCommon)} of them on more than 100 sites, which prove nothing.`,
  )
  screen.print(`\n${printTable(heuristicTable(found))}`)
  for (const { heuristic, replicas, examples } of found.heuristics) {
    if (replicas === 0 || (heuristic !== found.chosen && settings.quiet)) continue
    // Of the chosen one as many as were asked for, of the others three to compare.
    const shown = heuristic === found.chosen ? examples : examples.slice(0, 3)
    screen.print(`\n${heuristic}${heuristic === found.chosen ? ' (chosen)' : ''}:`)
    for (const { replica, original, shared, total } of shown)
      screen.print(`  ${plain(replica)} ${plain(original)}  ${grouped(shared)} of ${grouped(total)} contents`)
    if (replicas > shown.length) screen.print(`  … and ${grouped(replicas - shown.length)} more`)
  }
  const { names, proposed, used } = found
  if (used.length > 0)
    screen.print(
      `\nThe list of mirrors that the crawl had: ${some(used.length, 'pair')} that still ${used.length === 1 ? 'holds and stays' : 'hold and stay'}.`,
    )
  if (names !== null)
    screen.print(
      `\n${grouped(names.checked)} names looked up: ${grouped(names.gone.length)} do not exist any more, ${grouped(names.pairsLost)} pairs with them; ${grouped(names.unanswered)} without an answer, which stay.`,
    )
  if (proposed.count === 0) return
  screen.print(`\nProposed by crawls, by the first documents of ${grouped(proposed.count)} sites:`)
  for (const { site, evidence } of proposed.proposals) screen.print(`  ${plain(site)}: ${plain(evidence)}`)
}

function heuristicTable({ heuristics, sites, chosen }: MirrorFindings): TextTable {
  const row = ({ heuristic, groups, replicas, relativeCoverage }: HeuristicFigures) => [
    heuristic === chosen ? `${heuristic} *` : heuristic,
    grouped(groups),
    grouped(replicas),
    share(replicas, sites),
    relativeCoverage === null ? '-' : relativeCoverage.toFixed(1),
  ]
  const header = ['heuristic', 'groups', 'replicas', 'of all sites', 'relative coverage']
  return { title: 'Mirrors (VN, Table 2)', header, rows: heuristics.map(row) }
}
