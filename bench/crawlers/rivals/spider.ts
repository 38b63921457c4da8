/** The crate spider (Rust), from crates.io, in a program of ours. */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installStep, isSame, PROGRAMS, proxyOf, type Rival, runRival } from './rival.ts'

const VERSION = '2.53.9'
const SOURCE = join(PROGRAMS, 'spider.rs')
const MANIFEST = `[package]
name = "spider-bench"
version = "0.0.0"
edition = "2021"

[dependencies]
spider = { version = "=${VERSION}", features = ["sync", "warc"] }
tokio = { version = "1", features = ["rt-multi-thread", "macros"] }
`

export const spider: Rival = {
  name: 'spider',
  stores: 'WARC, not compressed, decoded, without requests; a file for each site',
  queue: 'in memory; ends with it',
  settings: 'its defaults, 64 sites at once, no delay',
  codings: ['identity', 'gzip'],
  async find(home) {
    const program = join(home, 'target', 'release', 'spider-bench')
    if (!existsSync(program) || !isSame(join(home, 'src', 'main.rs'), SOURCE))
      return `not built: spider ${VERSION} needs cargo`
    return { version: `spider ${VERSION}`, program, home }
  },
  async install(home) {
    mkdirSync(join(home, 'src'), { recursive: true })
    writeFileSync(join(home, 'Cargo.toml'), MANIFEST)
    copyFileSync(SOURCE, join(home, 'src', 'main.rs'))
    await installStep('cargo', ['build', '--release'], home)
  },
  run({ program }, scene) {
    const files = join(scene.folder, 'volumes')
    mkdirSync(files)
    const args = [scene.seedFile, proxyOf(scene), files]
    return runRival(program, args, scene)
  },
}
