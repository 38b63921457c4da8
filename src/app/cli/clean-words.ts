/** Orphans in words: how many of each kind, some of them by name. */

import { formatSize } from '../../base/units.ts'
import { grouped } from '../../report/text-table.ts'
import type { Cleaned } from '../composition/clean.ts'
import { plain } from './progress.ts'

type Found = Cleaned['orphans'][number]

const KINDS: Readonly<Record<Found['kind'], string>> = {
  lease: 'leases of the dead',
  part: 'parts of reports',
  worker: 'silent workers',
  server: 'silent servers',
  calls: 'old calls',
  volume: 'volumes of nobody',
  location: 'volumes that are not here',
  file: 'leftover files',
}
/** Of each kind, by name; `--json` has all. */
const MAX_NAMED = 20

export function cleanLines(orphans: readonly Found[], remove: boolean): string[] {
  if (orphans.length === 0) return ['Nothing to clean.']
  const lines = Object.entries(KINDS).flatMap(([kind, words]) =>
    kindLines(
      words,
      orphans.filter((one) => one.kind === kind),
      remove,
    ),
  )
  if (!remove) lines.push('Nothing was changed; --remove removes what is listed.')
  return lines
}

function kindLines(words: string, found: readonly Found[], remove: boolean): string[] {
  if (found.length === 0) return []
  const bytes = found.reduce((sum, one) => sum + (one.bytes ?? 0), 0)
  const removed = found.filter((one) => one.removed)
  const told = remove ? `, ${grouped(countOf(removed))} removed` : ''
  const lines = [`${grouped(countOf(found))} ${words}${bytes > 0 ? ` (${formatSize(bytes)})` : ''}${told}`]
  for (const { name, why, removed } of found.slice(0, MAX_NAMED)) {
    const kept = remove && !removed ? ' (left: it has an owner again)' : ''
    lines.push(`  ${plain(name)}: ${plain(why)}${kept}`)
  }
  if (found.length > MAX_NAMED) lines.push(`  … and ${grouped(found.length - MAX_NAMED)} more (--json names all)`)
  return lines
}

const countOf = (found: readonly Found[]): number => found.reduce((sum, { count }) => sum + (count ?? 1), 0)
