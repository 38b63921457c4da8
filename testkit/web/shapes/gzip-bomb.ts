/** A page of some kilobytes that decodes to hundreds of megabytes. */
import type { Shape } from './shape.ts'

export const gzipBomb: Shape = {
  entries: () => ['/bomb.html'],
  page: (asked) => (asked === '/bomb.html' ? { targets: [], words: asked, misbehaves: 'bomb' } : undefined),
}
