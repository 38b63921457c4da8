/**
 * What a session id looks like. Where the name has no other use, it decides; otherwise the name and the shape of the
 * value together: `sid=123` is a story of PHP-Nuke, `sid=` and 32 hexadecimal digits is not.
 */

/** Names that programs use for session ids only, whatever the value. */
const NAMES = new Set(
  'phpsessid phpsessionid jsessionid asp.net_sessionid cftoken oscsid zenid xtcsid mscssid bv_sessionid bv_engineid wosid sesskey'.split(
    ' ',
  ),
)
/** ASPSESSIONIDQABBCCDD and JServSessionIdroot have a suffix of their own. */
const BEGINNINGS = /^(?:aspsessionid|jservsessionid)/

/** Conferences have sessions too, with short numbers. */
const NAMES_OF_LONG_ONES = new Set('sessionid session_id session-id sessid sess_id session_key sessionkey'.split(' '))

/** Short words with many meanings: only with a random value. */
const NAMES_OF_RANDOM_ONES = new Set('sid s ssid psid sess ses session usid sessiontoken session_token'.split(' '))

const GUID = /^(?:\{|%7b)?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}(?:\}|%7d)?$/i
const LONG_HEX = /^[0-9a-f]{32,}$/i
/** Digits alone are a number of something, however many they are. */
const SHORTER_HEX = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{16,}$/i
const DRAWN = /^[0-9a-z]{20,}$/i
const LONG = /^(?=.*\d).{10,}$/
/** `keynote-2024-intro`, `2024-05-12`: written by a person. */
const WORDED = /^(?:[a-z]+|\d{1,4})(?:[-_.+](?:[a-z]+|\d{1,4}))+$/i

/** `name` in lower case. `cfid` counts only beside `cftoken`: alone it may be anything. */
export function isSessionId(name: string, value: string, besideToken: boolean): boolean {
  if (NAMES.has(name)) return true
  if (name === 'cfid') return besideToken
  if (NAMES_OF_RANDOM_ONES.has(name)) return isRandom(value)
  if (NAMES_OF_LONG_ONES.has(name)) return value === '' || (LONG.test(value) && !WORDED.test(value))
  return BEGINNINGS.test(name)
}

function isRandom(value: string): boolean {
  if (value.length < 16) return false
  return SHORTER_HEX.test(value) || GUID.test(value) || (DRAWN.test(value) && isMixed(value))
}

/**
 * Small letters, capitals and digits change at every sixth character or more often. Random text changes at every second
 * or third, words with a year (`internationalisation2024`) once or twice.
 */
function isMixed(value: string): boolean {
  let changes = 0
  for (let at = 1; at < value.length; at++) if (kindAt(value, at) !== kindAt(value, at - 1)) changes++
  return changes * 6 >= value.length
}

/** Of letters and digits: bit 6 marks a letter, bit 5 a small one. */
function kindAt(value: string, at: number): number {
  const code = value.charCodeAt(at)
  return code < 0x40 ? 0 : code & 0x60
}

/** Names of things: the value identifies the page, however random it looks. */
const THINGS = new Set(
  (
    'id aid bid cid did eid fid gid hid iid lid mid nid oid pid qid rid tid uid vid uuid guid key hash h md5 sha sha1 ' +
    'sha256 sum checksum digest etag doc docid doc_id document documentid file fileid file_id filename f path item itemid ' +
    'item_id product productid product_id article articleid article_id page pageid page_id p q query search k keyword u ' +
    'url uri link href target r ref img image imageid photo media mediaid asset video audio node nodeid post postid thread ' +
    'topic t record recordid entry entryid object objectid user userid member author c cat category tag list album gallery ' +
    'download attachment attachmentid code name slug n version rev revision commit tree blob tx txid block address wallet ' +
    'event eventid job jobid news newsid story storyid report reportid book isbn handle urn doi sku serial order orderid ' +
    'ticket case folder dir set group channel playlist episode chapter section card board project task issue bug build ' +
    'artifact package pkg module class resource resourceid dataset collection content contentid entity entityid assetid ' +
    'publication paper patent law decision notice tender company person profile place location station map layer room hotel ' +
    'course lesson question answer poll survey form letter mail msg message messageid comment reply review token'
  ).split(' '),
)

/** By the shape alone; names of things stay. */
export function hasSessionShape(name: string, value: string): boolean {
  return value.length >= 32 && !THINGS.has(name) && (LONG_HEX.test(value) || GUID.test(value))
}

/** ASP.NET without cookies: `(S(lit3py55t21z5v55vlm25s55))`, `(X(1)S(…))`, and in its first version 24 characters alone. */
const COOKIELESS = /^\((?:(?:[asfx]\([^()]*\))+|[0-9a-z]{24})\)$/i

export function isCookielessSession(segment: string): boolean {
  return COOKIELESS.test(segment)
}

/** `%3Bjsessionid%3D1A2B`: a path parameter that a program escaped as text. */
const ESCAPED_SESSION = /%(?:25)*3bjsessionid(?:=|%(?:25)*3d)[\w.!~:+-]*(?=[;&/?]|%(?:25)*(?:26|2f|3b|3f)|$)/gi

export function withoutEscapedSession(text: string): string {
  return text.includes('%') ? text.replace(ESCAPED_SESSION, '') : text
}
