/** A site's hazards in sentences: the rule, the URLs it concerns, the evidence, what it stopped, and three examples. */
import { grouped } from '../report/text-table.ts'
import { plain } from './progress.ts'
import type { SiteFacts } from './rooms.ts'
import { timeText } from './words.ts'

export function hazardLines({ look, verdicts }: Pick<SiteFacts, 'look' | 'verdicts'>): string[] {
  const lines: string[] = []
  for (const { rule, pattern, evidence, examples, at } of verdicts) {
    const where = pattern === null ? '' : ` in ${plain(pattern)}`
    lines.push(`Hazard (${timeText(at)} UTC): ${plain(rule)}${where}: ${plain(evidence)}.`)
    const stopped = look?.memory.traps?.stopped.find((one) => one.pattern === pattern && one.rule === rule)
    if (stopped !== undefined) {
      const links =
        stopped.refused === 0 ? 'none was met since' : `${grouped(stopped.refused)} were not asked for since`
      lines.push(`  URLs of this pattern are followed no more; ${links}.`)
    }
    for (const example of examples) lines.push(`  e.g. ${plain(example)}`)
  }
  return lines
}
