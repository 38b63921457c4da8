/** An event of the journal as one line, for `--verbose`. */
import { plain } from './progress.ts'
import { timeText } from './words.ts'

export function eventLine(event: { kind: string }, now: number): string {
  const facts = Object.entries(event)
    .filter(([name, value]) => name !== 'kind' && value !== undefined)
    .map(([name, value]) => `${name}=${plain(typeof value === 'string' ? value : JSON.stringify(value))}`)
  return [timeText(now), event.kind, ...facts].join(' ').slice(0, 500)
}
