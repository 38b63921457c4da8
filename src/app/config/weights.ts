/** The weights of pages, by URL prefix (`--refresh-weights FILE`). */
import { Problem } from '../../base/errors.ts'
import type { Settings } from './keys.ts'
import { readSmallFile } from './small-file.ts'

const MAX_FILE_BYTES = 16 * 2 ** 20
const MAX_WEIGHT = 1_000_000
const FORM = 'https://www.example.org/news/ 2.5'

const WEIGHTS = ['uniform', 'depth', 'inlinks']

/** Throws when the file of weights cannot be used: better before anything is opened. */
export function checkWeights({ refresh, refreshWeights }: Settings): void {
  if (refresh && !WEIGHTS.includes(refreshWeights)) readWeights(refreshWeights)
}

export function readWeights(path: string): Map<string, number> {
  const text = readSmallFile(path, MAX_FILE_BYTES)
  if (text === undefined)
    throw new Problem(
      'unreadable',
      `--refresh-weights: ${path} does not exist; write uniform, depth, inlinks or a file`,
    )
  const weights = new Map<string, number>()
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const wrong = (what: string) =>
      new Problem('bad-config', `${path}, line ${at + 1}: ${what}; write a URL prefix and a weight: ${FORM}`)
    const words = line.trim().split(/\s+/)
    if (words.length !== 2) throw wrong(`'${line.trim().slice(0, 80)}' has ${words.length} words instead of 2`)
    const [prefix, number] = words
    if (!/^https?:\/\//i.test(prefix) || !URL.canParse(prefix))
      throw wrong(`'${prefix.slice(0, 80)}' does not begin as a URL does`)
    const weight = /^\d+(\.\d+)?$/.test(number) ? Number(number) : Number.NaN
    if (!(weight > 0 && weight <= MAX_WEIGHT))
      throw wrong(`'${number.slice(0, 80)}' is no weight above 0 and up to ${MAX_WEIGHT}`)
    const { href } = new URL(prefix)
    if (weights.has(href)) throw wrong(`${href} is named twice`)
    weights.set(href, weight)
  }
  return weights
}

/** The weight of the longest prefix; 1 without one. */
export function weightsOf(weights: ReadonlyMap<string, number>): (url: string) => number {
  const lengths = [...new Set([...weights.keys()].map(({ length }) => length))].sort((a, b) => b - a)
  return (url) => {
    for (const length of lengths) {
      if (length > url.length) continue
      const weight = weights.get(url.slice(0, length))
      if (weight !== undefined) return weight
    }
    return 1
  }
}
