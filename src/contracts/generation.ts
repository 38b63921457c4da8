/**
 * How many steps a URL is away from a page that lists it. A sitemap, or a distinct page of another family, *lists* what it
 * names: generation 0. Any other page adds one to its own generation. Trap detectors count and stop later generations only
 * (`crawl/hazards/`), so that what a site lists is always asked for.
 *
 * The generation travels in the discovery path, which every URL has: a step that lists nothing is in lower case. So it costs
 * no column and no byte. crawl.log has the letters in upper case, as Heritrix does.
 */

/** Discovery paths are for people; a longer one says no more. */
export const LONGEST_PATH = 50

/** A link, a redirect, a form: Heritrix's letters. */
export type Step = 'L' | 'R' | 'S'

/** The path of what a page names: of very many steps, the last ones. */
export function pathAfter(path: string, step: Step, listed: boolean): string {
  return path.slice(1 - LONGEST_PATH) + (listed ? step : step.toLowerCase())
}

/** Redirects that led to it one after the other. */
export function redirectsIn(path: string): number {
  return /[Rr]*$/.exec(path)![0].length
}

/** A form led to it, and nothing else did. */
export function isByForm(path: string): boolean {
  return path.endsWith('S') || path.endsWith('s')
}

/** A link leads there, too. Its generation stays. */
export function linkedPath(path: string): string {
  return path.slice(0, -1) + (path.endsWith('S') ? 'L' : 'l')
}

export function generationOf(path: string): number {
  let at = path.length
  while (at > 0 && path.charCodeAt(at - 1) >= 97) at--
  return path.length - at
}
