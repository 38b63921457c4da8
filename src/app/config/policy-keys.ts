/** Flags of `simulate policy` and `simulate figures`. A part of the one table, `keys.ts`. */
import { POLICY_NAMES } from '../../refresh/policy.ts'
import * as a from './parsers.ts'
import { many, maybe, one, type Setting, toggle } from './setting.ts'

const own = { group: 'This command', flagOnly: true, commands: ['simulate'] } as const
const HOUR = 3_600_000
const YEAR = 366 * 24 * HOUR

/** Names begin with `simulate policy`; the defaults are the PSP paper's scenario. */
export const POLICY_SETTINGS = {
  policy: many(a.oneOf(...POLICY_NAMES), {
    ...own,
    form: 'NAME[,NAME…]',
    commas: true,
    default: ['psp', 'mp2', 'm-wolf', 'index', 'round-robin'],
    what: `Of simulate policy: the policies to try: ${POLICY_NAMES.join(', ')}.`,
  }),
  instance: maybe(a.path, {
    ...own,
    form: 'FILE',
    what: 'Of simulate policy: read the scenario from this JSON file (docs/reference/json.md); - is standard input.',
  }),
  servers: one(a.count({ min: 1, max: 5_000_000 }), { ...own, form: 'N', default: '2000', what: 'Servers.' }),
  zipf: one(a.number({ max: 10 }), {
    ...own,
    form: 'THETA',
    default: '1',
    what: 'How unevenly pages lie on servers: the k-th has a share in proportion to k^-THETA.',
  }),
  rates: one(a.distribution(3600), {
    ...own,
    form: 'DISTRIBUTION',
    default: 'uniform:0.01:1/hour',
    what: 'How often pages change: equal:X, uniform:LOW:HIGH, pareto:LEAST:SHAPE, lognormal:MEDIAN:SIGMA, each with /hour, /day or the like; zipf:THETA draws from 0.01, 0.02 … 1 per hour.',
  }),
  weights: one(a.distribution(1), {
    ...own,
    form: 'DISTRIBUTION',
    default: 'equal',
    what: 'How much pages count: equal, uniform (above 0, up to 1), zipf:THETA (rank^-THETA), or another distribution.',
  }),
  sizes: maybe(a.distribution(1), {
    ...own,
    form: 'DISTRIBUTION',
    what: 'Bytes of pages: uniform:1kB:100kB, lognormal:15kB:1. They matter with --server-speed.',
  }),
  serverSpeed: maybe(a.distribution(1), {
    ...own,
    form: 'DISTRIBUTION',
    what: 'Bytes a second of a server: 1MB/s, uniform:50kB:1MB/s. A download takes the longer of 1/crawler speed and size/server speed.',
  }),
  horizon: one(a.duration({ min: 1000, max: YEAR }), {
    ...own,
    form: 'DURATION',
    default: '24h',
    what: 'How long it lasts; what plans are made for.',
  }),
  politeness: one(a.duration({ max: YEAR }), {
    ...own,
    form: 'DURATION',
    default: '15s',
    what: 'The least time between the starts of two requests to a server, in the model.',
  }),
  crawlers: one(a.count({ min: 1, max: 100_000 }), { ...own, form: 'N', default: '10', what: 'Crawlers.' }),
  crawlerSpeed: one(a.distribution(1), {
    ...own,
    form: 'DISTRIBUTION',
    default: '10/s',
    what: 'Pages a second of a crawler.',
  }),
  capacity: maybe(a.count({ max: 1_000_000_000 }), {
    ...own,
    form: 'R',
    defaultText: 'what the crawlers can do',
    what: 'Updates within the horizon, at most.',
  }),
  seed: maybe(a.count({ max: 2 ** 32 - 1 }), {
    ...own,
    form: 'N',
    defaultText: 'drawn for crawl, 1 for policy and figures',
    what: 'The same as --random-seed.',
  }),
  sample: toggle({
    ...own,
    what: 'Draw the changes of pages too, and give what came of them beside the exact expectation.',
  }),
  changes: one(a.oneOf('poisson', 'mixture'), {
    ...own,
    form: 'poisson|mixture',
    default: 'poisson',
    what: "How pages change. mixture is Wolf's: 60 % Poisson, 30 % Pareto, 10 % nearly regular; drawn values only, policies plan as for Poisson.",
  }),
  stationary: maybe(a.count({ min: 2, max: 3650 }), {
    ...own,
    form: 'DAYS',
    what: 'So many horizons one after another, reported each, begun as the best rates would have left the pages; the first third warms up, the ratio to the KKT bound is of the others.',
  }),
  learn: toggle({
    ...own,
    what: 'With --stationary: policies do not know the rates and learn them from their own looks.',
  }),
  every: maybe(a.duration({ min: 1000, max: YEAR }), {
    ...own,
    form: 'DURATION',
    what: 'Statistics so far, every so often of simulated time.',
  }),
  detail: toggle({ ...own, what: 'With --json: counts, planned and realised instants of every page.' }),
  csv: toggle({ ...own, what: 'Print the result as CSV.' }),
  out: maybe(a.path, {
    ...own,
    form: 'DIR',
    defaultText: './figures',
    what: 'Of simulate figures: where tables, CSV files and charts go.',
  }),
  figure: many(a.oneOf('fig1', 'fig2', 'weights', 'fast', 'per-day', 'stationary'), {
    ...own,
    form: 'NAME[,NAME…]',
    commas: true,
    defaultText: 'all',
    what: 'Of simulate figures: only these: fig1, fig2, weights, fast (crawlers of 100 pages/s), per-day, stationary.',
  }),
} as const satisfies Record<string, Setting<unknown>>
