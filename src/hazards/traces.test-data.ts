/** A crawl of a made-up site, breadth first, as a visit does it, without a network: what the detectors see and stop. */
import { hash64 } from '../base/digest.ts'
import { readPage } from '../page/reading.ts'
import { freshMemory, type SiteMemory } from '../visit/site-memory.ts'
import { normalPath, resolver } from '../web/url/web-url.ts'
import { countRefused, type HazardOptions, judgePage, learnProbe, refusalOf, type TrapVerdict } from './detect.ts'
import { UNLIMITED } from './limits.ts'
import type { LinkFacts, PageFacts } from './page-facts.ts'

export interface Answer {
  html?: string
  status?: number
  /** A redirect. */
  location?: string
  tookMs?: number
  bytes?: number
}

/** Undefined is a 404. */
export type Site = (path: string) => Answer | undefined

export const NO_LIMITS: HazardOptions = {
  urlsPerSite: UNLIMITED,
  duplicatesPerSite: UNLIMITED,
  depth: UNLIMITED,
  trusted: () => false,
}

export interface Trace {
  requests: number
  fetched: Set<string>
  refused: Map<string, string>
  verdicts: TrapVerdict[]
  memory: SiteMemory
  largestMemory: number
}

const HOST = 'http://site.test'
/** When all of it is asked for: dates in URLs are held against it. */
const TODAY = Date.UTC(2026, 0, 1)
const ABSURD = '/no-such-name-4f1c9a.html'

export function crawl(site: Site, most = 2000, options = NO_LIMITS): Trace {
  let memory = freshMemory()
  const seen = new Set(['/'])
  const queue = [{ path: '/', depth: 0 }]
  const fetched = new Set<string>()
  const refused = new Map<string, string>()
  const verdicts: TrapVerdict[] = []
  const digests = new Set<bigint>()
  let requests = 0
  let largestMemory = 0
  for (let at = 0; at < queue.length && requests < most; at++) {
    const { path, depth } = queue[at]
    const refusal = refusalOf(memory, path, depth, options)
    if (refusal !== undefined) {
      refused.set(path, refusal.rule)
      memory = countRefused(memory, refusal.pattern)
      continue
    }
    requests++
    fetched.add(path)
    const facts = factsOf(path, depth, site(path), seen, digests, requests)
    const judged = judgePage(memory, facts, options)
    memory = judged.memory
    verdicts.push(...judged.verdicts)
    if (requests % 10 === 0) largestMemory = Math.max(largestMemory, JSON.stringify(memory.traps ?? {}).length)
    if (judged.probe !== undefined) {
      requests++
      const { status, content } = factsOf(ABSURD, 0, site(ABSURD), seen, new Set(), requests)
      memory = learnProbe(memory, { status, content, path: ABSURD })
    }
    if (!judged.follow) continue
    for (const link of facts.links) {
      if (!link.fresh) continue
      const unwanted = refusalOf(memory, link.path, depth + 1, options)
      if (unwanted !== undefined) {
        refused.set(link.path, unwanted.rule)
        memory = countRefused(memory, unwanted.pattern)
        continue
      }
      seen.add(link.path)
      queue.push({ path: link.path, depth: depth + 1 })
    }
  }
  return { requests, fetched, refused, verdicts, memory, largestMemory }
}

export function factsOf(
  path: string,
  depth: number,
  answer: Answer | undefined,
  seen: ReadonlySet<string>,
  digests: Set<bigint>,
  at: number,
): PageFacts {
  const { html = '', location, tookMs = 100 } = answer ?? {}
  const status = answer === undefined ? 404 : (answer.status ?? (location === undefined ? 200 : 302))
  const kept = status === 200
  const blank = { url: HOST + path, path, depth, at: TODAY + at, status, mediaType: 'text/html', tookMs }
  const bytes = answer?.bytes ?? html.length
  const outcome = kept ? 'kept' : location === undefined ? 'gone' : 'moved'
  const none = { ...blank, bytes, outcome, duplicate: false, abroad: 0 } as const
  if (!kept) return { ...none, links: location === undefined ? [] : linksOf([location], path, seen).links }
  const reading = readPage({ mediaType: 'text/html', charset: 'utf-8', bytes: Buffer.from(html) })
  const { signature } = reading
  const digest = hash64(html)
  const duplicate = digests.has(digest)
  digests.add(digest)
  const hrefs = reading.links.filter(({ kind }) => kind !== 'embed').map(({ href }) => href)
  const isPicture = ({ kind, media }: (typeof reading.links)[number]) => kind === 'embed' && media === 'image'
  const embedded = reading.links.filter(isPicture).map(({ href }) => href)
  const { textDigest, simhash, shape, words, length, tags } = signature
  const embeds = embedded.length === 0 ? 0n : hash64(embedded.join('\n'))
  const content = {
    digest: String(digest),
    textDigest,
    simhash,
    shape,
    words,
    length,
    tags: tags.hash,
    title: reading.title,
  }
  return { ...none, duplicate, content: { ...content, embeds }, ...linksOf(hrefs, path, seen) }
}

function linksOf(
  hrefs: readonly string[],
  path: string,
  seen: ReadonlySet<string>,
): { links: LinkFacts[]; abroad: number } {
  const resolve = resolver(HOST + path)
  const links = new Map<string, LinkFacts>()
  let abroad = 0
  for (const href of hrefs) {
    const resolved = resolve(href)
    if (resolved.kind !== 'url') continue
    if (resolved.url.host !== 'site.test') abroad++
    else {
      const to = normalPath(resolved.url)
      if (!links.has(to)) links.set(to, { key: resolved.url.key, path: to, fresh: !seen.has(to) })
    }
  }
  return { links: [...links.values()], abroad }
}
