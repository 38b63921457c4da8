import type { Orphan } from './orphan.ts'

/** Those that were removed; the others were none any more. */
export async function removeOrphans(orphans: readonly Orphan[]): Promise<Set<Orphan>> {
  const removed = new Set<Orphan>()
  for (const orphan of orphans) if (await orphan.remove()) removed.add(orphan)
  return removed
}
