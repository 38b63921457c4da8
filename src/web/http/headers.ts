/** Header lines as they came, name and value trimmed, in order; names in the spelling of the server. */
export type HeaderLines = readonly (readonly [name: string, value: string])[]

/** The first value of a header; names compare without case. */
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

/** Compare lengths first: most lines differ without making a string. */
function isNamed(name: string, wanted: string): boolean {
  return name.length === wanted.length && (name === wanted || name.toLowerCase() === wanted)
}

export interface MediaType {
  /** `text/html`, lower case; '' when the header is missing or not a media type. */
  type: string
  /** As the server named it, lower case; undefined when it named none. */
  charset?: string
}

const NO_TYPE: MediaType = { type: '' }
const ANY_TYPE = '*/*'
const LONGEST_VALUE = 1_000
const TYPE = /^[ \t]*([a-z0-9!#$&^_.+*-]{1,127}\/[a-z0-9!#$&^_.+*-]{1,127})[ \t]*(?:;|[ \t]|$)/
const CHARSET = /(?:^|[; \t])charset[ \t]*=[ \t]*(?:"([^"]*)"?|'([^']*)'?|([^; \t]*))/
const CHARSET_NAME = /^[a-z0-9!#$%&'+^_`{}~.:()-]{1,40}$/

export function mediaTypeOf(headers: HeaderLines): MediaType {
  return parseMediaType(listedIn(headers, 'content-type'))
}

/** All lines of a header as one list, as HTTP has it; undefined when there is none. */
export function listedIn(headers: HeaderLines, name: string): string | undefined {
  const values = headersOf(headers, name)
  return values.length < 2 ? values[0] : values.join(', ')
}

/**
 * Parses a `Content-Type` value, tolerantly: `text/html;charset="UTF-8"`, a comma for a semicolon, a stray `;`. Of several
 * types the last counts, with the charset of one before it that is the same (the Fetch standard).
 */
export function parseMediaType(value: string | undefined): MediaType {
  if (value === undefined) return NO_TYPE
  let found: MediaType = NO_TYPE
  for (const part of value.slice(0, LONGEST_VALUE).toLowerCase().split(',')) {
    const type = TYPE.exec(part)?.[1]
    if (type === ANY_TYPE) continue
    if (type !== undefined && type !== found.type) found = { type }
    const charset = charsetIn(part)
    // Behind a comma that should be a semicolon, it does not replace another.
    const isNew = type !== undefined || found.charset === undefined
    if (charset !== undefined && found.type !== '' && isNew) found = { type: found.type, charset }
  }
  return found
}

function charsetIn(part: string): string | undefined {
  const found = CHARSET.exec(part)
  const charset = (found?.[1] ?? found?.[2] ?? found?.[3])?.trim()
  return charset !== undefined && CHARSET_NAME.test(charset) ? charset : undefined
}
