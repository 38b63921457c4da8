/** Series of looks with what is known about them, brought before detectors, and what comes of it. */
import { type Random, seededRandom } from '../../src/base/random.ts'
import type { Detector, Look } from './detectors.ts'
import { COSMETIC, EDITS, LINK_EDITS, type Mutate, type Volatile } from './mutate.ts'
import type { Label, Series } from './real-series.ts'

/** What a look is, against the one before; the label or the mutation is its name. */
interface Known {
  kind: 'real' | 'edit' | 'cosmetic' | 'link' | 'image' | 'volatile' | 'edited amid it'
  name: string
  /** Whether it is a change; undefined: a matter of taste, left out of precision and recall. */
  isChange: boolean | undefined
}

export interface Case {
  looks: readonly Look[]
  /** Undefined: it is shown, and nobody asks. */
  known: readonly (Known | undefined)[]
}

export interface Judged extends Known {
  /** By detector. */
  changed: boolean[]
  classes: (string | undefined)[]
}

const IS_CHANGE: Readonly<Record<Label, boolean | undefined>> = {
  same: false,
  markup: false,
  stamp: false,
  'known stamp': false,
  links: undefined,
  template: undefined,
  content: true,
}

export function realCases(series: readonly Series[]): Case[] {
  return series.map(({ looks, labels }) => ({
    looks,
    known: [undefined, ...labels.map((name) => ({ kind: 'real' as const, name, isChange: IS_CHANGE[name] }))],
  }))
}

/** Looks before a change: those who learn must have seen that nothing changes. */
const QUIET_LOOKS = 3

/** Known changes of the newest version of pages. `volatile`: parts to put into them; `pool`: pictures to replace theirs by. */
export function mutatedCases(
  series: readonly Series[],
  volatile: readonly Volatile[],
  pool: readonly Uint8Array[],
  random: Random,
): Case[] {
  const seed = random.integer(1e9)
  return series.flatMap(({ looks }) => {
    const look = looks[looks.length - 1]
    // Nobody sees what is edited in its `noframes`.
    if (/<frameset\b/i.test(html(look))) return []
    return [
      ...plainCases(look, EDITS, { kind: 'edit', isChange: true }, random),
      ...plainCases(look, COSMETIC, { kind: 'cosmetic', isChange: false }, random),
      ...plainCases(look, LINK_EDITS, { kind: 'link', isChange: undefined }, random),
      ...imageCases(look, pool, random),
      ...volatileCases(look, volatile, random, seed),
    ]
  })
}

/** The different ones of all pages. */
export function picturesOfAll(series: readonly Series[]): Uint8Array[] {
  const pictures = series.flatMap(({ looks }) => picturesOf(looks[looks.length - 1]).map(({ bytes }) => bytes))
  return [...new Map(pictures.map((bytes) => [Buffer.from(bytes).toString('base64'), bytes])).values()]
}

function html({ bytes }: Look): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

function withBytes(look: Look, text: string): Look {
  return { ...look, bytes: Buffer.from(text, 'latin1') }
}

function quiet(look: Look, next: Look, known: Known): Case {
  const site = `${look.site}, ${known.name}`
  const before = Array.from({ length: QUIET_LOOKS }, () => ({ ...look, site }))
  return { looks: [...before, { ...next, site }], known: [...before.map(() => undefined), known] }
}

function plainCases(
  look: Look,
  mutations: Readonly<Record<string, Mutate>>,
  known: Omit<Known, 'name'>,
  random: Random,
) {
  return Object.entries(mutations).flatMap(([name, mutate]) => {
    const changed = mutate(html(look), random)
    return changed === undefined || changed === html(look)
      ? []
      : [quiet(look, withBytes(look, changed), { ...known, name })]
  })
}

const SOURCE = /<img\b[^>]*\ssrc="([^"]+)"/gi

/** The pictures that a page embeds and its package has. */
function picturesOf(look: Look): { href: string; bytes: Uint8Array }[] {
  const hrefs = new Set([...html(look).matchAll(SOURCE)].map(([, href]) => href))
  return [...hrefs].flatMap((href) => {
    const bytes = look.image(href)
    return bytes === undefined ? [] : [{ href, bytes }]
  })
}

/** Another page's picture in place of one of this page: under the same reference, or under another. */
function imageCases(look: Look, pool: readonly Uint8Array[], random: Random): Case[] {
  const own = picturesOf(look)
  const others = pool.filter((bytes) => own.every((each) => Buffer.compare(each.bytes, bytes) !== 0))
  if (own.length === 0 || others.length === 0) return []
  const { href } = own[random.integer(own.length)]
  const other = others[random.integer(others.length)]
  const showing = (shown: string) => (asked: string) => (asked === shown ? other : look.image(asked))
  const renamed = withBytes(look, html(look).replaceAll(`"${href}"`, '"renamed.png"'))
  return [
    quiet(look, { ...look, image: showing(href) }, { kind: 'image', name: 'image replaced', isChange: undefined }),
    quiet(
      look,
      { ...renamed, image: showing('renamed.png') },
      { kind: 'image', name: 'image renamed', isChange: undefined },
    ),
  ]
}

/** Three looks to learn from, a fourth in which only the volatile part differs, and a fifth in which the page changes too. */
function volatileCases(look: Look, volatile: readonly Volatile[], random: Random, seed: number): Case[] {
  return volatile.flatMap(({ name, next, isSiteWide }) => {
    // All pages of a site have the same volatile part.
    const site = `${look.site}, ${name}`
    const at = (text: string, nth: number) => {
      const chance = isSiteWide === true ? seededRandom(seed + nth) : random
      return { ...withBytes(look, next(text, nth, chance)), site }
    }
    const edits = Object.values(EDITS)
    const edited = edits[random.integer(edits.length)](html(look), random) ?? EDITS['word replaced'](html(look), random)
    const looks = [0, 1, 2, 3].map((nth) => at(html(look), nth))
    // What was the same in between could have taught nobody.
    if (looks.some(({ bytes }, nth) => nth > 0 && Buffer.compare(looks[nth - 1].bytes, bytes) === 0)) return []
    const known = [undefined, undefined, undefined, { kind: 'volatile' as const, name, isChange: false }]
    if (edited === undefined) return [{ looks, known }]
    return [
      {
        looks: [...looks, at(edited, 4)],
        known: [...known, { kind: 'edited amid it' as const, name, isChange: true }],
      },
    ]
  })
}

/** All pages of a site are looked at once, then all again: what detectors learn of one page in a round may help at another. */
export async function judgeAll(cases: readonly Case[], detectors: readonly Detector[]): Promise<Judged[]> {
  const sites = Map.groupBy(cases, ({ looks }) => looks[0].site)
  const judged: Judged[] = []
  for (const together of sites.values()) {
    const states = together.map((each) => ({ ...each, memories: detectors.map((): unknown => undefined) }))
    const rounds = Math.max(...together.map(({ looks }) => looks.length))
    for (let nth = 0; nth < rounds; nth++)
      for (const state of states) judged.push(...(await lookOnce(state, nth, detectors)))
  }
  return judged
}

interface State extends Case {
  memories: unknown[]
}

async function lookOnce(state: State, nth: number, detectors: readonly Detector[]): Promise<Judged[]> {
  const { looks, known, memories } = state
  const [look, about] = [looks[nth], known[nth]]
  if (look === undefined) return []
  const here = await Promise.all(detectors.map((detector, i) => detector.look(look, memories[i])))
  state.memories = here.map(({ memory }) => memory)
  if (about === undefined) return []
  return [{ ...about, changed: here.map(({ changed }) => changed), classes: here.map((each) => each.class) }]
}

export interface Rates {
  found: number
  missed: number
  falseAlarms: number
  quiet: number
}

/** By detector. */
export function ratesOf(all: readonly Judged[]): Rates[] {
  return Array.from({ length: all[0]?.changed.length ?? 0 }, (_, i) => {
    const count = (isChange: boolean, called: boolean) =>
      all.filter((each) => each.isChange === isChange && each.changed[i] === called).length
    return {
      found: count(true, true),
      missed: count(true, false),
      falseAlarms: count(false, true),
      quiet: count(false, false),
    }
  })
}
