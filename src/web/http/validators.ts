/** Validators (RFC 9110 §8.8), and the conditional request made from them (§13.1). */

import { type HeaderLines, headerOf } from './headers.ts'
import { formatHttpDate, parseHttpDate } from './http-date.ts'

/** As the server sent them. */
export interface Validators {
  etag?: string
  lastModified?: string
}

/** A longer one is left out: cut, it would be another. */
export const LONGEST_VALIDATOR = 1024
const CONTROL = /[\x00-\x1f\x7f]/

/** It can be stored, and sent in a header. */
export function isValidator(text: string): boolean {
  return text !== '' && text.length <= LONGEST_VALIDATOR && !CONTROL.test(text)
}

export function validatorsOf(headers: HeaderLines, now: number): Validators {
  const validators: Validators = {}
  const etag = headerOf(headers, 'etag')
  if (etag !== undefined && isValidator(etag)) validators.etag = etag
  const lastModified = headerOf(headers, 'last-modified')
  if (lastModified !== undefined && parseHttpDate(lastModified, now) !== undefined)
    validators.lastModified = lastModified
  return validators
}

/**
 * The entity tag goes verbatim, whether or not it is well formed: only its server has to know it. A date has one form that
 * may be sent, the first of the three; one in the future is of no use to the server (§13.1.3).
 */
export function conditionsOf({ etag, lastModified }: Validators, now: number): [name: string, value: string][] {
  const conditions: [string, string][] = []
  if (etag !== undefined) conditions.push(['If-None-Match', etag])
  const at = lastModified === undefined ? undefined : parseHttpDate(lastModified, now)
  if (at !== undefined && at <= now) conditions.push(['If-Modified-Since', formatHttpDate(at)])
  return conditions
}

/** A server that compares validators would say that nothing changed: by the entity tag, else by the date. */
export function isSameByValidators(before: Validators, after: Validators): boolean {
  if (before.etag !== undefined) return after.etag !== undefined && opaque(before.etag) === opaque(after.etag)
  return before.lastModified !== undefined && before.lastModified === after.lastModified
}

/** If-None-Match compares weakly. */
function opaque(etag: string): string {
  return etag.startsWith('W/') ? etag.slice(2) : etag
}
