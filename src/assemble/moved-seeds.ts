/** Seeds that moved out of the scope: `example.org` that lives at `www.example.org` by now. The operator should know, and is told how to go on. */
import { pageOf } from '../collection/pages/read-pages.ts'
import { seedLooksOf } from '../frontier/open-frontier.ts'
import type { House } from './house.ts'

const MOST_SEEDS = 1000
const MOST_TOLD = 10

export interface MovedSeed {
  from: string
  to: string
}

export async function movedSeeds(house: House): Promise<MovedSeed[]> {
  const { look } = house.frontier.ledger
  const { database } = house.parts
  return database.read(async (tx) => {
    const moved: MovedSeed[] = []
    for (const from of await seedLooksOf(database).first(tx, MOST_SEEDS)) {
      const seed = house.urls.parse(from)
      const page = seed === undefined ? undefined : await pageOf(tx, seed.site, seed.key)
      if (page?.outcome !== 'moved' || page.detail === null) continue
      const isKnown = (await look.url(tx, page.detail)) !== undefined
      if (!isKnown) moved.push({ from, to: page.detail })
      if (moved.length >= MOST_TOLD) break
    }
    return moved
  })
}
