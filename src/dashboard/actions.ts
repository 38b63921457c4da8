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

/** Throws a `Problem` for what is no action. */
export function actionOf(fields: URLSearchParams): Action {
  const text = (name: string) => (fields.get(name) ?? '').trim().slice(0, MAX_TEXT)
  const needed = (name: string, what: string) => {
    const given = text(name)
    if (given === '') throw new Problem('bad-flag', `${what} is missing: fill it in and try again`)
    return given
  }
  const reason = text('reason') === '' ? {} : { reason: text('reason') }
  const action = text('action') as Action['action']
  switch (action) {
    case 'pause':
      return { action, ...reason }
    case 'resume':
    case 'stop':
      return { action }
    case 'pause-site':
    case 'bar-site':
      return { action, site: needed('site', 'the site'), ...reason }
    case 'resume-site':
    case 'ask-again':
      return { action, site: needed('site', 'the site') }
    case 'set-pause':
      return { action, site: needed('site', 'the site'), pauseMs: pauseOf(text('pause')) }
    case 'trust':
    case 'distrust': {
      const rule = text('rule')
      return { action, site: needed('site', 'the site'), ...(rule !== '' && { rule }) }
    }
    case 'confirm-hazard': {
      const pattern = text('pattern')
      const found = { site: needed('site', 'the site'), rule: needed('rule', 'the rule') }
      return { action, ...found, ...(pattern !== '' && { pattern }) }
    }
    case 'confirm-mirror':
    case 'overrule-mirror':
    case 'undecide-mirror':
      return { action, site: needed('site', 'the site'), original: needed('original', 'the original') }
    case 'add-seeds':
    case 'announce':
      return { action, urls: seedsOf(fields.get('urls') ?? '') }
    case 'blacklist':
    case 'unblacklist':
      return { action, pattern: needed('pattern', 'the pattern') }
    case 'free-worker':
      return { action, worker: needed('worker', 'the worker') }
    default:
      action satisfies never
      throw new Problem('bad-flag', 'there is no such action')
  }
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
