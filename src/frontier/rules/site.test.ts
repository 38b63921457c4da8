import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SITE_STATES } from '../../database/schema/frontier.ts'
import { type SiteEvent, type SiteState, stateAfter } from './site.ts'

/** Every state and every event: what follows, or '-' where it would be a bug. In the order of SITE_STATES. */
const TABLE: [SiteEvent, string][] = [
  //                             waiting   free      leased    returning crawled   barred    held
  [{ kind: 'urls' }, /*       */ 'waiting   free      leased    returning waiting   barred    held'],
  [{ kind: 'due' }, /*        */ 'free      -         -         -         -         -         -'],
  [{ kind: 'checked-out' }, /**/ '-         leased    -         -         -         -         -'],
  [{ kind: 'part-stored' }, /**/ 'returning returning returning returning returning returning -'],
  [{ kind: 'ended', left: 2 }, ' waiting   waiting   waiting   waiting   waiting   waiting   -'],
  [{ kind: 'ended', left: 0 }, ' crawled   crawled   crawled   crawled   crawled   crawled   -'],
  [{ kind: 'lost', left: 2 }, '  waiting   waiting   waiting   waiting   waiting   waiting   -'],
  [{ kind: 'lost', left: 0 }, '  crawled   crawled   crawled   crawled   crawled   crawled   -'],
  [{ kind: 'moved', left: 2 }, ' waiting   waiting   -         -         -         barred    held'],
  [{ kind: 'moved', left: 0 }, ' crawled   crawled   -         -         -         barred    held'],
  [{ kind: 'held' }, /*       */ 'held      held      -         -         held      -         -'],
  [{ kind: 'released', left: 2 }, '-         -         -         -         -         -         waiting'],
  [{ kind: 'released', left: 0 }, '-         -         -         -         -         -         crawled'],
  [{ kind: 'tried-again' }, /**/ '-         -         -         -         -         crawled   -'],
  // A visit may end after the operator barred its site; the caller bars it again (`restAfter`).
  [{ kind: 'barred' }, /*     */ 'barred    barred    -         -         barred    barred    -'],
  [{ kind: 'resumed', left: 2 }, ' waiting   -         -         -         waiting   waiting   -'],
  [{ kind: 'resumed', left: 0 }, ' crawled   -         -         -         crawled   crawled   -'],
  [{ kind: 'given-up' }, /*   */ 'barred    barred    barred    barred    barred    barred    barred'],
]

const tried = (state: SiteState, event: SiteEvent) => {
  try {
    return stateAfter(state, event)
  } catch {
    return '-'
  }
}

describe('the life of a site', () => {
  for (const [event, row] of TABLE)
    it(`${event.kind}${'left' in event ? ` with ${event.left} left` : ''}`, () => {
      assert.deepEqual(
        SITE_STATES.map((state) => tried(state, event)),
        row.trim().split(/\s+/),
      )
    })
})
