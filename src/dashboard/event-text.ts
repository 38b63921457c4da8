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

/** Undefined for events that come with every page. */
export function eventText(event: Event, base: string): EventText | undefined {
  const site = (name: string) => html`<a href="${href(base, '/site', { name })}">${visible(name, 80)}</a>`
  const plain = (what: Html): EventText => ({ level: 'plain', what })
  const warn = (what: Html): EventText => ({ level: 'warn', what })
  const bad = (what: Html): EventText => ({ level: 'bad', what })
  switch (event.kind) {
    case 'crawl-begun':
      return plain(html`The crawl ${event.resumed ? 'goes on' : 'begins'}.`)
    case 'crawl-over':
      return plain(html`The crawl is over: ${OVER[event.why]}.`)
    case 'visit-ended':
      return plain(
        html`${site(event.site)}: ${event.pages.toLocaleString('en')} page${event.pages !== 1 && 's'}; ${VISIT_ENDS[event.why]}.`,
      )
    case 'lease-lost':
      return warn(html`${site(event.site)}: its lease was lost; another worker takes it.`)
    case 'visit-stuck':
      return bad(html`${site(event.site)}: the visit does not end; ${event.givenUp ? 'given up' : 'asked to stop'}.`)
    case 'hazard':
      return warn(html`${site(event.site)}: ${visible(event.rule, 60)}: ${visible(event.evidence, 200)}`)
    case 'mirror-left':
      return plain(
        html`${site(event.replica)} is no mirror of ${site(event.original)} any more: ${visible(event.why, 200)}`,
      )
    case 'volume-opened':
      return plain(html`Volume ${visible(event.name, 100)} was begun.`)
    case 'volume-closed':
      return plain(html`Volume ${visible(event.name, 100)} is complete: ${event.bytes.toLocaleString('en')} bytes.`)
    case 'tail-cut':
      return warn(
        html`Volume ${visible(event.name, 100)}: a torn end of ${event.bytes.toLocaleString('en')} bytes was cut.`,
      )
    case 'worker-restarted':
      return bad(
        html`Worker ${visible(event.worker, 60)} was restarted: ${visible(event.why, 200)}${event.url && html` at ${visible(event.url, 200)}`}`,
      )
    case 'late':
      return warn(html`Worker ${visible(event.worker, 60)} is late by ${Math.round(event.ms)} ms: the machine is busy.`)
    case 'trouble':
      return bad(visible(event.what, 400))
    default:
      return undefined
  }
}
