/** Crawlee (Node), from npm: its HttpCrawler and its CheerioCrawler. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installStep, PROGRAMS, type Rival, runRival } from './rival.ts'

const VERSION = '3.18.1'
const PACKAGES = ['http', 'cheerio', 'memory-storage'].map((name) => `@crawlee/${name}@${VERSION}`)

const crawlee = (kind: 'http' | 'cheerio'): Rival => ({
  name: `crawlee-${kind}`,
  folder: 'crawlee',
  stores: 'its queue: a JSON file for each URL',
  queue: 'on disk, not synced; the files written so far survive',
  settings: `50 to 200 requests at once, no sessions, no retries; links by ${kind === 'http' ? 'a pattern of ours' : 'enqueueLinks'}`,
  codings: ['identity', 'gzip'],
  async find(home) {
    try {
      const file = readFileSync(join(home, 'node_modules', '@crawlee', kind, 'package.json'), 'utf8')
      const { version } = JSON.parse(file) as { version: string }
      if (version === VERSION) return { version: `Crawlee ${version}`, program: process.execPath, home }
    } catch {
      // Told below.
    }
    return `not installed: npm install ${PACKAGES.join(' ')}`
  },
  async install(home) {
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'package.json'), '{"private":true,"type":"module"}\n')
    await installStep('npm', ['install', '--no-audit', '--no-fund', ...PACKAGES], home)
  },
  run({ program, home }, scene) {
    const script = join(home, 'crawlee.mjs')
    copyFileSync(join(PROGRAMS, 'crawlee.mjs'), script)
    const args = [script, kind, scene.seedFile, `${scene.web.port}`, join(scene.folder, 'storage')]
    return runRival(program, args, scene)
  },
})

export const crawleeHttp = crawlee('http')
export const crawleeCheerio = crawlee('cheerio')
