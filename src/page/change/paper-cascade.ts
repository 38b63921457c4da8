/**
 * The paper's comparison of two looks at a page (Y7 to Y11): structure, then text, then images, each compared only if the
 * one before is equal, with the place of a change where the method knows it.
 */
import type { FoundLink } from '../extract/links.ts'
import type { DocumentTree, PaperSignature } from './document-tree.ts'

export type PaperChange =
  /** Method I. */
  | { by: 'first letters' | 'last letters' | 'text' }
  /** Method II: the levels whose counts differ, and where the first difference in level order is. */
  | { by: 'levels'; levels: number[]; place: Place }
  | { by: 'content'; place: Place }
  /** The first that differs, from 0. */
  | { by: 'images'; image: number }

/** A node of the newer tree whose children, or whose text, are not what they were. */
export interface Place {
  id: number
  level: number
  /** Child numbers from the root down, each from 1. */
  path: number[]
}

/**
 * `images`: the codes of the page's images in order, before and now. It is called only when nothing else has changed, since
 * they must be fetched and decoded.
 */
export async function findChange(
  method: 'I' | 'II',
  before: PaperSignature,
  now: PaperSignature,
  images?: () => Promise<readonly [readonly unknown[], readonly unknown[]]>,
): Promise<PaperChange | undefined> {
  const change = (method === 'I' ? changeI : changeII)(before, now)
  if (change !== undefined || images === undefined) return change
  const [old, fresh] = await images()
  const length = Math.max(old.length, fresh.length)
  for (let image = 0; image < length; image++) if (old[image] !== fresh[image]) return { by: 'images', image }
  return undefined
}

function changeI(before: PaperSignature, now: PaperSignature): PaperChange | undefined {
  if (before.first !== now.first) return { by: 'first letters' }
  if (before.last !== now.last) return { by: 'last letters' }
  return before.text.codeI === now.text.codeI ? undefined : { by: 'text' }
}

function changeII(before: PaperSignature, now: PaperSignature): PaperChange | undefined {
  const levels = changedLevels(before.tree.levels, now.tree.levels)
  const parent = firstDifference(before.tree.children, now.tree.children)
  if (levels.length > 0 || parent >= 0) return { by: 'levels', levels, place: placeOf(now.tree, parent) }
  const node = firstDifference(before.tree.value, now.tree.value)
  if (node >= 0) return { by: 'content', place: placeOf(now.tree, node) }
  // Text outside all elements has no node.
  return before.text.codeII === now.text.codeII ? undefined : { by: 'text' }
}

/** From 1, as in Table I. */
export function changedLevels(before: readonly number[], now: readonly number[]): number[] {
  const changed: number[] = []
  for (let i = 0; i < Math.max(before.length, now.length); i++) if (before[i] !== now[i]) changed.push(i + 1)
  return changed
}

/** The first node that differs in the column; −1 when none does. */
export function firstDifference(before: ArrayLike<number>, now: ArrayLike<number>): number {
  const length = Math.max(before.length, now.length)
  for (let i = 0; i < length; i++) if (before[i] !== now[i]) return i
  return -1
}

function placeOf(tree: DocumentTree, at: number): Place {
  const node = Math.min(Math.max(at, 0), tree.level.length - 1)
  if (node < 0) return { id: 0, level: 0, path: [] }
  // Children stand in the order of their parents: each node's parent follows from the counts before it.
  const parent = new Int32Array(node + 1).fill(-1)
  let child = tree.levels[0]
  for (let each = 0; child <= node; each++)
    for (let left = tree.children[each]; left > 0 && child <= node; left--) parent[child++] = each
  const path: number[] = []
  for (let each = node; each >= 0; each = parent[each]) {
    let nth = 1
    while (each - nth >= 0 && parent[each - nth] === parent[each]) nth++
    path.push(nth)
  }
  return { id: node + 1, level: tree.level[node], path: path.reverse() }
}

const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp|avif|svgz?|bmp|ico|tiff?)(?:[?#]|$)/i

/** The page's images in order: embedded ones, and those that it links to (Y10), which only their names tell. */
export function imagesOf(links: readonly FoundLink[]): string[] {
  const isImage = ({ kind, media, href }: FoundLink) =>
    kind === 'embed' ? media === 'image' || media.startsWith('image/') : kind === 'a' && IMAGE_NAME.test(href)
  return links.filter(isImage).map(({ href }) => href)
}
