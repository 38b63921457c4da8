/** A hazard: pages that a site makes up as it is asked. Each shape is a function from a path to what stands there. */

export type ShapeName =
  | 'calendar'
  | 'session-ids'
  | 'growing-path'
  | 'permutations'
  | 'soft-404'
  | 'drip-feed'
  | 'tarpit'
  | 'gzip-bomb'
  | 'huge-head'
  | 'endless-body'

/** What an answer does besides answering. */
export type Misbehaviour =
  | 'drip' // a byte now and then, without end
  | 'bomb' // some KB that decode to hundreds of MB
  | 'huge-head' // a megabyte of header lines
  | 'endless' // a body that does not end, as fast as it is read
  | 'slow' // an ordinary answer after a long time

export interface ShapePage {
  /** Paths in the same site. */
  targets: readonly string[]
  /** Pages of the same words have the same text. */
  words: string
  misbehaves?: Misbehaviour
}

export interface Shape {
  /** Where the site's home page leads into it. */
  entries: readonly string[]
  /** `bound`: pages (months, levels …) before it ends. Undefined: the path is none of its pages. */
  page(path: string, bound: number, seed: number): ShapePage | undefined
}
