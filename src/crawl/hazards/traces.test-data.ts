/** A crawl of a made-up site, breadth first, as a visit does it, without a network: what the detectors see and stop. */
import { hash64 } from '../../base/digest.ts'
import { freshMemory, type SiteMemory } from '../../contracts/site-memory.ts'
import type { TrapMemory } from '../../contracts/trap-memory.ts'
import { readPage, readText } from '../../page/reading.ts'
import { normalPath, resolver } from '../../web/url/web-url.ts'
import { admitUrl, familiesBeside, type HazardOptions, judgePage, learnProbe, type WaitingUrl } from './detect.ts'
import type { HazardFinding } from './finding.ts'
import { learnInvention, learnMissing } from './invented.ts'
import { UNLIMITED } from './limits.ts'
import { closeTraps, openTraps } from './open-traps.ts'
import type { LinkFacts, PageFacts } from './page-facts.ts'
import { withoutIdleParameters } from './suspects.ts'

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
  findings: HazardFinding[]
  memory: SiteMemory
  largestMemory: number
}

const HOST = 'http://site.test'
/** When all of it is asked for: dates in URLs are held against it. */
const TODAY = Date.UTC(2026, 0, 1)
const ABSURD = '/no-such-name-4f1c9a.html'

/** `before`: what the site has shown in earlier visits. */
export function crawl(site: Site, max = 2000, options = NO_LIMITS, before?: TrapMemory): Trace {
  let memory = freshMemory()
  const traps = openTraps(before)
  const seen = new Set(['/'])
  const queue: WaitingUrl[] = [{ path: '/', depth: 0, generation: 0 }]
  const fetched = new Set<string>()
  const refused = new Map<string, string>()
  const held: WaitingUrl[] = []
  const findings: HazardFinding[] = []
  const digests = new Set<bigint>()
  let requests = 0
  let largestMemory = 0
  for (let at = 0; at < queue.length && requests < max; at++) {
    const waiting = queue[at]
    const { path, depth } = waiting
    const refusal = admitUrl(memory, traps, waiting, options)
    if (refusal !== undefined) {
      refused.set(path, refusal.rule)
      held.push(waiting)
      const plain = withoutIdleParameters(traps.suspects, path)
      if (plain !== undefined && !seen.has(plain)) {
        seen.add(plain)
        queue.push({ ...waiting, path: plain, isInferred: true })
      }
      continue
    }
    requests++
    fetched.add(path)
    const { generation, via, isInferred = false } = waiting
    const facts = { ...factsOf(path, depth, site(path), seen, digests, requests), generation, via, isInferred }
    const judged = judgePage(memory, traps, facts, options)
    if (judged.requeue) {
      for (const { path } of held) refused.delete(path)
      queue.push(...held.splice(0))
    }
    memory = judged.memory
    findings.push(...judged.findings)
    if (requests % 10 === 0) largestMemory = Math.max(largestMemory, JSON.stringify(closeTraps(traps)).length)
    if (judged.probe !== undefined) {
      requests++
      const { status, content } = factsOf(ABSURD, 0, site(ABSURD), seen, new Set(), requests)
      learnProbe(traps, { status, content, path: ABSURD })
    }
    if (judged.invention !== undefined) {
      requests++
      const { path: name } = judged.invention
      const { status, content, links } = factsOf(name, 0, site(name), seen, new Set(), requests)
      const fresh = links.filter((link) => link.fresh).map((link) => link.path)
      if (status === 404) learnMissing(traps, judged.invention)
      else if (content) learnInvention(traps, judged.invention, { path: name, content, fresh }, facts.at)
    }
    if (!judged.follow) continue
    for (const link of facts.links) {
      if (!link.fresh) continue
      seen.add(link.path)
      const listed =
        (judged.lists || (facts.outcome === 'moved' && generation === 0)) && familiesBeside(path, via)(link.path)
      queue.push({ path: link.path, depth: depth + 1, generation: listed ? 0 : generation + 1, via: path })
    }
  }
  return { requests, fetched, refused, findings, memory: { ...memory, traps: closeTraps(traps) }, largestMemory }
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
  const blank = { url: HOST + path, path, depth, generation: 0, at: TODAY + at, status, mediaType: 'text/html', tookMs }
  const bytes = answer?.bytes ?? html.length
  const outcome = kept ? 'kept' : location === undefined ? 'gone' : 'moved'
  const none = { ...blank, bytes, outcome, duplicate: false, crossSite: 0 } as const
  if (!kept) return { ...none, links: location === undefined ? [] : linksOf([location], path, seen).links }
  const input = { mediaType: 'text/html', charset: 'utf-8', bytes: Buffer.from(html) }
  const reading = readPage(input)
  const { signature } = reading
  const digest = hash64(html)
  const duplicate = digests.has(digest)
  digests.add(digest)
  const hrefs = reading.links.filter(({ kind }) => kind !== 'embed').map(({ href }) => href)
  const isPicture = ({ kind, media }: (typeof reading.links)[number]) => kind === 'embed' && media === 'image'
  const embedded = reading.links.filter(isPicture).map(({ href }) => href)
  const { textDigest, simhash, shape, words, length, tags, minima } = signature
  const embeds = embedded.length === 0 ? 0n : hash64(embedded.join('\n'))
  const content = {
    digest: String(digest),
    textDigest,
    simhash,
    shape,
    words,
    length,
    tags,
    minima,
    title: reading.title,
  }
  return {
    ...none,
    duplicate,
    content: { ...content, embeds, text: () => readText(input, 'own') },
    ...linksOf(hrefs, path, seen),
  }
}

function linksOf(
  hrefs: readonly string[],
  path: string,
  seen: ReadonlySet<string>,
): { links: LinkFacts[]; crossSite: number } {
  const resolve = resolver(HOST + path)
  const links = new Map<string, LinkFacts>()
  let crossSite = 0
  for (const href of hrefs) {
    const resolved = resolve(href)
    if (resolved.kind !== 'url') continue
    if (resolved.url.host !== 'site.test') crossSite++
    else {
      const to = normalPath(resolved.url)
      if (!links.has(to)) links.set(to, { key: resolved.url.key, path: to, fresh: !seen.has(to) })
    }
  }
  return { links: [...links.values()], crossSite }
}
