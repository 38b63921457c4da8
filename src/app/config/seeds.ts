/** Reads seeds from arguments, a file or standard input, and checks all of them before anything is fetched. */
import { constants } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import { encodingOf } from '../../base/bytes.ts'
import { Problem, reasonOf } from '../../base/errors.ts'
import { parseSeed, parseSeedFile } from '../../web/url/seed.ts'
import type { WebUrl } from '../../web/url/web-url.ts'

export type Seed = WebUrl

export interface SeedSources {
  args: readonly string[]
  /** The file of `--seeds`; `-` is standard input. */
  file: string | undefined
  /** The file may have no seeds: a server can wait for its first ones. */
  mayBeEmpty?: boolean
}

export function readSeeds(sources: SeedSources, read: (path: string) => string = readText): Seed[] {
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

function seedOf(arg: string): Seed {
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

const AT_ONCE = 64 * 1024
/** Far longer than any accepted URL: a file with longer lines is not a list (a device, a video). */
const LONGEST_LINE = 64 * 1024
/** The longest string Node supports; the names of the largest national domains take a fifth of it. */
const MAX_BYTES = constants.MAX_STRING_LENGTH

function readText(path: string): string {
  try {
    return readList(path)
  } catch (error) {
    throw new Problem(
      'unreadable',
      `--seeds: cannot read ${path === '-' ? 'standard input' : path}: ${reasonOf(error)}`,
    )
  }
}

/** Checks the size while reading, because a pipe has no size to check first. */
function readList(path: string): string {
  const fd = path === '-' ? 0 : openSync(path, 'r')
  try {
    const pieces: Uint8Array[] = []
    let size = 0
    let line = 0
    const buffer = new Uint8Array(AT_ONCE)
    for (;;) {
      const got = readSync(fd, buffer)
      if (got === 0) return decoded(Buffer.concat(pieces))
      const bytes = buffer.slice(0, got)
      const lastEnd = Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d))
      line = lastEnd < 0 ? line + got : got - lastEnd - 1
      size += got
      if (line > LONGEST_LINE)
        throw new Error(`it has a line of more than ${LONGEST_LINE} bytes; write one seed per line`)
      if (size > MAX_BYTES)
        throw new Error(`it has more than ${MAX_BYTES} bytes; 'orbweaver seed' takes lists of any length`)
      pieces.push(bytes)
    }
  } finally {
    if (fd !== 0) closeSync(fd)
  }
}

const decoded = (bytes: Uint8Array) => new TextDecoder(encodingOf(bytes)).decode(bytes)
