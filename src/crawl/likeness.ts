/**
 * A site whose home page and first documents equal those of one known site is proposed as its mirror (VN §4.3): it is
 * slowed, so that others come first, and a person or the next `mirrors` decides; nothing of it is dropped. A pure fold
 * over the site memory, so that it goes on where the last visit ended.
 */
import type { Verdict } from '../contracts/report.ts'
import type { Likeness, SiteMemory } from '../contracts/site-memory.ts'
import type { SiteName } from '../contracts/visit.ts'
import { parseUrl } from '../web/url/web-url.ts'

/** A document of the site that was kept. */
export interface LikePage {
  site: SiteName
  url: string
  isHome: boolean
  /** The URL under which its payload is known already. */
  twin?: string
}

export interface Liked {
  memory: SiteMemory
  /** For `Learnt.slow`. */
  slow?: { rule: string; like: SiteName }
  verdict?: Omit<Verdict, 'at'>
}

export const MIRROR_RULE = 'mirror'

/** The home page and the first ten others. */
const MOST_DOCUMENTS = 11
/** Fewer may be a default page and the error page beside it. */
const LEAST_DOCUMENTS = 3
const LEAST_SHARE = 0.8
/** Other sites that are counted at once; a site that shares documents with more is made of common ones. */
const MOST_TWINS = 8
const MOST_EXAMPLES = 3
const LONGEST_EXAMPLE = 500

/** After the first documents nothing more is compared. */
export function isDecided({ likeness }: SiteMemory): boolean {
  return likeness?.like !== undefined
}

export function judgeLikeness(memory: SiteMemory, page: LikePage): Liked {
  if (isDecided(memory)) return { memory }
  const before = memory.likeness ?? { documents: 0, twins: [], examples: [] }
  const twin = page.twin === undefined ? undefined : parseUrl(page.twin)?.site
  // The site's own copy of it, now or last year, speaks neither for nor against.
  if (twin === page.site) return { memory }
  const now = counted(before, page, twin)
  const like = mirrored(now)
  if (like !== undefined) return proposal({ ...memory, likeness: decided(like) }, now, like)
  const over = now.documents >= MOST_DOCUMENTS
  return { memory: { ...memory, likeness: over ? decided('') : now } }
}

function counted(before: Likeness, page: LikePage, twin: SiteName | undefined): Likeness {
  const now: Likeness = { ...before, documents: before.documents + 1 }
  if (twin === undefined) return now
  if (page.isHome && now.home === undefined) now.home = twin
  const known = now.twins.some(({ site }) => site === twin)
  if (known) now.twins = now.twins.map((one) => (one.site === twin ? { ...one, documents: one.documents + 1 } : one))
  else if (now.twins.length < MOST_TWINS) now.twins = [...now.twins, { site: twin, documents: 1 }]
  if (now.examples.length < MOST_EXAMPLES && page.url.length <= LONGEST_EXAMPLE)
    now.examples = [...now.examples, page.url]
  return now
}

function mirrored({ documents, home, twins }: Likeness): SiteName | undefined {
  if (home === undefined || documents < LEAST_DOCUMENTS) return undefined
  const equal = twins.find(({ site }) => site === home)?.documents ?? 0
  return equal >= LEAST_DOCUMENTS && equal >= documents * LEAST_SHARE ? home : undefined
}

function proposal(memory: SiteMemory, { documents, twins, examples }: Likeness, like: SiteName): Liked {
  const equal = twins.find(({ site }) => site === like)?.documents ?? 0
  const evidence = `the home page and ${equal - 1} of the first ${documents - 1} other documents equal those of ${like}`
  return {
    memory,
    slow: { rule: MIRROR_RULE, like },
    verdict: { rule: MIRROR_RULE, evidence, ...(examples.length === 0 ? {} : { examples }) },
  }
}

const decided = (like: SiteName | ''): Likeness => ({ documents: 0, twins: [], examples: [], like })
