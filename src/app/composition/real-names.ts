/** The names of sites asked of the real resolver, as a crawl with these settings would ask. */
import type { Settings } from '../config/keys.ts'
import { type CheckNames, nameChecker } from './check-names.ts'
import { realResolver } from './real-resolver.ts'

export function realNameChecker(settings: Settings): CheckNames {
  return nameChecker(realResolver(settings))
}
