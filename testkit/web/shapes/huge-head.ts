/** A page under a megabyte of header lines. */
import type { Shape } from './shape.ts'

export const hugeHead: Shape = {
  entries: () => ['/heavy.html'],
  page: (asked) => (asked === '/heavy.html' ? { targets: [], words: asked, misbehaves: 'huge-head' } : undefined),
}
