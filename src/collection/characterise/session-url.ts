/** Does a URL carry a session id, as a parameter of its query or of its path (V26)? */
import { isCookielessSession, isSessionId } from '../../web/url/sessions.ts'

export function hasSessionId(url: string): boolean {
  const at = url.indexOf('/', url.indexOf('://') + 3)
  if (at < 0) return false
  const path = url.slice(at)
  if (path.includes('(') && path.split('/').some(isCookielessSession)) return true
  if (!path.includes('=')) return false
  const pairs = path.split(/[?&;]/).slice(1)
  const besideToken = /[?&;]cftoken=/i.test(path)
  return pairs.some((pair) => {
    const equals = pair.indexOf('=')
    if (equals < 0) return false
    return isSessionId(pair.slice(0, equals).toLowerCase(), pair.slice(equals + 1), besideToken)
  })
}
