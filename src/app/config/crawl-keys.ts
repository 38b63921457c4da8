/** Settings that every command takes, and those that define a crawl. A part of the table in `keys.ts`. */
import { availableParallelism } from 'node:os'
import { LONGEST_URL } from '../../web/url/web-url.ts'
import { pauseFor, resolveAs, trust } from './hosts.ts'
import * as a from './parsers.ts'
import { COMMAND_NAMES, type CommandName, many, maybe, one, type Setting, toggle, yesNo } from './setting.ts'

const CRAWL: readonly CommandName[] = ['crawl', 'serve', 'config']
/** Settings that a simulated crawl takes too. */
const SIMULATED: readonly CommandName[] = [...CRAWL, 'simulate']
const LOOKUPS: readonly CommandName[] = [...CRAWL, 'mirrors']
const crawl = { commands: CRAWL, lasting: true } as const

const general = { group: 'General', commands: COMMAND_NAMES } as const
const what = { group: 'What to collect', ...crawl } as const
const limit = { group: 'Limits', ...crawl } as const
const politeness = { group: 'Politeness', ...crawl } as const
const identity = { group: 'Identity', ...crawl } as const
const work = { group: 'Order and workers', ...crawl } as const
const network = { group: 'Network', ...crawl } as const
const storage = { group: 'Storage', ...crawl } as const

const SECOND = 1000
const DAY = 86_400 * SECOND
/** Why the pause has a minimum. */
const OWN_SERVERS = 'for your own servers, use --pause-for HOST=DURATION'

export const CRAWL_SETTINGS = {
  collection: one(a.path, {
    ...general,
    form: 'DIR',
    short: 'c',
    default: './collection',
    what: 'The folder of the collection.',
  }),
  config: maybe(a.path, {
    ...general,
    flagOnly: true,
    form: 'FILE',
    defaultText: 'orbweaver.yaml in the collection',
    what: 'Read settings from this file or pipe (--config <(…)).',
  }),
  json: toggle({
    ...general,
    flagOnly: true,
    what: 'Print the result as JSON; docs/reference/json.md lists the keys.',
  }),
  quiet: toggle({ ...general, short: 'q', what: 'Print only results and problems.' }),
  verbose: toggle({ ...general, short: 'v', what: 'Print every event on standard error, one per line.' }),
  progressEvery: one(a.duration({ min: 100, max: DAY }), {
    ...general,
    commands: ['crawl', 'serve', 'worker', 'demo', 'config'],
    form: 'DURATION',
    default: '10s',
    what: 'How often to print a progress line when standard error is not a terminal.',
  }),

  seeds: maybe(a.path, {
    ...what,
    lasting: false,
    commands: ['crawl', 'serve', 'seed', 'config'],
    form: 'FILE',
    what: 'Read seeds from this file, one per line; # starts a comment, - is standard input.',
  }),
  scope: one(a.scope, {
    ...what,
    form: 'SCOPE',
    default: 'host',
    defaultText: "host (the seeds' hosts)",
    what: 'Which URLs belong to the collection: page, prefix, host or domain (relative to the seeds), tld:br (several: tld:br,pt) or surt:PREFIX.',
  }),
  include: many(a.regex, {
    ...what,
    form: 'REGEX',
    what: 'Collect only URLs in scope that match one of these.',
  }),
  exclude: many(a.regex, { ...what, form: 'REGEX', what: 'Do not collect URLs that match this.' }),
  mediaTypes: many(a.mediaType, {
    ...what,
    form: 'TYPE[,TYPE…]',
    commas: true,
    default: [
      'text/html',
      'application/xhtml+xml',
      'text/plain',
      'application/pdf',
      'application/postscript',
      'application/msword',
      'application/rtf',
    ],
    what: "Media types to keep; text/* and */* work too. Bodies of other types are not downloaded, and URLs whose extension shows another type are skipped. A page's images, styles and scripts are never fetched.",
  }),
  queries: one(yesNo, {
    ...what,
    form: 'yes|no',
    default: 'yes',
    what: 'Whether to collect URLs with a query (?a=b).',
  }),
  links: maybe(a.oneOf('home-page', 'deep', 'combined'), {
    ...what,
    form: 'home-page|deep|combined',
    defaultText: 'home-page for tld: scopes, otherwise combined',
    what: 'What a link to another site adds: its home page, the linked page, or both.',
  }),
  urlRules: many(a.urlRule, {
    ...what,
    commands: ['crawl', 'serve', 'seed', 'config'],
    form: 'RULE[,RULE…]',
    commas: true,
    default: ['usual'],
    what: 'Rules that decide when two spellings are the same URL: usual, none, or names; + or - before a name changes the usual set (--url-rules=-index-files). Fixed when the collection is created. See docs/reference/url-rules.md.',
  }),
  sitemaps: one(a.oneOf('no', 'robots', 'usual'), {
    ...what,
    form: 'no|robots|usual',
    default: 'robots',
    what: 'Sitemaps to read: none (no), those that robots.txt names and feeds that pages link to (robots), or /sitemap.xml as well (usual).',
  }),
  blacklistUrls: maybe(a.path, {
    ...what,
    form: 'FILE',
    what: 'URLs never to fetch, one per line. Changes to the file take effect during a crawl.',
  }),
  blacklistDomains: maybe(a.path, {
    ...what,
    form: 'FILE',
    what: 'Domains never to visit, with all their hosts, one per line. Changes to the file take effect during a crawl.',
  }),
  blacklistAddresses: maybe(a.path, {
    ...what,
    form: 'FILE',
    what: 'IP addresses and networks (192.0.2.0/24) never to connect to, one per line. Changes to the file take effect during a crawl.',
  }),
  mirrors: maybe(a.path, {
    ...what,
    form: 'FILE',
    defaultText: 'mirrors.txt in the collection, if present',
    what: 'A list of mirrors, one REPLICA ORIGINAL pair per line. Links to a replica are followed on the original. A replica whose home page has become different leaves the list.',
  }),

  limits: one(a.oneOf('generous', 'vn'), {
    ...limit,
    form: 'generous|vn',
    default: 'generous',
    what: 'A preset; vn uses the thresholds of the Viúva Negra paper (depth 5, 5,000 URLs and 10 duplicates per site, URLs of 200 characters, 2 MB).',
  }),
  maxPages: maybe(a.count({ min: 1 }), {
    ...limit,
    lasting: false,
    form: 'N',
    what: 'Stop after this many documents (exit code 14).',
  }),
  maxTime: maybe(a.duration({ min: SECOND }), {
    ...limit,
    lasting: false,
    form: 'DURATION',
    what: 'Stop after this time (exit code 15).',
  }),
  maxSize: maybe(a.size({ min: 1000 }), {
    ...limit,
    lasting: false,
    form: 'SIZE',
    what: 'Stop when the documents reach this total size (exit code 16).',
  }),
  maxDepth: one(a.count({ max: 10_000 }), {
    ...limit,
    form: 'N',
    default: '1000',
    what: 'Follow links within a site up to this many levels below the URL at which the crawl entered it.',
  }),
  maxUrlsPerSite: one(a.count({ min: 1 }), {
    ...limit,
    form: 'N',
    default: '100000',
    what: 'Stop following links within a site once it has this many URLs. Collected pages are kept.',
  }),
  maxDuplicatesPerSite: maybe(a.count({ min: 1 }), {
    ...limit,
    form: 'N',
    what: 'Stop following links within a site once this many of its pages repeat content that it already had.',
  }),
  trust: many(trust, {
    ...limit,
    form: 'SITE[=RULE,…]',
    what: 'Ignore hazard rules for a site, for *.domain or for * (docs/tasks/traps.md lists the rules). Without rules: ignore all of them.',
  }),
  maxUrlLength: one(a.count({ min: 30, max: LONGEST_URL }), {
    ...limit,
    form: 'N',
    default: '2000',
    what: 'Skip URLs longer than this.',
  }),
  maxBytes: many(a.typeLimit, {
    ...limit,
    form: 'TYPE=SIZE',
    default: ['text/html=2MB', 'application/xhtml+xml=2MB', '*/*=10MB'],
    join: (given, defaults) => [...given, ...defaults.filter((d) => !given.some((g) => g.type === d.type))],
    what: 'Maximum size of a decoded body, per media type. A longer body is truncated, kept and marked.',
  }),

  pause: one(a.duration({ min: SECOND, max: DAY, because: OWN_SERVERS }), {
    ...politeness,
    commands: SIMULATED,
    form: 'DURATION',
    default: '2s',
    what: 'Minimum time between the end of a response and the next request to the same site; at least 1s.',
  }),
  pauseFor: many(pauseFor, {
    ...politeness,
    form: 'HOST=DURATION',
    what: 'A different pause for your own servers: a host, *.domain, an IP address or a reserved name such as *.test. It replaces the address pause there too.',
  }),
  addressPause: one(a.duration({ min: 100, max: 60 * SECOND, because: OWN_SERVERS }), {
    ...politeness,
    commands: SIMULATED,
    form: 'DURATION',
    default: '500ms',
    what: 'Minimum time between a response and the next request to the same IP address, for all its sites together; at least 100ms.',
  }),
  pauseFactor: one(a.number({ min: 1, max: 100, because: OWN_SERVERS }), {
    ...politeness,
    form: 'N',
    default: '2',
    what: 'Pause at least this many times as long as the last response took, to spare slow servers; at least 1.',
  }),
  maxSlowPause: one(a.duration({ min: 2 * SECOND, max: DAY, because: OWN_SERVERS }), {
    ...politeness,
    form: 'DURATION',
    default: '30s',
    what: 'The longest pause that --pause-factor can cause.',
  }),
  maxCrawlDelay: one(a.duration({ min: 10 * SECOND, max: DAY }), {
    ...politeness,
    form: 'DURATION',
    default: '5m',
    what: 'The longest Crawl-delay in robots.txt to obey; a longer one is reduced to this.',
  }),
  maxRetryAfter: one(a.duration({ min: 60 * SECOND, max: 7 * DAY }), {
    ...politeness,
    form: 'DURATION',
    default: '1h',
    what: 'The longest Retry-After to obey; a longer one is reduced to this.',
  }),

  contact: maybe(a.contact, {
    ...identity,
    form: 'URL|EMAIL',
    what: 'Where webmasters learn who is crawling and why; it is part of the User-Agent.',
  }),
  userAgentName: one(a.productToken, {
    ...identity,
    form: 'NAME',
    default: 'Orbweaver',
    what: 'The name in the User-Agent, which robots.txt can address.',
  }),

  order: one(a.oneOf('klwf', 'round-robin', 'random'), {
    ...work,
    commands: SIMULATED,
    form: 'klwf|round-robin|random',
    default: 'klwf',
    what: 'Which site is next: the one whose oldest URL has waited longest (klwf), the one not visited for longest (round-robin), or any (random).',
  }),
  randomSeed: maybe(a.count({ max: 2 ** 32 - 1 }), {
    ...work,
    commands: ['crawl', 'serve', 'config', 'demo', 'simulate'],
    form: 'N',
    defaultText: 'random',
    what: 'Seed of the random numbers, to repeat a run.',
  }),
  workers: one(
    // The main thread needs a core too: it stores or ships what the workers bring. One more worker costs about 100 MB and some
    // CPU per page, and only a web without any pause would use it.
    (text) =>
      text === 'spare' ? Math.min(64, Math.max(1, availableParallelism() - 1)) : a.count({ min: 1, max: 64 })(text),
    {
      ...work,
      lasting: false,
      commands: ['crawl', 'worker', 'config', 'demo', 'simulate'],
      form: 'N',
      default: 'spare',
      defaultText: "one fewer than the machine's cores, at least 1; 2 for simulate",
      what: 'Maximum number of threads that fetch and read pages; they start as needed.',
    },
  ),
  visits: one(a.count({ min: 1, max: 10_000 }), {
    ...work,
    lasting: false,
    commands: ['crawl', 'worker', 'config', 'simulate'],
    form: 'N',
    default: '300',
    what: 'How many sites one thread visits at the same time.',
  }),
  slicePages: one(a.count({ min: 1, max: 100_000 }), {
    ...work,
    commands: SIMULATED,
    form: 'N',
    default: '500',
    what: 'How many pages a visit to a site fetches before another waiting site gets its turn.',
  }),
  sliceTime: one(a.duration({ min: SECOND, max: DAY }), {
    ...work,
    form: 'DURATION',
    default: '15m',
    what: 'How long a visit to a site lasts before another waiting site gets its turn.',
  }),
  lease: one(a.duration({ min: 10 * SECOND, max: DAY }), {
    ...work,
    form: 'DURATION',
    default: '3m',
    what: 'How long a thread holds a site without renewing its lease; must be longer than --connect-timeout and --exchange-timeout together.',
  }),
  watchdog: one(a.duration({ min: 10 * SECOND, max: DAY }), {
    ...work,
    lasting: false,
    commands: ['crawl', 'worker', 'config'],
    form: 'DURATION',
    default: '5m',
    what: 'Replace a thread that shows no sign of life for this long.',
  }),

  resolve: many(resolveAs, {
    ...network,
    commands: LOOKUPS,
    form: 'HOST=IP[:PORT]',
    what: 'Connect to this address for this host (also *.test and *), like curl --resolve. Private addresses are allowed here.',
  }),
  allowPrivate: toggle({
    ...network,
    commands: LOOKUPS,
    what: 'Allow loopback, private and link-local addresses and names reserved for private use (*.local, *.internal), which are refused otherwise.',
  }),
  dnsServers: many(a.dnsServer, {
    ...network,
    commands: LOOKUPS,
    form: 'IP[:PORT][,…]',
    commas: true,
    defaultText: "the system's",
    what: 'Name servers to use.',
  }),
  patience: one(a.number({ min: 0.001, max: 100 }), {
    ...network,
    form: 'N',
    default: '1',
    what: 'Multiplies the waits before a failed request is retried; the politeness pause still applies.',
  }),
  tls: one(a.oneOf('open', 'strict'), {
    ...network,
    form: 'open|strict',
    default: 'open',
    what: 'Whether to collect pages whose certificate is expired or self-signed (open, as archives do) or to count them as failed (strict).',
  }),
  connectTimeout: one(a.duration({ min: 100, max: 600 * SECOND }), {
    ...network,
    form: 'DURATION',
    default: '20s',
    what: 'Time limit for connecting, TLS included.',
  }),
  firstByteTimeout: one(a.duration({ min: 100, max: 600 * SECOND }), {
    ...network,
    form: 'DURATION',
    default: '30s',
    what: 'Time limit for a response to begin.',
  }),
  idleTimeout: one(a.duration({ min: 100, max: 600 * SECOND }), {
    ...network,
    form: 'DURATION',
    default: '20s',
    what: 'Give up when no data arrives for this long.',
  }),
  exchangeTimeout: one(a.duration({ min: 100, max: 3600 * SECOND }), {
    ...network,
    form: 'DURATION',
    default: '60s',
    what: 'Time limit for a whole request and its response.',
  }),
  leastRate: one(a.size({ max: 1e9 }), {
    ...network,
    form: 'SIZE',
    default: '500B',
    what: 'Give up a body that arrives more slowly than this per second.',
  }),

  volumeSize: one(a.size({ min: 1e6, max: 100e9 }), {
    ...storage,
    form: 'SIZE',
    default: '1GB',
    what: 'Start a new volume (WARC file) when the current one reaches this size.',
  }),
} as const satisfies Record<string, Setting<unknown>>
