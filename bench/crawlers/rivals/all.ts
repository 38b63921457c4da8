/** All rivals, those that store WARC first. */
import { bubing } from './bubing.ts'
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

export const RIVALS: readonly Rival[] = [
  wgetWarc,
  heritrix,
  stormcrawler,
  bubing,
  spider,
  wget2,
  colly,
  httrack,
  crawleeHttp,
  crawleeCheerio,
  scrapy,
]
