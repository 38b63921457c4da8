/**
 * Every page of the seeds' hosts with Crawlee. Run from the folder where it is installed:
 *
 *     node crawlee.mjs http|cheerio SEED_FILE PORT STORAGE
 */
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { CheerioCrawler } from '@crawlee/cheerio'
import { Configuration, HttpCrawler, LogLevel, log } from '@crawlee/http'
import { MemoryStorage } from '@crawlee/memory-storage'

const [kind, seedFile, port, localDataDirectory] = process.argv.slice(2)
const seeds = readFileSync(seedFile, 'utf8').trim().split('\n')
const HREF = /<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi

log.setLevel(LogLevel.ERROR)

// All names lead to the served web. A proxy would not do: Crawlee asks it for no robots.txt, and keeps no connection to it.
const { createConnection } = Agent.prototype
Agent.prototype.createConnection = function (options, callback) {
  return createConnection.call(this, { ...options, host: '127.0.0.1', port: Number(port) }, callback)
}

const options = {
  respectRobotsTxtFile: true,
  minConcurrency: 50,
  maxConcurrency: 200,
  useSessionPool: false,
  persistCookiesPerSession: false,
  maxRequestRetries: 0,
}

/** A page has no more entities in its links than this. */
const plain = (text) => text.replaceAll('&amp;', '&')

const handlers = {
  /** Crawlee's HttpCrawler reads no HTML: its users bring their own. */
  async http({ request, body, crawler }) {
    const { host } = new URL(request.loadedUrl)
    const urls = new Set()
    for (const [, double, single, bare] of body.toString().matchAll(HREF)) {
      const url = URL.parse(plain(double ?? single ?? bare), request.loadedUrl)
      if (url?.host === host) urls.add(url.href)
    }
    await crawler.addRequests([...urls])
  },
  async cheerio({ enqueueLinks }) {
    await enqueueLinks({ strategy: 'same-hostname' })
  },
}

const Crawler = kind === 'http' ? HttpCrawler : CheerioCrawler
const configuration = new Configuration({ storageClient: new MemoryStorage({ localDataDirectory }) })
const crawler = new Crawler({ ...options, requestHandler: handlers[kind] }, configuration)
const { requestsFailed } = await crawler.run(seeds)
console.log(`${requestsFailed} failed`)
