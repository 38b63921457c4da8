/**
 * What is never requested: the lines of operators, which count at once, and those of the files that the crawl was
 * started with.
 */
import { grouped } from '../../report/text-table.ts'
import { type Html, href, html, visible } from '../html.ts'
import { actionButton, framed } from '../layout.ts'
import type { PageRequest, Render } from '../page.ts'
import { asked } from '../pieces.ts'

export interface BlacklistData {
  /** Lines that contain `text`, or, where that is a URL or a site, forbid it; after the first `skip`. */
  blacklist(ask: { text: string; skip: number; atMost: number }): Promise<ListedLines>
}

export interface ListedLines {
  lines: readonly BlacklistLine[]
  /** Of all that were found. */
  found: number
  /** Lines of operators. */
  decided: number
  files: readonly { path: string; lines: number /** Why it is not known what it forbids. */; trouble?: string }[]
  /** By which rule the URL or site that is searched for is forbidden. */
  forbidden?: string
}

export interface BlacklistLine {
  text: string
  /** Undefined: an operator's. */
  file?: string
}

const LINES = 100
const LAST_PAGE = 100_000

export const blacklist: Render<BlacklistData> = async (request, data) => {
  const text = asked(request, 'q')
  const nth = Math.min(LAST_PAGE, Math.max(0, Math.floor(Number(request.query.get('page')) || 0)))
  const all = await data.blacklist({ text, skip: nth * LINES, atMost: LINES })
  const body = html`<form method="get" action="${href(request.base, '/blacklist')}" class="search card" role="search">
<div class="wide"><label for="q">Any text of a line, or a URL or site: is it forbidden?</label><br><input id="q" name="q" value="${text}" maxlength="2000" spellcheck="false" autocapitalize="off"></div>
<button class="main">Search</button></form>
${answerOf(text, all)}${addition(request)}${list(request, text, nth, all)}${files(all)}`
  return framed(request, { title: 'Blacklist', under: '/blacklist', isStill: true, body })
}

const untold = ({ files }: ListedLines) => files.filter(({ trouble }) => trouble !== undefined)

function answerOf(text: string, all: ListedLines): Html {
  const { forbidden, found } = all
  if (text === '') return html``
  if (forbidden !== undefined)
    return html`<p class="message">${visible(text, 200)} is forbidden by <code>${visible(forbidden.replace(/^blacklist: /, ''), 200)}</code>.</p>`
  const unchecked = untold(all)
  if (unchecked.length > 0)
    return html`<p class="message">No line that can be checked here forbids ${visible(text, 200)}.${unchecked.map(({ path }) => html` <code>${visible(path, 300)}</code> was not looked at.`)}</p>`
  return html`<p class="message">No line forbids ${visible(text, 200)}${found === 0 && ', and none contains it'}.</p>`
}

function addition(request: PageRequest): Html {
  const form = actionButton(request, { action: 'blacklist', pattern: '' }, 'Add', {
    kind: 'main',
    fields: html`<label>Line <input name="pattern" required maxlength="2000" spellcheck="false" autocapitalize="off"></label> `,
  })
  if (form.text === '') return form
  return html`<section><h2>Add a line</h2><p class="soft">The beginning of URLs (<code>https://www.example.org/private/</code>), a domain with all its hosts (<code>example.org</code>), an address (<code>192.0.2.7</code>) or a network (<code>192.0.2.0/24</code>). Workers follow within five seconds; what was collected stays.</p><div class="actions">${form}</div></section>`
}

function list(request: PageRequest, text: string, nth: number, all: ListedLines): Html {
  const { lines, found, decided } = all
  const isOperator = request.role === 'operator'
  const rows = lines.map(
    ({ text: line, file }) =>
      html`<tr><th scope="row" class="url"><code>${visible(line)}</code></th><td>${file === undefined ? 'an operator' : visible(file, 200)}</td>${isOperator && html`<td>${file === undefined && actionButton(request, { action: 'unblacklist', pattern: line }, 'Remove')}</td>`}</tr>`,
  )
  const page = (to: number, label: string, rel: string) =>
    html`<a href="${href(request.base, '/blacklist', { q: text === '' ? undefined : text, page: to === 0 ? undefined : to })}" rel="${rel}">${label}</a>`
  const pages = html`<p class="pages">${nth > 0 && page(nth - 1, 'Previous page', 'prev')}${(nth + 1) * LINES < found && page(nth + 1, 'Next page', 'next')}</p>`
  const nothing = text === '' ? 'Nothing is on it.' : 'No line contains that.'
  const none = found > 0 ? 'There are no more.' : untold(all).length > 0 ? 'None that can be shown.' : nothing
  const head = html`<thead><tr><th scope="col">Line</th><th scope="col">From</th>${isOperator && html`<th scope="col">Decide</th>`}</tr></thead>`
  return html`<section><h2>${text === '' ? 'Lines' : 'Lines that contain it'}</h2><p class="soft">${grouped(found)} ${found === 1 ? 'line' : 'lines'}${text === '' && decided > 0 && `; operators added ${decided === found ? (found === 1 ? 'it' : 'all of them') : grouped(decided)}`}.</p>${rows.length === 0 ? html`<p>${none}</p>` : html`<div class="scroll" tabindex="0" role="region" aria-label="Lines"><table>${head}<tbody>${rows}</tbody></table></div>`}${pages}</section>`
}

function files({ files }: ListedLines): Html {
  if (files.length === 0) return html``
  const items = files.map(
    ({ path, lines, trouble }) =>
      html`<li><code>${visible(path, 300)}</code>: ${trouble === undefined ? `${grouped(lines)} lines` : visible(trouble, 300)}</li>`,
  )
  return html`<section><h2>Files</h2><ul>${items}</ul><p class="soft">They are read again when they change. Lines of files are removed there.</p></section>`
}
