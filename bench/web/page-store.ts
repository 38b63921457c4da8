/** All answers of a web, made before anybody asks: each is one buffer, head and body. */
import { gzipSync } from 'node:zlib'
import type { TestWeb } from '../../testkit/web/web.ts'

export interface Page {
  identity: Buffer
  gzip: Buffer
  /** Bytes of the head of either. */
  headLength: { identity: number; gzip: number }
  /** Neither robots.txt nor missing. */
  isPage: boolean
  /** The run in which it was last given out: whoever asks twice has not seen two pages. */
  run: number
}

/** Pages of a site by the path of their URL. */
export type SitePages = ReadonlyMap<string, Page>

export function prepareSites(web: TestWeb): ReadonlyMap<string, SitePages> {
  const sites = new Map<string, SitePages>()
  for (let site = 0; site < web.siteCount; site++) {
    const { host, origin, pages } = web.site(site)
    const urls = Array.from({ length: pages }, (_, page) => web.urlOf(site, page))
    const all = [`${origin}/robots.txt`, ...urls]
    const made = new Map(all.map((url) => [url.slice(origin.length), makePage(web, url)]))
    sites.set(host, made)
    // Without its port, too: names are asked for so, and wget2 forgets it when it speaks to a proxy.
    sites.set(host.split(':', 1)[0], made)
  }
  return sites
}

export function makePage(web: TestWeb, url: string): Page {
  const answer = web.answer({ url, at: web.plan.epoch, attempt: 1, headers: [] })
  if (answer.kind !== 'answer') return NOTHING
  const { status, reason, headers } = answer.head
  const type = headers.find(([name]) => name === 'Content-Type')?.[1] ?? 'text/html'
  const isPage = status === 200 && !url.endsWith('/robots.txt')
  return page(`HTTP/1.1 ${status} ${reason}\r\nServer: bench\r\nContent-Type: ${type}\r\n`, answer.payload, isPage)
}

function page(start: string, body: Uint8Array, isPage: boolean): Page {
  const plainHead = headOf(start, body)
  const identity = Buffer.concat([plainHead, body])
  const isCoded = isPage
  const coded = isCoded ? gzipSync(body, { level: 6 }) : body
  const codedHead = isCoded ? headOf(`${start}Content-Encoding: gzip\r\n`, coded) : plainHead
  return {
    identity,
    gzip: isCoded ? Buffer.concat([codedHead, coded]) : identity,
    headLength: { identity: plainHead.length, gzip: codedHead.length },
    isPage,
    run: 0,
  }
}

const headOf = (start: string, body: Uint8Array) =>
  Buffer.from(`${start}Content-Length: ${body.length}\r\nConnection: keep-alive\r\n\r\n`, 'latin1')

export const NOTHING = page('HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n', Buffer.from('no'), false)
