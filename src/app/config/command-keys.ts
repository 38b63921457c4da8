/** Flags that only one or two commands take. A part of the table in `keys.ts`. */
import { POLICY_NAMES } from '../../refresh/policy.ts'
import * as a from './parsers.ts'
import { group, many, maybe, one, toggle, yesNo } from './setting.ts'

const OWN = { flagOnly: true } as const
const SEED = { flagOnly: true, commands: ['seed'] } as const
const SIMULATE = { flagOnly: true, commands: ['simulate'] } as const
const HOUR = 3_600_000
const YEAR = 366 * 24 * HOUR

/** Flags of `simulate policy` and `simulate figures`. The defaults are the PSP paper's scenario. */
const POLICY_SETTINGS = group('This command', SIMULATE, {
  policy: many(a.oneOf(...POLICY_NAMES), {
    form: 'NAME[,NAME…]',
    commas: true,
    default: ['psp', 'mp2', 'm-wolf', 'index', 'round-robin'],
    what: `For simulate policy: the policies to try: ${POLICY_NAMES.join(', ')}.`,
  }),
  instance: maybe(a.path, {
    what: 'For simulate policy: read the scenario from this JSON file (see docs/reference/json.md); - is standard input.',
  }),
  servers: one(a.count({ min: 1, max: 5_000_000 }), '2000', { what: 'Number of servers.' }),
  zipf: one(a.number({ max: 10 }), '1', {
    form: 'THETA',
    what: 'How unevenly pages are spread over servers: the share of the k-th server is proportional to k^-THETA.',
  }),
  rates: one(a.distribution(3600), 'uniform:0.01:1/hour', {
    what: 'How often pages change: equal:X, uniform:LOW:HIGH, pareto:MIN:SHAPE or lognormal:MEDIAN:SIGMA, each with /hour, /day or the like; zipf:THETA draws from 0.01, 0.02 … 1 per hour.',
  }),
  weights: one(a.distribution(1), 'equal', {
    what: 'How important pages are: equal, uniform (above 0, up to 1), zipf:THETA (rank^-THETA) or another distribution.',
  }),
  sizes: maybe(a.distribution(1), {
    what: 'Sizes of pages: uniform:1kB:100kB, lognormal:15kB:1. Used only with --server-speed.',
  }),
  serverSpeed: maybe(a.distribution(1), {
    what: 'Bytes per second of a server: 1MB/s, uniform:50kB:1MB/s. A download takes 1/crawler speed or size/server speed, whichever is longer.',
  }),
  horizon: one(a.duration({ min: 1000, max: YEAR }), '24h', {
    what: 'The simulated time, and the time that policies plan for.',
  }),
  politeness: one(a.duration({ max: YEAR }), '15s', {
    what: 'Minimum time between the starts of two requests to the same server.',
  }),
  crawlers: one(a.count({ min: 1, max: 100_000 }), '10', { what: 'Number of crawlers.' }),
  crawlerSpeed: one(a.distribution(1), '10/s', { what: 'Pages per second of a crawler.' }),
  capacity: maybe(a.count({ max: 1_000_000_000 }), {
    form: 'R',
    defaultText: 'as many as the crawlers manage',
    what: 'Maximum number of fetches within the horizon.',
  }),
  seed: maybe(a.count({ max: 2 ** 32 - 1 }), {
    defaultText: 'random for crawl, 1 for policy and figures',
    what: 'Same as --random-seed.',
  }),
  sample: toggle({
    what: 'Also draw the changes of pages at random and report the result beside the exact expectation.',
  }),
  changes: one(a.oneOf('poisson', 'mixture'), 'poisson', {
    what: "How pages change. mixture is Wolf's: 60 % Poisson, 30 % Pareto, 10 % nearly regular; it affects drawn values only, policies still plan for Poisson.",
  }),
  stationary: maybe(a.count({ min: 2, max: 3650 }), {
    form: 'DAYS',
    what: 'Run this many horizons in a row and report each. Pages start as the best rates would have left them; the first third is warm-up and does not count towards the ratio to the KKT bound.',
  }),
  learn: toggle({
    what: 'With --stationary: policies do not know the change rates and learn them from their own fetches.',
  }),
  prior: one(a.duration({ min: 1000, max: 100 * YEAR }), '30d', {
    what: 'With --learn: until the first looks, a page is thought to change once in this time.',
  }),
  every: maybe(a.duration({ min: 1000, max: YEAR }), {
    what: 'Report interim statistics at this interval of simulated time.',
  }),
  detail: toggle({ what: 'With --json: counts and the planned and actual fetch times of every page.' }),
  csv: toggle({ what: 'Print the result as CSV.' }),
  out: maybe(a.path, {
    form: 'DIR',
    defaultText: './figures',
    what: 'For simulate figures: the folder for tables, CSV files and charts.',
  }),
  figure: many(a.oneOf('fig1', 'fig2', 'weights', 'fast', 'per-day', 'stationary'), {
    form: 'NAME[,NAME…]',
    commas: true,
    defaultText: 'all',
    what: 'For simulate figures: only these: fig1, fig2, weights, fast (crawlers of 100 pages/s), per-day, stationary.',
  }),
})

export const COMMAND_SETTINGS = {
  ...group('This command', OWN, {
    once: toggle({
      commands: ['refresh'],
      what: 'Look once at every known page, then exit. If it is stopped, the same command goes on with the rest.',
    }),
    for: maybe(a.duration({ min: 1000, max: YEAR }), {
      commands: ['refresh'],
      defaultText: 'until Ctrl-C',
      what: 'Exit after this time (exit code 0).',
    }),
    reason: maybe(a.reason, {
      commands: ['pause', 'bar'],
      what: 'Why, for the audit log, status and explain; at most 1000 characters.',
    }),
    at: maybe(a.instant, {
      commands: ['get'],
      defaultText: 'the latest capture',
      what: 'Use the capture that was current at this time (2026-05-01, 2026-05-01T12:00:00Z or 20260501120000).',
    }),
    from: maybe(a.instant, {
      commands: ['diff'],
      defaultText: 'the last version before that of --to that differs from it',
      what: 'The older version: what was current at this time.',
    }),
    to: maybe(a.instant, {
      commands: ['diff'],
      defaultText: 'the latest capture',
      what: 'The newer version: what was current at this time.',
    }),
    html: maybe(a.path, {
      commands: ['diff'],
      what: 'Write the comparison to this file, as a web page that needs nothing else; - is standard output.',
    }),
    output: maybe(a.path, {
      commands: ['get', 'export', 'watch', 'bot-page'],
      defaultText: 'standard output',
      short: 'o',
      what: 'Write to this file; - is standard output. watch appends to it, and goes on after the last change in it.',
    }),
    since: maybe(a.since, {
      commands: ['watch'],
      defaultText: 'the beginning of the collection',
      what: 'Begin at this time (2026-05-01, 2026-05-01T12:00:00Z), after the change that has this cursor, or now.',
    }),
    follow: toggle({ commands: ['watch'], what: 'Do not end: report changes as they are found, until Ctrl-C.' }),
    new: toggle({ commands: ['watch'], what: 'Also report pages that were collected for the first time.' }),
    feed: maybe(a.path, {
      commands: ['watch'],
      what: 'Write the latest 100 changes to this file, as an Atom feed, instead of lines of JSON.',
    }),
    headers: toggle({ commands: ['get'], what: 'Print the status line and headers before the body.' }),
    raw: toggle({
      commands: ['get'],
      what: 'Print the body as it was sent, without decoding its Content-Encoding or charset.',
    }),
    into: maybe(a.path, {
      commands: ['export', 'mirrors'],
      what: 'For export links: write a table link(from_url, to_url) to this SQLite database, for SQL queries. For mirrors: write the list to this text file; lines that you added stay.',
    }),
    heuristic: one(a.oneOf('SameHome', 'SameHomeAnd1Doc', 'Dups60', 'Dups80', 'Dups100'), 'Dups60', {
      commands: ['mirrors'],
      form: 'NAME',
      what: 'When two sites count as mirrors: SameHome (equal home pages), SameHomeAnd1Doc (and one more equal content), Dups60, Dups80 or Dups100 (this percentage of equal contents, at least two).',
    }),
    checkNames: maybe(yesNo, {
      commands: ['mirrors'],
      defaultText: 'yes with --into',
      what: 'Whether to look up the host names of mirrors and drop those that no longer exist.',
    }),
    top: one(a.count({ min: 1, max: 1_000_000 }), '20', {
      commands: ['plan', 'report', 'explain', 'mirrors'],
      what: 'How many lines of a list to print.',
    }),
  }),
  ...group('This command', SEED, {
    names: many(a.path, {
      what: 'Domain names to try: one per line, a table (rank,name) or a zone file. Each is tried over https, then with www., then over http.',
    }),
    fromCollection: many(a.path, {
      form: 'DIR',
      what: 'The home pages of the sites that answered in an earlier crawl.',
    }),
    fromSitemap: many(a.path, { form: 'URL|FILE', what: 'A sitemap. A file is read now, a URL by the next crawl.' }),
    fromCdx: many(a.path, {
      what: 'The URLs in an index of another archive (CDXJ or CDX) that answered with 2xx or 3xx.',
    }),
    fromWarc: many(a.path, {
      what: 'The URLs of responses in WARC files of another archive that answered with 2xx or 3xx.',
    }),
    homes: toggle({ what: "Add only the home page of each URL's site." }),
    list: toggle({ what: 'Add nothing; list what became of each seed, with totals per source.' }),
  }),
  ...group('This command', OWN, {
    remove: toggle({ commands: ['clean'], what: 'Remove what is listed. Without this flag nothing is changed.' }),
    olderThan: one(a.duration({ min: 3_600_000, max: 3650 * 86_400_000 }), '30d', {
      commands: ['clean'],
      what: 'A worker or server that has been silent for longer counts as gone.',
    }),
    retention: maybe(a.retention, {
      commands: ['clean'],
      what: "Instead of orphaned data, list how many old captures this rule does not keep, and remove them with --remove. Steps from new to old, each for captures up to an age: all, changes (every version, without unchanged looks), hourly, daily, weekly, monthly, yearly, none: 'all for 30d, daily for 1y, monthly'.",
    }),
    mail: toggle({
      commands: ['report'],
      what: "Send the day's report by mail (--mail-to) now, instead of printing tables.",
    }),
    markdown: toggle({ commands: ['config'], what: 'Print the page docs/reference/settings.md.' }),
    sites: maybe(a.count({ min: 1, max: 1_000_000 }), {
      commands: ['demo', 'simulate'],
      defaultText: '26 for demo, 200 for simulate',
      what: 'Number of sites in the synthetic web.',
    }),
    pages: maybe(a.count({ min: 1, max: 50_000_000 }), {
      commands: ['demo', 'simulate'],
      defaultText: '50; for simulate policy and figures 1,000,000',
      what: 'Average number of pages per site of the synthetic web, up to 100,000; for simulate policy and figures the total number of pages.',
    }),
  }),
  ...group('This command', SIMULATE, {
    lwf: toggle({
      what: 'For simulate crawl: use longest wait first as in the CoBWeb paper instead of --order: a collector takes the oldest URL and waits for its server.',
    }),
    latency: maybe(a.duration({ max: 25_000 }), {
      defaultText: '60ms',
      what: 'For simulate crawl: how long servers take to answer; each takes 0.3 to 2.3 times this.',
    }),
    sitesPerAddress: maybe(a.count({ min: 1, max: 1_000_000 }), {
      defaultText: 'a fifth of the sites in groups of 8',
      what: 'For simulate crawl: how many sites share an IP address; 1 gives each site its own.',
    }),
  }),
  ...POLICY_SETTINGS,
}
