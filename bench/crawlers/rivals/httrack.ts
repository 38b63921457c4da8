/** HTTrack, from Debian: a copy of the sites to be looked at from the disk. */
import { join } from 'node:path'
import { installPackage, printed, type Rival, runRival } from './rival.ts'

export const httrack: Rival = {
  name: 'httrack',
  stores: 'files with rewritten links; a cache of all answers in a ZIP file',
  queue: 'in memory; its cache lets it begin again without asking for all anew',
  settings: '64 connections, kept alive, without its limits of connections and bytes per second',
  codings: ['identity', 'gzip'],
  async find(home) {
    const version = await printed('httrack', ['--version'])
    if (version === undefined) return 'not installed: apt-get install httrack'
    return { version: version.trim().split('+', 1)[0], program: 'httrack', home }
  },
  install: () => installPackage('httrack'),
  run({ program }, scene) {
    const way = ['-P', `127.0.0.1:${scene.web.port}`, '-%L', scene.seedFile, '-O', join(scene.folder, 'files')]
    const speed = ['-%!', '-c64', '-%c1000', '-A1000000000', '-%k', '-r9999', '-s2', '-R0']
    // Types by what is sent, not by a second request; and www.a.test is not a.test.
    const plain = ['-%N0', '-u0', '-%u0']
    const quiet = ['-q', '-Q', '-I0', '-o0', '-%v0', '-b0']
    return runRival(program, [...way, ...speed, ...plain, ...quiet], scene)
  },
}
