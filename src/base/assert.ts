/** A false assertion is a bug of ours, never the web's fault and never the operator's. */
export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`bug: ${what}`)
}

/** The end of an exhaustive switch. */
export function never(value: never, what = 'case'): never {
  throw new Error(`bug: unexpected ${what}: ${JSON.stringify(value)}`)
}
