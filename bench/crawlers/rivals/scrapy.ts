/** Scrapy (Python, Twisted), from PyPI. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { installStep, PROGRAMS, printed, type Rival, runRival } from './rival.ts'

const VERSION = '2.19.0'

export const scrapy: Rival = {
  name: 'scrapy',
  stores: 'nothing',
  queue: 'in memory; ends with it (JOBDIR keeps one through an orderly end only)',
  settings: 'as its page on broad crawls says: 100 requests at once, 8 a host, no cookies, no retries; LinkExtractor',
  codings: ['identity', 'gzip'],
  async find(home) {
    const python = join(home, 'bin', 'python')
    if (!existsSync(python)) return `not installed: pip install scrapy==${VERSION}`
    const version = await printed(python, ['-m', 'scrapy', 'version'])
    if (version?.includes(VERSION) !== true) return `${home} has no Scrapy ${VERSION}`
    return { version: version.trim(), program: python, home }
  },
  async install(home) {
    mkdirSync(home, { recursive: true })
    await installStep('python3', ['-m', 'venv', home], home)
    await installStep(join(home, 'bin', 'pip'), ['install', '--quiet', `scrapy==${VERSION}`], home)
  },
  run({ program }, scene) {
    return runRival(program, [join(PROGRAMS, 'scrapy_bench.py'), scene.seedFile], scene)
  },
}
