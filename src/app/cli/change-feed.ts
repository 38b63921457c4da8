/** The latest changes as an Atom feed (RFC 4287). */
import { createHash } from 'node:crypto'
import type { Instant } from '../../base/clock.ts'
import type { PageChange } from '../../collection/captures/read-changes.ts'
import { isoInstant } from '../../web/warc/instant-text.ts'
import { escaped } from './diff-html.ts'

export const MAX_ENTRIES = 100

export interface FeedOf {
  /** The source of the changes, a folder or a database. The feed's id is made from it. */
  collection: string
  version: string
  /** When it was made, for a feed without entries. */
  at: Instant
}

const TITLES: Record<PageChange['change'], string> = {
  ...{ new: 'New', changed: 'Changed', back: 'Back again' },
  ...{ moved: 'Moved', missing: 'Missing', gone: 'Gone' },
}

/** The latest of the given changes, newest first. */
export function latest(changes: readonly PageChange[]): PageChange[] {
  return [...changes].sort((a, b) => b.at - a.at || b.id - a.id).slice(0, MAX_ENTRIES)
}

export function changeFeed(changes: readonly PageChange[], { collection, version, at }: FeedOf): string {
  const entries = latest(changes)
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${uuid(`feed ${collection}`)}</id>
  <title>Changes seen by Orbweaver</title>
  <subtitle>${escaped(collection)}</subtitle>
  <updated>${isoInstant(entries[0]?.at ?? at)}</updated>
  <author><name>Orbweaver</name></author>
  <generator version="${escaped(version)}">Orbweaver</generator>
${entries.map(entryOf).join('')}</feed>
`
}

function entryOf({ url, at, change, status, digest, class: extent, place }: PageChange): string {
  const what = [TITLES[change], extent, place].filter((word) => word !== null).join(', ')
  return `  <entry>
    <id>${uuid(`${url} ${at} ${change} ${digest}`)}</id>
    <title>${TITLES[change]}: ${escaped(url)}</title>
    <link rel="alternate" href="${escaped(url)}"/>
    <updated>${isoInstant(at)}</updated>
    <category term="${change}"/>
    <summary>${escaped(what)}, status ${status}</summary>
  </entry>
`
}

/** An id must be a URI, and the same for the same thing. */
function uuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
