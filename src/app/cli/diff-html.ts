/** A comparison of two versions of a page as one web page: no script, nothing from elsewhere, everything of the versions escaped. */
import { createHash } from 'node:crypto'
import { escapeUTF8 } from 'entities/escape'
import type { DiffRow, FactChange, PageDiff } from '../../page/change/diff.ts'
import type { ImageDiff, ImageVersion } from '../../page/change/image-diff.ts'
import type { PageVersion, Versions } from '../reader/versions.ts'
import { FACT_NAMES, listed, notesOf, placeOf, type Segment, sidesOf, summaryOf, versionText } from './diff-text.ts'
import { some } from './text.ts'

const STYLE = `:root{color-scheme:light dark;--del:#ffe0e0;--ins:#d8f5dd;--line:#ccc;--dim:#595959;--moved:#e3ecff}
@media(prefers-color-scheme:dark){:root{--del:#5c1f24;--ins:#14472a;--line:#555;--dim:#b0b0b0;--moved:#243a66}}
body{font:1rem/1.5 system-ui,sans-serif;max-width:80rem;margin:1rem auto;padding:0 1rem}
h1{font-size:1.3rem;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;table-layout:fixed}
th,td{text-align:start;vertical-align:top;padding:.3rem .6rem;border:1px solid var(--line);overflow-wrap:anywhere}
td{white-space:pre-wrap;unicode-bidi:plaintext}
tr.place th,tr.same td,.note{color:var(--dim);font-weight:normal;font-size:.9rem}
tr.place th{font-family:ui-monospace,monospace}
del{background:var(--del)}
ins{background:var(--ins)}
img{max-width:100%}
tr.moved td{background:var(--moved)}
@media(max-width:40em){table,caption,thead,tbody,tr,th,td{display:block}tr{border:1px solid var(--line);border-bottom:0}table{border-bottom:1px solid var(--line)}
th,td{border:0}td:empty,tr.marked td:first-child{display:none}td:first-child:not([colspan])::before{content:"− "}td:last-child:not([colspan])::before{content:"+ "}tr.marked td::before{content:none}}
`

/** Bytes of an image. */
const MAX_SHOWN = 4 << 20

/** `diff`: undefined when only images or bytes can be compared, which the notes say. */
export function diffPage(versions: Versions, diff: PageDiff | undefined, images?: ImageDiff): string {
  const { url, before, after } = versions
  const notes = [...notesOf(versions, images), ...(diff === undefined ? [] : summaryOf(diff))]
  const hash = createHash('sha256').update(STYLE).digest('base64')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>Changes of ${escaped(url)}</title>
<style>${STYLE}</style>
<main>
<h1>Changes of <bdi>${escaped(url)}</bdi></h1>
${notes.map((note) => `<p>${escaped(note)}</p>`).join('\n')}
<table>
<caption>Both versions</caption>
<thead><tr><th scope="col">Before: ${escaped(versionText(before!))}</th><th scope="col">After: ${escaped(versionText(after))}</th></tr></thead>
<tbody>
${diff === undefined ? picturesOf(versions, images) : rowsOf(diff)}</tbody>
</table>
</main>
</html>
`
}

/** Both, unless they are large. */
function picturesOf({ before, after }: Versions, images: ImageDiff | undefined): string {
  if (images === undefined) return ''
  const shown = (version: ImageVersion, { body }: PageVersion, alt: string) =>
    'undecoded' in version || body.length > MAX_SHOWN
      ? '<span class="note">not shown</span>'
      : `<img alt="${alt}" src="data:image/${version.kind.toLowerCase()};base64,${Buffer.from(body).toString('base64')}">`
  return cells('images', shown(images.before, before!, 'before'), shown(images.after, after, 'after'))
}

function rowsOf({ rows, unit }: PageDiff): string {
  let html = ''
  let place = ''
  for (const row of rows) {
    if (row.kind === 'same') {
      html += `<tr class="same"><td colspan="2">${some(row.count, unit)} the same</td></tr>\n`
      continue
    }
    const here = placeOf(row)
    if (here !== '' && here !== place)
      html += `<tr class="place"><th colspan="2" scope="colgroup">${escaped(here)}</th></tr>\n`
    place = here
    html += rowOf(row)
  }
  return html
}

function rowOf(row: Exclude<DiffRow, { kind: 'same' }>): string {
  const { left, right, facts } = sidesOf(row)
  const isMoved = row.kind === 'moved-away' || row.kind === 'moved-here'
  const [id, otherId] = row.kind === 'moved-away' ? ['from', 'to'] : ['to', 'from']
  const [one, other] = [left, right].map((segments) =>
    segments.map((segment) => htmlOf(segment, isMoved ? `#${otherId}-${row.nth}` : undefined)).join(''),
  )
  return cells(isMoved ? 'moved' : row.kind, one, other + factsOf(facts), isMoved ? `${id}-${row.nth}` : undefined)
}

/** `href`: where a note leads. */
function htmlOf({ text, style }: Segment, href: string | undefined): string {
  const shown = escaped(text)
  if (style === 'removed') return `<del>${shown}</del>`
  if (style === 'added') return `<ins>${shown}</ins>`
  if (style === undefined) return shown
  return `<span class="note">${href === undefined ? shown : `<a href="${href}">${shown}</a>`}</span>`
}

function cells(kind: string, left: string, right: string, id?: string): string {
  return `<tr class="${kind}"${id === undefined ? '' : ` id="${id}"`}><td>${left}</td><td>${right}</td></tr>\n`
}

function factsOf(facts: readonly FactChange[]): string {
  return facts
    .map(({ kind, before, after }) => {
      const gone = before.length === 0 ? '' : ` <del>${escaped(listed(before))}</del>`
      const come = after.length === 0 ? '' : ` <ins>${escaped(listed(after))}</ins>`
      return `<br><span class="note">${FACT_NAMES[kind]}:</span>${gone}${come}`
    })
    .join('')
}

/** Controls and marks that turn the direction of text are shown by number. */
const HIDDEN = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Cs}/gu

/** For HTML and XML, in text and in attributes. */
export function escaped(text: string): string {
  return escapeUTF8(
    text.replace(HIDDEN, (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`),
  )
}
