/** How times, URLs and folders are written for people and in commands to copy. */
import { Problem } from '../base/errors.ts'

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

/** A URL as an operator types it; the scheme may be missing. */
export function urlWord(word: string): string {
  const text = /^https?:\/\//i.test(word) ? word : `http://${word}`
  if (/\s/.test(word) || !URL.canParse(text))
    throw new Problem('bad-flag', `'${word}' is not a URL; write for instance https://www.example.org/page`)
  return text
}

export function ago(then: number, now: number): string {
  const seconds = Math.round((now - then) / 1000)
  if (seconds < 0) return 'in the future'
  if (seconds < 90) return `${seconds} s ago`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} days ago`
}
