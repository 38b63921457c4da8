/** The shapes by name. */
import { ampEntities } from './amp-entities.ts'
import { brokenRelative } from './broken-relative.ts'
import { calendar } from './calendar.ts'
import { commentLinks } from './comment-links.ts'
import { directoryListing } from './directory-listing.ts'
import { doorways } from './doorways.ts'
import { dripFeed } from './drip-feed.ts'
import { endlessBody } from './endless-body.ts'
import { endlessIds } from './endless-ids.ts'
import { endlessPages } from './endless-pages.ts'
import { errorPages } from './error-pages.ts'
import { eventCalendar } from './event-calendar.ts'
import { facets } from './facets.ts'
import { growingPath } from './growing-path.ts'
import { gzipBomb } from './gzip-bomb.ts'
import { honestBlog } from './honest-blog.ts'
import { honestCatalogue } from './honest-catalogue.ts'
import { honestDictionary } from './honest-dictionary.ts'
import { honestForum } from './honest-forum.ts'
import { honestGallery } from './honest-gallery.ts'
import { honestListing } from './honest-listing.ts'
import { honestManual } from './honest-manual.ts'
import { honestProgramme } from './honest-programme.ts'
import { honestRecords } from './honest-records.ts'
import { honestStations } from './honest-stations.ts'
import { hugeHead } from './huge-head.ts'
import { linkFarm } from './link-farm.ts'
import { markovTarpit } from './markov-tarpit.ts'
import { permutations } from './permutations.ts'
import { redirectGrowth } from './redirect-growth.ts'
import { searchSpiral } from './search-spiral.ts'
import { sessionIds } from './session-ids.ts'
import { sessionIdsAlways, sessionIdsWithoutCookie } from './session-links.ts'
import type { Shape, ShapeName } from './shape.ts'
import { soft404 } from './soft-404.ts'
import { soft404Echo } from './soft-404-echo.ts'
import { tarpit } from './tarpit.ts'
import { unsupportedBrowser } from './unsupported-browser.ts'
import { viewParams } from './view-params.ts'
import { wikiHistory } from './wiki-history.ts'
import { wrongTypes } from './wrong-types.ts'

export const SHAPES: Record<ShapeName, Shape> = {
  calendar: calendar,
  'session-ids': sessionIds,
  'growing-path': growingPath,
  permutations: permutations,
  'soft-404': soft404,
  'drip-feed': dripFeed,
  tarpit: tarpit,
  'gzip-bomb': gzipBomb,
  'huge-head': hugeHead,
  'endless-body': endlessBody,
  'event-calendar': eventCalendar,
  'comment-links': commentLinks,
  'session-ids-without-cookie': sessionIdsWithoutCookie,
  'session-ids-always': sessionIdsAlways,
  'broken-relative': brokenRelative,
  'redirect-growth': redirectGrowth,
  'amp-entities': ampEntities,
  facets: facets,
  'view-params': viewParams,
  'directory-listing': directoryListing,
  'wiki-history': wikiHistory,
  'markov-tarpit': markovTarpit,
  'soft-404-echo': soft404Echo,
  'error-pages': errorPages,
  'unsupported-browser': unsupportedBrowser,
  'endless-pages': endlessPages,
  'endless-ids': endlessIds,
  'search-spiral': searchSpiral,
  doorways: doorways,
  'link-farm': linkFarm,
  'wrong-types': wrongTypes,
  'honest-blog': honestBlog,
  'honest-gallery': honestGallery,
  'honest-listing': honestListing,
  'honest-catalogue': honestCatalogue,
  'honest-forum': honestForum,
  'honest-dictionary': honestDictionary,
  'honest-programme': honestProgramme,
  'honest-manual': honestManual,
  'honest-records': honestRecords,
  'honest-stations': honestStations,
}
