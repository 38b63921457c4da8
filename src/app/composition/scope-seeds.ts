/** What the scope is drawn around: the seeds, and the other places where a name to try may turn out to live. */

import { guessesFor } from '../../crawl/site-names.ts'
import type { Database } from '../../database/database.ts'
import { seedViewsOf } from '../../frontier/open-frontier.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import type { Settings } from '../config/keys.ts'

export interface ScopeSeeds {
  seeds: string[]
  alternates: string[]
}

export async function scopeSeeds({
  database,
  settings,
}: {
  database: Database
  settings: Settings
}): Promise<ScopeSeeds> {
  const which = needsEverySeed(settings) ? 'all' : 'sites'
  const list = await database.read((tx) => seedViewsOf(database).list(tx, which))
  const alternates: string[] = []
  // A domain holds its `www.`, and what lies under a suffix has nothing to do with seeds.
  const isNeeded = which === 'all' || settings.scope === 'host'
  for (const { url, source } of isNeeded ? list : []) {
    const host = source === 'names' ? parseUrl(url)?.host : undefined
    if (host === undefined) continue
    const others = guessesFor(host).filter((other) => other !== url)
    // Where only sites matter, one URL of each other host says it all.
    if (which === 'all') alternates.push(...others)
    else alternates.push(...others.filter((other) => other.startsWith('https:') && parseUrl(other)?.host !== host))
  }
  return { seeds: list.map(({ url }) => url), alternates }
}

/** Millions of seeds in each thread are seldom needed: most scopes look at their sites only. */
function needsEverySeed({ scope, include, queries }: Settings): boolean {
  return scope === 'page' || scope === 'prefix' || include.length > 0 || !queries
}
