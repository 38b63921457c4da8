/** Wget with WARC among the rivals; how it is run is written in `../wget.ts`. */
import { wget, wgetVersion } from '../wget.ts'
import { installPackage, type Rival } from './rival.ts'

export const wgetWarc: Rival = {
  name: 'wget',
  stores: 'WARC, gzip 9, with an index',
  queue: 'in memory; ends with it',
  settings: 'one process for each core, files deleted again',
  codings: ['identity', 'gzip'],
  async find(home) {
    const version = wgetVersion()
    return version === undefined ? 'not installed: apt-get install wget' : { version, program: 'wget', home }
  },
  install: () => installPackage('wget'),
  run: (_, scene) => wget(scene.coding).run(scene),
}
