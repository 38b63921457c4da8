/** Events of the journal as sentences. */
import type { Event } from '../contracts/events.ts'
import { type Html, href, html, visible } from './html.ts'

const VISIT_ENDS = {
  done: 'nothing is left there for now',
  slice: 'its turn is over, others come next',
  stopped: 'the worker ends',
  elsewhere: 'its address belongs to another worker',
  silent: 'it does not answer for now',
  'given-up': 'it does not answer at all',
} as const

const OVER = {
  complete: 'complete',
  interrupted: 'stopped',
  pages: 'the limit of pages is reached',
  time: 'the time is over',
  size: 'the limit of size is reached',
} as const

export interface EventText {
  /** `bad` needs someone's attention, `warn` may. */
  level: 'plain' | 'warn' | 'bad'
  what: Html
}

const plain = (what: Html): EventText => ({ level: 'plain', what })
const warn = (what: Html): EventText => ({ level: 'warn', what })
const bad = (what: Html): EventText => ({ level: 'bad', what })
const volume = (name: string) => html`Volume ${visible(name, 100)}`

type Texts = {
  [Kind in Event['kind']]?: (event: Event & { kind: Kind }, site: (name: string) => Html) => EventText
}

const TEXTS: Texts = {
  'crawl-begun': ({ resumed }) => plain(html`The crawl ${resumed ? 'goes on' : 'begins'}.`),
  'crawl-over': ({ why }) => plain(html`The crawl is over: ${OVER[why]}.`),
  'visit-ended': ({ site: name, pages, why }, site) =>
    plain(html`${site(name)}: ${pages.toLocaleString('en')} page${pages !== 1 && 's'}; ${VISIT_ENDS[why]}.`),
  'lease-lost': (event, site) => warn(html`${site(event.site)}: its lease was lost; another worker takes it.`),
  'visit-stuck': (event, site) =>
    bad(html`${site(event.site)}: the visit does not end; ${event.givenUp ? 'given up' : 'asked to stop'}.`),
  hazard: (event, site) => warn(html`${site(event.site)}: ${visible(event.rule, 60)}: ${visible(event.evidence, 200)}`),
  'mirror-left': ({ replica, original, why }, site) =>
    plain(html`${site(replica)} is no mirror of ${site(original)} any more: ${visible(why, 200)}`),
  'volume-opened': ({ name }) => plain(html`${volume(name)} was begun.`),
  'volume-closed': ({ name, bytes }) => plain(html`${volume(name)} is complete: ${bytes.toLocaleString('en')} bytes.`),
  'tail-cut': ({ name, bytes }) =>
    warn(html`${volume(name)}: a torn end of ${bytes.toLocaleString('en')} bytes was cut.`),
  'worker-restarted': ({ worker, why, url }) =>
    bad(
      html`Worker ${visible(worker, 60)} was restarted: ${visible(why, 200)}${url && html` at ${visible(url, 200)}`}`,
    ),
  late: ({ worker, ms }) =>
    warn(html`Worker ${visible(worker, 60)} is late by ${Math.round(ms)} ms: the machine is busy.`),
  trouble: ({ what }) => bad(visible(what, 400)),
}

/** False for events that every page causes. */
export const isTold = ({ kind }: Event): boolean => kind in TEXTS

/** Undefined for events that are not shown. */
export function eventText(event: Event, base: string): EventText | undefined {
  const site = (name: string) => html`<a href="${href(base, '/site', { name })}">${visible(name, 80)}</a>`
  const text = TEXTS[event.kind] as ((event: Event, name: typeof site) => EventText) | undefined
  return text?.(event, site)
}
