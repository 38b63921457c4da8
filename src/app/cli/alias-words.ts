/** What it means for a URL or a site that the site is another name of an original, in sentences. Pure. */

import type { LeftMirror, SiteView, UrlFacts } from './collection-reader.ts'
import { plain } from './progress.ts'
import { timeText } from './words.ts'

export function aliasLines({ alias }: SiteView): string[] {
  if (alias === undefined) return []
  const { original, how, evidence, since } = alias
  const said = evidence === '' ? '' : ` (${plain(evidence)})`
  const by = how === 'list' ? 'by the list of mirrors' : 'learnt from where its home page sends everybody'
  const here = how === 'list' ? 'only its own home page is' : 'only its own home page, and what is not found there, are'
  return [
    `Another name of ${plain(original)}, ${by}${said}, since ${timeText(since)} UTC: links into it are entered there, and ${here} asked for here.`,
  ]
}

/** It was one by the list of mirrors, and is none any more. */
export function leftLine({ original, on, why }: LeftMirror): string {
  return `It was on the list of mirrors as a copy of ${plain(original)} and left it on ${plain(on)}: ${plain(why)}. Links to it are entered here since.`
}

/** Why a page of such a site is not queued there; nothing when it is none, or the page was asked for all the same. */
export function aliasSentence({ url, view, page }: UrlFacts, site: SiteView | undefined): string | undefined {
  if (site?.alias === undefined || page !== undefined || view?.mark === 'waiting') return undefined
  const { pathname, search } = new URL(url)
  const { original } = site.alias
  return `Not asked for here: its site is another name of ${plain(original)}, where links to it are entered: see ${plain(original + pathname + search)}.`
}
