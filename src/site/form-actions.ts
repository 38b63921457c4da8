/**
 * Where forms of the site lead. A template that writes `<form action="search.html">` into every page names another URL in
 * every folder, and most of them do not exist (3,071 times 404 at one site). The first ones that fail are enough.
 */
import type { PageReport } from '../visit/report.ts'
import { normalPath, type UrlReader, type WebUrl } from '../web/url/web-url.ts'
import type { Reporter } from './reporter.ts'

/** Names that are remembered of one site, and how long they may be. */
const MOST_NAMES = 8
const LONGEST_NAME = 100
/** So many of a name that do not exist, and so many for each one that does, and no form is followed to it any more. */
const ENOUGH_MISSING = 3
const MISSING_A_FOUND = 3

/** True when a form's action is not worth a request; its name is remembered, so that its answers are counted. */
export function isVainForm(url: WebUrl, reporter: Reporter): boolean {
  const name = nameOf(url)
  if (name === '' || name.length > LONGEST_NAME) return false
  const forms = reporter.memory.forms ?? []
  const known = forms.find((form) => form.name === name)
  if (known !== undefined) return known.missing >= ENOUGH_MISSING && known.missing > known.found * MISSING_A_FOUND
  if (forms.length < MOST_NAMES)
    reporter.remember({ ...reporter.memory, forms: [...forms, { name, found: 0, missing: 0 }] })
  return false
}

/** What became of a page whose name is that of a form's action. */
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

/** The last name of the path. */
function nameOf(url: WebUrl): string {
  const [path] = normalPath(url).split('?', 1)
  return path.slice(path.lastIndexOf('/') + 1)
}
