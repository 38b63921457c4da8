/** Sites that are another name of an original (C8): links into them are entered there. Only their home pages stay. */
import type { Instant } from '../base/clock.ts'
import type { SiteName } from '../contracts/visit.ts'

/** What `how` says of a name that was learnt. */
export const LEARNT = 'www'

export interface NewAlias {
  name: SiteName
  original: SiteName
  /** `list`: the operator's list of mirrors; `www`: learnt from where the home page sends everybody. */
  how: string
  /** What is entered at the original is asked for by https, whatever the link says. */
  https?: boolean
  evidence?: string
}

export interface Alias extends NewAlias {
  https: boolean
  evidence: string
  since: Instant
}

export type AliasAnswer =
  | 'taken'
  /** It is there already, or the operator has said something else. */
  | 'known'
  /** The original is, by its own aliases, the same name. */
  | 'cycle'
  /** No names of sites, an original that was given up, a chain too long, or too many. */
  | 'refused'

/** So many take 250 MB. */
export const MAX_ALIASES = 1_000_000
/** Names of names: nobody means that many. */
export const LONGEST_CHAIN = 16
export const LONGEST_EVIDENCE = 500
/** Of the word that says how it was learnt. */
export const LONGEST_HOW = 20

/** URLs that move to an original at once. */
export const MAX_MOVED = 500
/** Names that one `reap` looks at. */
export const MAX_PENDING_NAMES = 20
/** Names that go with an original that was given up. */
export const MAX_NAMES_DROPPED = 1000
