/** What the house does for each page, on a database in a real file. */
import { join } from 'node:path'
import { openHouse } from '../../src/assemble/house.ts'
import { realClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { realDisk } from '../../src/base/real-disk.ts'
import { loadSettings } from '../../src/config/load.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { decodeReport } from '../../src/visit/decode-report.ts'
import { seal } from '../../src/visit/sealed-part.ts'
import { parseUrl } from '../../src/web/url/web-url.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import type { Material } from './material.ts'
import { timeEach, timeOnce } from './stopwatch.ts'
import type { Piece } from './worker-pieces.ts'

/** Parts that come together, as a worker with many visits sends them once a second. */
const PARTS_AT_ONCE = 20
const VISITS_AT_ONCE = 32

export async function housePieces({ seeds, parts }: Material): Promise<Piece[]> {
  using folder = temporaryFolder()
  const pages = parts.reduce((sum, part) => sum + part.pages.length, 0)
  const sealed = parts.map(seal)
  const decoding = (timeEach(sealed, ({ body }) => void decodeReport(body)) * parts.length) / pages
  const { settings } = loadSettings([], 'crawl', { env: {}, readFile: () => undefined })
  for (const inside of ['archive', 'indexes', 'logs']) realDisk.makeFolder(join(folder.path, inside))
  const database = openSqlite(join(folder.path, 'collection.db'))
  const house = await openHouse({
    database,
    disk: realDisk,
    folder: folder.path,
    clock: realClock,
    random: seededRandom(1),
    journal: { tell() {} },
    settings,
  })
  await house.seed(seeds.map((seed) => parseUrl(seed)!).map(({ href, key, site }) => ({ url: href, key, site })))
  let visits = 0
  const checkingOut = await timeOnce(async () => {
    for (let given = -1; given !== 0; visits += given)
      given = (await house.calls.checkOut('w1', VISITS_AT_ONCE)).visits.length
  })
  const takingIn = await timeOnce(async () => {
    for (let at = 0; at < sealed.length; at += PARTS_AT_ONCE) {
      await house.intake.store(sealed.slice(at, at + PARTS_AT_ONCE))
      await house.intake.idle()
    }
  })
  const applied = await database.read((tx) => house.frontier.ledger.look.totals(tx))
  if (applied.urls.marked === 0) throw new Error('no part was applied')
  const finishing = await timeOnce(() => house.finish())
  await database.close()
  return [
    {
      name: 'check out',
      microseconds: checkingOut / visits,
      note: `a site, in groups of ${VISITS_AT_ONCE}; not a page`,
    },
    { name: 'decode report', microseconds: decoding, note: 'part of applying it' },
    {
      name: 'take in and apply',
      microseconds: takingIn / pages,
      note: `${PARTS_AT_ONCE} parts at once: inbox, frontier, pages, captures, links, counters, log`,
    },
    { name: 'finish', microseconds: finishing / pages, note: 'reverse index of links, CDXJ; once a crawl' },
  ]
}
