/**
 * A site whose home page and first documents equal those of one known site is proposed as its mirror (VN §4.3): it is
 * slowed, so that others come first, and a person or the next `mirrors` decides; nothing of it is dropped. A pure fold
 * over the site memory, so that the next visit continues it.
 */
import type { Finding } from '../contracts/report.ts'
import type { Likeness, SiteMemory } from '../contracts/site-memory.ts'
import type { SiteName } from '../contracts/visit.ts'
import { parseUrl } from '../web/url/web-url.ts'

/** A document of the site that was kept. */
export interface LikePage {
  site: SiteName
  url: string
  isHome: boolean
  /** The URL under which the collection has its payload already. */
  copy?: string
}

export interface Liked {
  memory: SiteMemory
  /** For `Learnt.slow`. */
  slow?: { rule: string; like: SiteName }
  finding?: Omit<Finding, 'at'>
}

export const MIRROR_RULE = 'mirror'

/** The home page and the first ten others. */
const MAX_DOCUMENTS = 11
/** Fewer may be a default page and the error page beside it. */
const MIN_DOCUMENTS = 3
const MIN_SHARE = 0.8
/** Other sites counted at once; a site that shares documents with more consists of common ones. */
const MAX_COPIES = 8
const MAX_EXAMPLES = 3
const LONGEST_EXAMPLE = 500

/** After the first documents nothing more is compared. */
export function isDecided({ likeness }: SiteMemory): boolean {
  return likeness?.like !== undefined
}

export function judgeLikeness(memory: SiteMemory, page: LikePage): Liked {
  if (isDecided(memory)) return { memory }
  const before = memory.likeness ?? { documents: 0, copies: [], examples: [] }
  const copy = page.copy === undefined ? undefined : parseUrl(page.copy)?.site
  // The site's own earlier copy proves nothing.
  if (copy === page.site) return { memory }
  const now = counted(before, page, copy)
  const like = mirrored(now)
  if (like !== undefined) return proposal({ ...memory, likeness: decided(like) }, now, like)
  const over = now.documents >= MAX_DOCUMENTS
  return { memory: { ...memory, likeness: over ? decided('') : now } }
}

function counted(before: Likeness, page: LikePage, copy: SiteName | undefined): Likeness {
  const now: Likeness = { ...before, documents: before.documents + 1 }
  if (copy === undefined) return now
  if (page.isHome && now.home === undefined) now.home = copy
  const known = now.copies.some(({ site }) => site === copy)
  if (known) now.copies = now.copies.map((one) => (one.site === copy ? { ...one, documents: one.documents + 1 } : one))
  else if (now.copies.length < MAX_COPIES) now.copies = [...now.copies, { site: copy, documents: 1 }]
  if (now.examples.length < MAX_EXAMPLES && page.url.length <= LONGEST_EXAMPLE)
    now.examples = [...now.examples, page.url]
  return now
}

function mirrored({ documents, home, copies }: Likeness): SiteName | undefined {
  if (home === undefined || documents < MIN_DOCUMENTS) return undefined
  const equal = copies.find(({ site }) => site === home)?.documents ?? 0
  return equal >= MIN_DOCUMENTS && equal >= documents * MIN_SHARE ? home : undefined
}

function proposal(memory: SiteMemory, { documents, copies, examples }: Likeness, like: SiteName): Liked {
  const equal = copies.find(({ site }) => site === like)?.documents ?? 0
  const evidence = `the home page and ${equal - 1} of the first ${documents - 1} other documents equal those of ${like}`
  return {
    memory,
    slow: { rule: MIRROR_RULE, like },
    finding: { rule: MIRROR_RULE, evidence, ...(examples.length === 0 ? {} : { examples }) },
  }
}

const decided = (like: SiteName | ''): Likeness => ({ documents: 0, copies: [], examples: [], like })
