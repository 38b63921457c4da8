/** All rivals, those that store WARC first. */
import { colly } from './colly.ts'
import { crawleeCheerio, crawleeHttp } from './crawlee.ts'
import { heritrix } from './heritrix.ts'
import { httrack } from './httrack.ts'
import type { Rival } from './rival.ts'
import { scrapy } from './scrapy.ts'
import { spider } from './spider.ts'
import { stormcrawler } from './stormcrawler.ts'
import { wgetWarc } from './wget-warc.ts'
import { wget2 } from './wget2.ts'

/** Those that cannot be had, or not without more than settings; they are named in every report. */
export const OUT_OF_REACH: Readonly<Record<string, string>> = {
  bubing: 'its last release (0.9.15, 2019) could not be put together: sux4j 4.3.0 and sun.jdk tools were not found',
}

export const RIVALS: readonly Rival[] = [
  wgetWarc,
  heritrix,
  stormcrawler,
  spider,
  wget2,
  colly,
  httrack,
  crawleeHttp,
  crawleeCheerio,
  scrapy,
]
