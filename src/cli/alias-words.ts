/** What it means for a URL or a site that the site is another name of an original, in sentences. Pure. */
import { plain } from './progress.ts'
import type { SiteLook, UrlFacts } from './rooms.ts'
import { timeText } from './words.ts'

export function aliasLines({ alias }: SiteLook): string[] {
  if (alias === undefined) return []
  const { original, how, evidence, since } = alias
  const said = evidence === '' ? '' : ` (${plain(evidence)})`
  const by = how === 'list' ? 'by the list of mirrors' : 'learnt from where its home page sends everybody'
  return [
    `Another name of ${plain(original)}, ${by}${said}, since ${timeText(since)} UTC: links into it are entered there, and only its own home page is asked for.`,
  ]
}

/** Why a page of such a site is not queued there; nothing when it is none, or the page was asked for all the same. */
export function aliasSentence({ url, look, page }: UrlFacts, site: SiteLook | undefined): string | undefined {
  if (site?.alias === undefined || page !== undefined || look?.mark === 'waiting') return undefined
  const { pathname, search } = new URL(url)
  const { original } = site.alias
  return `Not asked for here: its site is another name of ${plain(original)}, where links to it are entered: see ${plain(original + pathname + search)}.`
}
