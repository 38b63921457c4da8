/**
 * The rules by which two spellings of a URL are one (V11, W7): what each does, whether it may take two pages for one
 * (`lossy`), and whether it is on by default (`usual`). All affect the key only; requests use the site's own spelling.
 * `normalise.ts` applies them.
 */

export interface UrlRule {
  readonly name: string
  readonly does: string
  readonly lossy: boolean
  readonly usual: boolean
}

/** The parser does rules 3–7 of V11 by itself (`web-url.ts`); a test checks each of them. */
export const PARSER_RULES = [
  { name: 'host-case', does: 'HTTP://Example.ORG/ → http://example.org/; international names in ASCII' },
  { name: 'host-dot', does: 'http://example.org./ → http://example.org/, also in what is asked for' },
  { name: 'dot-segments', does: '/a/./b/../c → /a/c, as RFC 3986 has it; %2e counts as a dot' },
  { name: 'default-port', does: 'http://h:80/ → http://h/, https://h:443/ → https://h/' },
  { name: 'empty-path', does: 'http://h → http://h/' },
  { name: 'fragment', does: 'http://h/a#b → http://h/a; user names and passwords go too' },
] as const

const exact = <Name extends string>(name: Name, does: string) => ({ name, does, lossy: false, usual: true })
const lossy = <Name extends string>(name: Name, does: string, usual = true) => ({ name, does, lossy: true, usual })

export const RULES = [
  exact('hex-case', '%7e → %7E'),
  exact('unreserved', '%7E → ~ for letters, digits and -._~'),
  lossy('nested-escapes', '%252526 → %2526: an escape that was escaped twice or more counts as escaped once'),
  lossy('entities', '&amp;amp;b=2 → &b=2, %26amp%3B → %26: an ampersand written as an entity again and again is one'),
  lossy('session-paths', '/a;jsessionid=1A2B → /a, /(S(…))/a.aspx → /a.aspx: session ids in the path'),
  lossy(
    'session-ids',
    '?id=5&PHPSESSID=… → ?id=5: parameters whose name, or whose name and shape, are those of a session id',
  ),
  lossy(
    'session-shape',
    '?x=GUID&id=5 → ?id=5: every parameter that holds a GUID or 32 hexadecimal digits, unless its name names a thing or nothing else is left',
  ),
  lossy('tracking', '?utm_source=…&fbclid=… → nothing: parameters by which campaigns are counted'),
  lossy('empty-parameters', '?&a=1&&b=2& → ?a=1&b=2; a ? with nothing behind it goes too'),
  lossy('params-sorted', '?b=2&a=1 → ?a=1&b=2: parameters by name; equal names keep their order'),
  lossy('repeated-parameters', '?a=1&a=1 → ?a=1: a parameter like the one before it (after sorting) goes'),
  lossy('listing-order', '/dir/?C=M;O=A and /dir/?N=D → /dir/: the same listing of a folder in another order'),
  lossy('index-files', '/a/index.html → /a/, also index.htm, index.shtml, default.html, default.htm'),
  lossy('index-scripts', '/a/index.php → /a/, also index and default with .asp, .aspx, .jsp, .cfm, .php', false),
] satisfies readonly UrlRule[]

export type RuleName = (typeof RULES)[number]['name']

export const RULE_NAMES: readonly RuleName[] = RULES.map(({ name }) => name)
export const USUAL_RULES: readonly RuleName[] = RULES.filter(({ usual }) => usual).map(({ name }) => name)
/** The default of older collections. */
export const FIRST_RULES: readonly RuleName[] = ['hex-case', 'unreserved']

/** `usual`, `none`, a rule's name; with `+` or `-` before it, a change to the usual rules. */
export function isRuleSwitch(word: string): boolean {
  return isRule(word.replace(/^[+-]/, '')) || word === 'usual' || word === 'none'
}

/**
 * The rules that an operator's words select. Words without a sign say what to begin with (default: the usual rules),
 * words with a sign then change it, one after the other. Unknown words are ignored: settings have checked them.
 */
export function rulesBySwitches(words: readonly string[]): RuleName[] {
  const plain = words.filter((word) => !/^[+-]/.test(word))
  const on = new Set<string>(plain.length === 0 ? USUAL_RULES : [])
  for (const word of plain) {
    if (word === 'usual') for (const name of USUAL_RULES) on.add(name)
    else on.add(word)
  }
  for (const word of words) {
    if (word.startsWith('+')) on.add(word.slice(1))
    else if (word.startsWith('-')) on.delete(word.slice(1))
  }
  return RULE_NAMES.filter((name) => on.has(name))
}

/** The shortest words that select these rules, for messages to the operator. */
export function switchesOf(rules: readonly RuleName[]): string {
  if (rules.length === 0) return 'none'
  const changes = [
    ...USUAL_RULES.filter((name) => !rules.includes(name)).map((name) => `-${name}`),
    ...rules.filter((name) => !USUAL_RULES.includes(name)).map((name) => `+${name}`),
  ]
  return changes.length < rules.length ? ['usual', ...changes].join(',') : rules.join(',')
}

function isRule(name: string): name is RuleName {
  return (RULE_NAMES as readonly string[]).includes(name)
}
