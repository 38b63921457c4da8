/** `orbweaver.yaml`: the same keys as the flags, one a line; lists where a flag may be repeated. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, stringify } from 'yaml'
import { Problem } from '../base/errors.ts'
import type { Given } from './given.ts'
import { keyOf, SETTING_NAMES, type SettingName, settingOf } from './keys.ts'
import { nearest } from './nearest.ts'

export interface FileEntry {
  texts: string[]
  line: number
}

/** Longer than any list of settings; a file of this size is something else. */
const LONGEST_FILE = 1_000_000

export function readSettingsFile(text: string, path: string): Map<SettingName, FileEntry> {
  if (text.length > LONGEST_FILE) throw new Problem('bad-config', `${path} is too long to be a file of settings`)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, schema: 'failsafe' })
  const broken = document.errors[0]
  if (broken !== undefined)
    throw new Problem(
      'bad-config',
      `${path}, line ${lines.linePos(broken.pos[0]).line}: ${broken.message.split('\n')[0]}`,
    )
  const entries = new Map<SettingName, FileEntry>()
  const root = document.contents
  if (root === null || (isScalar(root) && root.value === '')) return entries
  if (!isMap(root))
    throw new Problem('bad-config', `${path} should hold lines of the form 'key: value', for instance 'pause: 5s'`)
  for (const { key, value } of root.items) {
    const line = lines.linePos((key as Node).range?.[0] ?? 0).line
    const written = isScalar(key) ? String(key.value) : ''
    const name = SETTING_NAMES.find((n) => keyOf(n) === written && !settingOf(n).flagOnly)
    if (name === undefined) throw unknownKey(written, `${path}, line ${line}`)
    entries.set(name, { texts: textsOf(value, name, `${path}, line ${line}`), line })
  }
  return entries
}

/** A scalar, a list of scalars, or for `HOST=…` and `TYPE=…` settings a map. */
function textsOf(value: unknown, name: SettingName, where: string): string[] {
  if (isScalar(value)) return value.value === '' && settingOf(name).repeatable ? [] : [String(value.value)]
  const { repeatable, form } = settingOf(name)
  if (isSeq(value) && repeatable && value.items.every(isScalar)) return value.items.map((item) => String(item.value))
  if (isMap(value) && form.includes('=')) {
    return value.items.map(({ key, value: right }) => {
      if (!isScalar(key) || !isScalar(right))
        throw new Problem('bad-config', `${where}: ${keyOf(name)} should map ${form}`)
      return `${key.value}=${right.value}`
    })
  }
  throw new Problem('bad-config', `${where}: ${keyOf(name)} takes ${repeatable ? 'a list of values' : 'one value'}`)
}

function unknownKey(written: string, where: string): Problem {
  const keys = SETTING_NAMES.filter((name) => !settingOf(name).flagOnly).map(keyOf)
  const near = nearest(written, keys)
  return new Problem(
    'bad-config',
    `${where}: unknown key '${written}'${near === undefined ? '' : `; did you mean '${near}'?`}`,
  )
}

/** The file of a new collection: only what was set, and only what makes the collection. */
export function writeSettingsFile(given: ReadonlyMap<SettingName, Given>, version: string): string {
  const kept: Record<string, string | readonly string[]> = {}
  for (const name of SETTING_NAMES) {
    const by = given.get(name)
    if (by === undefined || by.source.by === 'preset' || !settingOf(name).lasting) continue
    kept[keyOf(name)] = settingOf(name).repeatable ? by.texts : by.texts[0]
  }
  const head =
    `# What this collection was made with (Orbweaver ${version}). Settings that are not here have their defaults;\n` +
    "# 'orbweaver config -c DIR' shows all of them. A crawl that goes on reads this file.\n"
  return head + (Object.keys(kept).length === 0 ? '' : stringify(kept, { lineWidth: 0 }))
}
