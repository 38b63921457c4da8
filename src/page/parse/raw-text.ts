/** Where text that is not markup ends: the `<` of its end tag, or the end of the input. Each reads its input once. */
import { DASH, endsTagName, LESS, reads, SLASH } from './letters.ts'

/** For title, textarea (RCDATA), style, xmp, iframe … (RAWTEXT). */
export function rawTextEnd(input: string, from: number, name: string): number {
  let at = from
  for (;;) {
    const open = input.indexOf('</', at)
    if (open < 0) return input.length
    if (isEndTag(input, open, name)) return open
    at = open + 2
  }
}

/**
 * For script, with its escaped states: inside `<!--` … `-->` a nested `<script>` … `</script>` does not end the element.
 */
export function scriptEnd(input: string, from: number, name: string): number {
  let at = from
  for (;;) {
    const open = input.indexOf('<', at)
    if (open < 0) return input.length
    if (isEndTag(input, open, name)) return open
    if (!reads(input, open, '<!--')) {
      at = open + 1
      continue
    }
    // The dashes of `<!--` may be those of `-->`.
    const left = escapedEnd(input, open + 2, name)
    if (left.ended) return left.at
    at = left.at
  }
}

function escapedEnd(input: string, from: number, name: string): { ended: boolean; at: number } {
  let doubled = false
  for (let at = from; at < input.length; at++) {
    const code = input.charCodeAt(at)
    if (code === DASH && reads(input, at, '-->')) return { ended: false, at: at + 3 }
    if (code !== LESS) continue
    if (doubled) {
      if (isEndTag(input, at, 'script')) doubled = false
    } else if (isEndTag(input, at, name)) {
      return { ended: true, at }
    } else if (isNamed(input, at + 1, 'script')) {
      doubled = true
    }
  }
  return { ended: true, at: input.length }
}

function isEndTag(input: string, open: number, name: string): boolean {
  return (
    name !== '' && open + 1 < input.length && input.charCodeAt(open + 1) === SLASH && isNamed(input, open + 2, name)
  )
}

/** The name, and after it something that ends a name. */
function isNamed(input: string, at: number, name: string): boolean {
  const after = at + name.length
  return after < input.length && endsTagName(input.charCodeAt(after)) && reads(input, at, name)
}
