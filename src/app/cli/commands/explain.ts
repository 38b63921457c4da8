import { pick } from '../../../base/pick.ts'
import type { Decided } from '../../../contracts/control.ts'
import type { SiteFacts, UrlFacts, WhyNot } from '../../reader/explain.ts'
import { explainSite, explainUrl, type SiteLists } from '../../reader/explain-text.ts'
import { type Command, crawlSettings, withReader } from '../command.ts'
import { firstOf, jsonOf, plain, targetOf } from '../text.ts'

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
  const siteFacts = siteJson(site, lists)
  return jsonOf(url === undefined ? { site: siteFacts } : { ...urlJson(url), whyNot, siteFacts }) as object
}

/** Key by key, so that only documented ones are printed. */
function urlJson({ url, site, view, page, captures, lastGoodAt, failedLook, robots, inlinks }: UrlFacts): object {
  const { mark, seed = false, depth, via, tries = 0, enqueuedAt, ahead } = view ?? {}
  const dueAt = mark === 'waiting' ? view?.dueAt : undefined
  return {
    ...{ url, site, mark, seed, depth, via, tries, enqueuedAt, dueAt, ahead },
    page: page && {
      ...pick(page, 'at', 'firstAt', 'looks', 'status', 'mediaType', 'sniffed', 'language', 'bytes', 'outcome', 'why'),
      ...pick(page, 'detail', 'digest', 'title', 'annotations'),
    },
    ...{ captures, lastGoodAt },
    failedLook: failedLook && pick(failedLook, 'at', 'status', 'outcome', 'why', 'detail'),
    ...{ robots, inlinks },
  }
}

function siteJson(
  { site, view, documents, findings, choice = {}, crawl = {} }: SiteFacts,
  { left, blacklist }: SiteLists,
): object {
  const decided = (one: Decided | undefined) => one && pick(one, 'who', 'at', 'reason')
  const operator = {
    paused: decided(choice.paused),
    barred: decided(choice.barred),
    pauseMs: choice.pauseMs,
    trust: choice.trust ?? [],
    confirmed: (choice.confirmed ?? []).map((one) => pick(one, 'rule', 'pattern', 'who', 'at', 'reason')),
    crawlPaused: decided(crawl.paused),
  }
  if (view === undefined) return { site, state: 'unknown', blacklist, operator }
  const { robots, crawlDelay, silent, stopped, sitemaps, hints, traps } = view.memory
  const robotsOf = (one: typeof robots.http) =>
    one && { ...pick(one, 'state', 'status', 'at', 'since'), tries: one.tries ?? 0, tooBig: one.tooBig ?? false }
  return {
    site,
    ...pick(view, 'state', 'reason'),
    ...{ blacklist, operator },
    ...pick(view, 'seed', 'address', 'notBefore', 'politeAt'),
    pauseMs: view.pause,
    crawlDelayMs: crawlDelay,
    urls: pick(view, 'known', 'waiting'),
    documents,
    ...pick(view, 'visits', 'losses', 'deferral'),
    alias: view.alias && pick(view.alias, 'original', 'how', 'evidence', 'since'),
    leftMirror: left && pick(left, 'original', 'on', 'why'),
    domain:
      view.domain &&
      pick(view.domain, 'name', 'sites', 'endorsed', 'held', 'wildcard', 'addresses', 'probedAt', 'allowed'),
    unendorsed: view.unendorsedSite,
    ...{ silent, stopped },
    robots: { http: robotsOf(robots.http), https: robotsOf(robots.https) },
    ...{ sitemaps, hints },
    suspectPatterns: (traps?.suspects ?? []).map((suspect) => ({
      ...pick(suspect, 'rule', 'pattern', 'evidence', 'refused'),
      state: suspect.stopped ? 'stopped' : 'suspected',
      samples: pick(suspect, 'confirmed', 'contradicted'),
    })),
    findings: findings.map(({ withdrawn_at: withdrawnAt, ...finding }) => ({ ...finding, withdrawnAt })),
  }
}
