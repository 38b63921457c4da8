/** Seeds as operators give them: arguments, a file, standard input. All are checked before anything is fetched. */
import { readFileSync } from 'node:fs'
import { Problem } from '../base/errors.ts'
import { parseSeed, parseSeedFile } from '../web/url/seed.ts'
import type { WebUrl } from '../web/url/web-url.ts'

export type Seed = WebUrl

export interface SeedSources {
  words: readonly string[]
  /** The file of `--seeds`; `-` is standard input. */
  file: string | undefined
}

export function readSeeds(sources: SeedSources, read: (path: string) => string = readText): Seed[] {
  const seeds = sources.words.map(seedOfWord)
  if (sources.file === undefined) return seeds
  const name = sources.file === '-' ? 'standard input' : sources.file
  const file = parseSeedFile(read(sources.file), name)
  const [first, ...others] = file.problems
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` (and ${others.length} more: lines ${lineList(others)})`
    throw new Problem('bad-seed', `${first.file}, line ${first.line}: '${first.text}' is no seed: ${first.why}${more}`)
  }
  // One by one: a national domain's list has more names than a call takes arguments.
  for (const { url } of file.seeds) seeds.push(url)
  if (seeds.length === 0) throw new Problem('no-seeds', `${name} holds no seeds; write one URL or host a line`)
  return seeds
}

function seedOfWord(word: string): Seed {
  const seed = parseSeed(word)
  if (seed.kind === 'bad') throw new Problem('bad-seed', `'${clip(word)}' is no seed: ${seed.why}`)
  return seed.url
}

const MOST_LINES = 5

function lineList(problems: readonly { line: number }[]): string {
  const lines = problems.slice(0, MOST_LINES).map(({ line }) => line)
  return lines.join(', ') + (problems.length > MOST_LINES ? ' …' : '')
}

/** For a message: one short line. */
function clip(text: string): string {
  const plain = text.replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
  return plain.length > 80 ? `${plain.slice(0, 80)}…` : plain
}

function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Problem('unreadable', `--seeds: cannot read ${path === '-' ? 'standard input' : path}: ${why}`)
  }
}
