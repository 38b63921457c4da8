/**
 * Sites that never say 404. Once, when several short pages look alike, a name that cannot exist is asked for; if its answer claims to be
 * a page, pages like it are none. Their links are not followed, and patterns that give nothing else are stopped.
 */
import type { TrapMemory } from '../../contracts/trap-memory.ts'
import { bitsApart, CONTENT_COLUMNS, type Content, contentOf, likeness, toColumns } from './content.ts'
import type { Family } from './family.ts'
import type { PatternFinding } from './finding.ts'
import { lowHalf } from './marks.ts'
import type { PageFacts } from './page-facts.ts'

/** Hollow pages and nothing else: under a folder's name, and at the top of the site, where anything may be. */
const IN_A_FOLDER = 5
const AT_THE_TOP = 8
/** A few of them came before it was known what they are. */
const BEFORE_IT_WAS_KNOWN = 3

/** Bits of the shape in which two pages that name what was not found may differ; 32 is chance. */
const APART_BY_A_NAME = 20

/** `path`: the name that was asked for, if it is known. */
export function learnAnswer(
  status: number,
  facts: PageFacts['content'],
  path: string | undefined,
): NonNullable<TrapMemory['probe']> {
  if (status < 200 || status > 299 || facts === undefined) return {}
  const like = [...toColumns(contentOf(facts)), tagsOf(facts)]
  return path === undefined ? { like } : { like, name: [facts.length, lengthOf(path)] }
}

/**
 * Like the answer to the name that cannot exist: the same text; or its shape, in the same tags; or the same tags and a text
 * that is longer by as much as its URL is: sites say which name they did not find.
 */
export function isSoft404(probe: TrapMemory['probe'], page: PageFacts, content: Content | undefined): boolean {
  if (probe?.like === undefined || content === undefined || page.content === undefined) return false
  const like = likeness(content, probe.like, 0)
  if (like === 'same') return true
  if (tagsOf(page.content) !== probe.like[CONTENT_COLUMNS] || content.embeds !== probe.like[2]) return false
  if (like === 'near') return true
  return bitsApart(content, probe.like, 0) <= APART_BY_A_NAME && isLongerByItsName(probe.name, page)
}

/** Once, twice or three times its name. */
function isLongerByItsName(name: [text: number, path: number] | undefined, { path, content }: PageFacts): boolean {
  if (name === undefined || content === undefined) return false
  const longer = content.length - name[0]
  const byName = lengthOf(path) - name[1]
  return byName !== 0 && [1, 2, 3].some((times) => longer === times * byName)
}

/** As a page writes it: a name inside another URL has its slashes in three characters each. */
function lengthOf(path: string): number {
  return path.length - 2 * (path.match(/%[0-7][\dA-F]/gi)?.length ?? 0)
}

function tagsOf({ tags }: NonNullable<PageFacts['content']>): number {
  return lowHalf(tags)
}

export function judgeHollow(family: Family): PatternFinding | undefined {
  const { pattern, hollow, answers, kinds, examples } = family
  const min = pattern.indexOf('/', 1) > 0 ? IN_A_FOLDER : AT_THE_TOP
  if (hollow < min || hollow * 6 < (answers - BEFORE_IT_WAS_KNOWN) * 5 || kinds > 2) return undefined
  const evidence = `${hollow} of ${answers} URLs gave what the site gives for names that do not exist`
  return { rule: 'hollow', proof: 'missing', pattern, evidence, examples }
}
