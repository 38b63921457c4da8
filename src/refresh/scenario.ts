/** A collection to keep fresh and what there is to do it with, as columns of numbers. Seconds, bytes, changes a second. */

export interface Pages {
  /** Which server each page is on. */
  server: Uint32Array
  /** λ: changes a second. */
  rate: Float64Array
  weight: Float64Array
  /** Bytes; undefined: a download takes the crawler's time alone. */
  size: Float64Array | undefined
}

/** The pages of server s are `members[start[s]] … members[start[s + 1] − 1]`, in ascending order. */
export interface ByServer {
  members: Uint32Array
  start: Uint32Array
}

export interface Scenario extends Pages, ByServer {
  horizon: number
  /** The least time between the starts of two requests to a server; 0: none. */
  politeness: number
  /** R: how many updates there may be within the horizon. */
  capacity: number
  /** Pages a second, of each crawler. */
  crawlers: Float64Array
  /** Bytes a second, of each server; Infinity: it never holds a crawler up. */
  servers: Float64Array
}

/** Updates that politeness allows a server: ⌊T/P⌋. A quotient within 10⁻¹² of a whole number is one: 0.3/0.1 is 3. */
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
