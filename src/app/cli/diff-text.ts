/** A comparison of two versions of a page, side by side in the columns of a terminal. Nothing of a page is printed as it came. */
import { formatSize } from '../../base/units.ts'
import type { Block } from '../../page/change/blocks.ts'
import {
  type DiffCounts,
  type DiffRow,
  diffPages,
  type FactChange,
  type PageDiff,
  type WordPart,
} from '../../page/change/diff.ts'
import type { ImageDiff } from '../../page/change/image-diff.ts'
import { displayWidth, grouped } from '../../report/text-table.ts'
import type { PageVersion, Versions } from '../reader/versions.ts'
import { clip, plain, some, timeText } from './text.ts'

type Style = 'removed' | 'added' | 'dim' | undefined

/** A piece of one side of the comparison. */
export interface Segment {
  text: string
  style?: Style
  /** Words of a block whose other words are the same. Without colours, brackets mark them. */
  isPart?: boolean
}

const CODES = { removed: '\x1b[31m', added: '\x1b[32m', dim: '\x1b[2m' } as const
const RESET = '\x1b[0m'

export interface Look {
  width: number
  colour: boolean
}

/** Undefined: only the bytes can be compared. */
export function compare(before: PageVersion, after: PageVersion): PageDiff | undefined {
  const texts = [before, after].map(({ as, text }) =>
    as === 'none' ? undefined : { as, text: Buffer.from(text).toString() },
  )
  const [old, now] = texts
  return old === undefined || now === undefined ? undefined : diffPages(old, now)
}

/** When, status, type and size. */
export const versionText = ({ at, status, mediaType, body }: PageVersion) =>
  `${timeText(at)} UTC, ${status}, ${mediaType === '' ? 'no type' : plain(mediaType)}, ${formatSize(body.length)}`

/** Undefined: they are not images, or they are equal. */
export async function comparePictures({ before, after }: Versions): Promise<ImageDiff | undefined> {
  if (before === undefined || before.as !== 'none' || after.as !== 'none' || before.digest === after.digest)
    return undefined
  const { diffImages } = await import('../../page/change/image-diff.ts')
  return await diffImages(before.body, after.body)
}

/** What to know before one reads the comparison. */
export function notesOf({ before, after, others }: Versions, images?: ImageDiff): string[] {
  const notes: string[] = []
  if (others > 0)
    notes.push(
      `Of this URL, ${some(others, 'capture')} of redirects or errors ${others === 1 ? 'was' : 'were'} left out.`,
    )
  if (before!.digest === after.digest) notes.push('Both are the same, byte for byte.')
  else if (images !== undefined) notes.push(...pictureLines(images))
  else if (before!.as === 'none' || after.as === 'none')
    notes.push(
      `At least one of them is not text, so only their bytes are compared: ${before!.digest} before, ${after.digest} after.`,
    )
  return notes
}

function pictureLines(images: ImageDiff): string[] {
  const { before, after } = images
  if ('undecoded' in before || 'undecoded' in after)
    return [before, after].flatMap((one, i) =>
      'undecoded' in one
        ? [`The image ${i === 0 ? 'before' : 'after'} ${one.undecoded}, so only the bytes are compared: they differ.`]
        : [],
    )
  const { pixels, perceptual, isSameIval } = images as Required<ImageDiff>
  const size = ({ kind, width, height }: typeof before) => `${kind}, ${grouped(width)} × ${grouped(height)}`
  const codes = `Perceptual distance: ${perceptual} of 64 bits; ival ${isSameIval ? 'is the same' : 'differs'}.`
  if (pixels === undefined) return [`Images of different sizes: ${size(before)} before, ${size(after)} after.`, codes]
  if (pixels.changed === 0)
    return [
      `Images: ${size(after)}. All pixels are the same; only how they are stored differs, or later pictures of an animation.`,
    ]
  const share = (100 * pixels.changed) / (after.width * after.height)
  const { left, top, right, bottom } = pixels.area
  return [
    `Images: ${size(after)}. ${grouped(pixels.changed)} pixels differ (${share < 0.1 ? 'under 0.1' : share.toFixed(1)} %), by ${pixels.mean.toFixed(1)} of 255 on average, within ${grouped(right - left)} × ${grouped(bottom - top)} at ${grouped(left)}, ${grouped(top)}.`,
    codes,
  ]
}

/** The name of each kind of fact. */
export const FACT_NAMES: Record<FactChange['kind'], string> = {
  place: 'place',
  tag: 'tags',
  link: 'links',
  image: 'images',
  attribute: 'attributes',
}

const FACTS = ['place', 'tag', 'link', 'image', 'attribute'] as const

/** `3 blocks changed, 1 added, …`, and what is not shown. */
export function summaryOf({ counts, unit, unseen, rest, more }: PageDiff): string[] {
  const named = (kinds: readonly (keyof DiffCounts)[], text: (kind: keyof DiffCounts, count: string) => string) =>
    kinds.flatMap((kind) => (counts[kind] === 0 ? [] : [text(kind, grouped(counts[kind]))]))
  const texts = named(['changed', 'added', 'removed', 'moved'], (kind, count) => `${count} ${kind}`)
  const facts = named(FACTS, (kind, count) => `${FACT_NAMES[kind as FactChange['kind']]} ${count}`)
  const isSame = texts.length + facts.length === 0
  const lines = [
    isSame
      ? `Text and mark-up are the same (${some(counts.same, unit)}).`
      : `${unit === 'line' ? 'Lines' : 'Blocks'}: ${[...texts, `${grouped(counts.same)} the same`].join(', ')}.`,
  ]
  if (facts.length > 0) lines.push(`Blocks with the same text that differ in ${facts.join(', ')}.`)
  const hidden = unseen.filter((what) => what !== 'the rest')
  if (hidden.length > 0) lines.push(`Different, and not shown: ${hidden.join(', ')}.`)
  else if (isSame && unseen.length === 0)
    lines.push('The bytes differ in white space, in the order of attributes, or in end tags.')
  if (rest.before + rest.after > 0) {
    const which = unseen.includes('the rest') ? 'differ' : 'are the same'
    lines.push(
      `The page is very long: its last ${grouped(rest.before)} and ${grouped(rest.after)} characters were not compared in detail; they ${which}.`,
    )
  }
  if (more > 0)
    lines.push(`Only the first ${grouped(MAX_LISTED)} differences are listed; there are ${grouped(more)} more.`)
  return lines
}

const MAX_LISTED = 5000
/** Lines of a column for one block. */
const MAX_LINES = 30
/** Longer unchanged text of a changed block is shortened to its ends. */
const MAX_SAME = 120
const KEPT_SAME = 50

export function diffLines({ rows, unit }: PageDiff, look: Look): string[] {
  const lines: string[] = []
  let place = ''
  rows.forEach((row, i) => {
    if (row.kind === 'same') {
      lines.push(...sameLines(row, unit, i > 0, i < rows.length - 1, look))
      return
    }
    const here = placeOf(row)
    if (here !== '' && here !== place) lines.push(painted(clip(`@ ${plain(here)}`, look.width), 'dim', look))
    place = here
    lines.push(...rowLines(row, look))
  })
  return lines
}

export function placeOf(row: Exclude<DiffRow, { kind: 'same' }>): string {
  return row.kind === 'added' || row.kind === 'moved-here' ? row.after.place : row.before.place
}

type SameRow = Extract<DiffRow, { kind: 'same' }>

/** How many equal blocks are shown beside a difference. */
function sameLines(
  { count, first, last }: SameRow,
  unit: string,
  isAfter: boolean,
  isBefore: boolean,
  look: Look,
): string[] {
  const shown = (block: Block) => painted(clip(`  ${plain(nameOf(block))}`, look.width), 'dim', look)
  const ends = [isAfter || count <= 2, isBefore || count <= 2]
  const hidden = count === 1 ? 0 : count - ends.filter(Boolean).length
  const lines = ends[0] ? [shown(first)] : []
  if (hidden > 0) lines.push(painted(`  … ${some(hidden, unit)} the same …`, 'dim', look))
  return count > 1 && ends[1] ? [...lines, shown(last)] : lines
}

const MARKS: Readonly<Record<Exclude<DiffRow, SameRow | { kind: 'marked' }>['kind'], readonly [string, string]>> = {
  changed: ['~', '~'],
  removed: ['-', ' '],
  added: [' ', '+'],
  'moved-away': ['<', ' '],
  'moved-here': [' ', '>'],
}

function rowLines(row: Exclude<DiffRow, SameRow>, look: Look): string[] {
  const { left, right, facts } = sidesOf(row)
  const shown =
    row.kind === 'marked'
      ? [clip(`= ${right.map(({ text }) => plain(text)).join('')}`, look.width)]
      : sides(MARKS[row.kind], left, right, look)
  return [...shown, ...factLines(facts, look)]
}

/** What both sides of a row show, on a terminal and on a web page. Its texts are those of the page, as they came. */
export function sidesOf(row: Exclude<DiffRow, SameRow>): {
  left: Segment[]
  right: Segment[]
  facts: readonly FactChange[]
} {
  const text = (block: Block, style?: Style): Segment[] => [{ text: nameOf(block), style }]
  const note = (what: string): Segment[] => [{ text: `(${what})`, style: 'dim' }]
  const facts = 'facts' in row ? row.facts : []
  switch (row.kind) {
    case 'changed':
      if (row.words.length === 0) return { left: text(row.before, 'removed'), right: text(row.after, 'added'), facts }
      return { left: withoutWords(row.words, 'added'), right: withoutWords(row.words, 'removed'), facts }
    case 'marked': {
      const more: Segment[] = row.count > 1 ? [{ text: ` (and ${grouped(row.count - 1)} more)`, style: 'dim' }] : []
      return { left: text(row.before), right: [...text(row.after), ...more], facts }
    }
    case 'removed':
      return { left: text(row.before, 'removed'), right: [], facts }
    case 'added':
      return { left: [], right: text(row.after, 'added'), facts }
    case 'moved-away':
      return { left: text(row.before), right: note(`moved ${row.isDown ? 'down' : 'up'}: move ${row.nth}`), facts }
    case 'moved-here':
      return {
        left: note(`moved ${row.isDown ? 'down' : 'up'} to here: move ${row.nth}`),
        right: text(row.after),
        facts,
      }
  }
}

/** Its text; of a block without text, its images. */
function nameOf({ text, facts }: Block): string {
  if (text !== '') return text
  const images = facts.filter(({ kind }) => kind === 'image').map((fact) => fact.text)
  return images.length === 0 ? '(no text)' : `[image: ${images.join(' ')}]`
}

/** One side of a changed block: without the words that only the other one has. */
function withoutWords(words: readonly WordPart[], without: 'added' | 'removed'): Segment[] {
  return words
    .filter(({ kind }) => kind !== without)
    .map(({ kind, text }, i, parts) =>
      kind === 'same'
        ? { text: shortened(text, i === 0, i === parts.length - 1) }
        : { text, style: kind, isPart: true },
    )
}

function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  if (text.length <= MAX_SAME) return text
  const begin = isFirst ? '' : text.slice(0, KEPT_SAME)
  const end = isLast ? '' : text.slice(-KEPT_SAME)
  return `${begin}…${end}`
}

function factLines(facts: readonly FactChange[], look: Look): string[] {
  return facts.flatMap(({ kind, before, after }) => {
    const [name, from, to] = [FACT_NAMES[kind], listed(before), listed(after)]
    const text = from === '' ? `new ${name}: ${to}` : to === '' ? `${name} gone: ${from}` : `${name}: ${from} → ${to}`
    return wrapped([{ text: plain(text) }], look.width - 4).map((line) => `    ${drawn(line, look)}`.trimEnd())
  })
}

const MAX_NAMED = 5

export function listed(texts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  const named = [...counts].slice(0, MAX_NAMED).map(([text, count]) => (count > 1 ? `${text} (×${count})` : text))
  return `${named.join(', ')}${counts.size > MAX_NAMED ? ` … (${grouped(texts.length)})` : ''}`
}

/** Two columns, each with its mark in front. */
function sides(
  [mark, otherMark]: readonly [string, string],
  left: readonly Segment[],
  right: readonly Segment[],
  look: Look,
): string[] {
  const column = Math.max(10, Math.floor((look.width - 7) / 2))
  const [one, other] = [left, right].map((segments) => bounded(wrapped(segments.map(marked), column)))
  return Array.from({ length: Math.max(one.length, other.length, 1) }, (_, i) => {
    const gap = ' '.repeat(Math.max(0, column - widthOf(one[i] ?? [])))
    const begin = `${i === 0 ? mark : ' '} ${drawn(one[i] ?? [], look)}${gap}`
    const end = other[i] === undefined ? '' : ` ${i === 0 ? otherMark : ' '} ${drawn(other[i], look)}`
    return `${begin} │${end}`.trimEnd()
  })

  function marked({ text, style, isPart = false }: Segment): Segment {
    const [open, close] = look.colour || !isPart ? ['', ''] : style === 'removed' ? ['[-', '-]'] : ['{+', '+}']
    return { text: `${open}${plain(text)}${close}`, style }
  }
}

function bounded(lines: Segment[][]): Segment[][] {
  if (lines.length <= MAX_LINES) return lines
  return [
    ...lines.slice(0, MAX_LINES - 1),
    [{ text: `… ${some(lines.length - MAX_LINES + 1, 'more line')}`, style: 'dim' }],
  ]
}

const widthOf = (line: readonly Segment[]) => line.reduce((sum, { text }) => sum + displayWidth(text), 0)

function drawn(line: readonly Segment[], look: Look): string {
  return line.map(({ text, style }) => painted(text, style, look)).join('')
}

function painted(text: string, style: Style, { colour }: Look): string {
  return style === undefined || !colour || text === '' ? text : `${CODES[style]}${text}${RESET}`
}

/** Breaks a text into lines of this many columns, between words; a longer word is split. */
function wrapped(segments: readonly Segment[], width: number): Segment[][] {
  const lines: Segment[][] = []
  let line: Segment[] = []
  let room = width
  const add = (text: string, style: Style) => {
    const last = line.at(-1)
    if (last !== undefined && last.style === style) last.text += text
    else line.push({ text, style })
    room -= displayWidth(text)
  }
  const next = () => {
    lines.push(line)
    line = []
    room = width
  }
  for (const { text, style } of segments) {
    for (const word of text.match(/\s+|\S+/g) ?? []) {
      const columns = displayWidth(word)
      if (/^\s/.test(word)) {
        if (room >= columns) add(word, style)
        else next()
        continue
      }
      if (columns > room && columns <= width && line.length > 0) next()
      if (columns <= room) add(word, style)
      else
        for (const character of word) {
          if (displayWidth(character) > room) next()
          add(character, style)
        }
    }
  }
  if (line.length > 0) lines.push(line)
  return lines
}
