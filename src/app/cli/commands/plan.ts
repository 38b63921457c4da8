import { Problem } from '../../../base/errors.ts'
import { formatDuration } from '../../../base/units.ts'
import { grouped, printTable } from '../../../report/text-table.ts'
import type { PagePlan, RefreshPlan } from '../../reader/plan.ts'
import { type Command, crawlSettings, withReader } from '../command.ts'
import { ago, collectionFlag, firstOf, jsonOf, plain, some, targetOf } from '../text.ts'

export const plan: Command = {
  name: 'plan',
  usage: '[URL|SITE]',
  what: 'show when pages will be looked at again, how often they change, and what a look is worth',
  more: 'Shows what refresh intends, without fetching anything: for one page, or for the pages of a site or of the collection whose look is worth most now. Each page has the rate at which it changes (estimated from the looks so far, with the range in which the true rate lies with 90% confidence), the looks per day that are best for its site, and when it is due. A look is worth as many hours of freshness as it brings. Nothing is planned before the first refresh.',
  examples: {
    'orbweaver plan': 'The 20 pages of ./collection that are worth most now.',
    'orbweaver plan https://www.example.org/news': 'One page.',
    'orbweaver plan www.example.org --top 100 --json': 'A hundred pages of a site, as JSON.',
  },
  async run(call) {
    const { settings, clock } = call
    const [arg] = call.args
    const target = arg === undefined ? undefined : targetOf(arg)
    const found = await withReader(call, async (reader) => {
      const crawl = await crawlSettings(reader, call, 'plan')
      const ask = (what: { url?: string; site?: string }) =>
        reader.refreshPlan(crawl, { ...what, atMost: settings.top })
      if (target === undefined || 'site' in target) return ask(target ?? {})
      const known = await firstOf(target.urls, async (url) => {
        const answer = await ask({ url })
        return answer.asked === 0 ? undefined : answer
      })
      return known ?? ask({ url: target.urls[0] })
    })
    if (found.asked === 0) throw notPlanned(found, arg, settings.collection)
    return { json: planJson(found), text: planText(found, clock.now()) }
  },
}

function notPlanned({ pages }: RefreshPlan, arg: string | undefined, folder: string): Problem {
  const flag = collectionFlag(folder)
  if (pages === 0) return new Problem('not-found', `nothing is planned yet; begin with: orbweaver refresh${flag}`)
  return new Problem(
    'not-found',
    `${arg} is not among the pages that are looked at again; orbweaver explain ${arg}${flag} says why`,
  )
}

function planJson({ pages, asked, priceHours, plans }: RefreshPlan): object {
  return {
    pages,
    asked,
    priceHours,
    plans: plans.map(({ low, high, ...rest }) => ({
      ...(jsonOf(rest) as object),
      // The upper end is unknown until a page was looked at twice.
      changesPerDayRange: [low, Number.isFinite(high) ? high : null],
    })),
  }
}

export function planText({ pages, asked, priceHours, plans }: RefreshPlan, now: number): string {
  const [only] = plans
  if (asked === 1 && only !== undefined) return pageText(only, now)
  const price = priceHours * 3600 >= 1 ? `; a look must be worth ${hours(priceHours)}` : ''
  const rows = plans.map((page) => [
    dueText(page, now),
    hours(page.valueHours),
    perDay(page.looksPerDay),
    `${every(page.changesPerDay)} (${rangeText(page)})`,
    plain(page.url),
  ])
  const title = `${some(asked, 'page')} of ${some(pages, 'known page')}${price}. Those worth most now:`
  const table = printTable({ title, header: ['due', 'worth', 'looks/day', 'changes every', 'URL'], rows })
  // A terminal may break a long URL, but the rule must fit on one line.
  return table.replace(/^ *─+$/m, (rule) => rule.slice(0, 80))
}

function pageText(page: PagePlan, now: number): string {
  const { changes, weight, failures } = page
  const lines = [
    plain(page.url),
    `  Changes every ${every(page.changesPerDay)} or so (${rangeText(page)}): ${some(changes, 'change')} seen.`,
    `  Looked at ${ago(page.lookedAt, now)}; due ${dueText(page, now)}; ${perDay(page.looksPerDay)} looks a day are best.`,
    `  A look now is worth ${hours(page.valueHours)} of freshness${weight === 1 ? '' : ` (weight ${grouped(weight)})`}.`,
  ]
  if (failures > 0) lines.push(`  ${some(failures, 'look')} in a row did not bring it; the last good capture stays.`)
  return lines.join('\n')
}

function dueText({ dueAt }: PagePlan, now: number): string {
  if (dueAt === undefined) return 'never'
  return dueAt - now < 1000 ? 'now' : `in ${duration((dueAt - now) / 1000)}`
}

const DAY = 86_400

function every(perDay: number): string {
  return perDay > 0 ? duration(DAY / perDay) : 'never'
}

/** The time between changes, from the shortest to the longest. */
function rangeText({ low, high }: PagePlan): string {
  const shortest = Number.isFinite(high) ? every(high) : '?'
  return `${shortest} to ${low > 0 ? every(low) : '?'}`
}

const hours = (count: number) => duration(count * 3600)
const perDay = (count: number) => (count >= 10 ? grouped(Math.round(count)) : count.toFixed(2))

/** Days are enough for long times. */
function duration(seconds: number): string {
  if (seconds >= 1000 * DAY) return 'over 1,000d'
  return formatDuration(Math.round(seconds) * 1000)
}
