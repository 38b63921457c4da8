/**
 * Reads indexes of other archives: CDXJ (key, time, JSON), JSON lines from index servers, and CDX with 9 or 11 columns or
 * those that its first line names. A line that cannot be read is skipped and reported.
 */
import { parseUrl } from '../../web/url/web-url.ts'
import { type Chunks, Damaged, type Found, foundIn, type Line, refused } from './input.ts'

export const indexedUrls = (chunks: Chunks) => foundIn(chunks, cdxReader())

interface Columns {
  delimiter: string
  url: number
  status: number
  mediaType: number
}

/** `N b a m s k r M S V g`; shorter forms leave out columns after the status. */
const USUAL: Columns = { delimiter: ' ', url: 2, status: 4, mediaType: 3 }
const FEWEST_COLUMNS = 6
const MAX_COLUMNS = 30

export function cdxReader(): (line: Line) => Found[] {
  let columns = USUAL
  return ({ number, text }) => {
    if (text.trim() === '' || text.startsWith('!') || text.startsWith('#')) return []
    // The first character of the header separates the columns.
    if (/^(.)CDX\1/.test(text)) {
      columns = columnsOf(text)
      return []
    }
    // The first line of some CDXJ files.
    if (number === 1 && /^OpenWayback-CDXJ\b/.test(text)) return []
    // A key may contain a brace.
    const before = /^(?:\S+ \d{1,17} )?(?=\{)/.exec(text)
    if (before !== null) return jsonLine(text.slice(before[0].length), text, number)
    return columnLine(text, columns, number)
  }
}

function columnsOf(head: string): Columns {
  const delimiter = head[0]
  const letters = head.slice(1).split(delimiter).slice(1)
  const url = letters.indexOf('a')
  if (url < 0) throw new Damaged('has no column of URLs (a) in its first line')
  return { delimiter, url, status: letters.indexOf('s'), mediaType: letters.indexOf('m') }
}

function columnLine(text: string, columns: Columns, at: number): Found[] {
  const fields = text.split(columns.delimiter, MAX_COLUMNS)
  const url = fields[columns.url]
  const looksRight = columns !== USUAL || (fields.length >= FEWEST_COLUMNS && /^\d{1,17}$/.test(fields[1]))
  if (url === undefined || !looksRight) return [refused(text, at, 'it is not a line of an index')]
  return target({ url, status: fields[columns.status], mediaType: fields[columns.mediaType], at })
}

function jsonLine(json: string, text: string, at: number): Found[] {
  let read: unknown
  try {
    read = JSON.parse(json)
  } catch {
    return [refused(text, at, 'it contains invalid JSON')]
  }
  const { url, status, mime } = read as Record<string, unknown>
  if (typeof url !== 'string') return [refused(text, at, 'it has no URL')]
  return target({ url, status: textOf(status), mediaType: textOf(mime), at })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Records that are not pages: DNS answers, metadata. */
const NO_PAGE = /^(dns|urn|whois|metadata|filedesc|warcinfo|screenshot|ssh):/i
const NO_TYPE = /^(-|unk|warc\/.*|no-type|)$/

export interface ArchivedUrl {
  url: string
  /** `-` or missing if unknown: a revisit has none. */
  status: string | undefined
  mediaType: string | undefined
  at: number
}

/** A captured URL; it becomes a seed if it answered with 2xx or 3xx. */
export function target({ url, status = '-', mediaType = '', at }: ArchivedUrl): Found[] {
  if (NO_PAGE.test(url)) return []
  if (/^\d+$/.test(status) && !/^[23]\d\d$/.test(status))
    return [refused(url, at, `it was captured with status ${status.slice(0, 5)}`)]
  const read = parseUrl(url)
  if (read === undefined) return [refused(url, at, 'it is not a URL that can be crawled')]
  const type = mediaType.toLowerCase()
  return [{ kind: 'seed', url: read, at, ...(NO_TYPE.test(type) ? {} : { mediaType: type }) }]
}
