/** StormCrawler (Java), from Maven Central, in a topology of ours on a Storm in the same process. */
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installStep, isSame, PROGRAMS, printed, type Rival, runRival } from './rival.ts'

const VERSION = '3.4.0'

const FILES = ['pom.xml', 'StormCrawlerBench.java', 'urlfilters.json']
const ourFile = (name: string) => join(PROGRAMS, 'stormcrawler', name)

export const stormcrawler: Rival = {
  name: 'stormcrawler',
  stores: 'WARC, gzip, decoded, with requests',
  queue: 'in memory; ends with it (others of its spouts keep one in a search engine or a database)',
  settings: '64 threads, no delay, okhttp, no acknowledgements, no text extracted, a parser for each core',
  codings: ['identity', 'gzip'],
  async find(home) {
    const made = [join('classes', 'StormCrawlerBench.class'), join('dependency', `stormcrawler-core-${VERSION}.jar`)]
    const isMade = made.every((name) => existsSync(join(home, 'target', name)))
    if (!isMade || !FILES.every((name) => isSame(join(home, name), ourFile(name))))
      return `not built: StormCrawler ${VERSION} needs mvn and a JDK of 17 or later`
    if ((await printed('java', ['-version'])) === undefined) return 'StormCrawler needs java'
    return { version: `StormCrawler ${VERSION}`, program: 'java', home }
  },
  async install(home) {
    // The libraries of another version would stay among its own.
    rmSync(home, { recursive: true, force: true })
    mkdirSync(home, { recursive: true })
    for (const name of FILES) copyFileSync(ourFile(name), join(home, name))
    await installStep('mvn', ['-B', '-q', 'compile', 'dependency:copy-dependencies'], home)
  },
  run({ program, home }, scene) {
    const volumes = join(scene.folder, 'volumes')
    mkdirSync(volumes)
    const target = join(home, 'target')
    const classes = [join(target, 'classes'), join(target, 'dependency', '*')].join(delimiter)
    const proxy = ['-Dhttp.proxyHost=127.0.0.1', `-Dhttp.proxyPort=${scene.web.port}`, '-Dhttp.nonProxyHosts=']
    // Its Storm keeps its state among the temporary files.
    const java = ['-Xmx1g', `-Djava.io.tmpdir=${scene.folder}`, ...proxy, '-cp', classes]
    return runRival(program, [...java, 'StormCrawlerBench', scene.seedFile, volumes], scene)
  },
}
