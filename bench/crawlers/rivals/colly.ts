/** Colly (Go), from the Go proxy, in a program of ours. */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installStep, isSame, PROGRAMS, proxyOf, type Rival, runRival } from './rival.ts'

const VERSION = '2.3.0'
const SOURCE = join(PROGRAMS, 'colly.go')

export const colly: Rival = {
  name: 'colly',
  stores: 'files, decoded',
  queue: 'in memory; ends with it',
  settings: '64 requests at once, connections kept',
  codings: ['identity', 'gzip'],
  async find(home) {
    const program = join(home, 'colly-bench')
    if (!existsSync(program) || !isSame(join(home, 'main.go'), SOURCE)) return `not built: colly v${VERSION} needs go`
    return { version: `Colly ${VERSION}`, program, home }
  },
  async install(home) {
    mkdirSync(home, { recursive: true })
    writeFileSync(
      join(home, 'go.mod'),
      `module collybench\n\ngo 1.24\n\nrequire github.com/gocolly/colly/v2 v${VERSION}\n`,
    )
    copyFileSync(SOURCE, join(home, 'main.go'))
    await installStep('go', ['mod', 'tidy'], home)
    await installStep('go', ['build', '-o', 'colly-bench', '.'], home)
  },
  run({ program }, scene) {
    const files = join(scene.folder, 'files')
    mkdirSync(files)
    const args = [scene.seedFile, proxyOf(scene), files]
    return runRival(program, args, scene)
  },
}
