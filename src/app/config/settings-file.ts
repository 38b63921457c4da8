/** `orbweaver.yaml`: the same keys as the flags, one per line; a list where a flag may be repeated. */
import { createRequire } from 'node:module'
import type { Node } from 'yaml'
import { Problem } from '../../base/errors.ts'
import { type Given, keyOf, SETTING_NAMES, type SettingName, settingOf } from './keys.ts'
import { didYouMean } from './nearest.ts'

/** A longer file is not a settings file. */
const LONGEST_FILE = 1_000_000

/** Loaded only when there is a file: its seventy modules take longer to load than everything else here. */
const loadYaml = (): typeof import('yaml') => createRequire(import.meta.url)('yaml')

export function readSettingsFile(text: string, path: string): Map<SettingName, Given> {
  if (text.length > LONGEST_FILE)
    throw new Problem('bad-config', `${path} is too long for a settings file (over ${LONGEST_FILE} characters)`)
  const yaml = loadYaml()
  const { isMap, isScalar, LineCounter, parseDocument } = yaml
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, schema: 'failsafe' })
  const broken = document.errors[0]
  if (broken !== undefined)
    throw new Problem('bad-config', `${path}, line ${lines.linePos(broken.pos[0]).line}: ${complaint(broken.message)}`)
  const entries = new Map<SettingName, Given>()
  const root = document.contents
  if (root === null || (isScalar(root) && root.value === '')) return entries
  if (!isMap(root))
    throw new Problem('bad-config', `${path} must consist of lines 'key: value', for example 'pause: 5s'`)
  for (const { key, value } of root.items) {
    const line = lines.linePos((key as Node).range?.[0] ?? 0).line
    const written = isScalar(key) ? String(key.value) : ''
    const name = SETTING_NAMES.find((n) => keyOf(n) === written && !settingOf(n).flagOnly)
    if (name === undefined) throw unknownKey(written, `${path}, line ${line}`)
    const texts = textsOf(yaml, value, name, `${path}, line ${line}`)
    entries.set(name, { texts, source: { by: 'file', name: `${path}, line ${line}, ${written}` } })
  }
  return entries
}

/** The parser's message without the position, which it repeats before the lines it quotes. */
function complaint(message: string): string {
  return message.split('\n', 1)[0].replace(/(?: at line \d+, column \d+)?:?$/, '')
}

/** A scalar, a list of scalars, or a map for settings such as `HOST=…` and `TYPE=…`. */
function textsOf(yaml: typeof import('yaml'), value: unknown, name: SettingName, where: string): string[] {
  const { isMap, isScalar, isSeq } = yaml
  if (isScalar(value)) return value.value === '' && settingOf(name).repeatable ? [] : [String(value.value)]
  const { repeatable, form } = settingOf(name)
  if (isSeq(value) && repeatable && value.items.every(isScalar)) return value.items.map((item) => String(item.value))
  if (isMap(value) && form.includes('=')) {
    return value.items.map(({ key, value: right }) => {
      if (!isScalar(key) || !isScalar(right))
        throw new Problem('bad-config', `${where}: ${keyOf(name)} must be a map of ${form}`)
      return `${key.value}=${right.value}`
    })
  }
  throw new Problem('bad-config', `${where}: ${keyOf(name)} takes ${repeatable ? 'a list of values' : 'one value'}`)
}

function unknownKey(written: string, where: string): Problem {
  const keys = SETTING_NAMES.filter((name) => !settingOf(name).flagOnly).map(keyOf)
  return new Problem('bad-config', `${where}: unknown key '${written}'${didYouMean(written, keys)}`)
}

/** The file of a new collection: the values that were set and that belong to the collection. */
export function writeSettingsFile(given: ReadonlyMap<SettingName, Given>, version: string): string {
  const kept: string[] = []
  for (const name of SETTING_NAMES) {
    const by = given.get(name)
    if (by === undefined || by.source.by === 'preset' || !settingOf(name).lasting) continue
    if (!settingOf(name).repeatable) kept.push(`${keyOf(name)}: ${scalar(by.texts[0])}\n`)
    else if (by.texts.length === 0) kept.push(`${keyOf(name)}: []\n`)
    else kept.push(`${keyOf(name)}:\n`, ...by.texts.map((text) => `  - ${scalar(text)}\n`))
  }
  const head =
    `# The settings of this collection (created by Orbweaver ${version}). A resumed crawl reads this file.\n` +
    "# Settings that are missing here have their defaults; 'orbweaver config -c DIR' shows all of them.\n"
  return head + kept.join('')
}

/** Texts that every YAML reader takes for a string. */
const PLAIN = /^(?:[1-9]\d*(?:ms|s|m|h|d)|(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z](?:[\w./+-]|:(?=\S))*)$/i

/** Plain where that is safe, otherwise as JSON, which YAML reads as a quoted scalar. */
function scalar(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text)
}
