/** A copy with only these keys, in this order: what is printed as JSON has the documented keys and no others. */
export function pick<T extends object, K extends keyof T>(from: T, ...keys: readonly K[]): Pick<T, K> {
  const picked: Partial<Pick<T, K>> = {}
  for (const key of keys) picked[key] = from[key]
  return picked as Pick<T, K>
}
