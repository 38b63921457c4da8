/** Whether the servers of a crawl go by the same settings: each has told the keys that it has set, with digests of the values. */

/** Keys that not all have alike, in the order of the alphabet. `told`: JSON of each. What is no such thing says nothing. */
export function differingSettings(told: readonly string[]): string[] {
  const all = told.map(readSettings).filter((one) => one !== undefined)
  const keys = new Set(all.flatMap((one) => Object.keys(one)))
  return [...keys].filter((key) => new Set(all.map((one) => one[key])).size > 1).sort()
}

function readSettings(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
