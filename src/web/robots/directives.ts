/** `X-Robots-Tag` and `meta robots`: what may be done with a page (C4). The most restrictive line counts. */

export interface Directives {
  /** The page is not kept. */
  noindex: boolean
  /** Its links are not followed. */
  nofollow: boolean
  noarchive: boolean
}

/** A colon follows these too, but they are not names of robots. */
const VALUED = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview'])

const MAX_VALUES = 50
const LONGEST_VALUE = 4096

/**
 * Values of X-Robots-Tag, or contents of `meta name=robots` and of a meta named like the token. A value may address one
 * robot (`otherbot: noindex, nofollow`): everything up to the next name is for that one.
 */
export function parseDirectives(values: readonly string[], token: string): Directives {
  const found: Directives = { noindex: false, nofollow: false, noarchive: false }
  for (const value of values.slice(0, MAX_VALUES)) {
    let isOurs = true
    for (const part of value.slice(0, LONGEST_VALUE).toLowerCase().split(',')) {
      const named = /^\s*([*a-z_][^:;\s]*)\s*:(.*)$/s.exec(part)
      if (named !== null) {
        if (VALUED.has(named[1])) {
          // Behind a semicolon comes another directive; the value itself may be `none`.
          if (isOurs) note(found, named[2].slice(named[2].indexOf(';') + 1 || named[2].length))
          continue
        }
        isOurs = named[1] === '*' || named[1].split('/')[0] === token.toLowerCase()
      }
      if (isOurs) note(found, named === null ? part : named[2])
    }
  }
  return found
}

/** Commas are correct; semicolons and spaces are common. */
function note(found: Directives, part: string): void {
  for (const word of part.split(/[\s;]+/)) {
    if (word === 'noindex' || word === 'none') found.noindex = true
    if (word === 'nofollow' || word === 'none') found.nofollow = true
    if (word === 'noarchive') found.noarchive = true
  }
}
