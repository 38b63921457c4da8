/** A collection to keep fresh and the resources for it, as columns of numbers. Seconds, bytes, changes per second. */

export interface Pages {
  /** Which server each page is on. */
  server: Uint32Array
  /** λ: changes per second. */
  rate: Float64Array
  weight: Float64Array
  /** Bytes; undefined: a download takes only the crawler's time. */
  size: Float64Array | undefined
}

/** The pages of server s are `members[start[s]] … members[start[s + 1] − 1]`, in ascending order. */
export interface ByServer {
  members: Uint32Array
  start: Uint32Array
}

export interface Scenario extends Pages, ByServer {
  horizon: number
  /** The minimum time between the starts of two requests to a server; 0: none. */
  politeness: number
  /** R: the maximum number of updates within the horizon. */
  capacity: number
  /** Pages per second, per crawler. */
  crawlers: Float64Array
  /** Bytes per second, per server; Infinity: it never delays a crawler. */
  servers: Float64Array
}

/** Updates that politeness allows per server: ⌊T/P⌋. A quotient within 10⁻¹² of an integer counts as one: 0.3/0.1 is 3. */
export function serverCap({ horizon, politeness }: Pick<Scenario, 'horizon' | 'politeness'>): number {
  return politeness > 0 ? Math.floor((horizon / politeness) * (1 + 1e-12)) : Number.POSITIVE_INFINITY
}

export function byServer(server: Uint32Array, servers: number): ByServer {
  const start = new Uint32Array(servers + 1)
  for (let page = 0; page < server.length; page++) start[server[page] + 1]++
  for (let s = 0; s < servers; s++) start[s + 1] += start[s]
  const members = new Uint32Array(server.length)
  const next = start.slice()
  for (let page = 0; page < server.length; page++) members[next[server[page]]++] = page
  return { members, start }
}

export function totalWeight({ weight }: Pick<Scenario, 'weight'>): number {
  let sum = 0
  for (let page = 0; page < weight.length; page++) sum += weight[page]
  return sum
}
