/** What one setting is: a parser of what people write, a default, and the words by which it is described. */

/** What was written does not fit; the message ends the sentence "--pause: …" and says what to write instead. */
export class Unfit extends Error {}

export type Parse<T> = (text: string) => T

export type CommandName =
  | 'demo'
  | 'crawl'
  | 'status'
  | 'report'
  | 'get'
  | 'history'
  | 'explain'
  | 'verify'
  | 'clean'
  | 'export'
  | 'seed'
  | 'mirrors'
  | 'config'
  | 'simulate'
  | 'serve'
  | 'worker'

export const GROUPS = [
  'Where and how much to say',
  'What to collect',
  'Limits',
  'Courtesy',
  'Who we are',
  'Order and work',
  'Network',
  'Keeping',
  'Many machines',
  'This command',
] as const
export type Group = (typeof GROUPS)[number]

export interface Setting<T> {
  readonly group: Group
  /** What stands for the value in help: `DURATION`, `FILE`, `klwf|round-robin|random`. Empty for a switch. */
  readonly form: string
  /** One sentence. */
  readonly what: string
  readonly commands: readonly CommandName[]
  readonly short?: string
  /** May be given several times; in the file it is a list, in the environment its values are parted by white space. */
  readonly repeatable: boolean
  /** Part of what the collection is: written to its `orbweaver.yaml`. */
  readonly lasting: boolean
  /** Only as a flag: neither in the file nor in the environment. */
  readonly flagOnly: boolean
  /** Never shown and never written down; `@FILE` stands for what is in that file. */
  readonly secret: boolean
  readonly fallback: T
  /** The default as help and documents print it. */
  readonly fallbackText: string
  /** Throws `Unfit`. */
  readonly read: (given: readonly string[]) => T
}

interface Words {
  group: Group
  form: string
  what: string
  commands: readonly CommandName[]
  short?: string
  lasting?: boolean
  flagOnly?: boolean
  secret?: boolean
  defaultText?: string
}

/** A setting that always has a value. Its default is written as an operator would write it. */
export function one<T>(parse: Parse<T>, words: Words & { default: string }): Setting<T> {
  return {
    ...fixed(words),
    repeatable: false,
    fallback: parse(words.default),
    fallbackText: words.defaultText ?? words.default,
    read: (given) => parse(single(given)),
  }
}

/** A setting that may be absent. */
export function maybe<T>(parse: Parse<T>, words: Words): Setting<T | undefined> {
  return {
    ...fixed(words),
    repeatable: false,
    fallback: undefined,
    fallbackText: words.defaultText ?? 'none',
    read: (given) => parse(single(given)),
  }
}

/** A setting that may be given several times. `join` says how what is given meets the defaults; without it, it replaces them. */
export function many<T>(
  parse: Parse<T>,
  words: Words & {
    default?: readonly string[]
    join?: (given: readonly T[], defaults: readonly T[]) => readonly T[]
    /** One value may hold several, with commas. */
    commas?: boolean
  },
): Setting<readonly T[]> {
  const defaults = (words.default ?? []).map(parse)
  const join = words.join ?? ((given) => given)
  return {
    ...fixed(words),
    repeatable: true,
    fallback: Object.freeze(defaults),
    fallbackText: words.defaultText ?? (words.default === undefined ? 'none' : words.default.join(' ')),
    read(given) {
      const values = words.commas === true ? given.flatMap((text) => text.split(',').map((part) => part.trim())) : given
      return join(values.map(parse), defaults)
    },
  }
}

/** Present or not: `--json`, `--no-json`, `--json=yes`. */
export function toggle(words: Omit<Words, 'form'>): Setting<boolean> {
  return one(yesNo, { ...words, form: '', default: 'no' })
}

function fixed(words: Words) {
  return {
    group: words.group,
    form: words.form,
    what: words.what,
    commands: words.commands,
    lasting: words.lasting ?? false,
    flagOnly: words.flagOnly ?? false,
    secret: words.secret ?? false,
    ...(words.short === undefined ? {} : { short: words.short }),
  }
}

function single(given: readonly string[]): string {
  if (given.length !== 1) throw new Unfit(`takes one value, here are ${given.length}`)
  return given[0]
}

export function yesNo(text: string): boolean {
  if (/^(yes|true|on|1)$/i.test(text)) return true
  if (/^(no|false|off|0)$/i.test(text)) return false
  throw new Unfit(`'${text}' is neither yes nor no`)
}
