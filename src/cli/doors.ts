/**
 * The doors through which commands reach the house, with what they need of it and no more. `real-doors.ts` opens the
 * real ones; tests hand in others.
 */
import type { Instant } from '../base/clock.ts'
import type { Settings } from '../config/keys.ts'
import type { Seed } from '../config/seeds.ts'
import type { Rooms } from './rooms.ts'

export interface CrawlEnd {
  why: 'complete' | 'interrupted' | 'pages' | 'time' | 'size'
  exit: number
  documents: number
  /** Seeds whose new place is not in the scope. */
  movedSeeds: readonly { from: string; to: string }[]
}

export interface CrawlSnapshot {
  at: Instant
  documents: number
  bytes: number
  requests: number
  sites: { busy: number; waiting: number; free: number; done: number; barred: number; total: number }
  urls: { known: number; waiting: number; done: number }
  failures: number
  refused: number
  /** Parts that are durable and not yet applied. */
  inbox: number
  waitingOnlyForCourtesy: boolean
  nextDueMs: number | undefined
  slow: { site: string; why: string }[]
  /** How late the house's event loop is. */
  lateMs: number
}

export interface CrawlHandle {
  done: Promise<CrawlEnd>
  snapshot(): CrawlSnapshot
  /** The first Ctrl-C: finish what is in flight, check in, close. */
  stop(): void
}

export interface CrawlOptions {
  seeds: Seed[]
  version: string
  journal?: (event: { kind: string }) => void
}

export interface SimulateOptions {
  sites: number
  pages: number
  seed: number
}

export interface SimulationReport {
  sites: number
  documents: number
  /** Documents that the synthetic web's own definition says are reachable and permitted. */
  expected: number
  /** Of them, those that were not collected; and what was collected though it should not be. */
  missing: readonly string[]
  surplus: readonly string[]
  requests: number
  virtualMs: number
  realMs: number
  /** Requests that came too early or to forbidden places, on the servers' side. */
  violations: number
}

/** What differs from the usual demonstration. */
export interface DemoOptions {
  sites: number | undefined
  /** Of a site, on average. */
  pages: number | undefined
  seed: number | undefined
}

/** A synthetic web, served on loopback. */
export interface ServedWeb {
  seeds: string[]
  /** For `--resolve`: `*.test=127.0.0.1:43210`. */
  resolve: readonly string[]
  sites: number
  pages: number
  close(): Promise<void>
}

export interface Doors {
  startCrawl(settings: Settings, options: CrawlOptions): Promise<CrawlHandle>
  /** For reading, while a crawl may be running. */
  openCollection(folder: string): Promise<Rooms>
  /** Adds seeds to a collection, made if need be, without crawling. */
  addSeeds(settings: Settings, options: { seeds: Seed[]; version: string }): Promise<{ added: number; known: number }>
  serveWeb(options: DemoOptions): Promise<ServedWeb>
  simulateCrawl(options: SimulateOptions): Promise<SimulationReport>
}
