/**
 * Links in scripts, found by pattern (V14): quoted strings that look like URLs or like paths of pages. Nothing is
 * executed; only strings, comments and regular expressions are recognised, so the pattern is conservative. A string
 * that names a page by its extension, or a whole URL with a path, counts anywhere, unless it is compared, loaded or
 * concatenated; any other path counts only where a script navigates to it (`location = …`, `window.open(…)`). One pass;
 * what is not closed ends with its line, or with the script.
 */
import { CR, DOUBLE_QUOTE, EQUALS, LF, QUESTION, SINGLE_QUOTE, SLASH, SPACE } from '../parse/letters.ts'

const STAR = 42
const PLUS = 43
const DOT = 46
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const BACKTICK = 96

/** Characters of a string that may be a URL, or mark-up with one in it. */
const LONGEST_STRING = 2048
/** Characters before a string that show its use. */
const CONTEXT = 48

/** Calls `report` with each link in `input` between `from` and `to`, until it returns false. */
export function scriptLinks(input: string, from: number, to: number, report: (href: string) => boolean): void {
  /** The last character outside white space and comments: after a value a `/` divides, elsewhere it opens a pattern. */
  let last = 0
  let at = from
  while (at < to) {
    const code = input.charCodeAt(at)
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE || code === BACKTICK) {
      const { end, closed, hinted } = stringEnd(input, at + 1, to, code)
      if (closed && (hinted || last === EQUALS) && end - at <= LONGEST_STRING) {
        const isGlued = last === PLUS || nextCode(input, end + 1, to) === PLUS
        if (!reportString(input, from, at, end, isGlued, report)) return
      }
      at = end + 1
      last = code
    } else if (code === SLASH) {
      const next = at + 1 < to ? input.charCodeAt(at + 1) : 0
      if (next === SLASH) at = lineEnd(input, at, to)
      else if (next === STAR) at = commentEnd(input, at + 2, to)
      else if (endsValue(last)) {
        last = code
        at++
      } else {
        at = patternEnd(input, at + 1, to)
        last = SLASH
      }
    } else {
      if (code > SPACE) last = code
      at++
    }
  }
}

/** The closing quote. An unclosed string ends with its line, a template with the script. */
function stringEnd(
  input: string,
  from: number,
  to: number,
  quote: number,
): { end: number; closed: boolean; hinted: boolean } {
  let hinted = false
  for (let at = from; at < to; at++) {
    const code = input.charCodeAt(at)
    if (code === quote) return { end: at, closed: true, hinted }
    if (code === BACKSLASH) at++
    else if (code === SLASH || code === DOT || code === QUESTION) hinted = true
    else if ((code === LF || code === CR) && quote !== BACKTICK) return { end: at, closed: false, hinted }
  }
  return { end: to, closed: false, hinted }
}

function lineEnd(input: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = input.charCodeAt(at)
    if (code === LF || code === CR) return at
  }
  return to
}

/** Searches only within the script: otherwise a page of scripts with an open comment each would take quadratic time. */
function commentEnd(input: string, from: number, to: number): number {
  for (let at = from + 1; at < to; at++)
    if (input.charCodeAt(at) === SLASH && input.charCodeAt(at - 1) === STAR) return at + 1
  return to
}

/** After a regular expression, or the end of the line if it is not closed. */
function patternEnd(input: string, from: number, to: number): number {
  let inClass = false
  for (let at = from; at < to; at++) {
    const code = input.charCodeAt(at)
    if (code === LF || code === CR) return at
    if (code === BACKSLASH) at++
    else if (code === OPEN_BRACKET) inClass = true
    else if (code === CLOSE_BRACKET) inClass = false
    else if (code === SLASH && !inClass) return at + 1
  }
  return to
}

/** Letters, digits, `)`, `]`, `}`, `$`, `_` and quotes end a value that can be divided. */
function endsValue(code: number): boolean {
  if (code === 41 || code === CLOSE_BRACKET || code === 125 || code === 36 || code === 95) return true
  if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE || code === BACKTICK) return true
  const lower = code | 0x20
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57)
}

/** Skips only little white space: a hostile script may be all of it. */
function nextCode(input: string, from: number, to: number): number {
  for (let at = from; at < Math.min(to, from + 16); at++) {
    const code = input.charCodeAt(at)
    if (code > SPACE) return code
  }
  return 0
}

/** One string, with the text before it. Returns false when no more links are wanted. */
function reportString(
  input: string,
  from: number,
  quote: number,
  end: number,
  isGlued: boolean,
  report: (href: string) => boolean,
): boolean {
  const text = unescaped(input.slice(quote + 1, end))
  if (text === undefined) return true
  if (text.includes('<')) return reportMarkup(text, report)
  if (isGlued || !CLEAN.test(text)) return true
  const before = input.slice(Math.max(from, quote - CONTEXT), quote)
  return isLink(text, before) && !isResource(text) ? report(text) : true
}

function isLink(text: string, before: string): boolean {
  if (GOES.test(before)) return isPath(text) || (LOCATION.test(before) && /^[\w-]{2,60}$/.test(text))
  return !USES.test(before) && (isPage(text) || isUrl(text))
}

/** `document.write('<a href="…">')`: what a tag in the string refers to. */
function reportMarkup(text: string, report: (href: string) => boolean): boolean {
  for (const [, double, single] of text.matchAll(/<a\s[^<>]{0,200}?href=(?:"([^"<>]{1,500})"|'([^'<>]{1,500})')/gi)) {
    const href = double ?? single
    if (CLEAN.test(href) && isPath(href) && !isResource(href) && !report(href)) return false
  }
  return true
}

/** `\/` and the usual spellings of `/` and `&` are decoded; any other escape shows that this is not a URL. */
function unescaped(written: string): string | undefined {
  if (!written.includes('\\')) return written
  const text = written
    .replace(/\\u002[fF]|\\x2[fF]|\\\//g, '/')
    .replace(/\\u0026|\\x26/g, '&')
    .replace(/\\(["'])/g, '$1')
  return text.includes('\\') ? undefined : text
}

/** No white space, quotes, brackets, wildcards, dollars: neither templates nor patterns. */
const CLEAN = /^[\w\-.~%!&+,;=:@/?#\u00a1-\ud7ff\uf900-\ufffd]+$/

/** Code that navigates to the string that follows. */
const GOES =
  /(?:\blocation(?:\.href)?\s*=|\.href\s*=|\blocation\.(?:assign|replace)\s*\(|(?:^|window\.|[^\w.])open\s*\(|\b(?:navigate|navigateTo|navigateByUrl|goto|goTo|redirect|redirectTo)\s*\()\s*$/

/** Code after which even a single word is a target. */
const LOCATION = /\blocation(?:\.href)?\s*=\s*$/

/** A string that is compared, matched, loaded, posted or filled in is not a link. */
const USES =
  /(?:[=!]==?|\b(?:indexOf|lastIndexOf|endsWith|startsWith|includes|match|test|split|replace|replaceAll|search|case|require|import|from|importScripts|getScript|getJSON|ajax|fetch|post|load|sendBeacon|Worker|register|define|createElementNS)\s*\(?|\b(?:template|templateUrl|src|action|xmlns|namespace|content[tT]ype|type|format|pattern|api[a-zA-Z]{0,12}|endpoint|beacon|pixel)["']?\s*[:=])\s*$/

const PAGE = 'html?|shtml|xhtml|php[3-7]?|phtml|aspx?|jspx?|jsf|cfm|cgi'
/** A path whose last segment has a page's extension. */
const PAGE_PATH = new RegExp(`^(?:\\.{0,2}/)?(?:[\\w~%.,-]+/)*[\\w~%,-][\\w~%.,-]*\\.(?:${PAGE})(?:[?#].*)?$`, 'i')
const HOST = /^https?:\/\/(?:(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]{1,23}|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?(?=[/?#]|$)/i
/** Names of things, not locations. */
const NAME_SPACE =
  /^https?:\/\/(?:www\.w3\.org\/(?:\d|ns|xml)|(?:www\.)?schema\.org|ogp\.me|purl\.org|ns\.adobe\.com|xmlns\.)/i
const MACHINES =
  /\/(?:api|ajax|graphql|rest|rpc|wp-json|beacon|pixel|collect|analytics|gtm|gtag|admin-ajax|xmlrpc)(?:[/.?#]|$)/i
const RESOURCE =
  /\.(?:m?js|css|png|jpe?g|gif|svg|webp|avif|ico|bmp|woff2?|ttf|eot|otf|map|json|xml|wasm|mp[34]|webm|og[gv]|wav|swf|zip|t?gz)(?:[?#]|$)/i

function isPage(text: string): boolean {
  // A host without its scheme would be taken for a folder.
  if (/^(?:www\.|[\w-]+\.(?:com|org|net|info)\/)/i.test(text)) return false
  return PAGE_PATH.test(text) && isWhole(text)
}

/** A URL with a path. A host alone is more often the beginning of one. */
function isUrl(text: string): boolean {
  const host = HOST.exec(text)
  return host !== null && text.length > host[0].length + 1 && isWhole(text) && !NAME_SPACE.test(text)
}

/** Any path at all, where a script navigates. */
function isPath(text: string): boolean {
  if (HOST.test(text)) return isWhole(text) && !NAME_SPACE.test(text)
  return (
    /^(?:\/(?!\/)|\.{1,2}\/|\?[\w%]|[\w%~-]+(?:\/[\w%~.-]|\?[\w%]|\.[a-z]{2,5}(?:[?#]|$)))/i.test(text) && isWhole(text)
  )
}

/** Not the beginning of something concatenated later, nor a router's pattern. */
function isWhole(text: string): boolean {
  return !/[=&?,;:%]$|\/:|:\/\/$|^[\d/.]+$/.test(text)
}

function isResource(text: string): boolean {
  return RESOURCE.test(text) || MACHINES.test(text)
}
