/**
 * The layout of a report's bytes, for writer and reader alike: the version, three lengths, then three parts. Numbers, in
 * the order of the fields; names, that is URLs and words; prose, that is what people write. The texts of a part stand one
 * behind the other, so that each part is turned into bytes and back in one go: text by text that took half of the time.
 * The numbers say how long each text is. Prose is kept apart because one letter beyond Latin makes the whole part twice as
 * wide in memory, and hardly a URL has one.
 *
 * Version 3 did not tell how long it took to connect. Version 2 had its texts among the numbers, digests as bytes, and the
 * whole of a site's memory in every part. Both are still read: an older program may have left parts in the inbox.
 */
import type { VisitEnd } from './report.ts'

export const VERSION = 4
export const VERSION_3 = 3
export const VERSION_2 = 2
/** The version, and the lengths of the three parts. */
export const HEAD_BYTES = 1 + 3 * 4

export const HOW = ['first', 'changed', 'same'] as const
export const ENDS: readonly VisitEnd[] = ['done', 'slice', 'stopped', 'elsewhere', 'silent', 'given-up']
