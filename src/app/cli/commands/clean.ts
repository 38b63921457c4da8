import { formatSize } from '../../../base/units.ts'
import { grouped } from '../../../report/text-table.ts'
import type { Cleaned } from '../../clean/clean.ts'
import type { Retained } from '../../clean/retention.ts'
import type { Command } from '../command.ts'
import { plain, some } from '../text.ts'

export const clean: Command = {
  name: 'clean',
  usage: '',
  what: 'list orphaned data or old captures, and remove them with --remove',
  more:
    'Lists orphaned data: leases of workers that are gone; report parts that cannot be applied or whose visit is unknown; volumes without captures for which no report can arrive any more; partial volumes that are complete elsewhere; unfinished files; volumes that should be here but are missing; workers and servers that have been silent for long (--older-than); records of calls past --keep-calls. Nothing is changed without --remove.\n' +
    "With --remove, a collection in a folder must not be in use. A shared database (--database) can be cleaned while its servers run; a server's files are checked when that server is stopped (-c names its folder). In a worker's folder the outbox is checked. " +
    'Volumes in other folders (dir:) and stores (s3:) are checked as far as they can be reached from here; a note names those that cannot. Files there that the collection does not know stay. ' +
    'Never removed: volumes that a capture in the catalogue refers to, the only copy of a payload that a revisit refers to, and workers that were barred.\n' +
    'With --retention, old captures are thinned instead: ages are counted from now, periods are those of UTC, and of several captures of a page in a period the last that brought the page stays, before those that only found it unchanged. Always kept: the last capture of a page, its last good one, and every record whose payload a kept one refers to. Volumes of which a twentieth or more went are rewritten, the others later; this needs free disk space for a few of them. ' +
    'Nothing else may use the collection meanwhile. Volumes in other folders (dir:) and stores (s3:) are rewritten where they lie, as far as they can be reached from here; a note names the others, and the servers on whose machines to run this, too.',
  examples: {
    'orbweaver clean': 'List the orphaned data of ./collection.',
    'orbweaver clean -c news --remove': 'Remove it.',
    "orbweaver clean --retention 'all for 30d, daily for 1y, monthly'":
      'Count the old captures that this rule does not keep.',
    "orbweaver clean --retention 'all for 30d, changes' --remove":
      'Keep every version, and remove looks older than 30 days that found nothing new.',
    'orbweaver clean --database @db.txt --older-than 90d': 'A shared database; only what is older than 90 days.',
  },
  async run({ settings, screen, services, version }) {
    const { collection, remove } = settings
    if (settings.retention !== undefined) {
      const retained = await services.retain(settings, version, settings.retention)
      return { json: { collection, remove, ...retained }, text: retentionLines(retained, remove).join('\n') }
    }
    const { orphans, notes } = await services.clean(settings, version)
    if (!settings.quiet && !settings.json) for (const note of notes) screen.say(`orbweaver: note: ${plain(note)}`)
    const all = orphans.map(({ kind, name, why, bytes = null, count = 1, removed }) => {
      return { kind, name, why, bytes, count, removed }
    })
    return { json: { collection, remove, orphans: all, notes }, text: cleanLines(orphans, remove).join('\n') }
  },
}

export function retentionLines(retained: Retained, remove: boolean): string[] {
  const { captures, revisits, bytes, elsewhere, volumes, freed, notes } = retained
  const lines = [
    captures === 0
      ? `The rule keeps every capture${elsewhere > 0 ? ' in the volumes that can be rewritten from here' : ''}.`
      : `${some(captures, 'capture')} (${formatSize(bytes)}) ${remove ? 'removed' : 'can go'}: ${grouped(captures - revisits)} with a payload of their own, ${grouped(revisits)} that repeat one`,
  ]
  if (elsewhere > 0)
    lines.push(`${grouped(elsewhere)} more are in volumes that cannot be rewritten from here, and stay`)
  if (remove) lines.push(`${some(volumes, 'volume')} rewritten, ${formatSize(freed)} freed`)
  else if (captures > 0) lines.push('Nothing was changed. Use --remove to remove them.')
  return [...lines, ...notes.map((note) => `note: ${plain(note)}`)]
}

type Orphan = Cleaned['orphans'][number]

const KINDS: Readonly<Record<Orphan['kind'], string>> = {
  lease: 'leases of workers that are gone',
  part: 'report parts',
  worker: 'silent workers',
  server: 'silent servers',
  calls: 'old call records',
  volume: 'orphaned volumes',
  location: 'missing volumes',
  file: 'leftover files',
}
/** Listed per kind; `--json` has all. */
const MAX_LISTED = 20

export function cleanLines(orphans: readonly Orphan[], remove: boolean): string[] {
  if (orphans.length === 0) return ['Nothing to clean.']
  const byKind = Map.groupBy(orphans, ({ kind }) => kind)
  const kinds = Object.keys(KINDS) as Orphan['kind'][]
  const lines = kinds.flatMap((kind) => kindLines(KINDS[kind], byKind.get(kind) ?? [], remove))
  if (!remove) lines.push('Nothing was changed. Use --remove to remove what is listed.')
  return lines
}

function kindLines(title: string, found: readonly Orphan[], remove: boolean): string[] {
  if (found.length === 0) return []
  const bytes = found.reduce((sum, one) => sum + (one.bytes ?? 0), 0)
  const removed = found.filter((one) => one.removed)
  const count = remove ? `, ${grouped(countOf(removed))} removed` : ''
  const lines = [`${title}: ${grouped(countOf(found))}${bytes > 0 ? ` (${formatSize(bytes)})` : ''}${count}`]
  for (const { name, why, removed } of found.slice(0, MAX_LISTED)) {
    const kept = remove && !removed ? ' (kept: it is in use again)' : ''
    lines.push(`  ${plain(name)}: ${plain(why)}${kept}`)
  }
  if (found.length > MAX_LISTED) lines.push(`  … and ${grouped(found.length - MAX_LISTED)} more (--json lists all)`)
  return lines
}

const countOf = (found: readonly Orphan[]): number => found.reduce((sum, { count }) => sum + (count ?? 1), 0)
