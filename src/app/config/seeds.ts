/** Reads seeds from arguments, a file or standard input, and checks all of them before anything is fetched. */
import { constants } from 'node:buffer'
import { Problem } from '../../base/errors.ts'
import { parseSeed, parseSeedFile } from '../../web/url/seed.ts'
import type { WebUrl } from '../../web/url/web-url.ts'
import { readBounded, whyUnreadable } from './small-file.ts'

interface SeedSources {
  args: readonly string[]
  /** The file of `--seeds`; `-` is standard input. */
  file: string | undefined
  /** The file may have no seeds: a server can wait for its first ones. */
  mayBeEmpty?: boolean
}

export function readSeeds(sources: SeedSources, read: (path: string) => string = readText): WebUrl[] {
  const seeds = sources.args.map(seedOf)
  if (sources.file === undefined) return seeds
  const name = sources.file === '-' ? 'standard input' : sources.file
  const file = parseSeedFile(read(sources.file), name)
  const [first, ...others] = file.problems
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` (and ${others.length} more: lines ${lineList(others)})`
    throw new Problem(
      'bad-seed',
      `${first.file}, line ${first.line}: cannot use '${first.text}' as a seed: ${first.why}${more}`,
    )
  }
  // One by one: the list of a national domain has more names than a call can take as arguments.
  for (const { url } of file.seeds) seeds.push(url)
  if (seeds.length === 0 && !sources.mayBeEmpty)
    throw new Problem('no-seeds', `${name} contains no seeds; write one URL or host per line`)
  return seeds
}

function seedOf(arg: string): WebUrl {
  const seed = parseSeed(arg)
  if (seed.kind === 'bad') throw new Problem('bad-seed', `cannot use '${clip(arg)}' as a seed: ${seed.why}`)
  return seed.url
}

const MAX_LINES = 5

function lineList(problems: readonly { line: number }[]): string {
  const lines = problems.slice(0, MAX_LINES).map(({ line }) => line)
  return lines.join(', ') + (problems.length > MAX_LINES ? ' …' : '')
}

/** For a message: one short line. */
function clip(text: string): string {
  const plain = text.replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
  return plain.length > 80 ? `${plain.slice(0, 80)}…` : plain
}

/** The longest string Node supports; the names of the largest national domains take a fifth of it. */
const MAX_BYTES = constants.MAX_STRING_LENGTH

function readText(path: string): string {
  try {
    return readBounded(path, MAX_BYTES)
  } catch (error) {
    const name = path === '-' ? 'standard input' : path
    throw new Problem('unreadable', `--seeds: cannot read ${name}: ${whyUnreadable(error)}`)
  }
}
