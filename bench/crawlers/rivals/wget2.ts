/** GNU Wget2, from Debian: threads, plain files, no WARC. */
import { join } from 'node:path'
import { installPackage, printed, proxyOf, type Rival, runRival } from './rival.ts'

export const wget2: Rival = {
  name: 'wget2',
  stores: 'files, decoded',
  queue: 'in memory; ends with it',
  settings: '32 threads, no limit of depth',
  codings: ['identity', 'gzip'],
  async find(home) {
    const version = await printed('wget2', ['--version'])
    if (version === undefined) return 'not installed: apt-get install wget2'
    return { version: version.split(' - ', 1)[0], program: 'wget2', home }
  },
  install: () => installPackage('wget2'),
  run({ program }, scene) {
    const flags = ['--recursive', '--level=0', '--max-threads=32', '--quiet', '--no-hsts', '--no-cookies', '--tries=1']
    const place = [`--directory-prefix=${join(scene.folder, 'files')}`, `--input-file=${scene.seedFile}`]
    const way = ['--no-config', `--http-proxy=${proxyOf(scene)}`]
    // Code 8: some answer was an error, and every site without robots.txt has one.
    return runRival(program, [...flags, ...place, ...way], scene, [0, 8])
  },
}
