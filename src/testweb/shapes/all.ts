/** The shapes by name. */
import { calendar } from './calendar.ts'
import { dripFeed } from './drip-feed.ts'
import { endlessBody } from './endless-body.ts'
import { growingPath } from './growing-path.ts'
import { gzipBomb } from './gzip-bomb.ts'
import { hugeHead } from './huge-head.ts'
import { permutations } from './permutations.ts'
import { sessionIds } from './session-ids.ts'
import type { Shape, ShapeName } from './shape.ts'
import { soft404 } from './soft-404.ts'
import { tarpit } from './tarpit.ts'

export const SHAPES: Record<ShapeName, Shape> = {
  calendar,
  'session-ids': sessionIds,
  'growing-path': growingPath,
  permutations,
  'soft-404': soft404,
  'drip-feed': dripFeed,
  tarpit,
  'gzip-bomb': gzipBomb,
  'huge-head': hugeHead,
  'endless-body': endlessBody,
}
