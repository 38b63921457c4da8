/** Settings that every command takes, those that define a crawl, and those of servers and their workers. A part of the table in `keys.ts`. */
import { COUNTED_CLASSES } from '../../contracts/change.ts'
import { REFRESH_POLICIES } from '../../frontier/contract.ts'
import { LONGEST_URL } from '../../web/url/web-url.ts'
import { pauseFor, resolveAs, siteRegion, trust } from './hosts.ts'
import * as a from './parsers.ts'
import { COMMAND_NAMES, type CommandName, group, many, maybe, one, toggle, yesNo } from './setting.ts'

const CRAWLERS: readonly CommandName[] = ['crawl', 'refresh', 'serve', 'config']
/** Of commands that end when a crawl does. */
const ENDS = { commands: ['crawl', 'serve', 'config'], lasting: false } as const
/** Settings that a simulated crawl takes too. */
const SIMULATED: readonly CommandName[] = [...CRAWLERS, 'simulate']
/** What webmasters learn about the crawl. */
const SHOWN: readonly CommandName[] = [...CRAWLERS, 'bot-page']
const LOOKUPS: readonly CommandName[] = [...CRAWLERS, 'mirrors']
const GENERAL = { commands: COMMAND_NAMES } as const
const CRAWL = { commands: CRAWLERS, lasting: true } as const
/** Measurements depend on them, too. */
const REFRESH = { commands: ['refresh', 'plan', 'status', 'serve', 'config'], lasting: true } as const

const SECOND = 1000
const DAY = 86_400 * SECOND
/** Why the pause has a minimum. */
const OWN_SERVERS = 'for your own servers, use --pause-for HOST=DURATION'

export const CRAWL_SETTINGS = {
  ...group('General', GENERAL, {
    collection: one(a.path, './collection', { form: 'DIR', short: 'c', what: 'The folder of the collection.' }),
    config: maybe(a.path, {
      flagOnly: true,
      defaultText: 'orbweaver.yaml in the collection',
      what: 'Read settings from this file or pipe (--config <(…)).',
    }),
    json: toggle({ flagOnly: true, what: 'Print the result as JSON; docs/reference/json.md lists the keys.' }),
    quiet: toggle({ short: 'q', what: 'Print only results and problems.' }),
    verbose: toggle({ short: 'v', what: 'Print every event on standard error, one per line.' }),
    progressEvery: one(a.duration({ min: 100, max: DAY }), '10s', {
      commands: ['crawl', 'refresh', 'serve', 'worker', 'demo', 'config'],
      what: 'How often to print a progress line when standard error is not a terminal.',
    }),
  }),
  ...group('What to collect', CRAWL, {
    seeds: maybe(a.path, {
      lasting: false,
      commands: ['crawl', 'serve', 'seed', 'config'],
      what: 'Read seeds from this file, one per line; # starts a comment, - is standard input.',
    }),
    scope: one(a.scope, 'host', {
      defaultText: "host (the seeds' hosts)",
      what: 'Which URLs belong to the collection: page, prefix, host or domain (relative to the seeds), tld:br (several: tld:br,pt) or surt:PREFIX.',
    }),
    include: many(a.regex, { what: 'Collect only URLs in scope that match one of these.' }),
    exclude: many(a.regex, { what: 'Do not collect URLs that match this.' }),
    mediaTypes: many(a.mediaType, {
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
    queries: one(yesNo, 'yes', { what: 'Whether to collect URLs with a query (?a=b).' }),
    links: maybe(a.oneOf('home-page', 'deep', 'combined'), {
      defaultText: 'home-page for tld: scopes, otherwise combined',
      what: 'What a link to another site adds: its home page, the linked page, or both.',
    }),
    urlRules: many(a.urlRule, {
      commands: ['crawl', 'refresh', 'serve', 'seed', 'config'],
      commas: true,
      default: ['usual'],
      what: 'Rules that decide when two spellings are the same URL: usual, none, or names; + or - before a name changes the usual set (--url-rules=-index-files). Fixed when the collection is created. See docs/reference/url-rules.md.',
    }),
    sitemaps: one(a.oneOf('no', 'robots', 'usual'), 'robots', {
      what: 'Sitemaps to read: none (no), those that robots.txt names and feeds that pages link to (robots), or /sitemap.xml as well (usual).',
    }),
    blacklistUrls: maybe(a.path, {
      what: 'URLs never to fetch, one per line. Changes to the file take effect during a crawl.',
    }),
    blacklistDomains: maybe(a.path, {
      what: 'Domains never to visit, with all their hosts, one per line. Changes to the file take effect during a crawl.',
    }),
    blacklistAddresses: maybe(a.path, {
      what: 'IP addresses and networks (192.0.2.0/24) never to connect to, one per line. Changes to the file take effect during a crawl.',
    }),
    mirrors: maybe(a.path, {
      defaultText: 'mirrors.txt in the collection, if present',
      what: 'A list of mirrors, one REPLICA ORIGINAL pair per line. Links to a replica are followed on the original. A replica whose home page has become different leaves the list.',
    }),
  }),
  ...group('Limits', CRAWL, {
    limits: one(a.oneOf('generous', 'vn'), 'generous', {
      what: 'A preset; vn uses the thresholds of the Viúva Negra paper (depth 5, 5,000 URLs and 10 duplicates per site, URLs of 200 characters, 2 MB).',
    }),
    maxPages: maybe(a.count({ min: 1 }), { ...ENDS, what: 'Stop after this many documents (exit code 14).' }),
    maxTime: maybe(a.duration({ min: SECOND }), { ...ENDS, what: 'Stop after this time (exit code 15).' }),
    maxSize: maybe(a.size({ min: 1000 }), {
      ...ENDS,
      what: 'Stop when the documents reach this total size (exit code 16).',
    }),
    maxDepth: one(a.count({ max: 10_000 }), '1000', {
      what: 'Follow links within a site up to this many levels below the URL at which the crawl entered it.',
    }),
    maxUrlsPerSite: one(a.count({ min: 1 }), '100000', {
      what: 'Stop following links within a site once it has this many URLs. Collected pages are kept.',
    }),
    maxDuplicatesPerSite: maybe(a.count({ min: 1 }), {
      what: 'Stop following links within a site once this many of its pages repeat content that it already had.',
    }),
    trust: many(trust, {
      what: 'Ignore hazard rules for a site, for *.domain or for * (docs/tasks/traps.md lists the rules). Without rules: ignore all of them.',
    }),
    maxUrlLength: one(a.count({ min: 30, max: LONGEST_URL }), '2000', { what: 'Skip URLs longer than this.' }),
    maxBytes: many(a.typeLimit, {
      default: ['text/html=2MB', 'application/xhtml+xml=2MB', '*/*=10MB'],
      join: (given, defaults) => [...given, ...defaults.filter((d) => !given.some((g) => g.type === d.type))],
      what: 'Maximum size of a decoded body, per media type. A longer body is truncated, kept and marked.',
    }),
  }),
  ...group('Politeness', CRAWL, {
    pause: one(a.duration({ min: SECOND, max: DAY, because: OWN_SERVERS }), '2s', {
      commands: [...SHOWN, 'simulate'],
      what: 'Minimum time between the end of a response and the next request to the same site; at least 1s.',
    }),
    pauseFor: many(pauseFor, {
      what: 'A different pause for your own servers: a host, *.domain, an IP address or a reserved name such as *.test. It replaces the address pause there too.',
    }),
    addressPause: one(a.duration({ min: 100, max: 60 * SECOND, because: OWN_SERVERS }), '500ms', {
      commands: [...SHOWN, 'simulate'],
      what: 'Minimum time between a response and the next request to the same IP address, for all its sites together; at least 100ms.',
    }),
    pauseFactor: one(a.number({ min: 1, max: 100, because: OWN_SERVERS }), '2', {
      commands: SHOWN,
      what: 'Pause at least this many times as long as the last response took, to spare slow servers; at least 1.',
    }),
    maxSlowPause: one(a.duration({ min: 2 * SECOND, max: DAY, because: OWN_SERVERS }), '30s', {
      what: 'The longest pause that --pause-factor can cause.',
    }),
    maxCrawlDelay: one(a.duration({ min: 10 * SECOND, max: DAY }), '5m', {
      commands: SHOWN,
      what: 'The longest Crawl-delay in robots.txt to obey; a longer one is reduced to this.',
    }),
    maxRetryAfter: one(a.duration({ min: 60 * SECOND, max: 7 * DAY }), '1h', {
      commands: SHOWN,
      what: 'The longest Retry-After to obey; a longer one is reduced to this.',
    }),
  }),
  ...group(
    'Identity',
    { ...CRAWL, commands: SHOWN },
    {
      contact: maybe(a.contact, {
        what: 'Where webmasters learn who is crawling and why; it is part of the User-Agent.',
      }),
      userAgentName: one(a.productToken, 'Orbweaver', {
        what: 'The name in the User-Agent, which robots.txt can address.',
      }),
    },
  ),
  ...group('Order and workers', CRAWL, {
    order: one(a.oneOf('klwf', 'round-robin', 'random'), 'klwf', {
      commands: SIMULATED,
      what: 'Which site is next: the one whose oldest URL has waited longest (klwf), the one not visited for longest (round-robin), or any (random).',
    }),
    randomSeed: maybe(a.count({ max: 2 ** 32 - 1 }), {
      commands: ['crawl', 'refresh', 'serve', 'config', 'demo', 'simulate'],
      defaultText: 'random',
      what: 'Seed of the random numbers, to repeat a run.',
    }),
    // The main thread needs a core too: it stores or ships what the workers bring. One more worker costs about 100 MB and some
    // CPU per page, and only a web without any pause would use it.
    workers: one(a.workers, 'spare', {
      lasting: false,
      commands: ['crawl', 'refresh', 'worker', 'config', 'demo', 'simulate'],
      defaultText: "one fewer than the machine's cores, at least 1; 2 for simulate",
      what: 'Maximum number of threads that fetch and read pages; they start as needed.',
    }),
    visits: one(a.count({ min: 1, max: 10_000 }), '300', {
      lasting: false,
      commands: ['crawl', 'refresh', 'worker', 'config', 'simulate'],
      what: 'How many sites one thread visits at the same time.',
    }),
    slicePages: one(a.count({ min: 1, max: 100_000 }), '500', {
      commands: SIMULATED,
      what: 'How many pages a visit to a site fetches before another waiting site gets its turn.',
    }),
    sliceTime: one(a.duration({ min: SECOND, max: DAY }), '15m', {
      what: 'How long a visit to a site lasts before another waiting site gets its turn.',
    }),
    lease: one(a.duration({ min: 10 * SECOND, max: DAY }), '3m', {
      what: 'How long a thread holds a site without renewing its lease; must be longer than --connect-timeout and --exchange-timeout together.',
    }),
    watchdog: one(a.duration({ min: 10 * SECOND, max: DAY }), '5m', {
      lasting: false,
      commands: ['crawl', 'refresh', 'worker', 'config'],
      what: 'Replace a thread that shows no sign of life for this long.',
    }),
  }),
  ...group('Refreshing', REFRESH, {
    refresh: toggle({
      commands: ['serve', 'config'],
      lasting: false,
      what: 'Keep the collection fresh: the workers also look again at pages that were collected before.',
    }),
    refreshPolicy: one(a.oneOf(...REFRESH_POLICIES), 'index', {
      form: 'NAME',
      what: `Which known page is looked at next: the one whose look is worth most now (index), or one of the policies to compare it with (${REFRESH_POLICIES.slice(1).join(', ')}).`,
    }),
    // Growth and updates share the requests (P9).
    refreshNewShare: one(a.newShare, '0.5', {
      what: 'The share of requests that new URLs may take while known pages are due, or first: new URLs come before all known pages.',
    }),
    refreshMinGain: one(a.duration({ max: DAY }), '1s', {
      what: 'Look at a page only when that is expected to bring at least this much freshness: a page that changes once in 30 days is looked at every 38 minutes at most, one that changes every hour every 90 seconds. 0s: as often as the pauses permit.',
    }),
    refreshMinAge: one(a.duration({ max: 365 * DAY }), '24h', {
      what: 'Ignore hints of a change (sitemaps, feeds) for a page that was looked at within this time.',
    }),
    refreshCountsAsChange: one(a.oneOf(...COUNTED_CLASSES), 'small', {
      commands: [...REFRESH.commands, 'watch'],
      form: 'CLASS',
      what: 'The smallest class of change that counts as a change, for learning how often a page changes and for watch: markup (any other byte), volatile (also regions that change at every look), small (at least 70 % of the text is the same), medium (30 %), large or complete.',
    }),
    ignore: many(siteRegion, {
      commands: CRAWLERS,
      what: 'A part of pages whose changes do not count, by CSS selector (#clock, div.ad) or /pattern/ of its text, on one site (www.example.org=#clock), on *.example.org=… or everywhere. Parts that change at every look are found without it.',
    }),
    watch: many(siteRegion, {
      commands: CRAWLERS,
      what: 'A part of pages, named in the same way, whose changes always count, even if it changes at every look.',
    }),
    refreshRate: maybe(a.number({ min: 0.000001, max: 1_000_000 }), {
      form: 'LOOKS',
      defaultText: 'as many as politeness permits',
      what: 'How many looks per second to spend on known pages, over the whole collection.',
    }),
    refreshWeights: one(a.path, 'uniform', {
      form: 'uniform|depth|inlinks|FILE',
      what: 'What a fresh copy of a page is worth: the same for all (uniform), less the deeper the page is (depth: 1/(1 + depth)), more the more pages link to it (inlinks: 1 + log2(1 + links)), or as a file says: one URL-PREFIX WEIGHT per line, the longest prefix counts, other pages weigh 1.',
    }),
  }),
  ...group('Network', CRAWL, {
    resolve: many(resolveAs, {
      commands: LOOKUPS,
      what: 'Connect to this address for this host (also *.test and *), like curl --resolve. Private addresses are allowed here.',
    }),
    allowPrivate: toggle({
      commands: LOOKUPS,
      what: 'Allow loopback, private and link-local addresses and names reserved for private use (*.local, *.internal), which are refused otherwise.',
    }),
    dnsServers: many(a.dnsServer, {
      commands: LOOKUPS,
      commas: true,
      defaultText: "the system's",
      what: 'Name servers to use.',
    }),
    patience: one(a.number({ min: 0.001, max: 100 }), '1', {
      what: 'Multiplies the waits before a failed request is retried; the politeness pause still applies.',
    }),
    tls: one(a.oneOf('open', 'strict'), 'open', {
      what: 'Whether to collect pages whose certificate is expired or self-signed (open, as archives do) or to count them as failed (strict).',
    }),
    connectTimeout: one(a.duration({ min: 100, max: 600 * SECOND }), '20s', {
      what: 'Time limit for connecting, TLS included.',
    }),
    firstByteTimeout: one(a.duration({ min: 100, max: 600 * SECOND }), '30s', {
      what: 'Time limit for a response to begin.',
    }),
    idleTimeout: one(a.duration({ min: 100, max: 600 * SECOND }), '20s', {
      what: 'Give up when no data arrives for this long.',
    }),
    exchangeTimeout: one(a.duration({ min: 100, max: 3600 * SECOND }), '60s', {
      what: 'Time limit for a whole request and its response.',
    }),
    leastRate: one(a.size({ max: 1e9 }), '500B', {
      what: 'Give up a body that arrives more slowly than this per second.',
    }),
  }),
  ...group('Storage', CRAWL, {
    volumeSize: one(a.size({ min: 1e6, max: 100e9 }), '1GB', {
      what: 'Start a new volume (WARC file) when the current one reaches this size.',
    }),
  }),
}

/** Commands that open a collection, here or in a shared database. */
const OPENERS = COMMAND_NAMES.filter((name) => !['demo', 'simulate', 'worker'].includes(name))
const SERVE: readonly CommandName[] = ['serve', 'config']
const SERVING = { commands: SERVE } as const
/** Commands that have a dashboard. */
const DASHBOARDS: readonly CommandName[] = ['crawl', 'refresh', 'serve', 'config']
const WORKER: readonly CommandName[] = ['worker', 'config']
/** Commands that read volumes, wherever they are. */
const READERS: readonly CommandName[] = ['get', 'diff', 'verify']
/** Commands that write volumes. */
const WRITERS: readonly CommandName[] = ['crawl', 'refresh', ...WORKER]

/** Commands that reach a store of volumes. */
const STORE: readonly CommandName[] = [...WRITERS, ...READERS, 'clean']
const OF_STORE = { commands: STORE, secret: true, form: 'TEXT|@FILE', defaultText: 'as the AWS tools find it' } as const

export const CLUSTER_SETTINGS = group('Cluster', SERVING, {
  database: maybe(a.database, {
    commands: OPENERS,
    secret: true,
    defaultText: 'collection.db in the collection (SQLite)',
    what: 'The PostgreSQL database of a collection that several machines share. If it contains a password, pass it in ORBWEAVER_DATABASE or in a file.',
  }),
  host: one(a.listenHost, '127.0.0.1', {
    what: 'The address the server listens on; 0.0.0.0 for all addresses of the machine.',
  }),
  port: one(a.count({ max: 65_535 }), '8723', { what: 'The port the server listens on; 0 picks a free one.' }),
  publicUrl: maybe(a.serverUrl, {
    defaultText: "from --host and --port; if --host is every address, from the machine's name",
    what: 'The URL at which workers reach this server, if it is behind a proxy or has another name. All workers receive it in their list of servers.',
  }),
  dashboard: one(a.dashboard, 'no', {
    commands: ['crawl', 'refresh', 'config'],
    what: 'Show the crawl as web pages while it runs, and let operators steer it there: at 127.0.0.1:8723 unless another address and port are given. serve has them at its own address.',
  }),
  viewerToken: maybe(a.secret, {
    commands: DASHBOARDS,
    secret: true,
    what: 'Whoever shows this token may look at the dashboard, the statistics and the metrics. Pass it in ORBWEAVER_VIEWER_TOKEN or in a file. Without tokens, only the same machine has access.',
  }),
  operatorToken: maybe(a.secret, {
    commands: [...DASHBOARDS, ...READERS],
    secret: true,
    what: 'Whoever shows this token may also steer the crawl (pause it, bar sites, add seeds) and read volumes kept by a server. Pass it in ORBWEAVER_OPERATOR_TOKEN or in a file. Without tokens, only the same machine may.',
  }),
  basePath: one(a.basePath, '/', {
    commands: DASHBOARDS,
    what: 'The path below which a proxy shows this server (/crawl), before every link of the dashboard. The proxy may pass it on or leave it out.',
  }),
  certificate: maybe(a.path, {
    what: 'A TLS certificate for the server (PEM, with its chain). Without it the server speaks plain HTTP and should be behind a TLS proxy. A changed file takes effect within seconds.',
  }),
  certificateKey: maybe(a.path, { what: 'The private key of --certificate (PEM).' }),
  joinSecret: maybe(a.secret, {
    commands: ['serve', ...WORKER, ...READERS],
    secret: true,
    what: 'The secret that lets a new worker join and lets a command read volumes kept by a server. Pass it in ORBWEAVER_JOIN_SECRET or in a file. Without it, only the same machine has access.',
  }),
  untilDone: toggle({
    commands: ['serve', 'worker'],
    flagOnly: true,
    what: 'Exit when the crawl is complete instead of waiting for more work.',
  }),
  keepCalls: one(a.duration({ min: 60_000, max: 3650 * 86_400_000 }), '30d', {
    commands: [...SERVE, 'clean'],
    what: "How long to keep the record of the workers' calls.",
  }),
  recheckShare: one(a.share, '0.1%', {
    what: 'Share of captures to fetch again through another worker, to check what the first one delivered; 0 for none. status shows the results.',
  }),
  affinity: one(a.duration({ min: 0, max: 60_000 }), '2s', {
    what: 'How long a site that is due waits for its previous worker, or for one close to it, before any worker may take it; 0 for no wait. PostgreSQL only.',
  }),
  server: many(a.serverUrl, {
    commands: WORKER,
    what: 'A server to work for. With several, the worker switches to another when one does not answer.',
  }),
  serverCa: maybe(a.path, {
    commands: [...WORKER, ...READERS],
    defaultText: "the machine's trusted authorities",
    what: "Certificates (PEM) of additional authorities to trust for https servers, beside the machine's own.",
  }),
  name: maybe(a.workerName, {
    commands: WORKER,
    defaultText: "the machine's name",
    what: "The worker's name in status and in the names of its volumes.",
  }),
  region: maybe(a.workerName, {
    commands: WORKER,
    what: 'Where the worker is. Workers of one region count as close to the same sites.',
  }),
  volumes: many(a.volumeTarget, {
    commands: WRITERS,
    lasting: true,
    defaultText: 'keep; for a worker: upload',
    what: 'Where volumes go: keep leaves them in the archive folder, dir: writes them to another folder, s3: moves them to an S3-compatible store, upload sends them to a server (workers only). With several, the next one takes over when one is full or fails.',
  }),
  s3Endpoint: maybe(a.serverUrl, {
    commands: STORE,
    defaultText: "Amazon's",
    what: 'The URL of the S3-compatible store.',
  }),
  s3Region: one(a.s3Region, 'us-east-1', { commands: STORE, what: 'The region of the S3-compatible store.' }),
  s3Key: maybe(a.path, {
    ...OF_STORE,
    what: 'The access key id for the S3-compatible store. Pass it in ORBWEAVER_S3_KEY or in a file.',
  }),
  s3Secret: maybe(a.path, {
    ...OF_STORE,
    what: 'The secret of --s3-key. Pass it in ORBWEAVER_S3_SECRET or in a file.',
  }),
  everywhere: toggle({
    commands: ['verify'],
    flagOnly: true,
    what: 'Also fetch and verify volumes that are on servers or in a store.',
  }),
})

/** Commands that mail, and those that run for long. Workers get none of these settings: they would learn addresses. */
const MAILING = { commands: ['crawl', 'refresh', 'serve', 'report', 'config'] } as const
const LONG_RUNNING: readonly CommandName[] = ['crawl', 'refresh', 'serve', 'worker', 'config']

export const WATCHING_SETTINGS = group('Watching', MAILING, {
  mailTo: many(a.mailAddress, {
    commas: true,
    form: 'EMAIL[,EMAIL…]',
    what: 'Who gets mails: what is wrong, at once and when it is over; every day how it goes; and the end of a crawl. Needs --smtp unless a mail server listens on this machine.',
  }),
  mailFrom: maybe(a.mailAddress, {
    defaultText: "orbweaver at the machine's name",
    what: 'The sender of mails.',
  }),
  mailHour: one(a.count({ max: 23 }), '7', {
    form: 'HOUR',
    commands: ['crawl', 'refresh', 'serve', 'config'],
    what: 'The hour of the daily mail, in UTC.',
  }),
  smtp: maybe(a.smtpUrl, {
    secret: true,
    defaultText: 'smtp://localhost',
    what: 'The mail server: smtp://HOST:PORT or smtps://USER:PASSWORD@HOST. If it contains a password, pass it in ORBWEAVER_SMTP or in a file. A password is sent only over TLS, or to this machine.',
  }),
  supervise: toggle({
    commands: LONG_RUNNING,
    what: 'Run under a supervisor, which starts the program again when it dies, or shows no sign of life for five minutes.',
  }),
})
