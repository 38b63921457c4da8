/**
 * The trap detectors' memory of a site during a visit: opened once from the site's memory, changed by every page, and
 * closed into plain JSON for each report part. A visit that resumes from the closed memory judges exactly as an
 * uninterrupted one.
 */
import type { SuspectPattern, TrapMemory } from '../../contracts/trap-memory.ts'
import type { Drift } from './drift.ts'
import { closeRow, type Family, freshFamily, isFolder, measureFamily, openRow } from './family.ts'
import { KnownPages } from './known-pages.ts'
import { Latest, mark, readMarks, toSigned, toUnsigned, writeMarks } from './marks.ts'
import { patternOf, type UrlPattern } from './pattern.ts'
import { Shingles } from './shingles.ts'
import { sizeOfSuspects } from './suspects.ts'
import { Variants } from './variants.ts'

/** Texts recognised again on any page. */
const MAX_TEXTS = 200

/** The fields of `TrapMemory`, all present. */
export interface OpenTraps {
  /** Never changed in place: matchers are cached per list. */
  suspects: SuspectPattern[]
  cleared: TrapMemory['cleared']
  readonly novel: [pages: number, closing: number, length: number]
  readonly templates: number[]
  alike: number
  readonly pace: [usual: number, slow: number]
  /** By pattern. */
  readonly families: Map<string, Family>
  taken: number
  forgotten: readonly number[]
  readonly contents: number[]
  readonly texts: Latest
  readonly known: KnownPages
  readonly variants: Variants
  readonly shingles: Shingles
  aliases: NonNullable<TrapMemory['aliases']>
  echoes: number
  readonly navigation: number[]
  repeats: TrapMemory['repeats']
  bare: number
  bareForms: readonly number[]
  readonly drift: Drift
  readonly redirects: number[]
  inferred: NonNullable<TrapMemory['inferred']>
  probe: TrapMemory['probe']
  invented: readonly number[]
  libraries: readonly number[]
  reported: readonly string[]
  /** The page that named the last ones; not stored. */
  namer: { path: string; pattern: UrlPattern }
}

/** A memory without suspects is of an earlier version and is dropped. */
export function openTraps(stored: TrapMemory | undefined): OpenTraps {
  const traps = stored?.suspects === undefined ? NOTHING : stored
  const families = new Map<string, Family>()
  let taken = 0
  for (const row of traps.families ?? []) {
    const family = openRow(row)
    families.set(family.pattern, family)
    taken += family.size
  }
  const { probe, bare: [bare, ...bareForms] = [0] } = traps
  return {
    suspects: traps.suspects,
    cleared: traps.cleared,
    novel: traps.novel === undefined ? [0, 0, 0] : [...traps.novel],
    templates: toSigned(traps.templates ?? []),
    alike: traps.alike ?? 0,
    pace: traps.pace === undefined ? [0, 0] : [...traps.pace],
    families,
    taken,
    forgotten: traps.forgotten ?? [],
    contents: toSigned(traps.contents ?? []),
    texts: new Latest(readMarks(traps.texts ?? ''), MAX_TEXTS),
    known: new KnownPages(traps.known),
    variants: new Variants(traps.variants),
    shingles: new Shingles(traps.shingles),
    aliases: traps.aliases ?? [],
    echoes: traps.echoes ?? 0,
    navigation: toSigned(traps.navigation ?? []),
    repeats: traps.repeats,
    bare,
    bareForms,
    drift: toSigned(traps.drift ?? []),
    redirects: toSigned(traps.redirects ?? []),
    inferred: traps.inferred ?? [0, 0],
    probe: probe?.like === undefined ? probe : { ...probe, like: toSigned(probe.like) },
    invented: traps.invented ?? [],
    libraries: traps.libraries ?? [],
    reported: traps.reported ?? [],
    namer: HOME,
  }
}

const HOME = { path: '/', pattern: patternOf('/') }

const NOTHING: TrapMemory = { suspects: [] }

/** A copy that later pages don't change. Missing fields were never counted. */
export function closeTraps(traps: OpenTraps): TrapMemory {
  const { suspects, cleared, novel, pace, families, repeats, bare, bareForms, probe } = traps
  const closed: TrapMemory = { suspects }
  if (cleared !== undefined) closed.cleared = cleared
  if (novel[0] > 0) closed.novel = [...novel]
  if (traps.templates.length > 0) closed.templates = toUnsigned(traps.templates)
  if (traps.alike > 0) closed.alike = traps.alike
  if (pace[0] + pace[1] > 0) closed.pace = [...pace]
  if (families.size > 0) closed.families = [...families.values()].map(closeRow)
  if (families.size > 0) closed.taken = traps.taken
  if (traps.forgotten.length > 0) closed.forgotten = traps.forgotten
  if (traps.contents.length > 0) closed.contents = toUnsigned(traps.contents)
  const texts = traps.texts.list()
  if (texts.length > 0) closed.texts = writeMarks(texts)
  const known = traps.known.text()
  if (known !== '') closed.known = known
  const variants = traps.variants.text()
  if (variants !== '') closed.variants = variants
  const shingles = traps.shingles.text()
  if (shingles !== '') closed.shingles = shingles
  if (traps.aliases.length > 0) closed.aliases = traps.aliases
  if (traps.echoes > 0) closed.echoes = traps.echoes
  if (traps.navigation.length > 0) closed.navigation = toUnsigned(traps.navigation)
  if (repeats !== undefined) closed.repeats = repeats
  if (bare > 0 || bareForms.length > 0) closed.bare = [bare, ...bareForms]
  if (traps.drift.length > 0) closed.drift = toUnsigned(traps.drift)
  if (traps.redirects.length > 0) closed.redirects = toUnsigned(traps.redirects)
  if (traps.inferred[0] > 0) closed.inferred = traps.inferred
  if (probe !== undefined) closed.probe = probe.like === undefined ? probe : { ...probe, like: toUnsigned(probe.like) }
  if (traps.invented.length > 0) closed.invented = traps.invented
  if (traps.libraries.length > 0) closed.libraries = traps.libraries
  if (traps.reported.length > 0) closed.reported = traps.reported
  return closed
}

/** The pattern of a page that named others. Those that it named come in a row, so it is kept. */
export function patternOfVia(traps: Pick<OpenTraps, 'namer'>, via: string): UrlPattern {
  if (traps.namer.path !== via) traps.namer = { path: via, pattern: patternOf(via) }
  return traps.namer.pattern
}

/** Finds a site's families by pattern, creates them, and keeps their size within bounds. */

/** The size of a site's rows and suspect patterns, in characters of JSON. */
const MAX_SIZE = 8_600
const CLEARED_SIZE = 40

/** Evicted patterns with many contents: if they return, they are not judged as empty ones. */
const MAX_FORGOTTEN = 40
const MANY_KINDS = 4

/** The family of a pattern. `counted` collects the families of the current page. */
export function familyOf(traps: OpenTraps, pattern: string, counted: Family[]): Family {
  let family = traps.families.get(pattern)
  if (family === undefined) {
    family = freshFamily(pattern)
    if (traps.forgotten.includes(mark(pattern))) family.kinds = MANY_KINDS
    traps.families.set(pattern, family)
  }
  if (!counted.includes(family)) counted.push(family)
  return family
}

/** Measures the changed families. If all of them take too much, evicts the least suspicious, least recent ones. */
export function evictFamilies(traps: OpenTraps, counted: readonly Family[], now: number): void {
  for (const family of counted) {
    const size = measureFamily(family)
    traps.taken += size - family.size
    family.size = size
  }
  const { families, cleared = [] } = traps
  const room = MAX_SIZE - sizeOfSuspects(traps.suspects) - CLEARED_SIZE * cleared.length
  if (traps.taken <= room || families.size === 1) return
  const gone: number[] = []
  while (traps.taken > room && families.size > 1) {
    const coldest = coldestOf(families, now)
    if (coldest.kinds >= MANY_KINDS) gone.push(mark(coldest.pattern))
    forget(traps, coldest.pattern)
  }
  if (gone.length === 0) return
  const others = traps.forgotten.filter((one) => !gone.includes(one))
  traps.forgotten = [...others, ...gone].slice(-MAX_FORGOTTEN)
}

export function forget(traps: OpenTraps, pattern: string): void {
  traps.taken -= traps.families.get(pattern)?.size ?? 0
  traps.families.delete(pattern)
}

function coldestOf(families: ReadonlyMap<string, Family>, now: number): Family {
  let coldest: Family | undefined
  let min = Number.POSITIVE_INFINITY
  for (const family of families.values()) {
    const worth = worthOf(family, now)
    if (worth >= min) continue
    min = worth
    coldest = family
  }
  return coldest!
}

/**
 * How many answers of the site it outlives. A folder with many contents is kept longer: that keeps it from being
 * stopped.
 */
function worthOf(family: Family, now: number): number {
  const { streak, same, lost, slow, hollow, parameters } = family
  const evidence = streak + same + lost + 2 * slow + 2 * hollow
  const folder = family.kinds >= MANY_KINDS && isFolder(family) ? 100 : 0
  // Parameters seen in several combinations are kept longer, too.
  const place = parameters !== undefined && parameters[4].length > 2 ? 100 : 0
  return 4 * Math.min(evidence, 30) + folder + place - (now - family.at)
}
