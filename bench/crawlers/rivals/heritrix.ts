/** Heritrix 3 (Java), the distribution from Maven Central, with its own profile and no delays. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { download, installStep, printed, type Rival, type RivalScene, runRival } from './rival.ts'

const VERSION = '3.13.0'
const DIST = `https://repo1.maven.org/maven2/org/archive/heritrix/heritrix/${VERSION}/heritrix-${VERSION}-dist.tar.gz`
const PROFILE = 'org/archive/crawler/restlet/profile-crawler-beans.cxml'

export const heritrix: Rival = {
  name: 'heritrix',
  stores: 'WARC, gzip, with requests and metadata; its log',
  queue: 'in Berkeley DB on disk; recovers from checkpoints or its recovery log',
  settings: 'its own profile, 64 threads, no delays, HTTP/1.1, no Connection: close',
  codings: ['identity', 'gzip'],
  asksNames: true,
  async find(home) {
    const place = join(home, `heritrix-${VERSION}`)
    if (!existsSync(join(home, PROFILE))) return `not installed: Heritrix ${VERSION} from Maven Central`
    if ((await printed('java', ['-version'])) === undefined) return 'Heritrix needs java'
    return { version: `Heritrix ${VERSION}`, program: 'java', home: place }
  },
  async install(home) {
    mkdirSync(home, { recursive: true })
    const file = join(home, 'dist.tar.gz')
    await download(DIST, file)
    await installStep('tar', ['xzf', file], home)
    const jar = join(home, `heritrix-${VERSION}`, 'lib', `heritrix-engine-${VERSION}.jar`)
    await installStep('unzip', ['-o', '-q', jar, PROFILE], home)
  },
  run({ program, home }, scene) {
    const jobs = join(scene.folder, 'jobs')
    mkdirSync(join(jobs, 'bench'), { recursive: true })
    const profile = readFileSync(join(home, '..', PROFILE), 'utf8')
    writeFileSync(join(jobs, 'bench', 'crawler-beans.cxml'), jobOf(profile, scene))
    const names = `127.0.0.1:${scene.web.names?.port}`
    const java = ['-Xmx1g', `-Dheritrix.home=${home}`, `-Ddns.server=${names}`, '-cp', join(home, 'lib', '*')]
    const engine = ['org.archive.crawler.Heritrix', '-a', 'bench:bench', '-b', '127.0.0.1', '-p', '0', '-j', jobs]
    const way = ['--proxy-host', '127.0.0.1', '--proxy-port', `${scene.web.port}`, '-r', 'bench']
    return runRival(program, [...java, ...engine, ...way], scene)
  },
}

/** Its usual rules take www.a.test for a.test, and this web has both. */
const CANONICAL = `<bean id="canonicalizationPolicy" class="org.archive.modules.canonicalize.RulesCanonicalizationPolicy">
  <property name="rules"><list><bean class="org.archive.modules.canonicalize.FixupQueryString" /></list></property>
 </bean>
</beans>`

/** Its profile says where its most changed settings go. */
function jobOf(profile: string, { seeds, coding }: RivalScene): string {
  const settings = [
    'disposition.delayFactor=0',
    'disposition.minDelayMs=0',
    'disposition.maxDelayMs=0',
    'disposition.respectCrawlDelayUpToSeconds=0',
    'crawlController.maxToeThreads=64',
    'crawlController.pauseAtStart=false',
    'fetchHttp.useHTTP11=true',
    'fetchHttp.sendConnectionClose=false',
    `fetchHttp.acceptCompression=${coding === 'gzip'}`,
  ]
  return profile
    .replace(/ENTER_AN_URL\w+/, 'https://crawler.example/')
    .replace('##..more?..##', settings.join('\n'))
    .replace('http://example.example/example', seeds.join('\n'))
    .replace('</beans>', CANONICAL)
}
