/** How `npm start` starts the program: what it tells Node is part of what is measured. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

/** The arguments of Node up to those of the program. */
export function asStarted(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [node, ...args] = scripts.start.split(' ')
  const program = args.pop()
  if (node !== 'node' || program === undefined) throw new Error(`npm start is not as expected: ${scripts.start}`)
  return [...args, join(ROOT, program)]
}
