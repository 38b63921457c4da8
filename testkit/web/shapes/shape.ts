/** A hazard, or an honest site that looks like one: pages that a site makes up as it is asked. Each shape is a function from a path to what stands there. */
import type { Instant } from '../../../src/base/clock.ts'

/** What an answer does besides answering. */
export type Misbehaviour =
  | 'drip' // a byte now and then, without end
  | 'bomb' // some KB that decode to hundreds of MB
  | 'huge-head' // a megabyte of header lines
  | 'endless' // a body that does not end, as fast as it is read
  | 'slow' // an ordinary answer after a long time

/**
 * trap: nobody misses it, and requests for it are lost; real: to be collected; neither: at the edge, where no answer is
 * wrong (the months of a calendar that have something in them).
 */
export type Sort = 'trap' | 'real' | 'neither'

export interface ShapePage {
  /** Paths in the same site, or absolute URLs. */
  targets: readonly string[]
  /** Pages of the same words have the same text. */
  words: string
  misbehaves?: Misbehaviour
  /** Default: trap. */
  sort?: Sort
  /** A trap's page that shows something real: the path that stands for it. Collected once, under any name, is collected. */
  shows?: string
  /** Written by the shape instead of generated prose: text in UTF-8, or bytes. */
  body?: string | Uint8Array
  /** Default `text/html; charset=utf-8`. Only with a body. */
  contentType?: string
  /** What the body is, where `contentType` lies. */
  actualType?: string
  status?: number
  /** A redirect (302): where to, as in `targets`. */
  to?: string
  headers?: readonly (readonly [string, string])[]
  /** Another visitor may see another page. */
  varies?: true
}

/** Who asks, as far as pages look at it. Nothing known: a first visit without cookies. */
export interface Visitor {
  cookie?: string
  at?: Instant
}

export interface Shape {
  /** Where the site's home page leads into it: paths, or URLs elsewhere under the web's top-level domain. */
  entries(seed: number, domain: string): readonly string[]
  /** `bound`: pages (months, levels …) before it ends. Undefined: the path is none of its pages. */
  page(path: string, bound: number, seed: number, visitor: Visitor): ShapePage | undefined
  /** It answers in place of the site's missing pages too. */
  swallowsMissing?: true
}
