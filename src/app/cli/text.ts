/** How times, URLs, folders and counts are written for people and in commands to copy. */
import { Problem } from '../../base/errors.ts'
import type { Decided } from '../../contracts/control.ts'
import { displayWidth, grouped } from '../../report/text-table.ts'

/** `2026-05-01 12:00:00` in UTC, as in volumes and logs. */
export function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}

export function isoTime(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}

const INSTANT = /^(at|since|notBefore|\w+At)$/

/** Facts as `--json` prints them: times as text, null for unknown. */
export function jsonOf(facts: unknown, name = ''): unknown {
  if (facts === undefined) return null
  if (typeof facts === 'number') return INSTANT.test(name) ? isoTime(facts) : facts
  if (Array.isArray(facts)) return facts.map((one) => jsonOf(one))
  if (typeof facts !== 'object' || facts === null) return facts
  return Object.fromEntries(Object.entries(facts).map(([key, fact]) => [key, jsonOf(fact, key)]))
}

/** A word quoted for a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** ` -c DIR`, or nothing for the default folder. */
export function collectionFlag(folder: string): string {
  return folder === './collection' ? '' : ` -c ${shellWord(folder)}`
}

/** Refuses `javascript:`, `mailto:`, `ftp:` …. A number after the colon is a port, not a scheme's rest. */
function refuseScheme(arg: string): void {
  const scheme = /^([a-z][a-z0-9+-]*):(?!\d+(?:[/?#]|$))/i.exec(arg.trim())?.[1].toLowerCase()
  if (scheme === undefined || scheme === 'http' || scheme === 'https') return
  throw new Problem('bad-flag', `'${arg.slice(0, 100)}' is not an http or https URL; nothing else is ever collected`)
}

/** What a user means by a word: a host name alone is a site. */
export function targetOf(arg: string): { site: string } | { urls: [string, ...string[]] } {
  refuseScheme(arg)
  return /^[^/?#\s]+$/.test(arg) ? { site: arg.toLowerCase() } : { urls: urlsOf(arg) }
}

/** A URL as a user types it. Without a scheme it means both http and https, http first. */
export function urlsOf(arg: string): [string, ...string[]] {
  refuseScheme(arg)
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(arg)?.[1].toLowerCase()
  const text = scheme === undefined ? `http://${arg}` : arg
  if (/\s/.test(arg) || !URL.canParse(text))
    throw new Problem('bad-flag', `'${arg}' is not a valid URL; write https://www.example.org/page, for example`)
  return scheme === undefined ? [text, `https://${arg}`] : [text]
}

/** The first answer that is not undefined. */
export async function firstOf<T>(
  urls: readonly string[],
  ask: (url: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const url of urls) {
    const answer = await ask(url)
    if (answer !== undefined) return answer
  }
  return undefined
}

export function explainHint(url: string, folder: string): string {
  return `'orbweaver explain ${shellWord(url)}${collectionFlag(folder)}' says why`
}

export function ago(then: number, now: number): string {
  const seconds = Math.round((now - then) / 1000)
  if (seconds < 0) return 'in the future'
  if (seconds < 90) return `${seconds}s ago`
  if (seconds < 5400) return `${Math.round(seconds / 60)}m ago`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)}h ago` : `${Math.round(seconds / 86_400)}d ago`
}

/** `1 URL`, `1,200 URLs`. */
export function some(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? '' : 's'}`
}

/** An event as one line, for `--verbose`. */
export function eventLine(event: { kind: string }, now: number): string {
  const facts = Object.entries(event)
    .filter(([name, value]) => name !== 'kind' && value !== undefined)
    .map(([name, value]) => `${name}=${plain(typeof value === 'string' ? value : JSON.stringify(value))}`)
  return [timeText(now), event.kind, ...facts].join(' ').slice(0, 500)
}

/** Controls, format characters (bidi, zero width, tags), line separators, private characters and half characters. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu

/** Replaces what is not a visible character: texts from the web must not control the terminal. */
export function plain(text: string): string {
  return text.replace(UNSAFE, '?')
}

/** JSON in which no character can control a terminal: such ones can only be in strings, where they are written as numbers. */
export function plainJson(json: string): string {
  return json.replace(UNSAFE, (character) =>
    character < ' '
      ? character
      : // By UTF-16 code units: JSON escapes have no others.
        character.replace(/./gs, (half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

/** Columns on a terminal; escape sequences take none. */
export function columnsOf(line: string): number {
  return displayWidth(line.replace(/\x1b\[\d+m/g, ''))
}

/** Cuts a line to a number of columns. Escape sequences after the cut are kept, to switch colours off. */
export function clip(line: string, width: number): string {
  if (columnsOf(line) <= width) return line
  let room = width - 1
  return line.replace(/\x1b\[\d+m|./gsu, (part) => {
    if (part.startsWith('\x1b')) return part
    if (room < 0) return ''
    room -= displayWidth(part)
    return room < 0 ? '…' : part
  })
}

/** Breaks a text into lines between words. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return line === '' ? lines : [...lines, line]
}

/** `by anna@laptop 3h ago: the power is cut`. */
export function decidedText({ who, at, reason }: Decided, now: number): string {
  return `by ${plain(who)} ${ago(at, now)}${reason === undefined ? '' : `: ${plain(reason)}`}`
}
