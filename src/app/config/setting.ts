/** What one setting is: a parser for what people write, a default, and the text that describes it. */

/** The value is not acceptable. The message completes the sentence "--pause: …" and says what to write instead. */
export class Unfit extends Error {}

/** Reads what people write; throws `Unfit`. */
export interface Parse<T> {
  (text: string): T
  /** The value's placeholder in help: `DURATION`, `FILE`, `klwf|round-robin|random`. Empty for a switch. */
  readonly form: string
}

export function parser<T>(form: string, parse: (text: string) => T): Parse<T> {
  return Object.assign(parse, { form })
}

/** In the order in which help lists them. */
export const COMMAND_NAMES = [
  'demo',
  'crawl',
  'refresh',
  'pause',
  'resume',
  'stop',
  'bar',
  'plan',
  'status',
  'report',
  'explain',
  'get',
  'history',
  'diff',
  'watch',
  'verify',
  'clean',
  'export',
  'seed',
  'mirrors',
  'bot-page',
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
  'Refreshing',
  'Network',
  'Storage',
  'Cluster',
  'Watching',
  'This command',
] as const
export type Group = (typeof GROUPS)[number]

export interface Setting<T> {
  readonly group: Group
  /** That of its parser, unless another is clearer. */
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

/** What a single setting defines, or its group for all of its settings. */
type Shared = Partial<Pick<Setting<unknown>, 'commands' | 'lasting' | 'flagOnly'>>

interface Description extends Shared, Partial<Pick<Setting<unknown>, 'form' | 'short' | 'secret'>> {
  what: string
  defaultText?: string
}

/** A setting before `group` has completed it. */
type Draft<T> = Description & Pick<Setting<T>, 'form' | 'repeatable' | 'fallback' | 'fallbackText' | 'read'>

/** Completes settings with what their group defines; a setting's own definition wins. */
export function group<T extends Record<string, Draft<unknown>>>(name: Group, shared: Shared, drafts: T) {
  const usual = { commands: [], lasting: false, flagOnly: false, secret: false, group: name, ...shared }
  const settings = Object.entries(drafts).map(([key, draft]) => [key, { ...usual, ...draft }])
  return Object.fromEntries(settings) as { [K in keyof T]: T[K] extends Draft<infer V> ? Setting<V> : never }
}

/** A setting that always has a value. Its default is written as a user would write it. */
export function one<T>(parse: Parse<T>, byDefault: string, description: Description): Draft<T> {
  return { ...maybe(parse, { defaultText: byDefault, ...description }), fallback: parse(byDefault) }
}

/** A setting that may be absent. */
export function maybe<T>(parse: Parse<T>, description: Description): Draft<T | undefined> & Pick<Draft<T>, 'read'> {
  return {
    form: parse.form,
    ...description,
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
): Draft<readonly T[]> {
  const { default: texts, join = (given) => given, commas = false, ...described } = description
  const defaults = (texts ?? []).map(parse)
  return {
    form: parse.form,
    ...described,
    repeatable: true,
    fallback: Object.freeze(defaults),
    fallbackText: described.defaultText ?? texts?.join(' ') ?? 'none',
    read(given) {
      const values = commas ? given.flatMap((text) => text.split(',').map((part) => part.trim())) : given
      return join(values.map(parse), defaults)
    },
  }
}

/** Present or not: `--json`, `--no-json`, `--json=yes`. */
export function toggle(description: Description): Draft<boolean> {
  return one(yesNo, 'no', { form: '', ...description })
}

function single(given: readonly string[]): string {
  if (given.length !== 1) throw new Unfit(`takes one value, but ${given.length} were given`)
  return given[0]
}

export const yesNo = parser('yes|no', (text) => {
  if (/^(yes|true|on|1)$/i.test(text)) return true
  if (/^(no|false|off|0)$/i.test(text)) return false
  throw new Unfit(`'${text}' is neither yes nor no`)
})
