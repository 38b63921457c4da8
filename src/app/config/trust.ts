/** `--trust SITE[=RULE,…]`: sites whose owners the operator knows; what a hazard rule would say of them does not count. */
import { RULE_NAMES } from '../../crawl/hazards/limits.ts'
import { hostMatches } from './hosts.ts'
import { nearest } from './nearest.ts'
import { Unfit } from './setting.ts'

export interface Trust {
  /** A site, `*.domain`, or `*` for all. */
  site: string
  /** Names of rules; empty: all of them. */
  rules: readonly string[]
}

export function trust(text: string): Trust {
  const [site, rules, more] = text.split('=')
  const named = rules === undefined ? [] : rules.split(',')
  const fits =
    more === undefined &&
    /^(\*|(\*\.)?[a-z0-9._-]+(:\d{1,5})?)$/i.test(site) &&
    named.every((name) => /^[a-z0-9-]+$/.test(name))
  if (!fits)
    throw new Unfit(
      `'${text}' is no site with rules; write www.example.org, or *.example.org=endless-sequence,soft-404`,
    )
  const unknown = named.find((name) => !RULES.includes(name))
  if (unknown !== undefined) {
    const meant = nearest(unknown, RULES)
    const hint = meant === undefined ? `the rules are ${RULES.join(', ')}` : `did you mean ${meant}?`
    throw new Unfit(`'${unknown}' is no hazard rule; ${hint}`)
  }
  return { site: site.toLowerCase(), rules: named }
}

const RULES: readonly string[] = RULE_NAMES

/** Whether a rule is overruled for a site; `site-urls>=5000` goes by the name `site-urls`. */
export function trustOf(trusts: readonly Trust[]): (site: string, rule: string) => boolean {
  if (trusts.length === 0) return () => false
  return (site, rule) => {
    const [name] = rule.split(/[<>= ]/, 1)
    const host = site.replace(/:\d+$/, '')
    return trusts.some(
      (one) =>
        (one.site === '*' || one.site === site || hostMatches(one.site, host)) &&
        (one.rules.length === 0 || one.rules.includes(name)),
    )
  }
}
