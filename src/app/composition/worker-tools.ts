/** A worker's tools, from the plan and from what reaches the world: real, or simulated. */
import type { Headers } from '../../contracts/exchange.ts'
import { AddressCourtesy } from '../../crawl/address-courtesy.ts'
import { SiteCourtesy } from '../../crawl/courtesy.ts'
import { ForeignRobots } from '../../crawl/foreign-robots.ts'
import { type Blacklist, emptyBlacklist, withLines } from '../../crawl/scope/blacklist.ts'
import { WildcardDns } from '../../crawl/wildcard-dns.ts'
import { StandingOrders } from '../../crawl/worker/standing-orders.ts'
import type { WorkerOptions } from '../../crawl/worker/worker.ts'
import { readInTurns } from '../../page/reading.ts'
import { userAgent } from '../../web/http/user-agent.ts'
import { regionRulesOf, trustOf } from '../config/hosts.ts'
import type { Settings } from '../config/keys.ts'
import { type CrawlPlan, hazardLimits, parseUrls, pauseOf, scopeFor, urlsOf } from './plan.ts'

/** Maximum visits at one address at the same time. */
const VISITS_PER_ADDRESS = 8

type Reached = 'clock' | 'journal' | 'openSession' | 'resolve' | 'archive' | 'findCopy' | 'watch'

export interface World extends Pick<WorkerOptions['tools'], Reached> {
  /** Undefined: there are none. */
  blacklist?: () => Blacklist
  /** Undefined: no operator steers it. */
  orders?: StandingOrders
}

export function workerTools(plan: CrawlPlan, world: World): WorkerOptions['tools'] {
  const { settings } = plan
  const urls = urlsOf(settings)
  const { orders = new StandingOrders(), blacklist: files = () => emptyBlacklist, ...reached } = world
  const blacklist = withLines(files, () => orders.blacklist)
  const trusts = trustOf(settings.trust)
  return {
    ...reached,
    urls,
    scope: scopeFor(settings, parseUrls(urls, plan.seeds), blacklist, parseUrls(urls, plan.alternates)),
    refusesAddress: (ip) => blacklist().refusesAddress(ip),
    isRefused: (url) => blacklist().refusesUrl(url) !== undefined,
    isStopped: (site) => orders.isStopped(site),
    hazards: hazardLimits(settings),
    trusts: (site, rule) => trusts(site, rule) || orders.trusts(site, rule),
    confirms: (site, rule, pattern) => orders.confirms(site, rule, pattern),
    regionRules: regionRulesOf(settings.ignore, settings.watch),
    sitemaps: settings.sitemaps,
    pauses: {
      configured(site, address) {
        const ordered = orders.pauseOf(site)
        return ordered === undefined ? pauseOf(settings, site, address) : { pause: ordered, own: false }
      },
      factor: settings.pauseFactor,
      maxByFactor: settings.maxSlowPause,
      maxCrawlDelay: settings.maxCrawlDelay,
      maxRetryAfter: settings.maxRetryAfter,
    },
    courtesyOf: (...args) => new SiteCourtesy(...args),
    addresses: new AddressCourtesy(world.clock, settings.addressPause, VISITS_PER_ADDRESS),
    domains: new WildcardDns(world.clock, world.resolve),
    foreign: new ForeignRobots(world.clock),
    read: readInTurns,
    token: settings.userAgentName,
    headers: requestHeaders(settings, plan.version),
    exchangeMs: settings.exchangeTimeout,
    patience: settings.patience,
  }
}

/** `NAME/VERSION (+CONTACT)` (V17). */
export function userAgentOf(settings: Settings, version: string): string {
  return userAgent({ name: settings.userAgentName, version, contact: settings.contact })
}

function requestHeaders(settings: Settings, version: string): Headers {
  return [
    ['User-Agent', userAgentOf(settings, version)],
    ['Accept', 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'],
    ['Accept-Encoding', 'gzip, deflate, br, zstd'],
  ]
}
