/** Small parts that several pages have. */
import type { Instant } from '../base/clock.ts'
import { grouped } from '../report/text-table.ts'
import { type Html, href, html, visible } from './html.ts'
import type { PageRequest } from './page.ts'

/** Text from a form or link, without characters that no name or URL has, and cut to a maximum length. */
export function asked({ query }: PageRequest, name: string, maxLength = 2000): string {
  return (query.get(name) ?? '').replaceAll('\0', '').trim().slice(0, maxLength)
}

export function time(at: Instant): Html {
  const text = new Date(at).toISOString()
  return html`<time datetime="${text}">${text.slice(0, 19).replace('T', ' ')}</time>`
}

export const siteLink = ({ base }: PageRequest, name: string): Html =>
  html`<a href="${href(base, '/site', { name })}">${visible(name, 100)}</a>`

/** To the page about a URL, never to the URL itself: what strangers wrote leads nowhere else. */
export const urlLink = ({ base }: PageRequest, url: string): Html =>
  html`<a class="url" href="${href(base, '/url', { url })}">${visible(url)}</a>`

/** After a promise that the page will show something. */
export const WITHOUT_SCRIPTS = html`<noscript> Without scripts, load it again.</noscript>`

/** Lines of a story; a line that begins with a space belongs to the one before. */
export function story(lines: readonly string[]): Html {
  return html`<ul class="story">${lines.map((line) => html`<li${line.startsWith(' ') && html` class="part"`}>${visible(line.trim(), 2000)}</li>`)}</ul>`
}

/** Counts by name, each with a bar. */
export function distribution(caption: string, counts: readonly { what: string; count: number }[]): Html {
  const most = Math.max(1, ...counts.map(({ count }) => count))
  const rows = counts.map(
    ({ what, count }) =>
      html`<tr><th scope="row">${visible(what, 60)}</th><td class="n">${grouped(count)}</td><td class="share"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${((100 * count) / most).toFixed(1)}" height="10"/></svg></td></tr>`,
  )
  return html`<table><caption>${caption}</caption><tbody>${rows}</tbody></table>`
}
