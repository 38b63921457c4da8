/**
 * Where forms of the site lead. A template that writes `<form action="search.html">` into every page names another URL
 * in every folder, and most of them do not exist (3,071 times 404 at one site). After the first few failures no form is
 * followed to that name.
 */
import type { PageReport } from '../contracts/report.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import { normalPath, type UrlReader, type WebUrl } from '../web/url/web-url.ts'
import type { Reporter } from './reporter.ts'

/** Names remembered per site, and how long they may be. */
const MAX_NAMES = 8
const LONGEST_NAME = 100
/** After this many missing URLs of a name, and this many for each one found, no form is followed to it. */
const ENOUGH_MISSING = 3
const MISSING_PER_FOUND = 3

/** What is known of the URLs of one name to which forms lead. */
export type FormName = NonNullable<SiteMemory['forms']>[number]

/** The name by which a form's action is not worth a request. */
export function uselessForm(url: WebUrl, { forms }: SiteMemory): FormName | undefined {
  if (forms === undefined) return undefined
  const name = nameOf(url)
  const known = forms.find((form) => form.name === name)
  if (known === undefined || known.missing < ENOUGH_MISSING) return undefined
  return known.missing > known.found * MISSING_PER_FOUND ? known : undefined
}

export function formRefusal({ name, found, missing }: FormName): string {
  const there = found === 0 ? 'none is there' : `${found} ${found === 1 ? 'is' : 'are'} there`
  return `form-action: forms of the site lead to ${name} in its folders, ${missing} of those are missing and ${there}`
}

/** Remembers the name of a form's action, so that its answers are counted. */
export function rememberForm(url: WebUrl, reporter: Reporter): void {
  const name = nameOf(url)
  const forms = reporter.memory.forms ?? []
  if (name === '' || name.length > LONGEST_NAME || forms.length >= MAX_NAMES) return
  if (forms.some((form) => form.name === name)) return
  reporter.remember({ ...reporter.memory, forms: [...forms, { name, found: 0, missing: 0 }] })
}

/** Counts a page whose name is that of a form's action. */
export function learnFromForm(page: PageReport, reporter: Reporter, urls: UrlReader): void {
  const { forms } = reporter.memory
  const missing = page.status === 404 || page.status === 410
  if (forms === undefined || (!missing && page.outcome.kind !== 'kept')) return
  const url = urls.parse(page.url)
  const name = url === undefined ? '' : nameOf(url)
  if (!forms.some((form) => form.name === name)) return
  const counted = forms.map((form) => {
    if (form.name !== name) return form
    return missing ? { ...form, missing: form.missing + 1 } : { ...form, found: form.found + 1 }
  })
  reporter.remember({ ...reporter.memory, forms: counted })
}

/** The last segment of the path. */
function nameOf(url: WebUrl): string {
  const [path] = normalPath(url).split('?', 1)
  return path.slice(path.lastIndexOf('/') + 1)
}
