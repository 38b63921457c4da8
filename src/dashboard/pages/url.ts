/** One URL: the story that `explain` tells, its looks, links and changes; and a capture as it was, in a frame that can do nothing. */
import type { Instant } from '../../base/clock.ts'
import { reasonOf } from '../../base/errors.ts'
import { formatSize } from '../../base/units.ts'
import type { StoredCapture } from '../../collection/captures/read-captures.ts'
import type { Inlinks } from '../../collection/links/read-inlinks.ts'
import type { StoredFailedLook, StoredPage } from '../../collection/pages/read-pages.ts'
import type { UrlView } from '../../frontier/contract.ts'
import { failureText, refusalText, statusText } from '../../report/status-text.ts'
import { grouped } from '../../report/text-table.ts'
import { type Html, href, html, visible } from '../html.ts'
import { framed, notice } from '../layout.ts'
import type { PageAnswer, PageRequest, Render, SlowData } from '../page.ts'
import { asked, siteLink, story, time, urlLink, WITHOUT_SCRIPTS } from '../pieces.ts'
import { MARK_TEXTS } from './urls.ts'

export interface UrlStory {
  url: string
  site: string
  isKnown: boolean
  /** As `explain` tells it; undefined: it is unknown, and why takes longer. */
  lines: string[] | undefined
  view: UrlView | undefined
  page: StoredPage | undefined
  inlinks: Inlinks
  /** More are not counted. */
  enoughInlinks: number
  outLinks: { count: number; shown: { url: string; kind: string | undefined }[] }
  history: { captures: ShownCapture[]; failedLooks: StoredFailedLook[] }
}

type ShownFields = 'at' | 'status' | 'mediaType' | 'length' | 'kind' | 'change' | 'place'
export type ShownCapture = Pick<StoredCapture, ShownFields> & { look: string }

/** `text`: in UTF-8; empty unless it has characters. */
type ShownContent = Record<'head' | 'body' | 'text', Uint8Array> & Record<'mediaType' | 'charset', string>

export interface UrlData {
  urlStory(url: string): Promise<UrlStory>
  explainUnknown(url: string): Promise<string[]>
  shownContent(url: string, at: Instant | undefined): Promise<ShownContent | undefined>
  diffOf(url: string, from: Instant | undefined, to: Instant | undefined): Promise<string | undefined>
}

export const urlComputations = {
  'explain-unknown': (url: string, data: UrlData) => data.explainUnknown(url),
}

const LOOKS = 100
const MAX_HEAD = 32_768
const MAX_URL = 8192

export const url: Render<UrlData & SlowData> = async (request, data) => {
  const text = asked(request, 'url', MAX_URL)
  const found = text === '' ? undefined : await storyOf(data, text)
  if (found === undefined || found.site === '')
    return notice(
      request,
      404,
      'URL',
      `${text === '' ? 'No URL is given' : 'That is not a URL that can be collected'}: search for one under URLs.`,
    )
  const body = html`<p class="url"><strong>${visible(found.url, 1000)}</strong></p>
<section><h2>What became of it</h2>${await told(data, found)}<p>Its site: ${siteLink(request, found.site)}</p></section>
${await shown(request, data, found)}
${factsOf(found)}
${looks(request, found)}
<div class="grid">${links(request, 'Pages that link here', inlinksText(found), found.inlinks.from)}${links(
    request,
    'Links of the page',
    outLinksText(found),
    found.outLinks.shown.map(({ url }) => url),
  )}</div>`
  return framed(request, { title: 'URL', under: '/urls', isStill: true, body })
}

/** Without a scheme it means both. Undefined for other schemes; a number after a colon is a port. */
async function storyOf(data: UrlData, text: string): Promise<UrlStory | undefined> {
  if (/^https?:\/\//i.test(text)) return data.urlStory(text)
  if (/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text)) return undefined
  const plain = await data.urlStory(`http://${text}`)
  if (plain.isKnown) return plain
  const secure = await data.urlStory(`https://${text}`)
  return secure.isKnown ? secure : plain
}

async function told(data: UrlData & SlowData, { lines, url }: UrlStory): Promise<Html> {
  if (lines !== undefined) return story(lines.filter((line) => !/^ {2}|pages? links? here.*:$/.test(line)))
  const slow = await data.slow<string[]>('explain-unknown', url)
  if (slow.state === 'known') return html`<div id="told">${story(slow.value)}</div>`
  const text = html`<p>${slow.state === 'failed' ? `The rules could not be asked: ${slow.why}` : html`It is not known. Which rule is against it is being found out.${WITHOUT_SCRIPTS}`}</p>`
  return html`<div id="told" data-live>${text}</div>`
}

function factsOf({ view, page }: UrlStory): Html {
  const facts: [string, Html | string | number | undefined | null | false][] = [
    ['State', view && MARK_TEXTS[view.mark]],
    ['Found on', view?.via && visible(view.via)],
    ['Depth', view?.depth],
    ['How it was found', view && view.path !== '' && html`<code>${visible(view.path, 60)}</code>`],
    ['Queued', view && time(view.enqueuedAt)],
    ['Due', view?.mark === 'waiting' && time(view.dueAt)],
    ['Last status', page && statusText(String(page.status))],
    ['Type', page && visible(page.mediaType, 100)],
    ['Size', page && formatSize(page.bytes)],
    ['Title', page && visible(page.title)],
    ['Language', page?.language && visible(page.language, 60)],
    ['Answer took', page && `${grouped(page.tookMs)} ms`],
    ['Looks', page && grouped(page.looks)],
    ['Digest', page?.digest && html`<code>${visible(page.digest, 100)}</code>`],
    ['Notes', page?.annotations && visible(page.annotations)],
  ]
  const shown = facts.filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
  if (shown.length === 0) return html``
  return html`<section><h2>Facts</h2><dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>`
}

function instantOf(request: PageRequest, name: string): Instant | undefined {
  const text = asked(request, name, 20)
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** A frame, if one is asked for: with nothing allowed, whatever the page's own headers say. */
async function shown(request: PageRequest, data: UrlData, { url, history }: UrlStory): Promise<Html> {
  const { base } = request
  const at = instantOf(request, 'show')
  const to = instantOf(request, 'to')
  const frame = (title: string, source: string) =>
    html`<section><h2>${title}</h2><iframe class="capture" sandbox="" referrerpolicy="no-referrer" title="${title}" src="${source}"></iframe><p class="soft">Shown without scripts, and without images, styles or anything else from the web. Links in it lead nowhere.</p></section>`
  if (to !== undefined) return frame('What changed', href(base, '/diff', { url, from: instantOf(request, 'from'), to }))
  if (at !== undefined) {
    // The frame says why a capture can't be read.
    const content = await data.shownContent(url, at).catch(() => undefined)
    const head = new TextDecoder('latin1').decode(content?.head.subarray(0, MAX_HEAD))
    const headers =
      head !== '' &&
      html`<section><h2>Headers, as they came</h2><pre tabindex="0" aria-label="Headers">${head.replaceAll('\r\n', '\n').trimEnd()}</pre></section>`
    return html`${frame('As it was collected', href(base, '/capture', { url, at }))}${headers}`
  }
  const last = history.captures.at(-1)
  return last === undefined
    ? html``
    : html`<p><a class="button" href="${href(base, '/url', { url, show: last.at })}">Show the page as collected</a></p>`
}

function looks(request: PageRequest, { url, history }: UrlStory): Html {
  const { captures, failedLooks } = history
  const count = captures.length + failedLooks.length
  if (count === 0) return html``
  const here = (query: Record<string, number | undefined>) => href(request.base, '/url', { url, ...query })
  const rows = [
    ...captures.map((capture, i) => ({ at: capture.at, row: captureRow(capture, here, lastWhole(captures, i)) })),
    ...failedLooks.map((look) => ({ at: look.at, row: failedRow(look) })),
  ]
    .sort((a, b) => b.at - a.at)
    .slice(0, LOOKS)
  return html`<section><h2>Looks at it</h2>${count > LOOKS && html`<p class="soft">The last ${grouped(LOOKS)} of ${grouped(count)}; <code>orbweaver history</code> lists all.</p>`}<div class="scroll" tabindex="0" role="region" aria-label="Looks"><table><thead><tr><th scope="col">Time</th><th scope="col">Result</th><th scope="col" class="n">Status</th><th scope="col">Type</th><th scope="col" class="n">Record</th><th scope="col">What changed</th><th scope="col">See</th></tr></thead><tbody>${rows.map(({ row }) => row)}</tbody></table></div></section>`
}

/** The capture before it that had another version of the page. */
function lastWhole(captures: readonly ShownCapture[], i: number): ShownCapture | undefined {
  return captures.slice(0, i).findLast(({ look }) => look === 'first' || look === 'changed')
}

function captureRow(
  { at, look, status, mediaType, length, kind, change, place }: ShownCapture,
  here: (query: Record<string, number | undefined>) => string,
  before: ShownCapture | undefined,
): Html {
  const changed = change !== null && html`${change}${place !== null && html`: ${visible(place, 120)}`}`
  const see = html`<a href="${here({ show: at })}">page</a>${look === 'changed' && before !== undefined && html` · <a href="${here({ from: before.at, to: at })}">changes</a>`}`
  return html`<tr><td>${time(at)}</td><td>${look}</td><td class="n">${status}</td><td>${visible(mediaType, 60)}</td><td class="n">${kind} of ${formatSize(length)}</td><td>${changed}</td><td>${see}</td></tr>`
}

function failedRow({ at, outcome, why, detail }: StoredFailedLook): Html {
  const text = outcome === 'refused' ? refusalText(why ?? '', detail ?? '') : (failureText(why ?? '') ?? why ?? '')
  return html`<tr><td>${time(at)}</td><td>${outcome === 'refused' ? 'refused' : 'failed'}</td><td></td><td colspan="4">${visible(text)}</td></tr>`
}

function inlinksText({ inlinks: { count, from, behind }, enoughInlinks }: UrlStory): string {
  const known =
    count >= enoughInlinks ? `At least ${grouped(count)} pages` : count === 1 ? 'One page' : `${grouped(count)} pages`
  const cut = from.length < count ? `; ${grouped(from.length)} are shown` : ''
  return `${known}${cut}${behind > 0 ? `; the links of ${grouped(behind)} pages are not indexed yet` : ''}.`
}

function outLinksText({ outLinks: { count, shown } }: UrlStory): string {
  return `${count === 1 ? 'One link' : `${grouped(count)} links`}${shown.length < count ? `; ${grouped(shown.length)} are shown` : ''}.`
}

function links(request: PageRequest, title: string, text: string, urls: readonly string[]): Html {
  return html`<section><h2>${title}</h2><p>${text}</p><ul class="plain tall">${urls.map((one) => html`<li>${urlLink(request, one)}</li>`)}</ul></section>`
}

/** No scripts, no origin, nothing loaded, no forms; only the page about the URL may show it. */
const SANDBOX = {
  'content-security-policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
  'x-dns-prefetch-control': 'off',
}
/** Pictures that browsers decode without running anything. SVG is a program. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const MAX_SHOWN_BYTES = 4 * 2 ** 20

export const capture: Render<UrlData> = (request, data) => orWhyNot(() => captured(request, data))

async function captured(request: PageRequest, data: UrlData): Promise<PageAnswer> {
  const content = await data.shownContent(asked(request, 'url', MAX_URL), instantOf(request, 'at'))
  if (content === undefined)
    return sandboxed('text/plain; charset=utf-8', 'Nothing was collected at that URL, or not yet at that time.', 404)
  const { mediaType, body, text, charset } = content
  if (PICTURES.has(mediaType)) return sandboxed(mediaType, body)
  if (charset === '')
    return sandboxed(
      'text/plain; charset=utf-8',
      `This is ${mediaType || 'of no type'}, ${formatSize(body.length)}: orbweaver get writes it to a file.`,
    )
  const characters = new TextDecoder().decode(text.subarray(0, MAX_SHOWN_BYTES))
  const isHtml = mediaType === 'text/html' || mediaType === 'application/xhtml+xml' || mediaType === ''
  return isHtml
    ? sandboxed('text/html; charset=utf-8', inert(characters))
    : sandboxed('text/plain; charset=utf-8', characters)
}

export const diff: Render<UrlData> = (request, data) =>
  orWhyNot(async () => {
    const page = await data.diffOf(asked(request, 'url', MAX_URL), instantOf(request, 'from'), instantOf(request, 'to'))
    return page === undefined
      ? sandboxed('text/plain; charset=utf-8', 'There are no two versions to compare.', 404)
      : sandboxed('text/html; charset=utf-8', page)
  })

/** A volume that can't be read, or reached, is no fault of the page. */
async function orWhyNot(work: () => Promise<PageAnswer>): Promise<PageAnswer> {
  try {
    return await work()
  } catch (error) {
    return sandboxed('text/plain; charset=utf-8', reasonOf(error), 503)
  }
}

function sandboxed(type: string, body: string | Uint8Array, status = 200): PageAnswer {
  return { status, type, body, headers: SANDBOX }
}

/**
 * No policy keeps a browser from connecting ahead of time where `<link rel=preconnect>` or a frame says, from resolving such names, or
 * from telling the `ping` of a link that it was followed. So these elements get other names; links are none. The tokenizer of HTML knows
 * a tag by exactly these characters.
 */
export function inert(page: string): string {
  return page.replace(/<(\/?)(?=(?:link|meta|base|a|area|i?frame|object|embed)[\t\n\f\r />])/gi, '<$1not-')
}
