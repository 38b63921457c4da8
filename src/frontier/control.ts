/** The actions of operators while the crawl runs, from the dashboard, the API or the command line. */
import { never } from '../base/assert.ts'
import type { Clock, Millis } from '../base/clock.ts'
import { Problem } from '../base/errors.ts'
import { formatDuration } from '../base/units.ts'
import {
  type Action,
  type Choice,
  type ConfirmedFinding,
  type Control,
  type Decided,
  EVERY_RULE,
  type FindingName,
  type Performed,
} from '../contracts/control.ts'
import type { SiteName } from '../contracts/visit.ts'
import type { Database, Tx } from '../database/database.ts'
import type { UrlReader } from '../web/url/web-url.ts'
import type { Ledger, SeedUrl } from './contract.ts'
import { beginAction, type Decisions, readChoice, WHOLE_CRAWL, writeAudit, writeChoice } from './decisions.ts'
import { frontierQueries } from './queries.ts'

export interface ControlParts {
  database: Database
  ledger: Pick<Ledger, 'stopSite' | 'askAgain' | 'seed' | 'admit' | 'alias' | 'unalias'>
  decisions: Decisions
  clock: Clock
  urls: UrlReader
  /** Names of hazard rules. */
  rules: readonly string[]
  /** Undefined: there is no such finding at the site. */
  findingState(tx: Tx, site: SiteName, finding: FindingName): Promise<'in-force' | 'withdrawn' | undefined>
  /** Throws a `Problem` when the line is none of a blacklist. */
  checkBlacklist(line: string): void
  /** Frees what a silent worker holds: how many visits. Throws a `Problem` when it is unknown or at work. */
  freeWorker(tx: Tx, worker: string): Promise<number>
  /** Called before `freeWorker`, outside of the transaction: what the worker sent is applied first. */
  settled(): Promise<void>
}

/** The shortest pause that an operator may set for a site. */
export const MIN_PAUSE: Millis = 1000
const MAX_PAUSE: Millis = 86_400_000
const MAX_REASON = 1000
const MAX_SEEDS = 10_000
const MAX_LINES = 10_000
const MAX_LINE = 2000
const MAX_WHO = 200
/** Originals that one site is no copy of. */
const MAX_OVERRULED = 100
/** Findings of one site; its memory has room for some twenty. */
const MAX_CONFIRMED = 100

/** What an action does to its subject. `after` undefined: the same as before. */
interface Effect {
  subject: string
  before: unknown
  after?: unknown
  now: string
}

/** One action, in its transaction. */
interface Acting extends ControlParts {
  tx: Tx
  by: Decided
  /** Of what it decides. */
  version: number
}

export function openControl(parts: ControlParts): Control {
  const { database, decisions, clock, settled } = parts
  return {
    async perform(who: string, action: Action): Promise<Performed> {
      if (action.action === 'free-worker') await settled()
      const by = plain(who).slice(0, MAX_WHO)
      const perform = async (tx: Tx): Promise<Performed> => {
        const at = Math.round(clock.now())
        const acting = { ...parts, tx, by: { at, who: by }, version: await beginAction(tx) }
        const effect = await effectOf(acting, action)
        const { subject, before, after } = effect
        await writeAudit(tx, {
          at,
          who: by,
          action: action.action,
          subject,
          before: textOf(before),
          after: textOf(after ?? before),
        })
        return { now: effect.now, isChanged: after !== undefined }
      }
      return decisions.decide(() => database.transact(perform))
    },
    get crawl() {
      return decisions.crawl
    },
    choiceOf: (site) => decisions.choiceOf(site),
  }
}

const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

async function effectOf(acting: Acting, action: Action): Promise<Effect> {
  switch (action.action) {
    case 'pause':
    case 'resume':
    case 'stop':
      return steerCrawl(acting, action)
    case 'pause-site':
    case 'bar-site':
    case 'resume-site':
      return steerSite(acting, action)
    case 'ask-again':
      return askAgain(acting, action.site)
    case 'set-pause':
      return setPause(acting, action.site, action.pauseMs)
    case 'trust':
    case 'distrust':
      return trust(acting, action)
    case 'confirm-hazard':
      return confirmHazard(acting, action)
    case 'confirm-mirror':
    case 'overrule-mirror':
    case 'undecide-mirror':
      return decideMirror(acting, action)
    case 'add-seeds':
      return addSeeds(acting, action.urls)
    case 'announce':
      return announce(acting, action.urls, action.at)
    case 'blacklist':
    case 'unblacklist':
      return blacklist(acting, action)
    case 'free-worker': {
      const freed = await acting.freeWorker(acting.tx, action.worker)
      const now =
        freed === 0
          ? `Worker ${action.worker} held nothing.`
          : `${freed} sites of worker ${action.worker} are free again. If its process runs after all, end it now: two workers may be at one site.`
      return { subject: action.worker, before: { visits: freed }, ...(freed > 0 && { after: { visits: 0 } }), now }
    }
    default:
      return never(action, 'action')
  }
}

/**
 * Without the blacklist: with it the audit log would grow with the square of its lines. Its version means nothing to
 * people.
 */
const audited = ({ blacklist: _, blacklistVersion: __, ...choice }: Choice): Choice => choice

/** Changes what is decided about a subject. Nothing is written if nothing changes. */
async function decide(
  { tx, version }: Acting,
  subject: string,
  change: (before: Choice) => Choice | undefined,
): Promise<Omit<Effect, 'now'>> {
  const choice = await readChoice(tx, subject)
  const before = audited(choice)
  const after = change(choice)
  if (after === undefined) return { subject, before }
  await writeChoice(tx, subject, after, version)
  return { subject, before, after: audited(after) }
}

const plain = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ').trim()

const withReason = (by: Decided, reason: string | undefined): Decided =>
  reason === undefined || plain(reason) === '' ? by : { ...by, reason: plain(reason).slice(0, MAX_REASON) }

async function steerCrawl(
  acting: Acting,
  action: Extract<Action, { action: 'pause' | 'resume' | 'stop' }>,
): Promise<Effect> {
  const { by, version } = acting
  const decided = await decide(acting, WHOLE_CRAWL, ({ paused, ...before }) => {
    if (action.action === 'stop') return { ...before, ...(paused && { paused }), stopped: by, stopVersion: version }
    if (action.action === 'resume') return paused === undefined ? undefined : before
    return paused === undefined ? { ...before, paused: withReason(by, action.reason) } : undefined
  })
  const now = {
    pause: 'The crawl is paused: no request is made until it is resumed, even after a restart.',
    resume: 'The crawl goes on.',
    stop: 'The crawl ends: visits under way check in first.',
  }[action.action]
  // It is written again anyway: a process that was just beginning may have missed the first.
  if (action.action === 'stop' && (decided.before as Choice).stopped) return { ...decided, after: undefined, now }
  return { ...decided, now }
}

async function steerSite(
  acting: Acting,
  action: Extract<Action, { action: 'pause-site' | 'bar-site' | 'resume-site' }>,
): Promise<Effect> {
  const { urls, by } = acting
  const site = siteOf(urls, action.site)
  const decided = await decide(acting, site, ({ paused, barred, ...before }) => {
    if (action.action === 'resume-site') return paused === undefined && barred === undefined ? undefined : before
    // A barred site is not paused as well: resuming it undoes either.
    if (action.action === 'pause-site')
      return (paused ?? barred) ? undefined : { ...before, paused: withReason(by, action.reason) }
    return barred === undefined ? { ...before, barred: withReason(by, action.reason) } : undefined
  })
  if (decided.after !== undefined) {
    await tell(acting, site, decided.after as Choice)
  }
  const { barred } = (decided.after ?? decided.before) as Choice
  const now =
    action.action === 'resume-site'
      ? `${site} is visited again, as its pause allows.`
      : barred !== undefined
        ? `${site} is barred: it is not visited until it is resumed.`
        : `${site} is paused: it is not visited until it is resumed.`
  return { ...decided, now }
}

/** Calls of the frontier about a site that the operator names. */
async function tell({ ledger, tx }: Acting, site: SiteName, { paused, barred }: Choice): Promise<void> {
  await ledger.stopSite(tx, site, barred ? 'barred' : paused ? 'paused' : null, barred?.reason)
}

async function askAgain({ urls, ledger, tx, version }: Acting, given: SiteName): Promise<Effect> {
  const site = siteOf(urls, given)
  if (!(await ledger.askAgain(tx, site)))
    throw new Problem('not-found', `${site} is not known to this collection: add one of its pages as a seed`)
  const { paused, barred } = await readChoice(tx, site)
  const stopped = barred ? 'barred' : paused && 'paused'
  const now =
    stopped === undefined
      ? `${site} is asked again as soon as its pause allows.`
      : `${site} is ${stopped}: its robots.txt and failures are forgotten, but it is not asked before it is resumed.`
  return { subject: site, before: undefined, after: { version }, now }
}

async function setPause(acting: Acting, given: SiteName, pauseMs: Millis | null): Promise<Effect> {
  const site = siteOf(acting.urls, given)
  if (pauseMs !== null && !(pauseMs >= MIN_PAUSE && pauseMs <= MAX_PAUSE))
    throw new Problem('bad-flag', `a pause of ${pauseMs} ms is not possible: give between 1 s and 1 day`)
  const decided = await decide(acting, site, ({ pauseMs: now, ...before }) => {
    if (pauseMs === null) return now === undefined ? undefined : before
    return now === pauseMs ? undefined : { ...before, pauseMs: Math.ceil(pauseMs) }
  })
  const now =
    pauseMs === null
      ? `${site} has the configured pause.`
      : `${site} has a pause of ${formatDuration(pauseMs)}, or longer where it asks for that.`
  return { ...decided, now }
}

async function trust(
  acting: Acting,
  { action, site: given, rule = EVERY_RULE }: Extract<Action, { action: 'trust' | 'distrust' }>,
): Promise<Effect> {
  const site = siteOf(acting.urls, given)
  if (rule !== EVERY_RULE) checkRule(acting, rule)
  const decided = await decide(acting, site, (choice) => {
    const { trust = [], ...before } = choice
    const isThere = trust.includes(rule)
    if (action === 'trust') return isThere ? undefined : { ...withoutConfirmed(before, rule), trust: [...trust, rule] }
    // Without a rule: none is trusted any more.
    const left = rule === EVERY_RULE ? [] : trust.filter((one) => one !== rule)
    if (left.length === trust.length) return undefined
    return left.length === 0 ? before : { ...before, trust: left }
  })
  // A held site that is trusted is endorsed by that.
  if (decided.after !== undefined && action === 'trust') await tell(acting, site, decided.after as Choice)
  const { trust = [] } = (decided.after ?? decided.before) as Choice
  const what = trust.includes(EVERY_RULE)
    ? 'no hazard rule counts'
    : `these hazard rules do not count: ${trust.join(', ')}`
  return { ...decided, now: trust.length === 0 ? `At ${site} all hazard rules count.` : `At ${site} ${what}.` }
}

function checkRule({ rules }: ControlParts, rule: string): void {
  if (!rules.includes(rule))
    throw new Problem('bad-flag', `there is no hazard rule ${shown(rule)}: one of ${rules.join(', ')}`)
}

/** Overruling undoes it. */
function withoutConfirmed({ confirmed = [], ...choice }: Choice, rule: string): Choice {
  const left = rule === EVERY_RULE ? [] : confirmed.filter((one) => one.rule !== rule)
  return left.length === 0 ? choice : { ...choice, confirmed: left }
}

async function confirmHazard(
  acting: Acting,
  { site: given, rule, pattern }: Extract<Action, { action: 'confirm-hazard' }>,
): Promise<Effect> {
  const { urls, tx, by } = acting
  const site = siteOf(urls, given)
  checkRule(acting, rule)
  const finding: FindingName = pattern === undefined ? { rule } : { rule, pattern }
  const what = pattern === undefined ? rule : `${rule} in ${shown(pattern)}`
  const state = await acting.findingState(tx, site, finding)
  if (state === undefined)
    throw new Problem('not-found', `${what} was not found at ${site}: orbweaver explain ${site} lists what was`)
  if (state === 'withdrawn')
    throw new Problem('bad-flag', `${what} at ${site} is withdrawn: samples contradicted it, so it holds nothing back`)
  const decided = await decide(acting, site, ({ confirmed = [], ...before }) => {
    const { trust = [] } = before
    if (trust.includes(rule) || trust.includes(EVERY_RULE))
      throw new Problem('bad-flag', `${rule} is overruled at ${site}: let it count again first`)
    if (confirmed.some((one) => one.rule === rule && one.pattern === pattern)) return undefined
    if (confirmed.length >= MAX_CONFIRMED)
      throw new Problem('bad-flag', `${MAX_CONFIRMED} findings are confirmed at ${site} already: bar the site instead`)
    const added: ConfirmedFinding = { ...finding, ...by }
    return { ...before, confirmed: [...confirmed, added] }
  })
  return {
    ...decided,
    now: `${what} at ${site} is confirmed: it stays in force, without samples, until it is overruled.`,
  }
}

type MirrorAction = Extract<Action, { action: 'confirm-mirror' | 'overrule-mirror' | 'undecide-mirror' }>

async function decideMirror(acting: Acting, { action, ...given }: MirrorAction): Promise<Effect> {
  const { urls, tx, ledger } = acting
  const site = siteOf(urls, given.site)
  const original = siteOf(urls, given.original)
  if (site === original) throw new Problem('bad-flag', `${site} cannot be a copy of itself: name two sites`)
  const decided = await decide(acting, site, (before) => {
    const { copyOf, notCopyOf = [], ...rest } = before
    const others = notCopyOf.filter((one) => one !== original)
    const isOverruled = others.length < notCopyOf.length
    const overruled = action === 'overrule-mirror' ? [...others, original] : others
    const confirmed = action === 'confirm-mirror' ? original : copyOf === original ? undefined : copyOf
    if (confirmed === copyOf && isOverruled === (action === 'overrule-mirror')) return undefined
    if (overruled.length > MAX_OVERRULED)
      throw new Problem('bad-flag', `${site} is no copy of ${MAX_OVERRULED} sites already: take one of those back`)
    return {
      ...rest,
      ...(confirmed !== undefined && { copyOf: confirmed }),
      ...(overruled.length > 0 && { notCopyOf: overruled }),
    }
  })
  const aliasOf = async (name: SiteName) => (await frontierQueries.site(tx, name))?.alias
  const alias = await aliasOf(site)
  const isAlias = alias?.original === original
  if (action === 'confirm-mirror') {
    // How a learnt alias is fetched stays as it was.
    const answer = await ledger.alias(tx, { name: site, original, how: 'list', https: isAlias && alias.https })
    if (answer === 'cycle')
      throw new Problem('bad-flag', `${original} is itself a copy of ${site}: overrule that pair first`)
    if (answer === 'refused')
      throw new Problem(
        'bad-flag',
        `${site} cannot be a copy of ${original}: that site was given up, or is one of a long chain`,
      )
    return { ...decided, now: `${site} is a copy of ${original}: links to it are followed there.` }
  }
  if (action === 'overrule-mirror' && (await aliasOf(original))?.original === site) await ledger.unalias(tx, original)
  const wasConfirmed = (decided.before as Choice).copyOf === original
  if (isAlias && (action === 'overrule-mirror' || wasConfirmed)) await ledger.unalias(tx, site)
  const now =
    action === 'overrule-mirror'
      ? `${site} is no copy of ${original}: it is a site of its own.`
      : `Nothing is decided about ${site} and ${original}: home pages count, and from the next start on the list of mirrors.`
  return { ...decided, now }
}

async function addSeeds(acting: Acting, texts: readonly string[]): Promise<Effect> {
  const { urls, ledger, tx, version } = acting
  const seeds = parsed(urls, texts)
  const { fresh } = await ledger.seed(tx, seeds)
  const now = `${fresh} of ${seeds.length} seeds are new.`
  const before = { seeds: seeds.length, new: 0 }
  if (fresh === 0) return { subject: WHOLE_CRAWL, before, now }
  await decide(acting, WHOLE_CRAWL, (choice) => ({ ...choice, seeded: version }))
  return { subject: WHOLE_CRAWL, before, after: { seeds: seeds.length, new: fresh }, now }
}

function parsed(urls: UrlReader, texts: readonly string[]): SeedUrl[] {
  if (texts.length === 0 || texts.length > MAX_SEEDS)
    throw new Problem('bad-seed', `${texts.length} URLs are not possible at once: give between 1 and ${MAX_SEEDS}`)
  return texts.map((text): SeedUrl => {
    const url = text.length > MAX_LINE ? undefined : urls.parse(text.trim())
    if (url === undefined)
      throw new Problem('bad-seed', `${shown(text)} is no URL that can be fetched: give it with http:// or https://`)
    return { url: url.href, key: url.key, site: url.site }
  })
}

/** Whether a hint is followed is the frontier's to decide: minimum age, and how often hints of the site were right. */
async function announce({ urls, ledger, tx, by }: Acting, texts: readonly string[], at = by.at): Promise<Effect> {
  const pages = parsed(urls, texts)
  const marks = await frontierQueries.marks(tx, pages)
  const known = pages.filter((_, nth) => marks[nth] === 'kept')
  // Nothing but the date counts of a link to a known page.
  const links = known.map((page) => ({ ...page, depth: 0, via: page.url, path: '', lastmod: Math.min(at, by.at) }))
  await ledger.admit(tx, links)
  const unknown = pages.length - known.length
  const others = unknown === 0 ? '' : ` ${unknown} are not in the collection: add them as seeds.`
  const announced = { announced: pages.length, known: known.length }
  const now = `${known.length} of ${pages.length} pages are noted as changed: a running refresh looks at them soon.${others}`
  return {
    subject: WHOLE_CRAWL,
    ...(known.length > 0 ? { before: undefined, after: announced } : { before: announced }),
    now,
  }
}

async function blacklist(
  acting: Acting,
  { action, pattern }: Extract<Action, { action: 'blacklist' | 'unblacklist' }>,
): Promise<Effect> {
  const { version } = acting
  const line = pattern.trim()
  if (line === '' || line.length > MAX_LINE || /[\r\n#]/.test(line))
    throw new Problem('bad-flag', `${shown(pattern)} is no line of a blacklist: give a URL, a domain or an address`)
  acting.checkBlacklist(line)
  const { subject, after } = await decide(acting, WHOLE_CRAWL, ({ blacklist = [], ...before }) => {
    const isThere = blacklist.includes(line)
    if (action === 'unblacklist') {
      if (!isThere) return undefined
      const left = blacklist.filter((one) => one !== line)
      return { ...before, ...(left.length > 0 && { blacklist: left }), blacklistVersion: version }
    }
    if (isThere) return undefined
    if (blacklist.length >= MAX_LINES)
      throw new Problem('bad-flag', `the list has ${MAX_LINES} lines already: use --blacklist-urls with a file`)
    return { ...before, blacklist: [...blacklist, line], blacklistVersion: version }
  })
  const now =
    action === 'blacklist' ? `What matches ${shown(line)} is not asked for.` : `${shown(line)} is not on the list.`
  const isChanged = after !== undefined
  const [on, off] = [{ blacklist: [line] }, {}]
  const [is, was] = action === 'blacklist' ? [on, off] : [off, on]
  return { subject, before: isChanged ? was : is, ...(isChanged && { after: is }), now }
}

const MAX_SHOWN = 100
const shown = (text: string): string => JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

/** `www.example.org`, or any URL of it. */
function siteOf(urls: UrlReader, text: string): SiteName {
  const trimmed = text.trim()
  const isUrl = /^https?:\/\//i.test(trimmed)
  const url = trimmed.length > MAX_LINE ? undefined : urls.parse(isUrl ? trimmed : `http://${trimmed}/`)
  if (url === undefined || (!isUrl && /[/?#@\s]/.test(trimmed)))
    throw new Problem('bad-flag', `${shown(text)} is not the name of a site: give it as www.example.org`)
  return url.site
}
