/** What operators did: who, when, what, and what was in force before and after. */
import type { AuditEntry } from '../../frontier/decisions.ts'
import { href, html, visible } from '../html.ts'
import { framed, notice } from '../layout.ts'
import type { PageRequest, Render } from '../page.ts'
import { asked, siteLink, time } from '../pieces.ts'

export interface AuditData {
  /** Latest first; `before`: only those with a smaller id. */
  audit(before: number | undefined, atMost: number): Promise<AuditEntry[]>
}

const LINES = 50

export const audit: Render<AuditData> = async (request, data) => {
  // As in the API: it names people and their addresses.
  if (request.role !== 'operator') return notice(request, 403, 'Actions', 'Only operators may see who did what.')
  const before = /^\d{1,15}$/.exec(asked(request, 'before', 20))?.[0]
  const found = await data.audit(before === undefined ? undefined : Number(before), LINES + 1)
  const entries = found.slice(0, LINES)
  const rows = entries.map(
    (entry) =>
      html`<tr><th scope="row">${time(entry.at)}</th><td>${visible(entry.who, 100)}</td><td>${visible(entry.action, 40)}</td><td class="url">${subjectOf(request, entry.subject)}</td><td>${inForce(entry.before)}</td><td>${inForce(entry.after)}</td></tr>`,
  )
  const table =
    rows.length === 0
      ? html`<p>${before === undefined ? 'Nobody has acted yet.' : 'There are no older actions.'}</p>`
      : html`<div class="scroll" tabindex="0" role="region" aria-label="Actions"><table><thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">Of what</th><th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody>${rows}</tbody></table></div>`
  const older = found.length > LINES ? entries.at(-1)?.id : undefined
  const pages = html`<p class="pages">${before !== undefined && html`<a href="${href(request.base, '/actions')}">Newest</a>`}${older !== undefined && html`<a href="${href(request.base, '/actions', { before: older })}" rel="next">Older</a>`}</p>`
  return framed(request, {
    title: 'Actions',
    under: '/',
    isStill: true,
    body: html`<section>${table}${pages}</section>`,
  })
}

/** A site has a dot in its name; a worker, and a crawl as a whole, have none. */
function subjectOf(request: PageRequest, subject: string) {
  if (subject === '') return 'the crawl'
  return subject.includes('.') ? siteLink(request, subject) : visible(subject, 100)
}

const inForce = (json: string | null) => (json === null ? '' : html`<code>${visible(json, 300)}</code>`)
