/**
 * One action, one line, in the columns of Heritrix's crawl.log: when, status, size, URL, discovery path, referrer, media
 * type, thread, begin and duration of the fetch, digest, source tag, annotations; `-` for none. Everything from outside
 * is escaped (`escapeField`), so that no URL and no header can forge a column or a line.
 */
import type { Outcome } from '../../contracts/outcome.ts'
import type { Finding, PageReport } from '../../contracts/report.ts'
import { isoInstant, timestamp17 } from '../../web/warc/instant-text.ts'

/** Longer than any URL that scope lets through; a moved-to target or a via of such length is cut, and says so. */
const LONGEST_FIELD = 4096

export interface LogContext {
  /** The thread that fetched: `#000` where nobody knows better. */
  thread?: number
  /** Heritrix's source tag: the seed's site. */
  source?: string
}

/** Heritrix pads status and size so that the columns stand in line. Its discovery paths are in upper case (`contracts/generation.ts`). */
export function logLine(page: PageReport, context: LogContext = {}): string {
  const { status, at, capture } = page
  const took = Math.max(0, Math.round(page.tookMs))
  const size = status > 0 ? String(page.bytes) : '-'
  const thread = context.thread === undefined ? '#000' : `#${String(context.thread).padStart(3, '0')}`
  const fetched = status > 0 ? `${timestamp17(at)}+${took}` : '-'
  return (
    `${isoInstant(at + took)} ${String(status).padStart(5)} ${size.padStart(10)} ${escapeField(page.url)} ` +
    `${escapeField(page.path.toUpperCase())} ${escapeField(page.via ?? '')} ${escapeField(page.mediaType)} ${thread} ${fetched} ` +
    `${escapeField(capture?.digest ?? '')} ${escapeField(context.source ?? '')} ${escapeField(annotationsOf(page))}\n`
  )
}

/** A hazard, as a line of its own: `-4000`, the first URL that shows it (or the site), and the rule with its pattern. */
export function findingLine(site: string, { rule, pattern, examples, at, withdrawn }: Finding): string {
  const note = `hazard${withdrawn ? '-withdrawn' : ''}:${rule}${pattern === undefined ? '' : `:${pattern}`}`.replaceAll(
    ',',
    ';',
  )
  const url = examples?.[0] ?? `http://${site}/`
  const columns = [isoInstant(at), '-4000', '-'.padStart(10), escapeField(url), '-', '-', '-', '#000', '-', '-', '-']
  return `${[...columns, escapeField(note)].join(' ')}\n`
}

/** What the worker noted, and the outcome in a word where the status does not tell it. */
function annotationsOf({ annotations, outcome }: PageReport): string {
  const told = toldOf(outcome)
  if (annotations.length === 0) return told
  const notes = annotations.map((note) => note.replaceAll(',', ';')).join(',')
  return told === '' ? notes : `${notes},${told}`
}

function toldOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'refused':
      return `refused:${outcome.by}:${outcome.rule.replaceAll(',', ';')}`
    case 'gone':
      return `gone:${outcome.why}`
    case 'later':
      return `later:${outcome.why}`
    case 'read':
      return `${outcome.as}:${outcome.urls}`
    case 'kept':
    case 'moved':
      return ''
  }
}

/**
 * Plain ASCII without spaces: anything else becomes the percent form of its UTF-8 bytes. A URL in its normal form is
 * left as it is; `-` alone stands for nothing, so a text that is just `-` is escaped as well.
 */
export function escapeField(text: string): string {
  if (text === '') return '-'
  if (text === '-') return '%2D'
  const cut = text.length > LONGEST_FIELD ? `${text.slice(0, LONGEST_FIELD)}[cut]` : text
  if (/^[\x21-\x7e]*$/.test(cut)) return cut
  return cut.toWellFormed().replace(/[^\x21-\x7e]+/gu, percentForm)
}

function percentForm(text: string): string {
  let out = ''
  for (const byte of Buffer.from(text, 'utf8')) out += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  return out
}
