/** The closed list of events in the journal. Readers: log, live view, tests. Events never steer. */
import type { Millis } from '../base/clock.ts'
import type { FailureKind } from './outcome.ts'
import type { VisitEnd } from './report.ts'

export type Event =
  | { kind: 'crawl-begun'; resumed: boolean }
  | { kind: 'crawl-over'; why: 'complete' | 'interrupted' | 'pages' | 'time' | 'size' }
  | { kind: 'checked-out'; worker: string; sites: number }
  | { kind: 'request'; site: string; url: string }
  /** `status`: as answered, or how the request failed. */
  | { kind: 'answer'; site: string; url: string; status: number | FailureKind; tookMs: Millis }
  | { kind: 'synced'; worker: string }
  | { kind: 'checked-in'; worker: string; parts: number; pages: number; bytes: number }
  | { kind: 'inbox-stored'; parts: number }
  | { kind: 'applying'; part: number; pages: number }
  | { kind: 'applied'; parts: number; pages: number; tookMs: Millis; seen: AppliedFigures }
  /** The coordinator chose sites for a worker. */
  | { kind: 'leased'; sites: number; tookMs: Millis }
  | { kind: 'mail'; result: 'sent' | 'failed'; what: string }
  | { kind: 'visit-ended'; site: string; why: VisitEnd; pages: number }
  | { kind: 'lease-lost'; site: string }
  /** It does not end: asked to stop, or given up. */
  | { kind: 'visit-stuck'; site: string; givenUp: boolean }
  | { kind: 'hazard'; site: string; rule: string; evidence: string; pattern?: string }
  | { kind: 'mirror-left'; replica: string; original: string; why: string }
  | { kind: 'volume-opened'; name: string }
  | { kind: 'volume-closed'; name: string; bytes: number }
  | { kind: 'tail-cut'; name: string; bytes: number }
  | { kind: 'worker-restarted'; worker: string; why: string; url?: string }
  | { kind: 'late'; worker: string; ms: Millis }
  | { kind: 'trouble'; what: string }

/** Of the reports that were applied together. */
export interface AppliedFigures {
  /** How long each answer took. */
  answersMs: readonly Millis[]
  /** The pause in force at each site. */
  pausesMs: readonly Millis[]
  /** The rule of each finding. */
  hazards: readonly string[]
}
