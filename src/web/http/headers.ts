/** Header lines as they came; the same shape as the treaty's `Headers`, which this room may not import. */
export type HeaderLines = readonly (readonly [name: string, value: string])[]

/** The first value of a header, whatever the spelling of its name. */
export function headerOf(headers: HeaderLines, name: string): string | undefined {
  const wanted = name.toLowerCase()
  for (const line of headers) if (isNamed(line[0], wanted)) return line[1]
  return undefined
}

/** All values of a header, in order. */
export function headersOf(headers: HeaderLines, name: string): string[] {
  const wanted = name.toLowerCase()
  const values: string[] = []
  for (const line of headers) if (isNamed(line[0], wanted)) values.push(line[1])
  return values
}

/** Lengths first: most lines are told apart without making a string. */
function isNamed(name: string, wanted: string): boolean {
  return name.length === wanted.length && (name === wanted || name.toLowerCase() === wanted)
}
