/** BUbiNG (Java), its last release, from Maven Central, ended by a program of ours. */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { build, classPath, isBuilt, type MavenProject } from './maven-project.ts'
import { printed, type Rival, type RivalScene, runRival } from './rival.ts'

const VERSION = '0.9.15'
const JMX = '-Dcom.sun.management.jmxremote'

const PROJECT: MavenProject = {
  folder: 'bubing',
  program: 'BubingBench',
  resources: ['logback.xml'],
  library: `bubing-${VERSION}.jar`,
}

export const bubing: Rival = {
  name: 'bubing',
  stores: 'WARC, gzip, decoded, without requests',
  queue: 'partly on disk; written down at an orderly end, gone after a kill',
  settings: '64 threads, a parser for each core, no delays, connections kept for 5 s',
  codings: ['identity', 'gzip'],
  async find(home) {
    if (!isBuilt(PROJECT, home)) return `not built: BUbiNG ${VERSION} needs mvn and a JDK of 17 or later`
    if ((await printed('java', ['-version'])) === undefined) return 'BUbiNG needs java'
    return { version: `BUbiNG ${VERSION}`, program: 'java', home }
  },
  install: (home) => build(PROJECT, home),
  run({ program, home }, scene) {
    const file = join(scene.folder, 'bubing.properties')
    writeFileSync(file, propertiesOf(scene))
    // It does not start without a port for JMX; nobody comes there.
    const jmx = [`${JMX}.port=0`, `${JMX}.host=127.0.0.1`, `${JMX}.authenticate=false`, `${JMX}.ssl=false`]
    const group = ['-Djava.net.preferIPv4Stack=true', '-Djgroups.bind_addr=127.0.0.1']
    return runRival(program, ['-Xmx1g', ...jmx, ...group, ...classPath(home), PROJECT.program, file], scene)
  },
}

/** It has no defaults for most of these; the sizes are far beyond what this web needs. */
function propertiesOf({ folder, seedFile, web }: RivalScene): string {
  const properties = {
    rootDir: join(folder, 'root'),
    seed: `file:${seedFile}`,
    // Behind a proxy no address is needed. This resolver makes one up for each host, which so has its own place at the
    // workbench, and knows only this name of the proxy.
    proxyHost: 'localhost',
    proxyPort: web.port,
    dnsResolverClass: 'it.unimi.di.law.bubing.frontier.dns.FakeResolver',
    fetchingThreads: 64,
    parsingThreads: availableParallelism(),
    dnsThreads: 4,
    schemeAuthorityDelay: 0,
    ipDelay: 0,
    keepAliveTime: '5s',
    maxUrls: '1M',
    maxUrlsPerSchemeAuthority: 100_000,
    fetchFilter: true,
    scheduleFilter: 'SameHost()',
    parseFilter: 'ContentTypeStartsWith(text/)',
    followFilter: true,
    storeFilter: true,
    bloomFilterPrecision: '1E-8',
    socketTimeout: '60s',
    connectionTimeout: '60s',
    fetchDataBufferByteSize: '200K',
    responseBodyMaxByteSize: '10M',
    cookiePolicy: 'compatibility',
    cookieMaxByteSize: 2000,
    userAgent: 'bench (https://crawler.example/)',
    userAgentFrom: 'bench@crawler.example',
    robotsExpiration: '1h',
    digestAlgorithm: 'MurmurHash3',
    parserSpec: 'it.unimi.di.law.bubing.parser.HTMLParser(MurmurHash3)',
    startPaused: false,
    workbenchMaxByteSize: '128Mi',
    urlCacheMaxByteSize: '64Mi',
    sieveSize: '1Mi',
  }
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
