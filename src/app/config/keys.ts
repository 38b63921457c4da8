/**
 * The one table of settings. A key `maxPages` is the flag `--max-pages`, the line `max-pages:` of orbweaver.yaml and the
 * variable `ORBWEAVER_MAX_PAGES`. Nothing else defines a default, and nothing here switches robots.txt or the pause off.
 */
import { availableParallelism } from 'node:os'
import { VN } from '../../crawl/hazards/limits.ts'
import { LONGEST_URL } from '../../web/url/web-url.ts'
import { clusterSettings } from './cluster-keys.ts'
import { COMMAND_SETTINGS } from './command-keys.ts'
import { pauseFor, resolveAs } from './hosts.ts'
import * as a from './parsers.ts'
import { type CommandName, many, maybe, one, type Setting, toggle, yesNo } from './setting.ts'
import { trust } from './trust.ts'

const ALL: readonly CommandName[] = [
  'demo',
  'crawl',
  'status',
  'report',
  'get',
  'history',
  'explain',
  'verify',
  'clean',
  'export',
  'seed',
  'mirrors',
  'config',
  'simulate',
  'serve',
  'worker',
]
/** All that open a collection, here or in a shared database. */
const COLLECTIONS = ALL.filter((name) => !['demo', 'simulate', 'worker'].includes(name))
/** What makes a crawl: `crawl` and `serve` take it, `config` shows it. */
const CRAWL: readonly CommandName[] = ['crawl', 'serve', 'config']
const crawl = { commands: CRAWL, lasting: true } as const
/** What a simulated crawl may be made with, too. */
const SIMULATED: readonly CommandName[] = [...CRAWL, 'simulate']

const say = { group: 'Where and how much to say', commands: ALL } as const
const what = { group: 'What to collect', ...crawl } as const
const limit = { group: 'Limits', ...crawl } as const
const courtesy = { group: 'Courtesy', ...crawl } as const
const who = { group: 'Who we are', ...crawl } as const
const work = { group: 'Order and work', ...crawl } as const
const network = { group: 'Network', ...crawl } as const
const keeping = { group: 'Keeping', ...crawl } as const

const SECOND = 1000
const DAY = 86_400 * SECOND
/** Why the courtesy of strangers has a floor. */
const OWN_SERVERS = 'for servers of your own, name them with --pause-for HOST=DURATION'

export const SETTINGS = {
  collection: one(a.path, {
    ...say,
    form: 'DIR',
    short: 'c',
    default: './collection',
    what: 'The folder of the collection.',
  }),
  config: maybe(a.path, {
    ...say,
    flagOnly: true,
    form: 'FILE',
    defaultText: 'orbweaver.yaml in the collection',
    what: 'Read settings from this file, or from a pipe: --config <(…).',
  }),
  json: toggle({
    ...say,
    flagOnly: true,
    what: 'Print the result as JSON, with the keys that docs/reference/json.md lists.',
  }),
  quiet: toggle({ ...say, short: 'q', what: 'Say nothing but results and problems.' }),
  verbose: toggle({ ...say, short: 'v', what: 'Tell every event on standard error, one a line.' }),
  progressEvery: one(a.duration({ min: 100, max: DAY }), {
    ...say,
    commands: ['crawl', 'serve', 'worker', 'demo', 'config'],
    form: 'DURATION',
    default: '10s',
    what: 'How often to print a line of progress where there is no terminal.',
  }),

  seeds: maybe(a.path, {
    ...what,
    lasting: false,
    commands: ['crawl', 'serve', 'seed', 'config'],
    form: 'FILE',
    what: 'Read seeds from this file, one a line, # begins a comment; - is standard input.',
  }),
  scope: one(a.scope, {
    ...what,
    form: 'SCOPE',
    default: 'host',
    defaultText: "host (the seeds' hosts)",
    what: 'What belongs to the collection: page, prefix, host, domain (all of the seeds); tld:br (several: tld:br,pt); surt:PREFIX.',
  }),
  include: many(a.regex, {
    ...what,
    form: 'REGEX',
    what: 'Of the URLs in scope, collect only those that match one of these.',
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
    what: 'Media types to keep (text/* too, and */* for whatever links lead to; images, styles and scripts of a page are never asked for); the body of any other is not downloaded, and what its name tells to be another is not asked for.',
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
    defaultText: 'home-page for tld: scopes, else combined',
    what: 'What a link to another site adds: its home page, the page linked to, or both.',
  }),
  urlRules: many(a.urlRule, {
    ...what,
    commands: ['crawl', 'serve', 'seed', 'config'],
    form: 'RULE[,RULE…]',
    commas: true,
    default: ['usual'],
    what: 'By which rules two spellings of a URL are one: usual, none, or names; with + or - before a name, a change to the usual ones (--url-rules=-index-files). A collection keeps those it was made with. See docs/reference/url-rules.md.',
  }),
  sitemaps: one(a.oneOf('no', 'robots', 'usual'), {
    ...what,
    form: 'no|robots|usual',
    default: 'robots',
    what: 'Sitemaps to read for URLs: none; those that robots.txt names, and feeds that pages point to; or /sitemap.xml too.',
  }),
  blacklistUrls: maybe(a.path, {
    ...what,
    form: 'FILE',
    what: 'URLs never to ask for, one a line; read again when the file changes.',
  }),
  blacklistDomains: maybe(a.path, {
    ...what,
    form: 'FILE',
    what: 'Domains never to ask, with all hosts under them, one a line; read again when the file changes.',
  }),
  blacklistAddresses: maybe(a.path, {
    ...what,
    form: 'FILE',
    what: 'IP addresses and networks (192.0.2.0/24) never to connect to, one a line; read again when the file changes.',
  }),

  mirrors: maybe(a.path, {
    ...what,
    form: 'FILE',
    defaultText: 'mirrors.txt in the collection, if it is there',
    what: 'A list of mirrors, a line each: REPLICA ORIGINAL. Links to a replica are entered at the original; a replica whose home page is another by now leaves the list.',
  }),

  limits: one(a.oneOf('generous', 'vn'), {
    ...limit,
    form: 'generous|vn',
    default: 'generous',
    what: 'A preset: vn takes the thresholds of the Viúva Negra paper (depth 5, 5,000 URLs and 10 duplicates a site, URLs of 200 characters, 2 MB).',
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
    what: 'Stop when the documents have this many bytes (exit code 16).',
  }),
  maxDepth: one(a.count({ max: 10_000 }), {
    ...limit,
    form: 'N',
    default: '1000',
    what: 'Follow links in a site to this many levels below the URL by which it was entered.',
  }),
  maxUrlsPerSite: one(a.count({ min: 1 }), {
    ...limit,
    form: 'N',
    default: '100000',
    what: 'Follow no more links in a site that has this many URLs; what was collected is kept.',
  }),
  maxDuplicatesPerSite: maybe(a.count({ min: 1 }), {
    ...limit,
    form: 'N',
    what: 'Follow no more links in a site with this many pages whose content it has already.',
  }),
  trust: many(trust, {
    ...limit,
    form: 'SITE[=RULE,…]',
    what: 'Overrule hazard rules for a site, *.domain or * (docs/tasks/traps.md names them); without rules: all of them.',
  }),
  maxUrlLength: one(a.count({ min: 30, max: LONGEST_URL }), {
    ...limit,
    form: 'N',
    default: '2000',
    what: 'Drop URLs longer than this.',
  }),
  maxBytes: many(a.typeLimit, {
    ...limit,
    form: 'TYPE=SIZE',
    default: ['text/html=2MB', 'application/xhtml+xml=2MB', '*/*=10MB'],
    join: (given, defaults) => [...given, ...defaults.filter((d) => !given.some((g) => g.type === d.type))],
    what: 'The most of a decoded body that is kept, by media type; a longer one is kept cut and marked.',
  }),

  pause: one(a.duration({ min: SECOND, max: DAY, because: OWN_SERVERS }), {
    ...courtesy,
    commands: SIMULATED,
    form: 'DURATION',
    default: '2s',
    what: 'The least time between the end of an answer and the next request to the same site; never under 1s.',
  }),
  pauseFor: many(pauseFor, {
    ...courtesy,
    form: 'HOST=DURATION',
    what: 'Another pause for servers of your own: a host, *.domain, an IP address, or a reserved name such as *.test; it replaces the address pause there too.',
  }),
  addressPause: one(a.duration({ min: 100, max: 60 * SECOND, because: OWN_SERVERS }), {
    ...courtesy,
    commands: SIMULATED,
    form: 'DURATION',
    default: '500ms',
    what: 'The least time between an answer and the next request to the same IP address, whatever the site; never under 100ms.',
  }),
  pauseFactor: one(a.number({ min: 1, max: 100, because: OWN_SERVERS }), {
    ...courtesy,
    form: 'N',
    default: '2',
    what: 'Wait at least this many times as long as the last answer took: a slow server is asked more slowly; never under 1.',
  }),
  maxSlowPause: one(a.duration({ min: 2 * SECOND, max: DAY, because: OWN_SERVERS }), {
    ...courtesy,
    form: 'DURATION',
    default: '30s',
    what: 'The longest pause that --pause-factor makes.',
  }),
  maxCrawlDelay: one(a.duration({ min: 10 * SECOND, max: DAY }), {
    ...courtesy,
    form: 'DURATION',
    default: '5m',
    what: 'The longest Crawl-delay of a robots.txt that is obeyed as it stands; a longer one counts as this.',
  }),
  maxRetryAfter: one(a.duration({ min: 60 * SECOND, max: 7 * DAY }), {
    ...courtesy,
    form: 'DURATION',
    default: '1h',
    what: 'The longest Retry-After that is obeyed as it stands; a longer one counts as this.',
  }),

  contact: maybe(a.contact, {
    ...who,
    form: 'URL|EMAIL',
    what: 'Where webmasters learn who crawls and why; it stands in the User-Agent.',
  }),
  userAgentName: one(a.productToken, {
    ...who,
    form: 'NAME',
    default: 'Orbweaver',
    what: 'The name in the User-Agent, and the one that robots.txt may name.',
  }),

  order: one(a.oneOf('klwf', 'round-robin', 'random'), {
    ...work,
    commands: SIMULATED,
    form: 'klwf|round-robin|random',
    default: 'klwf',
    what: 'Which free site is next: the one whose oldest URL has waited longest, the one that has waited longest itself, or any.',
  }),
  randomSeed: maybe(a.count({ max: 2 ** 32 - 1 }), {
    ...work,
    commands: ['crawl', 'serve', 'config', 'demo', 'simulate'],
    form: 'N',
    defaultText: 'drawn',
    what: 'The seed of chance, to repeat a run.',
  }),
  workers: one(
    // The first thread of the process, which keeps or ships what the others bring, needs a core too: one more beside it costs
    // some 100 MB and a little more CPU a page, for a rate that only webs without any pause could use.
    (text) =>
      text === 'spare' ? Math.min(64, Math.max(1, availableParallelism() - 1)) : a.count({ min: 1, max: 64 })(text),
    {
      ...work,
      lasting: false,
      commands: ['crawl', 'worker', 'config', 'demo', 'simulate'],
      form: 'N',
      default: 'spare',
      defaultText: "one fewer than the machine's cores, at least 1; 2 for simulate",
      what: 'Threads that fetch and read, at most; they start as sites need them.',
    },
  ),
  visits: one(a.count({ min: 1, max: 10_000 }), {
    ...work,
    lasting: false,
    commands: ['crawl', 'worker', 'config', 'simulate'],
    form: 'N',
    default: '300',
    what: 'Sites that one thread visits at the same time.',
  }),
  slicePages: one(a.count({ min: 1, max: 100_000 }), {
    ...work,
    commands: SIMULATED,
    form: 'N',
    default: '500',
    what: 'Pages of one site before it gives its place to another site that waits.',
  }),
  sliceTime: one(a.duration({ min: SECOND, max: DAY }), {
    ...work,
    form: 'DURATION',
    default: '15m',
    what: 'Time at one site before it gives its place to another site that waits.',
  }),
  lease: one(a.duration({ min: 10 * SECOND, max: DAY }), {
    ...work,
    form: 'DURATION',
    default: '3m',
    what: 'How long a thread owns a site without renewing; it must be longer than --exchange-timeout.',
  }),

  watchdog: one(a.duration({ min: 10 * SECOND, max: DAY }), {
    ...work,
    lasting: false,
    commands: ['crawl', 'worker', 'config'],
    form: 'DURATION',
    default: '5m',
    what: 'A thread that gives no sign of life for this long is ended, and another takes its place.',
  }),

  resolve: many(resolveAs, {
    ...network,
    commands: ['crawl', 'serve', 'config', 'mirrors'],
    form: 'HOST=IP[:PORT]',
    what: 'Connect to this address for this host (*.test and * too), as curl --resolve does; private addresses may be named here.',
  }),
  allowPrivate: toggle({
    ...network,
    commands: ['crawl', 'serve', 'config', 'mirrors'],
    what: 'Connect to loopback, private and link-local addresses, and to names reserved for private use (*.local, *.internal), too; else they are refused.',
  }),
  dnsServers: many(a.dnsServer, {
    ...network,
    commands: ['crawl', 'serve', 'config', 'mirrors'],
    form: 'IP[:PORT][,…]',
    commas: true,
    defaultText: "the system's",
    what: 'Name servers to ask.',
  }),
  patience: one(a.number({ min: 0.001, max: 100 }), {
    ...network,
    form: 'N',
    default: '1',
    what: 'Scales the waits before a failed request is tried again; the courtesy pause holds all the same.',
  }),
  tls: one(a.oneOf('open', 'strict'), {
    ...network,
    form: 'open|strict',
    default: 'open',
    what: 'Whether a page whose certificate is expired or self-signed is collected (open, as archives do) or is a failure (strict).',
  }),
  connectTimeout: one(a.duration({ min: 100, max: 600 * SECOND }), {
    ...network,
    form: 'DURATION',
    default: '20s',
    what: 'Give up a connection that does not come about, TLS included.',
  }),
  firstByteTimeout: one(a.duration({ min: 100, max: 600 * SECOND }), {
    ...network,
    form: 'DURATION',
    default: '30s',
    what: 'Give up when the answer does not begin.',
  }),
  idleTimeout: one(a.duration({ min: 100, max: 600 * SECOND }), {
    ...network,
    form: 'DURATION',
    default: '20s',
    what: 'Give up when nothing more comes.',
  }),
  exchangeTimeout: one(a.duration({ min: 100, max: 3600 * SECOND }), {
    ...network,
    form: 'DURATION',
    default: '60s',
    what: 'Give up a request that is not over by then.',
  }),
  leastRate: one(a.size({ max: 1e9 }), {
    ...network,
    form: 'SIZE',
    default: '500B',
    what: 'Give up a body that comes more slowly than this in a second.',
  }),

  volumeSize: one(a.size({ min: 1e6, max: 100e9 }), {
    ...keeping,
    form: 'SIZE',
    default: '1GB',
    what: 'Begin a new volume (WARC file) when this one has this size.',
  }),

  ...clusterSettings(COLLECTIONS),
  ...COMMAND_SETTINGS,
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS

/** All settings, frozen plain data. Durations are milliseconds, sizes are bytes. `links` is filled in by `load.ts`. */
export type Settings = {
  readonly [K in SettingName]: K extends 'links'
    ? 'home-page' | 'deep' | 'combined'
    : (typeof SETTINGS)[K] extends Setting<infer T>
      ? T
      : never
}

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

/** `maxPages` → `max-pages` */
export function keyOf(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

export function flagOf(name: SettingName): string {
  return `--${keyOf(name)}`
}

/** `maxPages` → `ORBWEAVER_MAX_PAGES` */
export function variableOf(name: SettingName): string {
  return `ORBWEAVER_${keyOf(name).replaceAll('-', '_').toUpperCase()}`
}

/** The table seen without its particular types, for those who print or parse all of it. */
export function settingOf(name: SettingName): Setting<unknown> {
  return SETTINGS[name]
}

/** What `--limits` stands for, as an operator would write it; whatever is set elsewhere wins over it. */
export const PRESETS: Readonly<Record<Settings['limits'], Readonly<Partial<Record<SettingName, readonly string[]>>>>> =
  {
    generous: {},
    vn: {
      maxDepth: [String(VN.maxDepth)],
      maxUrlsPerSite: [String(VN.urlsPerSite)],
      maxDuplicatesPerSite: [String(VN.duplicatesPerSite)],
      maxUrlLength: [String(VN.maxUrlLength)],
      maxBytes: ['text/html', 'application/xhtml+xml', '*/*'].map((type) => `${type}=${VN.maxBytes}`),
      exchangeTimeout: [`${VN.exchangeMs}ms`],
    },
  }
