/** A page whose body does not end. */
import type { Shape } from './shape.ts'

export const endlessBody: Shape = {
  entries: () => ['/endless.html'],
  page: (asked) => (asked === '/endless.html' ? { targets: [], words: asked, misbehaves: 'endless' } : undefined),
}
