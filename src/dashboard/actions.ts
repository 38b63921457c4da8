/** An operator's action as the fields of a form, and back. */
import { Problem } from '../base/errors.ts'
import { parseDuration } from '../base/units.ts'
import type { Action } from '../contracts/control.ts'

/** What is empty is left out: the form has a field of its own for it, or needs none. */
export function actionFields(action: Action): Record<string, string> {
  const fields = Object.entries(action).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined) return []
    if (name === 'pauseMs') return [['pause', value === null ? '' : `${value}ms`]]
    return [[name, Array.isArray(value) ? value.join('\n') : String(value)]]
  })
  return Object.fromEntries(fields.filter(([, value]) => value !== ''))
}

const MAX_TEXT = 2000
const MAX_SEEDS = 1000

/** What each action needs, and what it may have (`?`). */
const FIELDS: Readonly<Record<Action['action'], readonly string[]>> = {
  pause: ['reason?'],
  resume: [],
  stop: [],
  'pause-site': ['site', 'reason?'],
  'bar-site': ['site', 'reason?'],
  'resume-site': ['site'],
  'ask-again': ['site'],
  'set-pause': ['site', 'pause'],
  trust: ['site', 'rule?'],
  distrust: ['site', 'rule?'],
  'confirm-hazard': ['site', 'rule', 'pattern?'],
  'confirm-mirror': ['site', 'original'],
  'overrule-mirror': ['site', 'original'],
  'undecide-mirror': ['site', 'original'],
  'add-seeds': ['urls'],
  announce: ['urls'],
  blacklist: ['pattern'],
  unblacklist: ['pattern'],
  'free-worker': ['worker'],
}

/** Throws a `Problem` for what is no action. */
export function actionOf(form: URLSearchParams): Action {
  const text = (name: string) => (form.get(name) ?? '').trim().slice(0, MAX_TEXT)
  const action = text('action')
  if (!Object.hasOwn(FIELDS, action)) throw new Problem('bad-flag', 'there is no such action')
  const values = FIELDS[action as Action['action']].map((field): object => {
    if (field === 'pause') return { pauseMs: pauseOf(text('pause')) }
    if (field === 'urls') return { urls: seedsOf(form.get('urls') ?? '') }
    const name = field.replace('?', '')
    if (text(name) !== '') return { [name]: text(name) }
    if (name !== field) return {}
    throw new Problem('bad-flag', `the ${name} is missing: fill it in and try again`)
  })
  return Object.assign({ action }, ...values) as Action
}

function pauseOf(text: string): number | null {
  if (text === '') return null
  const pauseMs = parseDuration(text)
  if (pauseMs === undefined)
    throw new Problem('bad-flag', `'${text.slice(0, 50)}' is not a duration; write 2s, 1m or 1h30m`)
  return pauseMs
}

function seedsOf(text: string): string[] {
  const urls = text.split(/\s+/).filter((url) => url !== '')
  if (urls.length === 0) throw new Problem('bad-flag', 'no URL is given: write one per line')
  if (urls.length > MAX_SEEDS)
    throw new Problem('bad-flag', `at most ${MAX_SEEDS} seeds at a time; for more use orbweaver seed`)
  return urls
}
