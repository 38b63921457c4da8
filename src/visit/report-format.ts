/** What the bytes of a report begin with, and the lists whose places stand for words; for writer and reader alike. */
import type { VisitEnd } from './report.ts'

export const VERSION = 2

export const HOW = ['first', 'changed', 'same'] as const
export const ENDS: readonly VisitEnd[] = ['done', 'slice', 'stopped', 'elsewhere', 'silent', 'given-up']
