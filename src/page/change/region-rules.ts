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

/** What the rules make of an element, for those inside it. */
export interface Matched {
  /** By selector: bits of its beginnings that end at this element, and at this or one around it. */
  here: readonly number[]
  around: readonly number[]
  isIgnored: boolean
  isWatched: boolean
}

export interface RegionRules {
  /** In as many steps as the rules have parts, however deep the element is. */
  enter(element: Element, parent: Matched | undefined): Matched
  /** Without what is ignored. */
  withoutIgnored(text: string): string
  watchesText(text: string): boolean
}

/** Characters of a line that a pattern sees: the time of some patterns grows with the square. */
const MAX_SEEN = 10_000

/** Throws an Error that says what is wrong with a rule. */
export function compileRules(ignore: readonly RegionRule[], watch: readonly RegionRule[]): RegionRules {
  const [ignored, watched] = [compiled(ignore), compiled(watch)]
  const selectors = [...ignored.selectors, ...watched.selectors]
  return {
    enter(element, parent) {
      const here = selectors.map((steps, nth) => matchedSteps(steps, element, parent, nth))
      const around = here.map((bits, nth) => bits | (parent?.around[nth] ?? 0))
      const isWhole = (nth: number) => ((here[nth] >>> (selectors[nth].length - 1)) & 1) === 1
      const found = selectors.map((_, nth) => isWhole(nth))
      const isIgnored = parent?.isIgnored === true || found.slice(0, ignored.selectors.length).includes(true)
      const isWatched = parent?.isWatched === true || found.slice(ignored.selectors.length).includes(true)
      return { here, around, isIgnored, isWatched }
    },
    withoutIgnored(text) {
      const seen = text.slice(0, MAX_SEEN)
      return ignored.patterns.reduce((left, pattern) => left.replace(pattern, ''), seen) + text.slice(MAX_SEEN)
    },
    watchesText: (text) => watched.patterns.some((pattern) => text.slice(0, MAX_SEEN).search(pattern) >= 0),
  }
}

/** One element of a selector: what it must be, and whether it must be the child of the one before. */
interface Step {
  tokens: Selector[]
  isChild: boolean
}

function matchedSteps(steps: readonly Step[], element: Element, parent: Matched | undefined, nth: number): number {
  let bits = 0
  for (const [at, { tokens, isChild }] of steps.entries()) {
    const before = isChild ? parent?.here[nth] : parent?.around[nth]
    const isBegun = at === 0 || (((before ?? 0) >>> (at - 1)) & 1) === 1
    if (isBegun && tokens.every((token) => isThis(token, element))) bits |= 1 << at
  }
  return bits
}

function compiled(rules: readonly RegionRule[]): { selectors: Step[][]; patterns: RegExp[] } {
  const selectors = rules.flatMap(({ kind, text }) => (kind === 'selector' ? parsedSelector(text) : []))
  const patterns = rules.flatMap(({ kind, text }) => (kind === 'pattern' ? [new RegExp(text, 'gu')] : []))
  return { selectors, patterns }
}

const SUPPORTED = 'tags, #ids, .classes, [attributes], and descendants or children of these'

/** One bit for each, in 32. */
const MAX_STEPS = 30

function parsedSelector(text: string): Step[][] {
  const parsed = parse(text)
  if (parsed.length === 0) throw new Error('it is empty')
  return parsed.map((tokens) => {
    const steps: Step[] = [{ tokens: [], isChild: false }]
    for (const token of tokens) {
      if (!SUPPORTED_TYPES.includes(token.type)) throw new Error(`only ${SUPPORTED} are understood`)
      const isChild = token.type === SelectorType.Child
      if (isChild || token.type === SelectorType.Descendant) steps.push({ tokens: [], isChild })
      else steps[steps.length - 1].tokens.push(token)
    }
    if (steps.length > MAX_STEPS) throw new Error(`it has more than ${MAX_STEPS} elements`)
    return steps
  })
}

const SUPPORTED_TYPES: readonly SelectorType[] = [
  ...[SelectorType.Tag, SelectorType.Universal, SelectorType.Attribute],
  ...[SelectorType.Descendant, SelectorType.Child],
]

function isThis(token: Selector, { name, attribute }: Element): boolean {
  if (token.type === SelectorType.Universal) return true
  if (token.type === SelectorType.Tag) return token.name.toLowerCase() === name
  if (token.type !== SelectorType.Attribute) return false
  const value = attribute(token.name.toLowerCase())
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
