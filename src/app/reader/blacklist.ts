/** The blacklist, line by line: what operators added, then the files. */
import { sha1 } from '../../base/digest.ts'
import type { Disk } from '../../base/disk.ts'
import { reasonOf } from '../../base/errors.ts'
import type { Choice } from '../../contracts/control.ts'
import { type Blacklist, linesOf, parseBlacklist } from '../../crawl/scope/blacklist.ts'
import { parseUrl, type WebUrl } from '../../web/url/web-url.ts'
import { blacklistPaths } from '../composition/plan.ts'
import type { Settings } from '../config/keys.ts'

export interface BlacklistAsk {
  text: string
  skip: number
  atMost: number
}

/** Larger files are not read for a page. */
const FILE_BYTES = 8 * 2 ** 20
/** More cannot be parsed in the time that a page has. */
const PARSED_LINES = 100_000
const MAX_LINE = 2000

interface BlacklistFile {
  lines: string[]
  /** Why it is not known what it forbids. */
  trouble?: string
  list?: Blacklist
}

const AS_READ = 'the crawl uses it as it was last read'

/** Remembers what it parsed last: many lines take long. */
export function blacklistReader({ settings, disk }: { settings: Settings; disk: Disk }) {
  const paths = blacklistPaths(settings)
  const remembered = new Map<string, BlacklistFile & { digest: string }>()
  const parsedOnce = (name: string, bytes: Uint8Array): BlacklistFile => {
    const digest = sha1(bytes)
    const known = remembered.get(name)
    if (known?.digest === digest) return known
    const file = { digest, ...parsed(new TextDecoder().decode(bytes)) }
    remembered.set(name, file)
    return file
  }
  const fileAt = (path: string): BlacklistFile => {
    try {
      const size = disk.size(path)
      if (size === undefined) return { lines: [], trouble: `it is not there; ${AS_READ}` }
      if (size > FILE_BYTES) return { lines: [], trouble: 'it counts, but is too long to be shown here' }
      return parsedOnce(path, disk.read(path, 0, size))
    } catch (error) {
      return { lines: [], trouble: `${reasonOf(error)}; ${AS_READ}` }
    }
  }
  const filesNow = () => paths.map((path) => ({ path, ...fileAt(path) }))
  const forbiddenBy = (url: WebUrl, decided: readonly string[], files: readonly BlacklistFile[]) => {
    // Each line of operators was checked when it was added.
    const lists = [...(decided.length > 0 ? [parsedOnce('', Buffer.from(decided.join('\n')))] : []), ...files]
    return lists.map(({ list }) => list?.refusesUrl(url)).find((rule) => rule !== undefined)
  }
  return {
    /** The line that covers a site; if none does that is known, what is wrong with a file. */
    ofSite({ blacklist: decided = [] }: Choice, site: string): { blacklist?: string; trouble?: string } {
      const home = parseUrl(`http://${site}/`)
      if (home === undefined) return {}
      const files = filesNow()
      const blacklist = forbiddenBy(home, decided, files)
      if (blacklist !== undefined) return { blacklist }
      const unread = files.find(({ trouble }) => trouble !== undefined)
      return unread === undefined ? {} : { trouble: `${unread.path}: ${unread.trouble}` }
    },
    search({ blacklist: decided = [] }: Choice, { text, skip, atMost }: BlacklistAsk) {
      const files = filesNow()
      const all = [
        ...decided.map((line): { text: string; file?: string } => ({ text: line })),
        ...files.flatMap(({ path, lines }) => lines.map((line) => ({ text: line, file: path }))),
      ]
      const lower = text.toLowerCase()
      const found = text === '' ? all : all.filter((line) => line.text.toLowerCase().includes(lower))
      const url = urlOf(text)
      const forbidden = url && forbiddenBy(url, decided, files)
      return {
        lines: found.slice(skip, skip + atMost).map((line) => ({ ...line, text: line.text.slice(0, MAX_LINE) })),
        found: found.length,
        decided: decided.length,
        files: files.map(({ path, lines, trouble }) => ({ path, lines: lines.length, ...(trouble && { trouble }) })),
        ...(forbidden !== undefined && { forbidden }),
      }
    },
  }
}

function parsed(text: string): BlacklistFile {
  const lines = linesOf(text).filter((line) => line !== '')
  if (lines.length > PARSED_LINES)
    return { lines, trouble: 'it counts, but has too many lines to tell here what they forbid' }
  try {
    return { lines, list: parseBlacklist([{ name: 'as it is now', text }]) }
  } catch (error) {
    // It may be half written.
    return { lines, trouble: `${reasonOf(error)}; ${AS_READ}` }
  }
}

/** Of a URL, a site or an address. */
function urlOf(text: string): WebUrl | undefined {
  if (text === '' || /\s/.test(text)) return undefined
  return parseUrl(/^https?:\/\//i.test(text) ? text : `http://${text}/`)
}
