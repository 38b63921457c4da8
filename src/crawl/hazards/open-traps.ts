/**
 * What trap detectors remember of a site, as it is while the site is visited: opened once from the site's memory, changed with
 * every page, and closed into plain JSON whenever a report is to have it. A visit that goes on from the closed memory judges
 * as one that was never broken off.
 */
import type { SuspectPattern, TrapMemory } from '../../contracts/trap-memory.ts'
import { Latest, toSigned, toUnsigned } from './columns.ts'
import { closeRow, type Family, openRow } from './family.ts'
import { KnownPages } from './known-pages.ts'
import type { Repeats } from './repeats.ts'

/** Texts that are known again, whatever page they are on. */
const MAX_TEXTS = 200

/** The fields of `TrapMemory`, without those that may be missing. */
export interface OpenTraps {
  /** Never written to: what they mean is worked out once for each list. */
  suspects: SuspectPattern[]
  cleared: TrapMemory['cleared']
  readonly novel: [pages: number, closing: number, length: number]
  readonly casts: number[]
  alike: number
  readonly pace: [usual: number, slow: number]
  /** By pattern. */
  readonly families: Map<string, Family>
  taken: number
  forgotten: readonly number[]
  readonly contents: number[]
  readonly texts: Latest
  copies: number
  readonly known: KnownPages
  aliases: NonNullable<TrapMemory['aliases']>
  echoes: number
  readonly navigation: number[]
  repeats: Repeats | undefined
  bare: number
  bareForms: readonly number[]
  probe: TrapMemory['probe']
  told: readonly string[]
}

/** A memory without suspects is of an earlier version: it begins anew. */
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
    casts: toSigned(traps.casts ?? []),
    alike: traps.alike ?? 0,
    pace: traps.pace === undefined ? [0, 0] : [...traps.pace],
    families,
    taken,
    forgotten: traps.forgotten ?? [],
    contents: toSigned(traps.contents ?? []),
    texts: new Latest(traps.texts ?? [], MAX_TEXTS),
    copies: traps.copies ?? 0,
    known: new KnownPages(traps.known),
    aliases: traps.aliases ?? [],
    echoes: traps.echoes ?? 0,
    navigation: toSigned(traps.navigation ?? []),
    repeats: traps.repeats,
    bare,
    bareForms,
    probe: probe?.like === undefined ? probe : { ...probe, like: toSigned(probe.like) },
    told: traps.reportedRules ?? [],
  }
}

const NOTHING: TrapMemory = { suspects: [] }

/** What is left of it when the open one is changed later: what is missing was never seen. */
export function closeTraps(traps: OpenTraps): TrapMemory {
  const { suspects, cleared, novel, pace, families, repeats, bare, bareForms, probe } = traps
  const closed: TrapMemory = { suspects }
  if (cleared !== undefined) closed.cleared = cleared
  if (novel[0] > 0) closed.novel = [...novel]
  if (traps.casts.length > 0) closed.casts = toUnsigned(traps.casts)
  if (traps.alike > 0) closed.alike = traps.alike
  if (pace[0] + pace[1] > 0) closed.pace = [...pace]
  if (families.size > 0) closed.families = [...families.values()].map(closeRow)
  if (families.size > 0) closed.taken = traps.taken
  if (traps.forgotten.length > 0) closed.forgotten = traps.forgotten
  if (traps.contents.length > 0) closed.contents = toUnsigned(traps.contents)
  const texts = traps.texts.list()
  if (texts.length > 0) closed.texts = texts
  if (traps.copies > 0) closed.copies = traps.copies
  const known = traps.known.text()
  if (known !== '') closed.known = known
  if (traps.aliases.length > 0) closed.aliases = traps.aliases
  if (traps.echoes > 0) closed.echoes = traps.echoes
  if (traps.navigation.length > 0) closed.navigation = toUnsigned(traps.navigation)
  if (repeats !== undefined) closed.repeats = repeats
  if (bare > 0 || bareForms.length > 0) closed.bare = [bare, ...bareForms]
  if (probe !== undefined) closed.probe = probe.like === undefined ? probe : { ...probe, like: toUnsigned(probe.like) }
  if (traps.told.length > 0) closed.reportedRules = traps.told
  return closed
}
