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

/** What the arena needs from a policy. Servers and pages are numbers, times are seconds. */
export interface Policy {
  /** Fetches are paced to R/T; otherwise a plan has counted them beforehand. */
  readonly isPaced: boolean
  /** Takes the first of the queue even if its server may not be contacted yet; the crawler waits. */
  readonly isStrict?: boolean
  /** Needs to know whether a look found a change. */
  readonly observes: boolean
  /** Compares servers itself; otherwise the smallest `rank` is next. */
  readonly chooser?: Chooser
  /** Starts a horizon and drops what the last one left over. Returns how many looks are planned. */
  begin(from: number): number
  /** When this server next has something to fetch; Infinity when never. */
  due(server: number, now: number): number
  /** Its rank among the ready servers: the smallest is next, ties by server. Constant until `take`. Without it: when it was due. */
  rank?(server: number): number
  /** Removes and returns the page to fetch now. */
  take(server: number, now: number): number
  /** The page was fetched, `elapsed` after its last look. */
  looked(page: number, server: number, now: number, elapsed: number, isChanged: boolean): void
}

/** Chooses among servers by a value that changes with time. `begin` empties it. */
export interface Chooser {
  /** The server may be contacted from now on, until it is chosen. */
  offer(server: number): void
  /** Removes and returns the best server now; -1 when there is none. */
  choose(now: number): number
}
