/** Reads seeds from arguments, a file or standard input, and checks all of them before anything is fetched. */
import { fileErrorText, Problem, reasonOf } from '../../base/errors.ts'
import { grouped } from '../../report/text-table.ts'
import { parseSeed } from '../../web/url/seed.ts'
import type { WebUrl } from '../../web/url/web-url.ts'
import { clip, Damaged, type Found, fileChunks, foundIn, type Line, refused, seedOn } from '../seeds/input.ts'

export type Seed = WebUrl

export interface SeedSources {
  args: readonly string[]
  /** The file of `--seeds`; `-` is standard input. */
  file: string | undefined
  /** The file may have no seeds: a server can wait for its first ones. */
  mayBeEmpty?: boolean
}

/** 332 bytes each, and a crawl copies them. */
const MAX_SEEDS = 5_000_000
/** Named beside the first bad one. */
const MAX_LINES = 5

export async function readSeeds({ args, file, mayBeEmpty }: SeedSources, atMost = MAX_SEEDS): Promise<Seed[]> {
  const seeds = args.map(seedOf)
  if (file === undefined) return seeds
  const name = file === '-' ? 'standard input' : file
  const bad: Extract<Found, { kind: 'refused' }>[] = []
  let others = -1
  let entries = 0
  try {
    for await (const found of foundIn(fileChunks(file), listed))
      for (const each of found) {
        if (++entries > atMost)
          throw new Damaged(`has more than ${grouped(atMost)} seeds; 'orbweaver seed' takes lists of any length`)
        if (each.kind === 'seed') seeds.push(each.url)
        else if (each.kind === 'refused' && ++others <= MAX_LINES) bad.push(each)
      }
  } catch (error) {
    const why = error instanceof Damaged ? `it ${error.message}` : (fileErrorText(error) ?? reasonOf(error))
    throw new Problem('unreadable', `--seeds: cannot read ${name}: ${why}`)
  }
  const [first, ...next] = bad
  if (first !== undefined) {
    const lines = next.map(({ at }) => at).join(', ') + (others > MAX_LINES ? ' …' : '')
    const more = others === 0 ? '' : ` (and ${others} more: lines ${lines})`
    throw new Problem(
      'bad-seed',
      `${name}, line ${first.at}: cannot use '${first.text}' as a seed: ${first.why}${more}`,
    )
  }
  if (seeds.length === 0 && !mayBeEmpty)
    throw new Problem('no-seeds', `${name} contains no seeds; write one URL or host per line`)
  return seeds
}

function listed({ number, text }: Line): Found[] {
  const written = seedOn(text)
  if (written === '') return []
  const seed = parseSeed(written)
  return [seed.kind === 'bad' ? refused(written, number, seed.why) : { kind: 'seed', url: seed.url, at: number }]
}

function seedOf(arg: string): Seed {
  const seed = parseSeed(arg)
  if (seed.kind === 'bad') throw new Problem('bad-seed', `cannot use '${clip(arg)}' as a seed: ${seed.why}`)
  return seed.url
}
