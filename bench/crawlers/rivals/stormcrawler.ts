/** StormCrawler (Java), from Maven Central, in a topology of ours on a Storm in the same process. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build, classPath, isBuilt, type MavenProject } from './maven-project.ts'
import { printed, type Rival, runRival } from './rival.ts'

const VERSION = '3.4.0'

const PROJECT: MavenProject = {
  folder: 'stormcrawler',
  program: 'StormCrawlerBench',
  resources: ['urlfilters.json'],
  library: `stormcrawler-core-${VERSION}.jar`,
}

export const stormcrawler: Rival = {
  name: 'stormcrawler',
  stores: 'WARC, gzip, decoded, with requests',
  queue: 'in memory; ends with it (others of its spouts keep one in a search engine or a database)',
  settings: '64 threads, no delay, okhttp, no acknowledgements, no text extracted, a parser for each core',
  codings: ['identity', 'gzip'],
  async find(home) {
    if (!isBuilt(PROJECT, home)) return `not built: StormCrawler ${VERSION} needs mvn and a JDK of 17 or later`
    if ((await printed('java', ['-version'])) === undefined) return 'StormCrawler needs java'
    return { version: `StormCrawler ${VERSION}`, program: 'java', home }
  },
  install: (home) => build(PROJECT, home),
  run({ program, home }, scene) {
    const volumes = join(scene.folder, 'volumes')
    mkdirSync(volumes)
    const proxy = ['-Dhttp.proxyHost=127.0.0.1', `-Dhttp.proxyPort=${scene.web.port}`, '-Dhttp.nonProxyHosts=']
    // Its Storm keeps its state among the temporary files.
    const java = ['-Xmx1g', `-Djava.io.tmpdir=${scene.folder}`, ...proxy, ...classPath(home)]
    return runRival(program, [...java, PROJECT.program, scene.seedFile, volumes], scene)
  },
}
