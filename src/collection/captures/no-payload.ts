import { sha1 } from '../../base/digest.ts'

/** Redirects and answers that were declined have no payload at all: none of them repeats another. */
export const NO_PAYLOAD = sha1(new Uint8Array(0))
