/** What no setting can check alone. */
import { Problem } from '../../base/errors.ts'
import { formatDuration } from '../../base/units.ts'
import type { Settings } from './keys.ts'

export function checkTogether(settings: Settings): void {
  const { lease, exchangeTimeout, connectTimeout, quiet, verbose } = settings
  // No request begins with less than its deadline left on the lease, so a shorter lease could never ask anything.
  if (lease <= exchangeTimeout + connectTimeout)
    throw new Problem(
      'bad-config',
      `--lease ${formatDuration(lease)} must be longer than --connect-timeout and --exchange-timeout together (${formatDuration(connectTimeout + exchangeTimeout)})`,
    )
  if (quiet && verbose) throw new Problem('bad-flag', '--quiet and --verbose contradict each other; give one of them')
}
