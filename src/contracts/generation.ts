/**
 * How many steps a URL is away from a page that lists it. A sitemap, or a distinct page of another family, *lists* what it
 * names: generation 0. Any other page adds one to its own generation. Trap detectors count and stop later generations only
 * (`crawl/hazards/`), so that everything a site lists is requested.
 *
 * The generation is encoded in the discovery path, which every URL has: a step that lists nothing is in lower case. So it
 * needs no column. crawl.log has the letters in upper case, as Heritrix does.
 */

/** Discovery paths are for people; a longer one adds nothing. */
export const LONGEST_PATH = 50

/** A link, a redirect, a form, inferred (a URL without an idle parameter): Heritrix's letters. */
export type Step = 'L' | 'R' | 'S' | 'I'

/** The path of a URL found on a page: the last steps, if there are very many. */
export function pathAfter(path: string, step: Step, listed: boolean): string {
  return path.slice(1 - LONGEST_PATH) + (listed ? step : step.toLowerCase())
}

/** Consecutive redirects at its end. */
export function redirectsIn(path: string): number {
  return /[Rr]*$/.exec(path)![0].length
}

/** Found only through a form. */
export function isByForm(path: string): boolean {
  return path.endsWith('S') || path.endsWith('s')
}

/** No page names it: it is what a page named, without a parameter that makes no difference. */
export function isInferred(path: string): boolean {
  return path.endsWith('I') || path.endsWith('i')
}

/** Also found through a link. Its generation stays. */
export function linkedPath(path: string): string {
  return path.slice(0, -1) + (path.endsWith('S') ? 'L' : 'l')
}

export function generationOf(path: string): number {
  let at = path.length
  while (at > 0 && path.charCodeAt(at - 1) >= 97) at--
  return path.length - at
}
