/** Collects one site into a folder and prints what was kept: `node examples/collect-and-read.ts https://www.example.org/ FOLDER`. */
import { loadSettings, openCollection, parseUrl, startCrawl } from '../src/index.ts'

const [address = '', folder = './collection'] = process.argv.slice(2)
const seed = parseUrl(address)
if (seed === undefined) throw new Error('give the URL of a site that you may collect')

const { settings } = loadSettings(['--collection', folder, '--max-pages', '50'], 'crawl')
const crawl = await startCrawl(settings, { seeds: [seed], version: '0.1.0' })
const { why, documents } = await crawl.done
process.stdout.write(`${why}: ${documents} documents\n`)

const rooms = await openCollection(folder)
for await (const page of rooms.exportPages()) process.stdout.write(`${JSON.stringify(page)}\n`)
await rooms.close()
