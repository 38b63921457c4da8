/**
 * One line per action, in the columns of Heritrix's crawl.log: time, status, size, URL, discovery path, referrer, media type,
 * thread, begin and duration of the fetch, digest, source tag, annotations; `-` for none. Text from outside is escaped, so no
 * URL and no header can forge a column or a line.
 */
import type { Outcome } from '../../contracts/outcome.ts'
import type { Finding, PageReport } from '../../contracts/report.ts'
import { isoInstant, timestamp17 } from '../../web/warc/instant-text.ts'

/** Longer than any URL in scope; a longer referrer or redirect target is cut, and marked so. */
const LONGEST_FIELD = 4096

/** Of the columns that we do not fill: the thread that fetched and Heritrix's source tag. */
const THREAD = '#000'
const SOURCE = '-'

/** Heritrix pads status and size to align the columns, and has discovery paths in upper case (`contracts/generation.ts`). */
export function logLine(page: PageReport): string {
  const { status, at, capture } = page
  const took = Math.max(0, Math.round(page.tookMs))
  const size = status > 0 ? String(page.bytes) : '-'
  const fetched = status > 0 ? `${timestamp17(at)}+${took}` : '-'
  return (
    `${isoInstant(at + took)} ${String(status).padStart(5)} ${size.padStart(10)} ${escapeField(page.url)} ` +
    `${escapeField(page.path.toUpperCase())} ${escapeField(page.via ?? '')} ${escapeField(page.mediaType)} ${THREAD} ${fetched} ` +
    `${escapeField(capture?.digest ?? '')} ${SOURCE} ${escapeField(annotationsOf(page))}\n`
  )
}

/** A finding has a line of its own: `-4000`, the first URL that shows it (or the site), and the rule with its pattern. */
export function findingLine(site: string, { rule, pattern, examples, at, withdrawn }: Finding): string {
  const note = `hazard${withdrawn ? '-withdrawn' : ''}:${rule}${pattern === undefined ? '' : `:${pattern}`}`
  const url = examples?.[0] ?? `http://${site}/`
  const columns = [isoInstant(at), '-4000', '-'.padStart(10), escapeField(url), '-', '-', '-', THREAD, '-', '-', SOURCE]
  return `${[...columns, escapeField(note.replaceAll(',', ';'))].join(' ')}\n`
}

/** The worker's notes, and the outcome where the status does not show it. */
function annotationsOf({ annotations, outcome }: PageReport): string {
  const notes = [...annotations, ...outcomeNote(outcome)]
  return notes.map((note) => note.replaceAll(',', ';')).join(',')
}

function outcomeNote(outcome: Outcome): string[] {
  switch (outcome.kind) {
    case 'refused':
      return [`refused:${outcome.by}:${outcome.rule}`]
    case 'gone':
      return [`gone:${outcome.why}`]
    case 'later':
      return [`later:${outcome.why}`]
    case 'read':
      return [`${outcome.as}:${outcome.urls}`]
    case 'kept':
    case 'moved':
      return []
  }
}

/**
 * Plain ASCII without spaces: everything else becomes the percent form of its UTF-8 bytes. A normalised URL stays as it is.
 * `-` stands for nothing, so a text that is just `-` is escaped too.
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
