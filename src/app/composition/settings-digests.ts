/** What a server has set, so that others can see whether they have the same, and nobody can see what it is. */
import { createHash } from 'node:crypto'
import { keyOf, SETTING_NAMES, type Settings, settingOf } from '../config/keys.ts'
import { loadSettings } from '../config/load.ts'

/** JSON: each key of the crawl that is not as the default, with a digest of its value. What concerns one machine is left out. */
export function settingsDigests(settings: Settings): string {
  // Some defaults depend on others.
  const unset = loadSettings([], 'serve', { env: {}, readFile: () => undefined }).settings
  const set = SETTING_NAMES.flatMap((name) => {
    const { group, lasting, secret } = settingOf(name)
    if (!lasting || secret || group === 'Cluster') return []
    const value = textOf(settings[name])
    return value === textOf(unset[name]) ? [] : [[keyOf(name), digestOf(value)] as const]
  })
  return JSON.stringify(Object.fromEntries(set))
}

/** Patterns and maps have no JSON of their own. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    one instanceof RegExp ? String(one) : one instanceof Map || one instanceof Set ? [...one] : one,
  ) ?? ''

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 8)
