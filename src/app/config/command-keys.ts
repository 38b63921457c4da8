/** What only one or two commands take, as flags alone. The rest of the one table is in `keys.ts`, which holds these too. */
import * as a from './parsers.ts'
import { POLICY_SETTINGS } from './policy-keys.ts'
import { many, maybe, one, type Setting, toggle, yesNo } from './setting.ts'

const own = { group: 'This command', flagOnly: true } as const

export const COMMAND_SETTINGS = {
  at: maybe(a.instant, {
    ...own,
    commands: ['get'],
    form: 'TIME',
    defaultText: 'the last capture',
    what: 'The capture that was current at this time (2026-05-01, 2026-05-01T12:00:00Z or 20260501120000).',
  }),
  output: maybe(a.path, {
    ...own,
    commands: ['get', 'export'],
    form: 'FILE',
    defaultText: 'standard output',
    short: 'o',
    what: 'Write to this file; - is standard output.',
  }),
  headers: toggle({ ...own, commands: ['get'], what: "Print the answer's status line and headers before the body." }),
  raw: toggle({
    ...own,
    commands: ['get'],
    what: 'Print the body as it came, without decoding its Content-Encoding or its charset.',
  }),
  into: maybe(a.path, {
    ...own,
    commands: ['export', 'mirrors'],
    form: 'FILE',
    what: 'For export links: make an ordinary table link(from_url, to_url) in this SQLite database, to ask in SQL. For mirrors: write the list into this text file; what a person wrote there stays.',
  }),
  heuristic: one(a.oneOf('SameHome', 'SameHomeAnd1Doc', 'Dups60', 'Dups80', 'Dups100'), {
    ...own,
    commands: ['mirrors'],
    form: 'NAME',
    default: 'Dups60',
    what: 'When two sites are mirrors: SameHome (equal home pages), SameHomeAnd1Doc (and one other equal content), Dups60, Dups80, Dups100 (so many per cent equal contents, at least two).',
  }),
  checkNames: maybe(yesNo, {
    ...own,
    commands: ['mirrors'],
    form: 'yes|no',
    defaultText: 'yes with --into',
    what: 'Whether to look up the names of mirrors; those that do not exist any more leave the list.',
  }),
  top: one(a.count({ min: 1, max: 1_000_000 }), {
    ...own,
    commands: ['report', 'explain', 'mirrors'],
    form: 'N',
    default: '20',
    what: 'How many lines of a list to print.',
  }),
  names: many(a.path, {
    ...own,
    commands: ['seed'],
    form: 'FILE',
    what: 'Domain names to try, one a line, or a table (rank,name) or a zone file: https, then with www., then http.',
  }),
  fromCollection: many(a.path, {
    ...own,
    commands: ['seed'],
    form: 'DIR',
    what: 'The home pages of the sites that answered an earlier crawl.',
  }),
  fromSitemap: many(a.path, {
    ...own,
    commands: ['seed'],
    form: 'URL|FILE',
    what: 'A sitemap: a URL is read by the next crawl, a file now.',
  }),
  fromCdx: many(a.path, {
    ...own,
    commands: ['seed'],
    form: 'FILE',
    what: 'URLs of an index of another archive, CDXJ or CDX, that answered with 2xx or 3xx.',
  }),
  fromWarc: many(a.path, {
    ...own,
    commands: ['seed'],
    form: 'FILE',
    what: 'URLs of the responses in WARC files of others that answered with 2xx or 3xx.',
  }),
  homes: toggle({ ...own, commands: ['seed'], what: 'Of every URL only the home page of its site.' }),
  list: toggle({ ...own, commands: ['seed'], what: 'Add nothing: show how the seeds stand, by source.' }),
  remove: toggle({ ...own, commands: ['clean'], what: 'Remove what is listed; without it nothing is changed.' }),
  olderThan: one(a.duration({ min: 3_600_000, max: 3650 * 86_400_000 }), {
    ...own,
    commands: ['clean'],
    form: 'DURATION',
    default: '30d',
    what: 'A worker or a server that was silent for longer does not come back.',
  }),
  markdown: toggle({ ...own, commands: ['config'], what: 'Print the page docs/reference/settings.md.' }),
  sites: maybe(a.count({ min: 1, max: 1_000_000 }), {
    ...own,
    commands: ['demo', 'simulate'],
    form: 'N',
    defaultText: '26 for demo, 200 for simulate',
    what: 'Sites of the synthetic web.',
  }),
  pages: maybe(a.count({ min: 1, max: 50_000_000 }), {
    ...own,
    commands: ['demo', 'simulate'],
    form: 'N',
    defaultText: '50; for simulate policy and figures 1,000,000',
    what: 'Pages of a site of the synthetic web, on average, up to 100,000; for simulate policy and figures: pages in all.',
  }),
  lwf: toggle({
    ...own,
    commands: ['simulate'],
    what: 'Of simulate crawl: longest wait first as the CoBWeb paper has it, instead of --order: who takes the oldest URL waits for its server.',
  }),
  latency: maybe(a.duration({ max: 25_000 }), {
    ...own,
    commands: ['simulate'],
    form: 'DURATION',
    defaultText: '60ms',
    what: 'Of simulate crawl: how long servers take to answer; each has 0.3 to 2.3 times this.',
  }),
  sitesPerAddress: maybe(a.count({ min: 1, max: 1_000_000 }), {
    ...own,
    commands: ['simulate'],
    form: 'N',
    defaultText: 'a fifth of the sites in groups of 8',
    what: 'Of simulate crawl: so many sites share an IP address, all over the web; 1: each has its own.',
  }),
  ...POLICY_SETTINGS,
} as const satisfies Record<string, Setting<unknown>>
