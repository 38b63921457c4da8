/** The shapes by name. */
import { ampEntities } from './amp-entities.ts'
import { brokenRelative } from './broken-relative.ts'
import {
  calendar,
  dripFeed,
  endlessBody,
  growingPath,
  gzipBomb,
  hugeHead,
  permutations,
  sessionIds,
  soft404,
  tarpit,
} from './classic.ts'
import { commentLinks } from './comment-links.ts'
import { directoryListing } from './directory-listing.ts'
import { doorways } from './doorways.ts'
import { endlessIds } from './endless-ids.ts'
import { endlessPages } from './endless-pages.ts'
import { errorPages } from './error-pages.ts'
import { eventCalendar } from './event-calendar.ts'
import { facets } from './facets.ts'
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
import { linkFarm } from './link-farm.ts'
import { markovTarpit } from './markov-tarpit.ts'
import { redirectGrowth } from './redirect-growth.ts'
import { searchSpiral } from './search-spiral.ts'
import { sessionIdsAlways, sessionIdsWithoutCookie } from './session-links.ts'
import type { Shape } from './shape.ts'
import { soft404Echo } from './soft-404-echo.ts'
import { unsupportedBrowser } from './unsupported-browser.ts'
import { viewParams } from './view-params.ts'
import { wikiHistory } from './wiki-history.ts'
import { wrongTypes } from './wrong-types.ts'

/** Made so that a crawler is lost in them, by malice or by mistake. */
const TRAPS = {
  calendar,
  'session-ids': sessionIds,
  'growing-path': growingPath,
  permutations,
  'soft-404': soft404,
  'drip-feed': dripFeed,
  tarpit,
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
  facets,
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
  doorways,
  'link-farm': linkFarm,
  'wrong-types': wrongTypes,
} as const satisfies Record<string, Shape>

/** Honest sites that a crude detector takes for traps: every page of them is real and has something of its own to say. */
const LOOKALIKES = {
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
} as const satisfies Record<string, Shape>

export type TrapShapeName = keyof typeof TRAPS
export type LookalikeName = keyof typeof LOOKALIKES
export type ShapeName = TrapShapeName | LookalikeName

export const SHAPES: Readonly<Record<ShapeName, Shape>> = { ...TRAPS, ...LOOKALIKES }
export const TRAP_SHAPES = Object.keys(TRAPS) as TrapShapeName[]
export const LOOKALIKE_SHAPES = Object.keys(LOOKALIKES) as LookalikeName[]
