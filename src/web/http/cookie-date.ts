import { instantOf, monthOf } from './http-date.ts'

const LONGEST = 100
const DELIMITERS = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/
const TIME = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)/
const DAY = /^(\d{1,2})(?:\D|$)/
const YEAR = /^(\d{2,4})(?:\D|$)/

/** `Expires` of a cookie: the lax reading that RFC 6265 §5.1.1 prescribes (`Wed, 21-Oct-2015 07:28:00 GMT` and worse). */
export function parseCookieDate(text: string): number | undefined {
  let time: RegExpExecArray | null = null
  let day = -1
  let month = 0
  let year = -1
  for (const token of text.slice(0, LONGEST).split(DELIMITERS)) {
    const asTime: RegExpExecArray | null = time === null ? TIME.exec(token) : null
    if (asTime !== null) {
      time = asTime
      continue
    }
    const asDay = day < 0 ? DAY.exec(token) : null
    if (asDay !== null) {
      day = Number(asDay[1])
      continue
    }
    const asMonth = month === 0 ? monthOf(capitalised(token.slice(0, 3))) : 0
    if (asMonth > 0) {
      month = asMonth
      continue
    }
    const asYear = year < 0 ? YEAR.exec(token) : null
    if (asYear !== null) year = Number(asYear[1])
  }
  if (year >= 70 && year <= 99) year += 1900
  else if (year >= 0 && year <= 69) year += 2000
  if (time === null || year < 1601 || Number(time[3]) > 59) return undefined
  return instantOf(year, month, day, Number(time[1]), Number(time[2]), Number(time[3]))
}

function capitalised(letters: string): string {
  return letters.charAt(0).toUpperCase() + letters.slice(1).toLowerCase()
}
