/** Hazards with their evidence; sites that are other names of others. */
import {
  type FindingPosition,
  type ListedAlias,
  type ListedFinding,
  MAX_COUNTED,
  type RuleCount,
} from '../../collection/browse/findings.ts'
import { among, type NamedPair } from '../../collection/mirrors/list.ts'
import type { MirrorFindings } from '../../collection/mirrors/mirror-findings.ts'
import {
  type Choice,
  type DecidedMirrors,
  EVERY_RULE,
  type FindingName,
  READING_HUNG,
} from '../../contracts/control.ts'
import { ruleLabel } from '../../contracts/counts.ts'
import { grouped } from '../../report/text-table.ts'
import { type Html, href, html, visible } from '../html.ts'
import { actionButton, framed } from '../layout.ts'
import type { PageRequest, Render, SlowData } from '../page.ts'
import { asked, siteLink, time, urlLink, WITHOUT_SCRIPTS } from '../pieces.ts'

export interface HazardsData {
  /** Newest first, with what operators decided about their sites. */
  findings(
    rule: string | undefined,
    before: FindingPosition | undefined,
    atMost: number,
  ): Promise<{ findings: ListedFinding[]; rules: RuleCount[]; choices: Map<string, Choice | undefined> }>
  /** All in some order, or those of one site. */
  aliases(site: string | undefined, after: string | undefined, atMost: number): Promise<ListedAlias[]>
  /** The operator's list, and what operators decided; `pairs` undefined: there is no list, or it is too long. */
  mirrorList(): Promise<{
    path: string | undefined
    size: number | undefined
    pairs: { kind: 'pair' | 'never'; replica: string; original: string; text: string }[] | undefined
    decided: DecidedMirrors
  }>
  mirrors(ask: {
    heuristic: 'Dups60'
    examples: number
  }): Promise<Pick<MirrorFindings, 'sites' | 'contents' | 'heuristics' | 'pairs' | 'proposed'>>
}

const LINES = 50

export const hazards: Render<HazardsData> = async (request, data) => {
  const rule = asked(request, 'rule', 60)
  const before = /^(\d{1,15})\.(\d{1,16})$/.exec(asked(request, 'before'))
  const position = before === null ? undefined : { at: Number(before[1]), id: Number(before[2]) }
  const { findings, rules, choices } = await data.findings(rule === '' ? undefined : rule, position, LINES)
  const last = findings.length === LINES ? findings.at(-1) : undefined
  const ruleQuery = rule === '' ? undefined : rule
  const pages = html`<p class="pages">${position !== undefined && html`<a href="${href(request.base, '/hazards', { rule: ruleQuery })}">Newest</a>`}${last && html`<a href="${href(request.base, '/hazards', { rule: ruleQuery, before: `${last.at}.${last.id}` })}" rel="next">Older</a>`}</p>`
  const list =
    findings.length === 0
      ? html`<p>No hazard was found${rule !== '' && html` by the rule ${visible(rule, 60)}`}.</p>`
      : html`<ul class="plain">${findings.map((one) => findingItem(request, one, one.site === undefined ? undefined : choices.get(one.site), true))}</ul>`
  const body = html`${ruleTable(request, rules, rule)}<section><h2>${rule === '' ? 'Newest findings' : html`Findings by ${visible(rule, 60)}`}</h2>${list}${pages}</section>`
  return framed(request, { title: 'Hazards', under: '/hazards', isStill: true, body })
}

function ruleTable(request: PageRequest, rules: readonly RuleCount[], chosen: string): Html {
  if (rules.length === 0) return html``
  const total = rules.reduce((sum, { count }) => sum + count, 0)
  const rows = rules.map(
    ({ rule, count, standing }) =>
      html`<tr><th scope="row"><a href="${href(request.base, '/hazards', { rule })}"${rule === chosen && html` aria-current="true"`}>${visible(rule, 60)}</a></th><td class="n">${grouped(count)}</td><td class="n">${grouped(standing)}</td></tr>`,
  )
  const all = chosen !== '' && html`<p><a href="${href(request.base, '/hazards')}">All rules</a></p>`
  return html`<section><h2>By rule</h2>${total >= MAX_COUNTED && html`<p class="soft">Among the newest ${grouped(MAX_COUNTED)} findings.</p>`}<table><thead><tr><th scope="col">Rule</th><th scope="col" class="n">Findings</th><th scope="col" class="n">In force</th></tr></thead><tbody>${rows}</tbody></table>${all}</section>`
}

/** A finding, its evidence and examples; operators may overrule or confirm it. */
export function findingItem(
  request: PageRequest,
  { site, rule, pattern, evidence, examples, at, withdrawn_at }: Omit<ListedFinding, 'id'>,
  choice: Choice | undefined,
  namesSite = false,
): Html {
  const trust = choice?.trust ?? []
  // A finding says its limit, too (`site-urls>=5000`); operators overrule the rule.
  const name = ruleLabel(rule)
  const isOverruled = trust.includes(name) || trust.includes(EVERY_RULE)
  const finding: FindingName = pattern === null ? { rule: name } : { rule: name, pattern }
  const confirmed = choice?.confirmed?.find((one) => one.rule === name && one.pattern === finding.pattern)
  const isInForce = !isOverruled && withdrawn_at === null
  const state = isOverruled
    ? 'overruled by the operator'
    : withdrawn_at !== null
      ? 'withdrawn'
      : confirmed !== undefined
        ? 'confirmed by the operator'
        : 'in force'
  return html`<li class="finding"><p><strong>${visible(rule, 60)}</strong>${namesSite && html` at ${site === undefined ? 'an unknown site' : siteLink(request, site)}`}${pattern !== null && html` in <code>${visible(pattern)}</code>`} <span class="state plain">${state}</span></p><p>${visible(evidence, 1000)}</p>${examples.length > 0 && html`<p class="soft">For example: ${examples.slice(0, 3).map((example) => html`<br>${/^https?:\/\//.test(example) ? urlLink(request, example) : html`<code>${visible(example)}</code>`}`)}</p>`}<p class="soft">Found ${time(at)}${withdrawn_at !== null && html`; samples contradicted it ${time(withdrawn_at)}, so what it held back is queued again`}${isInForce && confirmed && html`; confirmed ${time(confirmed.at)} by ${visible(confirmed.who, 100)}, so no samples are fetched`}.</p>${site !== undefined && rule !== READING_HUNG && findingActions(request, site, finding, { isOverruled, mayConfirm: isInForce && confirmed === undefined, trustsAll: trust.includes(EVERY_RULE) })}</li>`
}

function findingActions(
  request: PageRequest,
  site: string,
  finding: FindingName,
  { isOverruled, mayConfirm, trustsAll }: { isOverruled: boolean; mayConfirm: boolean; trustsAll: boolean },
): Html {
  const { rule } = finding
  if (trustsAll) return actionButton(request, { action: 'distrust', site }, 'Let all rules count again')
  if (isOverruled) return actionButton(request, { action: 'distrust', site, rule }, 'Let it count again')
  const confirm =
    mayConfirm &&
    actionButton(request, { action: 'confirm-hazard', site, ...finding }, 'Confirm', {
      confirm:
        finding.pattern === undefined
          ? 'You have looked at it, and it is right. Who confirmed it is kept with it.'
          : 'You have looked at it, and it is right: no more samples are fetched there, so it is never withdrawn. Overruling undoes it.',
    })
  const overrule = actionButton(request, { action: 'trust', site, rule }, 'Overrule', {
    confirm: `The rule ${rule} will not count at ${site} any more; what it held back is fetched at the site’s next visit.`,
  })
  return html`<div class="actions">${confirm}${overrule}</div>`
}

/** Seconds to minutes: it compares the contents of all sites. */
export const mirrorComputations = {
  mirrors: (_: string, data: HazardsData) => data.mirrors({ heuristic: 'Dups60', examples: 20 }),
}

type Found = Awaited<ReturnType<HazardsData['mirrors']>>

export const mirrors: Render<HazardsData & SlowData> = async (request, data) => {
  const name = asked(request, 'site', 300).toLowerCase()
  const after = asked(request, 'after', 300)
  const found = await data.aliases(name === '' ? undefined : name, after === '' ? undefined : after, LINES)
  const last = name === '' && found.length === LINES ? found.at(-1)?.name : undefined
  const list = await data.mirrorList()
  const isConfirmed = among(list.decided.confirmed)
  const rows = found.map(({ name, original, how, since, evidence }) => {
    const pair = { replica: name, original }
    const source = isConfirmed(pair)
      ? 'an operator’s word'
      : how === 'list'
        ? 'the list'
        : 'its home page redirects there'
    return html`<tr><th scope="row" class="url">${siteLink(request, name)}</th><td class="url">${siteLink(request, original)}</td><td>${source}</td><td>${time(since)}</td><td>${visible(evidence)}</td>${decisionCell(request, pair, list.decided)}</tr>`
  })
  const table =
    rows.length === 0
      ? html`<p>${name === '' ? 'No site is another name of another yet.' : html`${visible(name, 100)} has no other name here.`}</p>`
      : html`<div class="scroll" tabindex="0" role="region" aria-label="Names in use"><table><thead><tr><th scope="col">Name</th><th scope="col">Links are followed at</th><th scope="col">Known from</th><th scope="col">Since</th><th scope="col">Evidence</th>${decisionHead(request)}</tr></thead><tbody>${rows}</tbody></table></div>`
  const body = html`<form method="get" action="${href(request.base, '/mirrors')}" class="search card" role="search"><div><label for="site">Names of the site</label><br><input id="site" name="site" value="${name}" maxlength="300" spellcheck="false" autocapitalize="off"></div><button class="main">Show</button></form>
<section><h2>In use now</h2>${table}<p class="pages">${last && html`<a href="${href(request.base, '/mirrors', { after: last })}" rel="next">Next page</a>`}</p></section>
${decidedSection(request, list.decided)}${listSection(list)}${await proposals(request, data, list.decided)}`
  return framed(request, { title: 'Mirrors', under: '/mirrors', isStill: true, body })
}

const MAX_PAIRS = 500

const decisionHead = (request: PageRequest) => request.role === 'operator' && html`<th scope="col">Decide</th>`

/** What is not decided yet may be. */
function decisionCell(
  request: PageRequest,
  { replica: site, original }: NamedPair,
  { confirmed }: DecidedMirrors,
): Html | false {
  if (request.role !== 'operator') return false
  const confirm =
    !among(confirmed)({ replica: site, original }) &&
    actionButton(request, { action: 'confirm-mirror', site, original }, 'Confirm')
  const overrule = actionButton(request, { action: 'overrule-mirror', site, original }, 'Overrule', {
    confirm: `${site} will be a site of its own: links to it are followed there, not at ${original}.`,
  })
  return html`<td><div class="actions">${confirm}${overrule}</div></td>`
}

function decidedSection(request: PageRequest, { confirmed, overruled }: DecidedMirrors): Html {
  const row = (what: string) => (pair: NamedPair) =>
    html`<tr><th scope="row" class="url">${siteLink(request, pair.replica)}</th><td>${what}</td><td class="url">${siteLink(request, pair.original)}</td><td>${actionButton(request, { action: 'undecide-mirror', site: pair.replica, original: pair.original }, 'Take back')}</td></tr>`
  const rows = [
    ...confirmed.slice(0, MAX_PAIRS).map(row('is a copy of')),
    ...overruled.slice(0, MAX_PAIRS).map(row('is no copy of')),
  ]
  const fields = html`<label>Site <input name="site" required maxlength="300" spellcheck="false" autocapitalize="off"></label> <label>Decision <select name="action"><option value="overrule-mirror">is no copy of</option><option value="confirm-mirror">is a copy of</option></select></label> <label>Original <input name="original" required maxlength="300" spellcheck="false" autocapitalize="off"></label> `
  const form = actionButton(request, { action: 'overrule-mirror', site: '', original: '' }, 'Decide', { fields })
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="Decisions"><table><tbody>${rows}</tbody></table></div>`
  return html`<section id="decided"><h2>Decided by operators</h2><p class="soft">It counts at once and more than the list and what home pages say, until it is taken back.</p>${rows.length > 0 ? table : html`<p>Nothing yet.</p>`}<div class="actions">${form}</div></section>`
}

function listSection({ path, size, pairs, decided }: Awaited<ReturnType<HazardsData['mirrorList']>>): Html {
  if (path === undefined)
    return html`<section><h2>The list</h2><p>There is none. <code>orbweaver mirrors</code> writes one from what is found below.</p></section>`
  if (pairs === undefined)
    return html`<section><h2>The list</h2><p><code>${visible(path)}</code> is ${size === undefined ? 'not there' : 'too long to be shown here'}.</p></section>`
  const [isConfirmed, isOverruled] = [among(decided.confirmed), among(decided.overruled)]
  const elsewhere = new Map(decided.confirmed.map(({ replica, original }) => [replica, original]))
  const countsNot = ({ kind, replica, original }: (typeof pairs)[number]) =>
    kind === 'never'
      ? isConfirmed({ replica, original })
      : isOverruled({ replica, original }) || (elsewhere.get(replica) ?? original) !== original
  const rows = pairs.slice(0, MAX_PAIRS).map((line) => {
    const { kind, replica, original, text } = line
    const note = countsNot(line) ? 'does not count: decided otherwise' : (/#(.*)$/.exec(text)?.[1].trim() ?? '')
    return html`<tr><th scope="row" class="url">${visible(replica, 100)}</th><td>${kind === 'pair' ? 'is a copy of' : 'is never a copy of'}</td><td class="url">${visible(original, 100)}</td><td>${visible(note)}</td></tr>`
  })
  return html`<section><h2>The list, as the next start uses it</h2><p><code>${visible(path)}</code>: ${grouped(pairs.length)} lines${pairs.length > MAX_PAIRS && `, of which the first ${grouped(MAX_PAIRS)} are shown`}. A line <code>! copy original</code> says that these two are never taken for mirrors.</p>${rows.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label="The list"><table><tbody>${rows}</tbody></table></div>`}</section>`
}

async function proposals(request: PageRequest, data: SlowData, decided: DecidedMirrors): Promise<Html> {
  if (asked(request, 'find') === '')
    return html`<section><h2>Copies that the collection shows</h2><p>Comparing the contents of all sites takes seconds to minutes, beside the crawl. <a href="${href(request.base, '/mirrors', { find: 1 })}">Find them</a></p></section>`
  const slow = await data.slow<Found>('mirrors', '')
  if (slow.state !== 'known')
    return html`<section id="found" data-live><h2>Copies that the collection shows</h2><p>${slow.state === 'failed' ? `They could not be found: ${slow.why}` : html`They are being looked for; this page shows them when they are found.${WITHOUT_SCRIPTS}`}</p></section>`
  const { sites, contents, heuristics, pairs } = slow.value
  // The figures may be older than what was decided.
  const isOverruled = among(decided.overruled)
  const rows = pairs
    .filter((pair) => !isOverruled(pair))
    .slice(0, MAX_PAIRS)
    .map(
      (pair) =>
        html`<tr><th scope="row" class="url">${siteLink(request, pair.replica)}</th><td class="url">${siteLink(request, pair.original)}</td>${decisionCell(request, pair, decided)}</tr>`,
    )
  return html`<section id="found"><h2>Copies that the collection shows</h2><p class="soft">As of ${time(slow.at)}: ${grouped(contents)} contents of ${grouped(sites)} sites were compared.</p><div class="scroll" tabindex="0" role="region" aria-label="By heuristic"><table><caption>By heuristic</caption><thead><tr><th scope="col">Heuristic</th><th scope="col" class="n">Groups</th><th scope="col" class="n">Copies</th></tr></thead><tbody>${heuristics.map(({ heuristic, groups, replicas }) => html`<tr><th scope="row">${heuristic}</th><td class="n">${grouped(groups)}</td><td class="n">${grouped(replicas)}</td></tr>`)}</tbody></table></div>${rows.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label="Copies and originals"><table><caption>Copies and originals (Dups60)</caption><tbody>${rows}</tbody></table></div>`}</section>`
}
