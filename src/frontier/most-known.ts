/** Known URLs that a visit carries: above this they would be more than 800 kB. */
export const MAX_KNOWN = 100_000
