export const POLICY_NAMES = [
  'psp',
  'mp2',
  'm-wolf',
  'index',
  'round-robin',
  'lwf',
  'proportional',
  'nutch-adaptive',
] as const
export type PolicyName = (typeof POLICY_NAMES)[number]

/** What the arena asks of a policy. Servers and pages are numbers, time is in seconds. */
export interface Policy {
  /** Uses capacity as it comes, so fetches are paced to R/T; a plan has counted them beforehand. */
  readonly isPaced: boolean
  /** Takes the first of the queue even if its server may not be asked yet: the crawler waits for it. */
  readonly isStrict: boolean
  /** Wants to know whether a look found a change. */
  readonly observes: boolean
  /** Compares servers itself; else the smallest `rank` is next. */
  readonly chooser: Chooser | undefined
  /** A horizon begins; what the last one has left over is dropped. Returns how many looks are planned. */
  begin(from: number): number
  /** From when this server has something to fetch, Infinity when it has nothing more. */
  due(server: number, now: number): number
  /** Its place among the ready servers: the smallest is next, ties by server. It stays as it is until `take`. */
  rank(server: number, now: number): number
  /** The page to fetch now; it is taken. */
  take(server: number, now: number): number
  /** It was fetched, `elapsed` after the last look. */
  looked(page: number, server: number, now: number, elapsed: number, isChanged: boolean): void
}

/** Chooses among servers by something that moves with time. `begin` empties it. */
export interface Chooser {
  /** The server may be asked from now on, until it is chosen. */
  offer(server: number): void
  /** The best server now, which leaves; -1 when there is none. */
  choose(now: number): number
}
