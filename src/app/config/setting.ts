/** What one setting is: a parser for what people write, a default, and the text that describes it. */

/** The value is not acceptable. The message completes the sentence "--pause: …" and says what to write instead. */
export class Unfit extends Error {}

export type Parse<T> = (text: string) => T

/** In the order in which help lists them. */
export const COMMAND_NAMES = [
  'demo',
  'crawl',
  'status',
  'report',
  'explain',
  'get',
  'history',
  'verify',
  'clean',
  'export',
  'seed',
  'mirrors',
  'config',
  'serve',
  'worker',
  'simulate',
] as const
export type CommandName = (typeof COMMAND_NAMES)[number]

export const GROUPS = [
  'General',
  'What to collect',
  'Limits',
  'Politeness',
  'Identity',
  'Order and workers',
  'Network',
  'Storage',
  'Cluster',
  'This command',
] as const
export type Group = (typeof GROUPS)[number]

export interface Setting<T> {
  readonly group: Group
  /** The value's placeholder in help: `DURATION`, `FILE`, `klwf|round-robin|random`. Empty for a switch. */
  readonly form: string
  /** One sentence. */
  readonly what: string
  readonly commands: readonly CommandName[]
  readonly short?: string
  /** May be given several times; a list in the file, separated by white space in the environment. */
  readonly repeatable: boolean
  /** Belongs to the collection: written to its `orbweaver.yaml`. */
  readonly lasting: boolean
  /** Only as a flag: neither in the file nor in the environment. */
  readonly flagOnly: boolean
  /** Never shown and never written to a file; `@FILE` stands for the content of that file. */
  readonly secret: boolean
  readonly fallback: T
  /** The default, as help and documents print it. */
  readonly fallbackText: string
  /** Throws `Unfit`. */
  readonly read: (given: readonly string[]) => T
}

interface Description {
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

/** A setting that always has a value. Its default is written as a user would write it. */
export function one<T>(parse: Parse<T>, description: Description & { default: string }): Setting<T> {
  return {
    ...fixed(description),
    repeatable: false,
    fallback: parse(description.default),
    fallbackText: description.defaultText ?? description.default,
    read: (given) => parse(single(given)),
  }
}

/** A setting that may be absent. */
export function maybe<T>(parse: Parse<T>, description: Description): Setting<T | undefined> {
  return {
    ...fixed(description),
    repeatable: false,
    fallback: undefined,
    fallbackText: description.defaultText ?? 'none',
    read: (given) => parse(single(given)),
  }
}

/** A setting that may be given several times. `join` combines the given values with the defaults; without it they replace them. */
export function many<T>(
  parse: Parse<T>,
  description: Description & {
    default?: readonly string[]
    join?: (given: readonly T[], defaults: readonly T[]) => readonly T[]
    /** One value may hold several, separated by commas. */
    commas?: boolean
  },
): Setting<readonly T[]> {
  const defaults = (description.default ?? []).map(parse)
  const join = description.join ?? ((given) => given)
  return {
    ...fixed(description),
    repeatable: true,
    fallback: Object.freeze(defaults),
    fallbackText:
      description.defaultText ?? (description.default === undefined ? 'none' : description.default.join(' ')),
    read(given) {
      const values =
        description.commas === true ? given.flatMap((text) => text.split(',').map((part) => part.trim())) : given
      return join(values.map(parse), defaults)
    },
  }
}

/** Present or not: `--json`, `--no-json`, `--json=yes`. */
export function toggle(description: Omit<Description, 'form'>): Setting<boolean> {
  return one(yesNo, { ...description, form: '', default: 'no' })
}

function fixed({ group, form, what, commands, lasting = false, flagOnly = false, secret = false, short }: Description) {
  return { group, form, what, commands, lasting, flagOnly, secret, ...(short === undefined ? {} : { short }) }
}

function single(given: readonly string[]): string {
  if (given.length !== 1) throw new Unfit(`takes one value, but ${given.length} were given`)
  return given[0]
}

export function yesNo(text: string): boolean {
  if (/^(yes|true|on|1)$/i.test(text)) return true
  if (/^(no|false|off|0)$/i.test(text)) return false
  throw new Unfit(`'${text}' is neither yes nor no`)
}
