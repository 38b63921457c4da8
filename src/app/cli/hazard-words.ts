/** A site's hazards in sentences: the rule, the URLs it concerns, the evidence, what it held back, and three examples. */
import { grouped } from '../../report/text-table.ts'
import { plain } from './progress.ts'
import type { SiteFacts } from './rooms.ts'
import { timeText } from './words.ts'

export function hazardLines({ look, verdicts }: Pick<SiteFacts, 'look' | 'verdicts'>): string[] {
  const suspects = look?.memory.traps?.suspects ?? []
  const lines: string[] = []
  for (const { rule, pattern, evidence, examples, at, withdrawn_at } of verdicts) {
    const where = pattern === null ? '' : ` in ${plain(pattern)}`
    lines.push(`Hazard (${timeText(at)} UTC): ${plain(rule)}${where}: ${plain(evidence)}.`)
    if (withdrawn_at !== null) {
      lines.push(`  Withdrawn (${timeText(withdrawn_at)} UTC): what it had held back waits to be asked for again.`)
    } else {
      const stopped = suspects.find((one) => one.pattern === pattern && one.rule === rule && one.stopped)
      if (stopped !== undefined) lines.push(`  ${stoppedWords(stopped)}`)
    }
    for (const example of examples) lines.push(`  e.g. ${plain(example)}`)
  }
  for (const { rule, pattern, evidence, confirmed, contradicted } of suspects.filter(({ stopped }) => !stopped)) {
    lines.push(`On trial: ${plain(rule)} in ${plain(pattern)}: ${plain(evidence)}.`)
    lines.push(`  Samples so far: ${confirmed} confirm it, ${contradicted} contradict it. Nothing is held back yet.`)
  }
  return lines
}

type Suspect = NonNullable<NonNullable<SiteFacts['look']>['memory']['traps']>['suspects'][number]

function stoppedWords({ proof, refused, confirmed, contradicted }: Suspect): string {
  const asked =
    proof === 'alias' || proof === 'missing'
      ? 'Of this pattern only a sample is asked for now and then;'
      : 'Of this pattern only what other pages list is asked for, and a sample now and then;'
  const held = refused === 0 ? 'none was met since' : `${grouped(refused)} were held back since`
  return `${asked} ${held} ` + `(samples: ${confirmed} confirm it, ${contradicted} contradict it).`
}
