/** What both ends of the API agree on: version, headers, limits. */
import type { Millis } from '../../base/clock.ts'

/** Raised when an older worker could do harm or not be understood. */
export const PROTOCOL = 1
export const API = '/api/v1'

/** In every worker request: its protocol. */
export const PROTOCOL_HEADER = 'x-orbweaver-protocol'
/** In every answer: the server's time in milliseconds since 1970, when the answer begins. */
export const TIME_HEADER = 'x-orbweaver-time'
/** Media type of report parts. */
export const PARTS_TYPE = 'application/vnd.orbweaver.parts'

/** Maximum wait for a free site. */
export const LONGEST_POLL: Millis = 30_000
/** Sites per check-out. */
export const MAX_VISITS = 256
/** Visits per renewal. */
export const MAX_RENEWED = 20_000
/** Parts per check-in, and their bytes, compressed and uncompressed. */
export const MAX_PARTS = 4096
export const MAX_PART_BYTES = 64 * 2 ** 20
export const MAX_SENT_BYTES = 32 * 2 ** 20
/** Digests per lookup of stored copies. */
export const MAX_DIGESTS = 500
/** Bytes per piece of a volume. */
export const MAX_VOLUME_PIECE = 16 * 2 ** 20
/** Body size of ordinary calls. */
export const MAX_BODY_BYTES = 2 ** 20
/** Size of the plan: seeds, settings and block lists. */
export const MAX_PLAN_BYTES = 64 * 2 ** 20
/** Size of an answer: 32 sites with all that is known about them. */
export const MAX_ANSWER_BYTES = 128 * 2 ** 20
