/** A benchmark: its flags with their defaults, and what it prints as a table and as JSON. */
import type { TextTable } from '../src/report/text-table.ts'

export interface Flag {
  /** The default tells the kind: a number, a word, or `false` for a switch. */
  default: number | string | false
  what: string
}

export type Flags = Readonly<Record<string, Flag>>

export type Values<F extends Flags> = {
  readonly [K in keyof F]: F[K]['default'] extends number ? number : F[K]['default'] extends string ? string : boolean
}

export interface Outcome {
  tables: TextTable[]
  /** Lines under the tables. */
  notes: string[]
  figures: object
  /** What was asked does not hold: the program ends with 1. */
  failed?: boolean
}

export interface Tools {
  /** What is going on, for those who wait; not part of the result. */
  say(line: string): void
}

export interface Benchmark {
  name: string
  what: string
  flags: Flags
  run(values: Record<string, number | string | boolean>, tools: Tools): Promise<Outcome>
}

/** Keeps the types of the flags for `run`. */
export function benchmark<F extends Flags>(definition: {
  name: string
  what: string
  flags: F
  run(values: Values<F>, tools: Tools): Promise<Outcome>
}): Benchmark {
  return { ...definition, run: (values, tools) => definition.run(values as Values<F>, tools) }
}
