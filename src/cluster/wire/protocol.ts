/** What both ends of the API agree upon before the first call: version, headers, bounds. */
import type { Millis } from '../../base/clock.ts'

/** Grows when a worker of the version before could do harm or not be understood. */
export const PROTOCOL = 1
export const API = '/api/v1'

/** Of every request of a worker: the protocol that it speaks. */
export const PROTOCOL_HEADER = 'x-orbweaver-protocol'
/** Of every answer: the server's time in milliseconds since 1970, taken when the answer begins. */
export const TIME_HEADER = 'x-orbweaver-time'
/** How parts travel. */
export const PARTS_TYPE = 'application/vnd.orbweaver.parts'

/** A call that waits for a free site is answered after this at the latest. */
export const LONGEST_POLL: Millis = 30_000
/** Sites of one check-out. */
export const MAX_VISITS = 256
/** Visits of one thread that a renewal names. */
export const MAX_RENEWED = 20_000
/** Parts of one check-in, and their bytes: on the way, and when they are unpacked. */
export const MAX_PARTS = 4096
export const MAX_PART_BYTES = 64 * 2 ** 20
export const MAX_SENT_BYTES = 32 * 2 ** 20
/** Digests of one question for twins. */
export const MAX_DIGESTS = 500
/** Bytes of a volume in one piece. */
export const MAX_VOLUME_PIECE = 16 * 2 ** 20
/** Of calls whose bodies are small. */
export const MAX_BODY_BYTES = 2 ** 20
/** Of the plan: seeds, settings and black lists. */
export const MAX_PLAN_BYTES = 64 * 2 ** 20
/** Of an answer: 32 sites with everything that can be known of them. */
export const MAX_ANSWER_BYTES = 128 * 2 ** 20
