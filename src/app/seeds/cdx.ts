/**
 * Indexes of other archives: CDXJ (key, time, JSON), JSON lines as index servers give them, and CDX of 9 or 11 columns or
 * whatever its first line says. A line that cannot be read costs that line.
 */
import { parseUrl } from '../../web/url/web-url.ts'
import { type Found, refused } from './found.ts'
import { type Line, linesOf } from './lines.ts'
import { type Chunks, Damaged, unfolded } from './unfold.ts'

export async function* indexedUrls(chunks: Chunks): AsyncGenerator<readonly Found[]> {
  const read = cdxReader()
  for await (const lines of linesOf(unfolded(chunks))) yield lines.flatMap(read)
}

interface Columns {
  delimiter: string
  url: number
  status: number
  mediaType: number
}

/** `N b a m s k r M S V g`; the shorter ones leave columns out behind the status. */
const USUAL: Columns = { delimiter: ' ', url: 2, status: 4, mediaType: 3 }
const FEWEST_COLUMNS = 6
const MAX_COLUMNS = 30

export function cdxReader(): (line: Line) => Found[] {
  let columns = USUAL
  return ({ number, text, isTooLong }) => {
    if (isTooLong) return [refused(text, number, 'the line is too long')]
    if (text.trim() === '' || text.startsWith('!') || text.startsWith('#')) return []
    // Its first character parts the columns.
    if (/^(.)CDX\1/.test(text)) {
      columns = columnsOf(text)
      return []
    }
    // The first line of some CDXJ files.
    if (number === 1 && /^OpenWayback-CDXJ\b/.test(text)) return []
    // A key may have a brace of its own.
    const before = /^(?:\S+ \d{1,17} )?(?=\{)/.exec(text)
    if (before !== null) return jsonLine(text.slice(before[0].length), text, number)
    return columnLine(text, columns, number)
  }
}

function columnsOf(head: string): Columns {
  const delimiter = head[0]
  const letters = head.slice(1).split(delimiter).slice(1)
  const url = letters.indexOf('a')
  if (url < 0) throw new Damaged(`says in its first line that it has no column of URLs (a)`)
  return { delimiter, url, status: letters.indexOf('s'), mediaType: letters.indexOf('m') }
}

function columnLine(text: string, columns: Columns, at: number): Found[] {
  const fields = text.split(columns.delimiter, MAX_COLUMNS)
  const url = fields[columns.url]
  const looksRight = columns !== USUAL || (fields.length >= FEWEST_COLUMNS && /^\d{1,17}$/.test(fields[1]))
  if (url === undefined || !looksRight) return [refused(text, at, 'it is no line of an index')]
  return target({ url, status: fields[columns.status], mediaType: fields[columns.mediaType], at })
}

function jsonLine(json: string, text: string, at: number): Found[] {
  let read: unknown
  try {
    read = JSON.parse(json)
  } catch {
    return [refused(text, at, 'its JSON cannot be read')]
  }
  const { url, status, mime } = read as Record<string, unknown>
  if (typeof url !== 'string') return [refused(text, at, 'it names no URL')]
  return target({ url, status: wordOf(status), mediaType: wordOf(mime), at })
}

function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** What archives hold beside pages: the answers of name servers, notes of their own. */
const NO_PAGE = /^(dns|urn|whois|metadata|filedesc|warcinfo|screenshot|ssh):/i
const NO_TYPE = /^(-|unk|warc\/.*|no-type|)$/

export interface ArchivedUrl {
  url: string
  /** `-` or missing when the archive does not know: a revisit has none. */
  status: string | undefined
  mediaType: string | undefined
  at: number
}

/** A URL that somebody has captured: a seed when it answered well. */
export function target({ url, status = '-', mediaType = '', at }: ArchivedUrl): Found[] {
  if (NO_PAGE.test(url)) return []
  if (/^\d+$/.test(status) && !/^[23]\d\d$/.test(status))
    return [refused(url, at, `it was captured with status ${status.slice(0, 5)}`)]
  const read = parseUrl(url)
  if (read === undefined) return [refused(url, at, 'it is no URL that could be crawled')]
  const type = mediaType.toLowerCase()
  return [{ kind: 'seed', url: read, at, ...(NO_TYPE.test(type) ? {} : { mediaType: type }) }]
}
