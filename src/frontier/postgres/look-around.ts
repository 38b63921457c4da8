/** What a server looks after once a second, for itself and for all: with every tick of the house, so that no check-out waits for it. */
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { foldTotals } from './fold-totals.ts'
import { forgetAddresses, freeAddresses } from './free-addresses.ts'
import { readTotals } from './read-totals.ts'
import { refreshHints } from './refresh-hints.ts'
import type { Rules } from './rules.ts'

export async function lookAround(tx: PostgresTx, { hints, clock, time, texts, trusted }: Rules): Promise<void> {
  hints.refreshing(clock.elapsed())
  const [{ sites, urls }] = await Promise.all([readTotals(tx), refreshHints(tx, hints), foldTotals(tx)])
  // By what was just seen; last, for addresses are locked after all else.
  await Promise.all([freeAddresses(tx, hints, time.now()), forgetAddresses(tx, hints, time.now())])
  // What is in memory grows with what there is.
  texts.refresh(0, () => urls.known)
  trusted.refresh(0, () => Object.values(sites).reduce((sum, some) => sum + some, 0))
}
