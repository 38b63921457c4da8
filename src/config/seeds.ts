/** Seeds as people give them: arguments, a file, standard input. All are checked before anything is fetched. */
import { readFileSync } from 'node:fs'
import { Problem } from '../base/errors.ts'
import { parseWebUrl, type WebUrl } from '../web/url/web-url.ts'

export type Seed = WebUrl

export interface SeedSources {
  words: readonly string[]
  /** The file of `--seeds`; `-` is standard input. */
  file: string | undefined
}

export function readSeeds(sources: SeedSources, read: (path: string) => string = readText): Seed[] {
  const seeds = sources.words.map((word) => parseSeed(word, 'argument'))
  if (sources.file !== undefined) {
    const name = sources.file === '-' ? 'standard input' : sources.file
    seeds.push(...parseSeedLines(read(sources.file), name))
    if (seeds.length === 0) throw new Problem('no-seeds', `${name} holds no seeds; write one URL or host a line`)
  }
  return seeds
}

/** One a line; empty lines and what follows # (at the start, or after white space) are left out. */
export function parseSeedLines(text: string, name: string): Seed[] {
  const seeds: Seed[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  for (const [i, line] of lines.entries()) {
    const seed = line.replace(/(^|\s)#.*$/, '').trim()
    if (seed !== '') seeds.push(parseSeed(seed, `${name}, line ${i + 1}`))
  }
  return seeds
}

/** The scheme may be left out: http, because servers that want https say so, and the other way round they cannot. */
function parseSeed(text: string, where: string): Seed {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1].toLowerCase()
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https')
    throw new Problem('bad-seed', `${where}: '${clip(text)}' is ${scheme}; only http and https can be collected`)
  const url = /\s/.test(text) ? undefined : parseWebUrl(scheme === undefined ? `http://${text}` : text)
  if (url === undefined)
    throw new Problem('bad-seed', `${where}: '${clip(text)}' is not a URL; write for instance https://www.example.org/`)
  return url
}

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
