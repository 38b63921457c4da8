/** Which names of sites lead nowhere any more, asked of a resolver, some at a time. */
import type { Resolve } from '../../contracts/exchange.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { parseUrl } from '../../web/url/web-url.ts'

export interface CheckedNames {
  /** The name does not exist, or leads only where we do not go. */
  gone: Set<SiteName>
  /** The resolver gave no answer: that proves nothing. */
  unanswered: number
}

export type CheckNames = (names: readonly SiteName[]) => Promise<CheckedNames>

const AT_ONCE = 50
/** Asked once more: a resolver that is asked much forgets some. */
const TRIES = 2

export function nameChecker(resolve: Resolve): CheckNames {
  return async (names) => {
    const signal = new AbortController().signal
    const gone = new Set<SiteName>()
    let unanswered = 0
    const waiting = [...new Set(names)]
    const isAnswered = async (name: SiteName): Promise<boolean> => {
      const answer = await resolve(parseUrl(`http://${name}/`)?.host ?? name, signal)
      if (answer.kind === 'addresses') return true
      const { kind } = answer.failure
      if (kind !== 'no-such-name' && kind !== 'address-refused') return false
      gone.add(name)
      return true
    }
    const line = async () => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        let answered = false
        for (let tries = 0; tries < TRIES && !answered; tries++) answered = await isAnswered(name)
        if (!answered) unanswered++
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, line))
    return { gone, unanswered }
  }
}
