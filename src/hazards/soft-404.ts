/**
 * Sites that never say 404. Once, when two URLs look alike, a name that cannot exist is asked for; if its answer claims to be
 * a page, pages like it are none. Their links are not followed, and patterns that give nothing else are stopped.
 */
import type { TrapMemory } from '../visit/trap-memory.ts'
import { type Content, contentOf, likeness, toColumns } from './content.ts'
import type { Family } from './family.ts'
import type { Finding } from './finding.ts'
import type { PageFacts } from './page-facts.ts'

/** Hollow pages and nothing else: under a folder's name, and at the top of the site, where anything may be. */
const IN_A_FOLDER = 5
const AT_THE_TOP = 8

export function learnAnswer(status: number, facts: PageFacts['content']): NonNullable<TrapMemory['probe']> {
  if (status < 200 || status > 299 || facts === undefined) return {}
  const content = contentOf(facts)
  return { like: [...toColumns(content), tagsOf(facts)] }
}

/**
 * Like the answer to the name that cannot exist: the same text; or its shape, in the same tags: sites say which name they
 * did not find.
 */
export function isSoft404(probe: TrapMemory['probe'], page: PageFacts, content: Content | undefined): boolean {
  if (probe?.like === undefined || content === undefined || page.content === undefined) return false
  const like = likeness(content, probe.like, 0)
  return like === 'same' || (like === 'near' && tagsOf(page.content) === probe.like.at(-1))
}

function tagsOf({ tags }: NonNullable<PageFacts['content']>): number {
  return Number(BigInt.asUintN(32, tags))
}

export function judgeHollow(family: Family): Finding | undefined {
  const { pattern, hollow, answers, examples } = family
  const least = pattern.indexOf('/', 1) > 0 ? IN_A_FOLDER : AT_THE_TOP
  if (hollow < least || hollow < answers) return undefined
  const evidence = `all ${hollow} URLs gave what the site gives for names that do not exist, or for many others`
  return { rule: 'hollow', pattern, evidence, examples }
}
