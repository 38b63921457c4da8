import { EXIT } from '../../../base/errors.ts'
import { formatSize } from '../../../base/units.ts'
import { grouped } from '../../../report/text-table.ts'
import type { Cleaned } from '../../composition/clean.ts'
import type { Command } from '../command.ts'
import { plain } from '../text.ts'

export const clean: Command = {
  name: 'clean',
  usage: '',
  what: 'list orphaned data, and remove it with --remove',
  more:
    'Lists orphaned data: leases of workers that are gone; report parts that cannot be applied or whose visit is unknown; volumes without captures for which no report can arrive any more; partial volumes that are complete elsewhere; unfinished files; volumes that should be here but are missing; workers and servers that have been silent for long (--older-than); records of calls past --keep-calls. Nothing is changed without --remove.\n' +
    "With --remove, a collection in a folder must not be in use. A shared database (--database) can be cleaned while its servers run; a server's files are checked when that server is stopped (-c names its folder). In a worker's folder the outbox is checked. " +
    'Volumes in other folders (dir:) and stores (s3:) are checked as far as they can be reached from here; a note names those that cannot. Files there that the collection does not know stay. ' +
    'Never removed: volumes that a capture in the catalogue refers to, the only copy of a payload that a revisit refers to, and workers that were barred.',
  examples: {
    'orbweaver clean': 'List the orphaned data of ./collection.',
    'orbweaver clean -c news --remove': 'Remove it.',
    'orbweaver clean --database @db.txt --older-than 90d': 'A shared database; only what is older than 90 days.',
  },
  async run({ settings, screen, services, version }) {
    const { orphans, notes } = await services.clean(settings, version)
    if (settings.json) {
      const all = orphans.map(({ kind, name, why, bytes = null, count = 1, removed }) => {
        return { kind, name, why, bytes, count, removed }
      })
      const answer = { collection: settings.collection, remove: settings.remove, orphans: all, notes }
      screen.printJson(answer)
      return EXIT.done
    }
    if (!settings.quiet) for (const note of notes) screen.say(`orbweaver: note: ${plain(note)}`)
    screen.print(cleanLines(orphans, settings.remove).join('\n'))
    return EXIT.done
  },
}

type Orphan = Cleaned['orphans'][number]

const KINDS: Readonly<Record<Orphan['kind'], readonly [one: string, more: string]>> = {
  lease: ['lease of a worker that is gone', 'leases of workers that are gone'],
  part: ['report part', 'report parts'],
  worker: ['silent worker', 'silent workers'],
  server: ['silent server', 'silent servers'],
  calls: ['old call record', 'old call records'],
  volume: ['orphaned volume', 'orphaned volumes'],
  location: ['missing volume', 'missing volumes'],
  file: ['leftover file', 'leftover files'],
}
/** Listed per kind; `--json` has all. */
const MAX_LISTED = 20

export function cleanLines(orphans: readonly Orphan[], remove: boolean): string[] {
  if (orphans.length === 0) return ['Nothing to clean.']
  const lines = Object.entries(KINDS).flatMap(([kind, title]) =>
    kindLines(
      title,
      orphans.filter((one) => one.kind === kind),
      remove,
    ),
  )
  if (!remove) lines.push('Nothing was changed. Use --remove to remove what is listed.')
  return lines
}

function kindLines([one, more]: readonly [string, string], found: readonly Orphan[], remove: boolean): string[] {
  if (found.length === 0) return []
  const bytes = found.reduce((sum, one) => sum + (one.bytes ?? 0), 0)
  const removed = found.filter((one) => one.removed)
  const count = remove ? `, ${grouped(countOf(removed))} removed` : ''
  const total = countOf(found)
  const lines = [`${grouped(total)} ${total === 1 ? one : more}${bytes > 0 ? ` (${formatSize(bytes)})` : ''}${count}`]
  for (const { name, why, removed } of found.slice(0, MAX_LISTED)) {
    const kept = remove && !removed ? ' (kept: it is in use again)' : ''
    lines.push(`  ${plain(name)}: ${plain(why)}${kept}`)
  }
  if (found.length > MAX_LISTED) lines.push(`  … and ${grouped(found.length - MAX_LISTED)} more (--json lists all)`)
  return lines
}

const countOf = (found: readonly Orphan[]): number => found.reduce((sum, { count }) => sum + (count ?? 1), 0)
