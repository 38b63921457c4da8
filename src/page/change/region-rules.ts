/** Which parts of a page the operator leaves out of the comparison of looks, and which always count: by CSS selector or text pattern. */
import { AttributeAction, parse, type Selector, SelectorType } from 'css-what'

/** As written: `#clock`, `div.ad`, `/Visitors: \d+/`. */
export interface RegionRule {
  kind: 'selector' | 'pattern'
  text: string
}

/** An open element of the page. */
export interface Element {
  name: string
  attribute(name: string): string | undefined
}

export interface RegionRules {
  /** Judges the innermost element; the outermost is first. */
  ignoresElement(open: readonly Element[]): boolean
  watchesElement(open: readonly Element[]): boolean
  /** Without what is ignored. */
  withoutIgnored(text: string): string
  watchesText(text: string): boolean
}

/** Throws an Error that says what is wrong with a rule. */
export function compileRules(ignore: readonly RegionRule[], watch: readonly RegionRule[]): RegionRules {
  const [ignored, watched] = [compiled(ignore), compiled(watch)]
  return {
    ignoresElement: (open) =>
      ignored.selectors.some((selector) => matches(selector, selector.length, open, open.length)),
    watchesElement: (open) =>
      watched.selectors.some((selector) => matches(selector, selector.length, open, open.length)),
    withoutIgnored: (text) => ignored.patterns.reduce((left, pattern) => left.replace(pattern, ''), text),
    watchesText: (text) => watched.patterns.some((pattern) => text.search(pattern) >= 0),
  }
}

function compiled(rules: readonly RegionRule[]): { selectors: Selector[][]; patterns: RegExp[] } {
  const selectors = rules.flatMap(({ kind, text }) => (kind === 'selector' ? parsedSelector(text) : []))
  const patterns = rules.flatMap(({ kind, text }) => (kind === 'pattern' ? [new RegExp(text, 'gu')] : []))
  return { selectors, patterns }
}

const SUPPORTED = 'tags, #ids, .classes, [attributes], and descendants or children of these'

function parsedSelector(text: string): Selector[][] {
  const parsed = parse(text)
  if (parsed.length === 0) throw new Error('it is empty')
  for (const token of parsed.flat()) if (!isSupported(token)) throw new Error(`only ${SUPPORTED} are understood`)
  return parsed
}

function isSupported({ type }: Selector): boolean {
  return (
    type === SelectorType.Tag ||
    type === SelectorType.Universal ||
    type === SelectorType.Attribute ||
    type === SelectorType.Descendant ||
    type === SelectorType.Child
  )
}

/** Does the selector up to `end` match the element before `depth`? */
function matches(selector: readonly Selector[], end: number, open: readonly Element[], depth: number): boolean {
  if (depth === 0) return false
  let at = end - 1
  for (; at >= 0; at--) {
    const token = selector[at]
    if (token.type === SelectorType.Descendant || token.type === SelectorType.Child) break
    if (!isThis(token, open[depth - 1])) return false
  }
  if (at < 0) return true
  if (selector[at].type === SelectorType.Child) return matches(selector, at, open, depth - 1)
  for (let above = depth - 1; above > 0; above--) if (matches(selector, at, open, above)) return true
  return false
}

function isThis(token: Selector, { name, attribute }: Element): boolean {
  if (token.type === SelectorType.Universal) return true
  if (token.type === SelectorType.Tag) return token.name.toLowerCase() === name
  if (token.type !== SelectorType.Attribute) return false
  const value = attribute(token.name)
  if (value === undefined) return false
  const [given, wanted] =
    token.ignoreCase === true ? [value.toLowerCase(), token.value.toLowerCase()] : [value, token.value]
  switch (token.action) {
    case AttributeAction.Exists:
      return true
    case AttributeAction.Equals:
      return given === wanted
    case AttributeAction.Element:
      return given.split(/[ \t\n\f\r]+/).includes(wanted)
    case AttributeAction.Start:
      return wanted !== '' && given.startsWith(wanted)
    case AttributeAction.End:
      return wanted !== '' && given.endsWith(wanted)
    case AttributeAction.Any:
      return wanted !== '' && given.includes(wanted)
    case AttributeAction.Not:
      return given !== wanted
    default:
      return given === wanted || given.startsWith(`${wanted}-`)
  }
}
