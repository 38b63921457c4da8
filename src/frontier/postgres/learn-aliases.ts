import type { VisitReport } from '../../contracts/report.ts'
import { LONGEST_HOW } from '../aliases.ts'
import { keyOf, type Sheaf } from './sheaf.ts'
import { readSites } from './site-rows.ts'

/** Home pages say whose other names their sites are. What comes from outside is checked where it is kept. */
export async function learnAliases(sheaf: Sheaf, parts: readonly VisitReport[]): Promise<void> {
  const learnt = parts.flatMap(({ site, learnt: { alias } = {} }) =>
    alias === undefined || typeof alias.to !== 'string' ? [] : { site, ...alias },
  )
  if (learnt.length === 0) return
  const originals = await readSites(
    sheaf.tx,
    learnt.map(({ to }) => keyOf(to)),
  )
  for (const { site, to, how, https, evidence = '' } of learnt) {
    const words = { how: String(how).slice(0, LONGEST_HOW), evidence: String(evidence) }
    const given = { name: site, original: to, https: https === true, ...words }
    sheaf.names.add(given, sheaf.now, (original) => originals.get(keyOf(original))?.state === 'barred')
  }
}
