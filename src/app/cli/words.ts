/** How times, URLs and folders are written for people and in commands to copy. */
import { Problem } from '../../base/errors.ts'
import { grouped } from '../../report/text-table.ts'

/** `2026-05-01 12:00:00` in UTC: what volumes and logs use, and what two people at two places agree on. */
export function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}

export function isoTime(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}

/** A word as a shell reads it back. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** ` -c DIR`, or nothing for the default folder. */
export function collectionFlag(folder: string): string {
  return folder === './collection' ? '' : ` -c ${shellWord(folder)}`
}

/** `javascript:`, `mailto:`, `ftp:` … : nothing of that kind is ever asked for. A dot or a number says host and port. */
export function refuseScheme(word: string): void {
  const scheme = /^([a-z][a-z0-9+-]*):(?!\d+(?:[/?#]|$))/i.exec(word.trim())?.[1].toLowerCase()
  if (scheme === undefined || scheme === 'http' || scheme === 'https') return
  throw new Problem('bad-flag', `'${word.slice(0, 100)}' is no http or https URL; nothing else is ever collected`)
}

/** A URL as an operator types it. Where the scheme is missing both are meant, http first. */
export function urlWords(word: string): [string, ...string[]] {
  refuseScheme(word)
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(word)?.[1].toLowerCase()
  const text = scheme === undefined ? `http://${word}` : word
  if (/\s/.test(word) || !URL.canParse(text))
    throw new Problem('bad-flag', `'${word}' is not a URL; write for instance https://www.example.org/page`)
  return scheme === undefined ? [text, `https://${word}`] : [text]
}

/** The first answer that there is. */
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

/** Whom to ask why a URL is not there. */
export function explainHint(url: string, folder: string): string {
  return `'orbweaver explain ${shellWord(url)}${collectionFlag(folder)}' says why`
}

export function ago(then: number, now: number): string {
  const seconds = Math.round((now - then) / 1000)
  if (seconds < 0) return 'in the future'
  if (seconds < 90) return `${seconds} s ago`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} days ago`
}

/** `1 URL`, `1,200 URLs`. */
export function some(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? '' : 's'}`
}
