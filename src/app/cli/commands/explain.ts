import { pick } from '../../../base/pick.ts'
import type { SiteView } from '../../../frontier/contract.ts'
import type { SiteFacts, UrlFacts, WhyNot } from '../../reader/explain.ts'
import { explainSite, explainUrl, type SiteLists } from '../../reader/explain-text.ts'
import { type Command, crawlSettings, withReader } from '../command.ts'
import { decidedJson, firstOf, isoTime, plain, targetOf } from '../text.ts'

export const explain: Command = {
  name: 'explain',
  usage: 'URL|SITE',
  what: 'show why a URL or a site is, or is not, in the collection',
  more: 'Shows whether a URL is waiting, was collected, redirected, refused (and by which rule) or given up, how it was found, and which pages link to it. A host name alone means a site: its state, robots.txt, pause, and what stopped it.',
  examples: {
    'orbweaver explain https://www.example.org/missing.html': 'Show why a page is missing.',
    'orbweaver explain www.example.org': 'Show the state of a site.',
    'orbweaver explain https://www.example.org/ --top 100 --json': 'List a hundred pages that link to it, as JSON.',
  },
  async run(call) {
    const target = targetOf(call.args[0])
    const now = call.clock.now()
    const answer = await withReader(call, async (reader) => {
      const settings = await crawlSettings(reader, call, 'explain')
      const factsOf = async (name: string) => {
        const site = await reader.siteFacts(name)
        const left = await reader.leftMirror(site.site, settings)
        const rule = (await reader.whyNot(`http://${site.site}/`, settings))?.rule
        return { site, left, blacklist: rule?.startsWith('blacklist') ? rule : undefined }
      }
      if ('site' in target) return { ...(await factsOf(target.site)), url: undefined, whyNot: undefined }
      const { urls } = target
      const ask = (url: string) => reader.urlFacts(url, call.settings.top)
      const known = await firstOf(urls, async (url) => {
        const facts = await ask(url)
        return facts.view === undefined && facts.page === undefined ? undefined : facts
      })
      const url = known ?? (await ask(urls[0]))
      const whyNot = known === undefined ? await reader.whyNot(url.url, settings) : undefined
      return { url, ...(await factsOf(url.site)), whyNot }
    })
    const { url, site, whyNot } = answer
    const ofUrl = url === undefined ? [] : explainUrl(url, site, now, whyNot).map((line) => `  ${line}`)
    const head = url === undefined ? [] : [plain(url.url)]
    return { json: json(answer), text: [...head, ...ofUrl, ...explainSite(site, now, answer)] }
  },
}

interface Explained extends SiteLists {
  url: UrlFacts | undefined
  site: SiteFacts
  whyNot: WhyNot | undefined
}

function json({ url, site, whyNot, ...lists }: Explained): object {
  return url === undefined
    ? { site: siteJson(site, lists) }
    : { ...urlJson(url), whyNot: whyNot ?? null, siteFacts: siteJson(site, lists) }
}

/** Field by field, so that only documented keys are printed. */
function urlJson({ url, site, view, page, captures, lastGoodAt, failedLook, robots, inlinks }: UrlFacts): object {
  return {
    url,
    site,
    mark: view?.mark ?? null,
    seed: view?.seed ?? false,
    depth: view?.depth ?? null,
    via: view?.via ?? null,
    tries: view?.tries ?? 0,
    enqueuedAt: isoTime(view?.enqueuedAt),
    dueAt: isoTime(view?.mark === 'waiting' ? view.dueAt : undefined),
    ahead: view?.ahead ?? null,
    page:
      page === undefined
        ? null
        : {
            at: isoTime(page.at),
            firstAt: isoTime(page.firstAt),
            ...pick(page, 'looks', 'status', 'mediaType', 'sniffed', 'language', 'bytes', 'outcome', 'why', 'detail'),
            ...pick(page, 'digest', 'title', 'annotations'),
          },
    captures,
    lastGoodAt: isoTime(lastGoodAt),
    failedLook:
      failedLook === undefined
        ? null
        : { at: isoTime(failedLook.at), ...pick(failedLook, 'status', 'outcome', 'why', 'detail') },
    robots: robots ?? null,
    inlinks,
  }
}

function siteJson(
  { site, view, documents, findings, choice = {}, crawl = {} }: SiteFacts,
  { left, blacklist }: SiteLists,
): object {
  const operator = {
    paused: choice.paused === undefined ? null : decidedJson(choice.paused),
    barred: choice.barred === undefined ? null : decidedJson(choice.barred),
    pauseMs: choice.pauseMs ?? null,
    trust: choice.trust ?? [],
    confirmed: (choice.confirmed ?? []).map(({ rule, pattern, ...decided }) => ({
      rule,
      pattern: pattern ?? null,
      ...decidedJson(decided),
    })),
    crawlPaused: crawl.paused === undefined ? null : decidedJson(crawl.paused),
  }
  if (view === undefined) return { site, state: 'unknown', blacklist: blacklist ?? null, operator }
  const { http, https } = view.memory.robots
  return {
    site,
    state: view.state,
    reason: view.reason ?? null,
    blacklist: blacklist ?? null,
    operator,
    seed: view.seed,
    address: view.address ?? null,
    notBefore: isoTime(view.notBefore),
    politeAt: isoTime(view.politeAt),
    pauseMs: view.pause,
    crawlDelayMs: view.memory.crawlDelay ?? null,
    urls: { known: view.known, waiting: view.waiting },
    documents,
    ...pick(view, 'visits', 'losses', 'deferral'),
    alias:
      view.alias === undefined
        ? null
        : { ...pick(view.alias, 'original', 'how', 'evidence'), since: isoTime(view.alias.since) },
    leftMirror: left === undefined ? null : pick(left, 'original', 'on', 'why'),
    domain: domainJson(view.domain),
    unendorsed: view.unendorsedSite ?? null,
    silent: view.memory.silent,
    stopped: view.memory.stopped ?? null,
    robots: { http: robotsJson(http), https: robotsJson(https) },
    sitemaps: view.memory.sitemaps ?? null,
    hints: view.memory.hints ?? null,
    suspectPatterns: (view.memory.traps?.suspects ?? []).map((suspect) => ({
      ...pick(suspect, 'rule', 'pattern', 'evidence'),
      state: suspect.stopped ? 'stopped' : 'suspected',
      refused: suspect.refused,
      samples: pick(suspect, 'confirmed', 'contradicted'),
    })),
    findings: findings.map(({ at, withdrawn_at, ...finding }) => ({
      ...finding,
      at: isoTime(at),
      withdrawnAt: withdrawn_at === null ? null : isoTime(withdrawn_at),
    })),
  }
}

function domainJson(domain: SiteView['domain']): object | null {
  if (domain === undefined) return null
  const { probedAt, allowed } = domain
  const known = pick(domain, 'name', 'sites', 'endorsed', 'held', 'wildcard', 'addresses')
  return { ...known, probedAt: isoTime(probedAt), allowed }
}

function robotsJson(robots: SiteView['memory']['robots']['http']): object | null {
  if (robots === undefined) return null
  const { state, status, at, since, tries, tooBig } = robots
  return { state, status, at: isoTime(at), since: isoTime(since), tries: tries ?? 0, tooBig: tooBig ?? false }
}
