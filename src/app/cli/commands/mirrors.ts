import type { HeuristicFigures, MirrorFindings } from '../../../collection/mirrors/mirror-findings.ts'
import { grouped, printTable, share, type TextTable } from '../../../report/text-table.ts'
import { type Command, type Invocation, withReader } from '../command.ts'
import { plain, some } from '../text.ts'

export const mirrors: Command = {
  name: 'mirrors',
  usage: '',
  what: 'find sites that are copies of others, and write a list for the next crawl',
  more:
    'Compares the contents of all sites with five heuristics and prints what each finds; --heuristic chooses the one whose pairs are listed. ' +
    'One site of each group is the original: one with https first, then the one with the shorter name, then the one with more links. ' +
    'Contents found on more than 100 sites do not count.\n' +
    '--into FILE writes the list. It is a text file that you may edit: your lines and comments stay when it is updated, and a line "! REPLICA ORIGINAL" means that the two sites are not mirrors. ' +
    'Host names that no longer exist are removed. Pairs that the crawl already used stay as long as their home pages are equal. A crawl reads mirrors.txt in its collection, or the file that --mirrors names. ' +
    'It needs about 100 bytes per page of disk space in TMPDIR.',
  examples: {
    'orbweaver mirrors -c news': 'Show what each heuristic finds, with examples.',
    'orbweaver mirrors -c news --into next/mirrors.txt': 'Write the list for the next crawl, in ./next.',
    'orbweaver mirrors --heuristic Dups100 --json': 'List every pair with all contents equal, as JSON.',
  },
  async run(call) {
    const { settings, screen, services, clock } = call
    const { into, heuristic } = settings
    const check = (settings.checkNames ?? into !== undefined) ? await services.nameChecker(settings) : undefined
    if (!settings.quiet && !settings.json && screen.isTerminal) screen.draw(['comparing the contents of all sites'])
    const found = await withReader(call, (reader) =>
      reader.mirrors({ heuristic, examples: settings.top, ...(check === undefined ? {} : { check }) }),
    )
    screen.draw([])
    const { pairs, used, overruled, names } = found
    const renewal = { heuristic, pairs, used, overruled, at: clock.now(), gone: new Set(names?.gone) }
    const list = into === undefined ? undefined : await services.renewMirrors(into, renewal, check)
    if (list !== undefined && !settings.json && !settings.quiet)
      screen.say(
        `wrote ${some(list.pairs, 'pair')} to ${into}${list.left === 0 ? '' : `, removed ${grouped(list.left)}`}`,
      )
    return { json: { ...found, ...(list && { list: { file: into, ...list } }) }, text: findingsText(call, found) }
  },
}

function findingsText({ settings }: Invocation, found: MirrorFindings): string {
  const parts = [
    `Compared ${some(found.sites, 'site')} and ${some(found.contents, 'content')}; ignored ${grouped(found.tooCommon)} found on more than 100 sites.`,
    printTable(heuristicTable(found)),
  ]
  for (const { heuristic, replicas, examples } of found.heuristics) {
    const isChosen = heuristic === found.chosen
    if (replicas === 0 || (!isChosen && settings.quiet)) continue
    // The chosen heuristic shows --top examples, the others three to compare.
    const shown = isChosen ? examples : examples.slice(0, 3)
    const lines = shown.map(
      ({ replica, original, shared, total }) =>
        `  ${plain(replica)} ${plain(original)}  ${grouped(shared)} of ${grouped(total)} contents`,
    )
    if (replicas > shown.length) lines.push(`  … and ${grouped(replicas - shown.length)} more`)
    parts.push([`${heuristic}${isChosen ? ' (chosen)' : ''}:`, ...lines].join('\n'))
  }
  const { names, proposed, used, overruled } = found
  if (used.length > 0)
    parts.push(`From the list of mirrors that the crawl used: ${some(used.length, 'pair')} still valid.`)
  if (overruled.length > 0)
    parts.push(`Left out, because an operator overruled them: ${some(overruled.length, 'pair')}.`)
  if (names !== null)
    parts.push(
      `Looked up ${some(names.checked, 'host name')}: ${grouped(names.gone.length)} no longer exist (${some(names.pairsLost, 'pair')} removed), ${grouped(names.unanswered)} without an answer (kept).`,
    )
  const proposals = proposed.proposals.map(({ site, evidence }) => `  ${plain(site)}: ${plain(evidence)}`)
  if (proposed.count > 0)
    parts.push(
      [`Suggested by crawls, from the first documents of ${some(proposed.count, 'site')}:`, ...proposals].join('\n'),
    )
  return parts.join('\n\n')
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
