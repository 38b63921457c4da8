/** A page that comes a byte at a time and never ends. */
import type { Shape } from './shape.ts'

export const dripFeed: Shape = {
  entries: () => ['/drip.html'],
  page: (asked) => (asked === '/drip.html' ? { targets: [], words: asked, misbehaves: 'drip' } : undefined),
}
